"""A whole job on this host: the complete result, and every call with its outcome for the cores to be checked against.

Calls of a phase run on a pool of threads (compiled kernels release the GIL); the result does not depend on how many.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from typing import Any

from mapreduce.api import Arrays, Job, Parameters
from mapreduce.call import Call, Outcome


@dataclass(frozen=True)
class Iteration:
    """One map and one reduce phase: calls and outcomes by core; None for a core without work."""

    map_calls: tuple[Call, ...]
    map_outcomes: tuple[Outcome, ...]
    reduce_calls: tuple[Call | None, ...]
    reduce_outcomes: tuple[Outcome | None, ...]
    state: Arrays


@dataclass(frozen=True)
class Work:
    """An amount of work of one kind, e.g. ``"wordcount_map"``, in its unit, and the bytes it streams from memory."""

    kind: str
    units: int
    n_bytes: int


def iterate(job: Job, inputs: Arrays, parameters: Parameters, n: int, *, threads: int = 1) -> Iterator[Iteration]:
    """Yield the iterations of ``job`` over ``n`` parts; the last one's state holds the result."""
    job.check(inputs, parameters)
    parts = job.split(inputs, parameters, n)
    state = job.start(inputs, parameters)
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(job.iterations(parameters)):
            map_calls = tuple(job.map_call(part, state, parameters) for part in parts)
            map_outcomes = tuple(pool.map(Call.run_native, map_calls, count()))
            shuffled = job.shuffle(map_outcomes, n)
            reduce_calls = tuple(job.reduce_call(part) if part is not None else None for part in shuffled)
            reduce_outcomes = tuple(pool.map(lambda call, i: call and call.run_native(i), reduce_calls, count()))
            state = job.update([outcome for outcome in reduce_outcomes if outcome is not None], state)
            yield Iteration(map_calls, map_outcomes, reduce_calls, reduce_outcomes, state)


def result(job: Job, inputs: Arrays, parameters: Parameters, n: int = 1) -> Any:
    """Return the canonical result of the job over ``n`` parts."""
    *_, last = iterate(job, inputs, parameters, n)
    return job.result(last.state)


def work(job: Job, iteration: Iteration) -> tuple[Work, Work, Work, Work]:
    """Return the work of an iteration: map, shuffle, reduce and update."""
    reduce_calls: Sequence[Call] = [call for call in iteration.reduce_calls if call is not None]
    n_shuffled, shuffled_bytes = _outputs(iteration.map_outcomes)
    n_reduced, reduced_bytes = _outputs(iteration.reduce_outcomes)
    return (
        Work(f"{job.name}_map", sum(map(job.map_units, iteration.map_calls)), _input_bytes(iteration.map_calls)),
        Work(f"{job.name}_shuffle", n_shuffled, 2 * shuffled_bytes),  # read and written
        Work(f"{job.name}_reduce", sum(map(job.reduce_units, reduce_calls)), _input_bytes(reduce_calls)),
        Work(f"{job.name}_update", n_reduced, reduced_bytes),
    )


def _outputs(outcomes: Sequence[Outcome | None]) -> tuple[int, int]:
    """Return items and bytes of the outputs."""
    arrays = [array for outcome in outcomes if outcome is not None for array in outcome.outputs]
    return sum(array.size for array in arrays), sum(array.nbytes for array in arrays)


def _input_bytes(calls: Sequence[Call]) -> int:
    return sum(array.nbytes for call in calls for array in call.inputs)
