"""Profiles a job's kernel: one launch on one group of cores, with the outputs checked as in every run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mapreduce.api import Arrays, Job, Parameters
from mapreduce.first_launch import Recorder, record_step
from mapreduce.kernel import Kernel
from pim.config import SystemConfig
from pim.engines import Engine
from pim.system import DEFAULT_CYCLE_LIMIT, CoreTask, GroupRun
from pim.system.profile import Hot, profile_cores


@dataclass(frozen=True)
class KernelProfile:
    """A profiled launch of ``kernel``: what the group's cores did, and what each line cost them together."""

    kernel: Kernel
    group: GroupRun
    hot: list[Hot]

    @property
    def folder(self) -> Path:
        """Folder of the kernel's source."""
        return Path(self.kernel.origin).parent


class _ProfilingLauncher(Recorder[KernelProfile]):
    """Profiles the groups that it simulates; keeps the last one."""

    def _run(self, kernel: Kernel, tasks: Sequence[CoreTask], first_hart: int) -> GroupRun:
        group, hot = profile_cores(
            self.system,
            self._programs[kernel.name],
            self._elfs[kernel.name],
            tasks,
            cycle_limit=self._cycle_limit,
            first_hart=first_hart,
        )
        self.last = KernelProfile(kernel, group, hot)
        return group


def profile_job(job: Job, inputs: Arrays, parameters: Parameters, system: SystemConfig, step: str) -> KernelProfile:
    """Run the first launch of a job's map or reduce kernel on the group of cores with the most to do, and profile it.

    Parameters
    ----------
    job, inputs, parameters, system
        As of `run_job`.
    step : str
        ``map`` or ``reduce``.

    Raises
    ------
    PimError
        As `run_job` does; no core has work in this step.
    """
    launcher = _ProfilingLauncher(job, system, 1, None, 1, DEFAULT_CYCLE_LIMIT, Engine.INTERPRETER)
    return record_step(launcher, job, inputs, parameters, step)
