"""A pool of worker processes on this machine that survives failing and dying tasks.

Workers are spawned, not forked: the parent has threads (progress, Numba). A task that raises is an outcome like any
other. A worker that dies (out of memory, killed) breaks the whole pool and leaves every running task without an
outcome; those are tried again one at a time: the one that kills its worker is found, the others are not lost.
"""

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

Task = TypeVar("Task")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Outcome(Generic[Task, Value]):
    """What became of one task: a value, or why there is none."""

    task: Task
    value: Value | None
    error: str | None


def run(
    function: Callable[[Task], Value], tasks: Sequence[Task], workers: int, describe: Callable[[Exception], str] = str
) -> Iterator[Outcome[Task, Value]]:
    """Run ``function`` on every task in ``workers`` processes; yield the outcomes as they come.

    Parameters
    ----------
    function : callable
        Importable by name in a fresh process.
    tasks : sequence
        Picklable; handed out in order.
    workers : int
        Number of processes, > 0.
    describe : callable
        Turns an exception of a task into the text of its outcome.
    """
    waiting = deque(tasks)
    suspects: deque[Task] = deque()  # were running when a worker died
    while waiting or suspects:
        alone = bool(suspects)
        queue = suspects if alone else waiting
        with _pool(1 if alone else min(workers, len(queue))) as pool:
            running: dict[Future[Value], Task] = {}
            while queue or running:
                try:
                    while queue and len(running) < (1 if alone else workers):
                        running[pool.submit(function, queue[0])] = queue[0]
                        queue.popleft()
                except BrokenProcessPool:
                    if not running:  # died while idle: start a new pool
                        break
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                broken = False
                for future in done:
                    task = running.pop(future)
                    error = future.exception()
                    if error is None:
                        yield Outcome(task, future.result(), None)
                    elif not isinstance(error, BrokenProcessPool):
                        yield Outcome(task, None, describe(error) if isinstance(error, Exception) else repr(error))
                    elif alone:
                        broken = True
                        yield Outcome(task, None, "its process died (killed, or out of memory)")
                    else:
                        broken = True
                        suspects.append(task)
                if broken:
                    suspects.extend(running.values())
                    break


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
