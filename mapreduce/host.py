"""The native baseline: the same kernels compiled for a host, N threads, bounded by memory bandwidth.

A *calibration* holds what one thread of a named machine takes per unit of work, and the bandwidth of its memory; the
committed one is the default. Honest limits of the baseline: N threads are assumed to share the work evenly and to be N
times as fast as one until the memory's bandwidth binds, with no cost for starting or joining them, which favours the
baseline; the kernels are the ones the cores run, compiled with all of the host's optimisations, not rewritten for its
vector units.
"""

import math
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from os import cpu_count
from pathlib import Path
from typing import Annotated, Any, Literal

import numba
import numpy as np
import orjson
from pydantic import BaseModel, ConfigDict, Field

from mapreduce import jobs
from mapreduce.api import Arrays, Job, Parameters
from mapreduce.call import Outcome
from mapreduce.functional import Work, iterate, work
from pim import jit
from pim.config import checked
from pim.errors import ConfigError
from pim.files import read_bounded
from pim.this_machine import cpu_model, memory_bytes

DEFAULT_CALIBRATION = Path(__file__).parent / "calibration.json"
STEPS = ("map", "shuffle", "reduce", "update")
MAP_PARTS = 16  # assumption: maps are measured on the parts of a host with 16 threads
OTHER_PARTS = 512
"""Parts that the other steps are measured on, as of the largest default machine: a call's fixed cost hardly counts."""
BANDWIDTH_BYTES = 1 << 28
"""Size of the array that the bandwidth is measured with: several times a last-level cache."""

