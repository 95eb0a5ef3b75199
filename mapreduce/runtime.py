"""Runs a job on the cores of a machine: complete result, time by phase, and what the cores and the DRAM did.

The result comes from the same kernels compiled for this host, for every part. Sampled groups of cores are simulated and
their outputs compared with it byte for byte. The time of a kernel is that of the slowest simulated core; what that says
about the others is in ``mapreduce.sampling``. Costs of the host's part are in ``mapreduce.costs``.

Nothing overlaps: the host waits for the cores, the cores for the host, whoever owns the banks.
"""

import math
from dataclasses import dataclass
from typing import Any

from mapreduce.abi import STACK_BYTES, argument_words
from mapreduce.api import Arrays, Job, Parameters
from mapreduce.costs import Transfer, launch_seconds, move
from mapreduce.functional import Iteration, iterate, work
from mapreduce.host import Calibration, load_calibration
from mapreduce.launch import KernelRun, Launcher, Progress
from pim.config import SystemConfig
from pim.engines import DEFAULT_ENGINE, Engine
from pim.errors import ConfigError
from pim.system import DEFAULT_CYCLE_LIMIT

SIMULATION_THREADS = 2  # assumption: more would only help machines with more cores; results don't depend on it
HOST_THREADS = 16  # assumption: the host shuffles with as many threads as the native baseline has by default
PHASES = ("copy", "layout", "flush", "launch", "map_combine", "shuffle", "reduce", "gather", "host")


@dataclass(frozen=True)
class JobRun:
    """What `run_job` found.

    Attributes
    ----------
    result : JSON value
        Canonical, complete.
    phases : dict
        Seconds by `PHASES`, sum over the iterations.
    iterations : tuple of dict
        Likewise, each iteration; the first one includes placing resident inputs.
    placement_seconds : float
        Part of copy, layout and flush that placing the resident inputs takes. It falls away where they are in the
        memory in the cores' layout already.
    kernels : tuple of KernelRun
        Simulated launches, in order: map and, if a core has work, reduce of each simulated iteration.
    """

    result: Any
    phases: dict[str, float]
    iterations: tuple[dict[str, float], ...]
    placement_seconds: float
    kernels: tuple[KernelRun, ...]

    @property
    def seconds(self) -> float:
        """Time of the job on the launcher."""
        return math.fsum(self.phases.values())


