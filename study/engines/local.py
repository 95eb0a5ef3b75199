"""A pool of worker processes on this machine that survives failing and dying tasks.

Workers are spawned, not forked: the parent has threads (progress, Numba). A task that raises is an outcome like any
other. A worker that dies (out of memory, killed) breaks the whole pool and leaves every running task without an
outcome; those are tried again one at a time: the one that kills its worker is found, the others are not lost.
"""

import multiprocessing
import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from pim.errors import PimError

Task = TypeVar("Task")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Failure:
    """Why a task has no value; ``traceback`` is empty where the input is at fault, not the program."""

    text: str
    traceback: str = ""


@dataclass(frozen=True)
class Outcome(Generic[Task, Value]):
    """What became of one task: a value, or why there is none."""

    task: Task
    value: Value | None
    failure: Failure | None


DIED = Failure("its process died (killed, or out of memory)")


def run(
    function: Callable[[Task], Value], tasks: Sequence[Task], workers: int
) -> Generator[Outcome[Task, Value], None, None]:
    """Run ``function`` on every task in ``workers`` processes; yield the outcomes as they come.

    Closing the iterator early ends the processes at once.

    Parameters
    ----------
    function : callable
        Importable by name in a fresh process, as is its value's type.
    tasks : sequence
        Picklable; handed out in order.
    workers : int
        Number of processes, > 0.
    """
    waiting = deque(tasks)
    suspects: deque[Task] = deque()  # were running when a worker died
    while waiting or suspects:
        if suspects:
            yield from _run_pool(function, suspects, 1, suspects)
        else:
            yield from _run_pool(function, waiting, min(workers, len(waiting)), suspects)


def _run_pool(
    function: Callable[[Task], Value], queue: deque[Task], workers: int, suspects: deque[Task]
) -> Iterator[Outcome[Task, Value]]:
    """Run tasks from ``queue`` until it is empty or a worker dies; with more than one worker, those become suspects."""
    is_alone = queue is suspects
    running: dict[Future[Value | Failure], Task] = {}
    with _pool(workers) as pool:
        while queue or running:
            while queue and len(running) < workers:
                try:
                    running[pool.submit(_guarded, function, queue[0])] = queue[0]
                except BrokenProcessPool:
                    break
                queue.popleft()
            if not running:
                return  # a worker died while idle
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            is_broken = False
            for future in done:
                task = running.pop(future)
                if not isinstance(future.exception(), BrokenProcessPool):
                    value = future.result()
                    failure = value if isinstance(value, Failure) else None
                    yield Outcome(task, None if isinstance(value, Failure) else value, failure)
                    continue
                is_broken = True
                if is_alone:
                    yield Outcome(task, None, DIED)
                else:
                    suspects.append(task)
            if is_broken:
                suspects.extend(running.values())
                return


def _guarded(function: Callable[[Task], Value], task: Task) -> Value | Failure:
    """Return the value, or the failure as text: not every exception survives the way between processes."""
    try:
        return function(task)
    except PimError as error:
        return Failure(str(error))
    except MemoryError:
        return Failure("not enough memory")
    except Exception as error:
        return Failure(f"{type(error).__name__}: {error}", traceback.format_exc())


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool; leaving it early ends its processes at once instead of waiting for their tasks."""
    pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"), initializer=_ignore_interrupts)
    try:
        yield pool
    except BaseException:
        processes = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        raise
    else:
        pool.shutdown()


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent, which ends the workers itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def usable_cpus() -> int:
    """Return the number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
