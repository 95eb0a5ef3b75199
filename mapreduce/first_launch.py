"""The first launch of a job's kernel on one group of cores, to be run again under other circumstances."""

from collections.abc import Sequence
from dataclasses import dataclass

from mapreduce.api import Arrays, Job, Parameters
from mapreduce.functional import iterate
from mapreduce.kernel import Kernel
from mapreduce.launch import Launcher
from mapreduce.profile import STEPS
from pim.config import SystemConfig
from pim.engines import Engine
from pim.errors import ConfigError
from pim.isa import Program
from pim.system import DEFAULT_CYCLE_LIMIT, CoreTask, GroupRun


@dataclass(frozen=True)
class FirstLaunch:
    """A kernel's program, what each core of a group is given, and what they did."""

    name: str
    program: Program
    tasks: tuple[CoreTask, ...]
    run: GroupRun


class _Recorder(Launcher):
    """Keeps the last group that it simulates."""

    last: FirstLaunch | None = None

    def _run(self, kernel: Kernel, tasks: Sequence[CoreTask], first_hart: int) -> GroupRun:
        run = super()._run(kernel, tasks, first_hart)
        self.last = FirstLaunch(kernel.name, self._programs[kernel.name], tuple(tasks), run)
        return run


def first_launch(
    job: Job, inputs: Arrays, parameters: Parameters, system: SystemConfig, step: str, engine: Engine
) -> FirstLaunch:
    """Run the first launch of a job's map or reduce kernel on the group of cores with the most to do.

    Raises
    ------
    PimError
        As `run_job` does; no core has work in this step.
    """
    if step not in STEPS:
        raise ConfigError(f"kernel {step!r}: must be one of {', '.join(STEPS)}")
    launcher = _Recorder(job, system, 1, None, 1, DEFAULT_CYCLE_LIMIT, engine)
    first = next(iterate(job, inputs, parameters, system.n_cores))
    if step == "map":
        launcher.launch(first.map_calls, first.map_outcomes)
    else:
        launcher.launch(first.reduce_calls, first.reduce_outcomes)
    if launcher.last is None:
        raise ConfigError(f"job {job.name}: no core has work in its {step} step")
    return launcher.last
