"""List scheduling of stages with dependencies, and interval arithmetic.

A free core takes the next task of the first stage whose predecessors are done, as Spark's FIFO scheduler does.

References
----------
Graham: "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17 (1969): the schedule is at most
sum / m + (1 - 1 / m) * critical path; more cores may lengthen it, but never beyond that bound.
"""

import heapq
from collections.abc import Iterable, Sequence

from pim.errors import ConfigError

Interval = tuple[int, int]


def list_schedule(
    durations: Sequence[Sequence[int]], waits_for: Sequence[Sequence[int]], n_cores: int
) -> list[list[Interval]]:
    """Return each stage's task intervals; stage ``i`` starts when the stages ``waits_for[i]`` (< i) are done.

    Parameters
    ----------
    durations : sequence of sequences of int
        Task durations of each stage (any unit).
    waits_for : sequence of sequences of int
        Predecessors by position, each before its successor.
    n_cores : int
        At least 1.
    """
    if n_cores < 1:
        raise ConfigError(f"replay: executor cores must be >= 1, got {n_cores}")
    intervals: list[list[Interval]] = [[] for _ in durations]
    children: list[list[int]] = [[] for _ in durations]
    open_parents = [len(set(parents)) for parents in waits_for]
    for stage, parents in enumerate(waits_for):
        for parent in set(parents):
            assert parent < stage, (parent, stage)
            children[parent].append(stage)
    unfinished = [len(tasks) for tasks in durations]
    ready: list[int] = []  # stages with tasks to launch, lowest first
    running: list[tuple[int, int]] = []  # (end, stage)
    now, n_free = 0, n_cores

    def release(candidates: list[int]) -> None:
        """Make stages without open predecessors ready; an empty one is done at once."""
        while candidates:
            stage = candidates.pop()
            if durations[stage]:
                heapq.heappush(ready, stage)
            else:
                candidates += close(stage)

    def close(stage: int) -> list[int]:
        """Return the stages for which the finished ``stage`` was the last open predecessor."""
        for child in children[stage]:
            open_parents[child] -= 1
        return [child for child in children[stage] if not open_parents[child]]

    release([stage for stage, count in enumerate(open_parents) if not count])
    while ready or running:
        while ready and n_free:
            stage = ready[0]
            end = now + durations[stage][len(intervals[stage])]
            intervals[stage].append((now, end))
            heapq.heappush(running, (end, stage))
            n_free -= 1
            if len(intervals[stage]) == len(durations[stage]):
                heapq.heappop(ready)
        now, stage = heapq.heappop(running)
        n_free += 1
        unfinished[stage] -= 1
        if not unfinished[stage]:
            release(close(stage))
    return intervals


def union_length(intervals: Iterable[Interval]) -> int:
    """Return the length of the union of intervals."""
    total, reached = 0, None
    for start, end in sorted(intervals):
        if reached is None or start > reached:
            total += end - start
            reached = end
        elif end > reached:
            total += end - reached
            reached = end
    return total
