"""The first launch of a job's kernel on one group of cores, to be run again under other circumstances."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from mapreduce.api import Arrays, Job, Parameters
from mapreduce.functional import iterate
from mapreduce.kernel import Kernel
from mapreduce.launch import Launcher
from pim.config import SystemConfig
from pim.engines import Engine
from pim.errors import ConfigError
from pim.isa import Program
from pim.system import DEFAULT_CYCLE_LIMIT, CoreTask, GroupRun

STEPS = ("map", "reduce")
Kept = TypeVar("Kept")


@dataclass(frozen=True)
class FirstLaunch:
    """A kernel's program, what each core of a group is given, and what they did."""

    name: str
    program: Program
    tasks: tuple[CoreTask, ...]
    run: GroupRun


class Recorder(Launcher, Generic[Kept]):
    """Keeps something of the last group that it simulates."""

    last: Kept | None = None


class _Recorder(Recorder[FirstLaunch]):
    def _run(self, kernel: Kernel, tasks: Sequence[CoreTask], first_hart: int) -> GroupRun:
        run = super()._run(kernel, tasks, first_hart)
        self.last = FirstLaunch(kernel.name, self._programs[kernel.name], tuple(tasks), run)
        return run


def record_step(launcher: Recorder[Kept], job: Job, inputs: Arrays, parameters: Parameters, step: str) -> Kept:
    """Run the first launch of a job's map or reduce kernel on the group with the most to do; return what was kept.

    Raises
    ------
    PimError
        As `run_job` does; no core has work in this step.
    """
    if step not in STEPS:
        raise ConfigError(f"kernel {step!r}: must be one of {', '.join(STEPS)}")
    first = next(iterate(job, inputs, parameters, launcher.system.n_cores))
    if step == "map":
        launcher.launch(first.map_calls, first.map_outcomes)
    else:
        launcher.launch(first.reduce_calls, first.reduce_outcomes)
    if launcher.last is None:
        raise ConfigError(f"job {job.name}: no core has work in its {step} step")
    return launcher.last


def first_launch(
    job: Job, inputs: Arrays, parameters: Parameters, system: SystemConfig, step: str, engine: Engine
) -> FirstLaunch:
    """Return the first launch of a job's map or reduce kernel (`record_step`)."""
    launcher = _Recorder(job, system, 1, None, 1, DEFAULT_CYCLE_LIMIT, engine)
    return record_step(launcher, job, inputs, parameters, step)