Rate = Annotated[float, Field(ge=1e-6, le=1e9)]
"""ns or GB/s. Assumption: no host is outside."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class HostMachine(_Model):
    """Where a calibration was measured."""

    cpu: str
    cores: int = Field(ge=1)
    memory_gb: float = Field(gt=0)
    numpy: str
    numba: str
    python: str
    date: str


class Calibration(_Model):
    """Times of one thread of a machine.

    Attributes
    ----------
    memory_bandwidth_gb_s : float
        Read bandwidth with all cores, GB/s.
    ns_per_unit : dict
        Nanoseconds by kind of work, e.g. ``wordcount_map``; the unit is the job's (``Job.map_unit``), for shuffle and
        update it is an item of their input.
    """

    format: Literal["scalein-calibration"] = "scalein-calibration"
    version: Literal[1] = 1
    machine: HostMachine
    memory_bandwidth_gb_s: Rate
    ns_per_unit: dict[str, Rate]

    def seconds(self, item: Work, threads: int) -> float:
        """Return the time of an amount of work on ``threads`` threads."""
        if item.kind not in self.ns_per_unit:
            raise ConfigError(
                f"calibration of {self.machine.cpu}: no time for {item.kind!r}; it has {', '.join(self.ns_per_unit)}"
            )
        computing = item.units * self.ns_per_unit[item.kind] * 1e-9 / threads
        return max(computing, item.n_bytes / (self.memory_bandwidth_gb_s * 1e9))


def load_calibration(path: Path = DEFAULT_CALIBRATION) -> Calibration:
    """Return the calibration in a file; by default the committed one."""
    try:
        values = orjson.loads(read_bounded(path, 1 << 20, f"calibration {path}", ConfigError))
    except orjson.JSONDecodeError as error:
        raise ConfigError(f"calibration {path}: not JSON: {error}") from error
    return checked(Calibration, values, f"calibration {path}")


def native_work(job: Job, inputs: Arrays, parameters: Parameters, threads: int) -> list[Work]:
    """Return the work of the job on ``threads`` threads, step by step; runs the job once to know its records."""
    return [item for iteration in iterate(job, inputs, parameters, threads) for item in work(job, iteration)]


def native_seconds(calibration: Calibration, work: Iterable[Work], threads: int) -> float:
    """Return the time of the native baseline: the sum over the steps of max(work / threads, bytes / bandwidth)."""
    if threads < 1:
        raise ConfigError(f"native baseline: threads must be 1 or more, got {threads}")
    return math.fsum(calibration.seconds(item, threads) for item in work)


def calibrate(
    workloads: Mapping[str, tuple[Arrays, Parameters]],
    *,
    repeats: int = 5,
    progress: Callable[[str], None] | None = None,
) -> Calibration:
    """Measure this host: one thread, the median of ``repeats`` runs of each step of each job.

    Times are the thread's CPU time, which other processes of a shared machine disturb least; the bandwidth is the best
    of the repeats, in wall-clock time.

    Parameters
    ----------
    workloads : mapping
        Name of a job to inputs and parameters; tens of MB, so that caches don't hold them.
    repeats : int
        1 or more; one more run goes before, to compile and warm up.
    progress : callable, optional
        Called with the name of what is measured next.
    """
    measured: dict[str, float] = {}
    for name, (inputs, parameters) in workloads.items():
        if progress is not None:
            progress(name)
        measured |= _medians(jobs.get(name), inputs, parameters, repeats)
    if progress is not None:
        progress("memory bandwidth")
    return Calibration(machine=describe_machine(), memory_bandwidth_gb_s=_bandwidth_gb_s(repeats), ns_per_unit=measured)


def calibrate_job(
    job: Job, inputs: Arrays, parameters: Parameters, base: Calibration, *, repeats: int = 5
) -> Calibration:
    """Return ``base`` with the times of one more job, measured on this host, which should be that of ``base``.

    Parameters are those of `calibrate`, for a job that need not be one of the package.
    """
    measured = _medians(job, inputs, parameters, repeats)
    return base.model_copy(update={"ns_per_unit": {**base.ns_per_unit, **measured}})


def _medians(job: Job, inputs: Arrays, parameters: Parameters, repeats: int) -> dict[str, float]:
    """Return ns per unit by kind of work."""
    runs = [_measure(job, inputs, parameters) for _ in range(repeats + 1)][1:]
    return {f"{job.name}_{step}": statistics.median(run[step] for run in runs) for step in STEPS}


def _measure(job: Job, inputs: Arrays, parameters: Parameters) -> dict[str, float]:
    """Return ns per unit of each step of the first iteration."""
    job.check(inputs, parameters)
    state = job.start(inputs, parameters)
    calls, more_calls = (
        [job.map_call(part, state, parameters) for part in job.split(inputs, parameters, n)]
        for n in (MAP_PARTS, OTHER_PARTS)
    )
    map_ns, _ = _timed(lambda: [call.run_native() for call in calls])
    outcomes = [call.run_native() for call in more_calls]
    shuffle_ns, parts = _timed(lambda: job.shuffle(outcomes, OTHER_PARTS))
    reduce_calls = [job.reduce_call(part) for part in parts if part is not None]
    reduce_ns, reduced = _timed(lambda: [call.run_native() for call in reduce_calls])
    update_ns, _ = _timed(lambda: job.update(reduced, state))
    units = {
        "map": sum(map(job.map_units, calls)),
        "shuffle": _n_items(outcomes),
        "reduce": sum(map(job.reduce_units, reduce_calls)),
        "update": _n_items(reduced),
    }
    spent = {"map": map_ns, "shuffle": shuffle_ns, "reduce": reduce_ns, "update": update_ns}
    return {step: spent[step] / units[step] for step in STEPS}


def _timed(run: Callable[[], Any]) -> tuple[int, Any]:
    start = time.thread_time_ns()
    result = run()
    return time.thread_time_ns() - start, result


def _n_items(outcomes: Sequence[Outcome]) -> int:
    return sum(array.size for outcome in outcomes for array in outcome.outputs)


@jit.kernel
def _read(values: Any) -> int:
    """Return the sum of an int64 array: reads it once, vectorised."""
    total = np.int64(0)
    for i in range(len(values)):
        total += values[i]
    return int(total)


def _bandwidth_gb_s(repeats: int) -> float:
    """Return the best read bandwidth of all cores together, GB/s."""
    n_threads = cpu_count() or 1
    shares = np.array_split(np.ones(BANDWIDTH_BYTES // 8, np.int64), n_threads)
    best = math.inf
    with ThreadPoolExecutor(n_threads) as pool:
        for _ in range(repeats + 1):
            start = time.perf_counter()
            list(pool.map(_read, shares))
            best = min(best, time.perf_counter() - start)
    return BANDWIDTH_BYTES / best / 1e9


def describe_machine() -> HostMachine:
    """Return this host's description."""
    return HostMachine(
        cpu=cpu_model(),
        cores=cpu_count() or 1,
        memory_gb=round(memory_bytes() / 1e9, 1),
        numpy=np.__version__,
        numba=numba.__version__,
        python=platform.python_version(),
        date=datetime.now(UTC).date().isoformat(),
    )