def run_job(
    job: Job,
    inputs: Arrays,
    parameters: Parameters,
    system: SystemConfig,
    *,
    sample_groups: int | None = 1,
    sample_iterations: int | None = None,
    progress: Progress | None = None,
    calibration: Calibration | None = None,
    host_threads: int = HOST_THREADS,
    threads: int = SIMULATION_THREADS,
    cycle_limit: int = DEFAULT_CYCLE_LIMIT,
    engine: Engine = DEFAULT_ENGINE,
) -> JobRun:
    """Run ``job`` on all cores of ``system``.

    Parameters
    ----------
    job : Job
    inputs : mapping
        Arrays by name.
    parameters : mapping
        Of the job.
    system : SystemConfig
    sample_groups : int or None
        Groups of cores to simulate per launch, 1 or more; None for all. More where groups have few cores with work.
    sample_iterations : int or None
        Iterations to simulate, the first ones, 1 or more; None for all. Launches of a later one are taken to last as
        long as those of the last simulated one: the same records, other values.
    progress : callable, optional
    calibration : Calibration, optional
        Times of the host's own steps; the committed one by default.
    host_threads : int
        Threads of the host that shuffle.
    threads : int
        Threads of this process; the outcome does not depend on it.
    cycle_limit : int
        Core cycles per launch.
    engine : Engine
        What simulates the instructions; the outcome does not depend on it.

    Raises
    ------
    ConfigError
        Inputs, parameters or machine are not fit for the job.
    CapacityError
        A part and its buffers don't fit a core's memory.
    ResultMismatchError
        A core's output differs from the host's.
    GuestTrap, CycleLimitError
        A core went wrong.
    """
    for name, count in (("sample_groups", sample_groups), ("sample_iterations", sample_iterations)):
        if count is not None and count < 1:
            raise ConfigError(f"{name} must be 1 or more, or None for all, got {count}")
    if system.core.scratchpad_bytes < STACK_BYTES:
        raise ConfigError(
            f"{system.name}: kernels keep their stack in {STACK_BYTES} B of scratchpad, "
            f"got core.scratchpad_bytes = {system.core.scratchpad_bytes}"
        )
    launcher = Launcher(job, system, sample_groups, progress, threads, cycle_limit, engine)
    calibration = calibration or load_calibration()
    iterations: list[dict[str, float]] = []
    state: Arrays = {}
    placement_seconds = 0.0
    for iteration in iterate(job, inputs, parameters, system.n_cores, threads=threads):
        first = not iterations
        seconds = _host_seconds(launcher, job, iteration, calibration, host_threads, first=first)
        if first:
            placement_seconds = _placing(launcher, job, iteration, first=True).seconds
            placement_seconds -= _placing(launcher, job, iteration, first=False).seconds
        if sample_iterations is None or len(iterations) < sample_iterations:
            seconds["map_combine"] = launcher.launch(iteration.map_calls, iteration.map_outcomes)
            seconds["reduce"] = launcher.launch(iteration.reduce_calls, iteration.reduce_outcomes)
        else:
            seconds |= {phase: iterations[-1][phase] for phase in ("map_combine", "reduce")}
        iterations.append(seconds)
        state = iteration.state
    phases = {phase: math.fsum(seconds[phase] for seconds in iterations) for phase in PHASES}
    return JobRun(job.result(state), phases, tuple(iterations), placement_seconds, tuple(launcher.runs))


def _host_seconds(
    launcher: Launcher,
    job: Job,
    iteration: Iteration,
    calibration: Calibration,
    host_threads: int,
    *,
    first: bool,
) -> dict[str, float]:
    """Return what the host's part of an iteration costs, by phase."""
    system = launcher.system
    reduces = [call for call in iteration.reduce_calls if call is not None]
    placed = _placing(launcher, job, iteration, first=first)
    between = _sum(
        move(system, sum(outcome.nbytes for outcome in iteration.map_outcomes), to_cores=False),
        move(system, sum(call.input_bytes(resident=False) for call in reduces), to_cores=True),
    )
    launched = [job.map_kernel, job.reduce_kernel] if reduces else [job.map_kernel]
    program = move(system, launcher.program_bytes(job.reduce_kernel) if reduces else 0, to_cores=True)
    gathered = sum(outcome.nbytes for outcome in iteration.reduce_outcomes if outcome is not None)
    _, shuffle_work, _, update_work = work(job, iteration)
    return {
        "copy": placed.copy + program.copy,
        "layout": placed.layout + program.layout,
        "flush": placed.flush + program.flush,
        "launch": sum(
            launch_seconds(system, argument_words(k), is_first=first and n == 0) for n, k in enumerate(launched)
        ),
        "shuffle": between.seconds + calibration.seconds(shuffle_work, host_threads),
        "gather": move(system, gathered, to_cores=False).seconds,
        "host": calibration.seconds(update_work, threads=1),
    }


def _placing(launcher: Launcher, job: Job, iteration: Iteration, *, first: bool) -> Transfer:
    """Return the transfer before an iteration's map launch: program, broadcast data, at first resident inputs too."""
    maps = iteration.map_calls
    n_bytes = sum(call.input_bytes(resident=False) for call in maps) + launcher.program_bytes(job.map_kernel)
    if first:
        n_bytes += sum(call.input_bytes(resident=True) for call in maps)
    return move(launcher.system, n_bytes, to_cores=True)


def _sum(a: Transfer, b: Transfer) -> Transfer:
    return Transfer(a.copy + b.copy, a.layout + b.layout, a.flush + b.flush)
