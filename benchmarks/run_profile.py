"""Where the time of one command of scalein goes: its slowest things with their shares, and that of our own Python.

All threads are sampled 200 times a second by where they are. A line of ours that calls a compiled kernel counts as the
kernel; what NumPy does for a line of ours counts as our own Python. Threads that wait for others don't count. What
the command does in worker processes, one after the other, is done in this one.

    python -m benchmarks.run_profile run --results FOLDER
"""

import linecache
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from numba.core.dispatcher import Dispatcher

from study.cli import run_command
from study.engines import local

INTERVAL_S = 0.005
ROOT = Path(__file__).resolve().parent.parent
OWN = ("pim", "mapreduce", "study", "thermal", "spark_traces")
OWN_PYTHON = "our own Python"
WAITS = ("threading.py", "queue.py", "selectors.py")
POOL_THREAD = "concurrent/futures/thread.py"
_NAME = re.compile(r"(\w+(?:\.\w+)*)\(")


def own_folder(frame: FrameType) -> str | None:
    """Return which of our packages a frame is in."""
    path = Path(frame.f_code.co_filename)
    if not path.is_relative_to(ROOT):
        return None
    folder = path.relative_to(ROOT).parts[0]
    return folder if folder in OWN else None


def kernel_called(frame: FrameType) -> str | None:
    """Return the name of the compiled kernel that a frame's line calls."""
    names = frame.f_globals | frame.f_locals
    for name in _NAME.findall(linecache.getline(frame.f_code.co_filename, frame.f_lineno or 0)):
        first, *rest = name.split(".")
        found = names.get(first)
        for part in rest:
            found = getattr(found, part, None)
        if isinstance(found, Dispatcher):
            return str(found.__name__)
    return None


def what(leaf: FrameType) -> str | None:
    """Return what a thread does: a kernel, a package that one of ours uses, or a place of ours; None if it waits."""
    if leaf.f_code.co_filename.endswith(WAITS):
        return None
    if leaf.f_code.co_filename.endswith(POOL_THREAD):
        work = leaf.f_locals.get("self")  # a kernel that it was given has no frame of its own
        return f"kernel {work.fn.__name__} (on threads)" if hasattr(work, "fn") else None
    frame: FrameType | None = leaf
    package = Path(leaf.f_code.co_filename).parent.name
    while frame is not None:
        if "importlib" in frame.f_code.co_filename:
            return "importing modules"
        if "site-packages" in frame.f_code.co_filename:
            parts = Path(frame.f_code.co_filename).parts
            package = parts[parts.index("site-packages") + 1]
        if own_folder(frame):
            place = f"{Path(frame.f_code.co_filename).relative_to(ROOT)}: {frame.f_code.co_qualname}"
            if frame is leaf:
                kernel = kernel_called(frame)
                return f"kernel {kernel} ({place})" if kernel else f"{OWN_PYTHON}: {place}"
            return f"{package} ({place})"
        frame = frame.f_back
    return package


def sample(seconds_of: Counter[str], is_over: threading.Event) -> None:
    """Add up what all other threads do until the event. Updates ``seconds_of``."""
    own, before = threading.get_ident(), time.perf_counter()
    while not is_over.wait(INTERVAL_S):
        now = time.perf_counter()
        for thread, frame in sys._current_frames().items():
            found = what(frame) if thread != own else None
            if found:
                seconds_of[found] += now - before
        before = now


def run_here(
    function: Callable[[Any], Any], tasks: Sequence[Any], _workers: int
) -> Generator[local.Outcome[Any, Any], None, None]:
    """Do what `local.run` does in worker processes in this one; a task that fails ends it."""
    for task in tasks:
        yield local.Outcome(task, function(task), None)


def main() -> None:
    """Run a command and print the table."""
    local.run = run_here
    seconds_of: Counter[str] = Counter()
    is_over = threading.Event()
    sampler = threading.Thread(target=sample, args=(seconds_of, is_over))
    sampler.start()
    start = time.perf_counter()
    code = run_command(sys.argv[1:])
    elapsed = time.perf_counter() - start
    is_over.set()
    sampler.join()
    total = sum(seconds_of.values())
    print(f"\nscalein {' '.join(sys.argv[1:])}: {elapsed:.1f} s, {total:.1f} s of all threads")
    for name, seconds in seconds_of.most_common(5):
        print(f"{100 * seconds / total:6.1f} %  {name}")
    ours = sum(seconds for name, seconds in seconds_of.items() if name.startswith(OWN_PYTHON))
    print(f"{100 * ours / total:6.1f} %  {OWN_PYTHON}, in all")
    sys.exit(code)


if __name__ == "__main__":
    main()
