"""A job run at the refresh interval that its own heat asks for: time, power and temperature in one loop.

Above 85 C a DRAM must be refreshed twice as often, above 95 C four times; the job then takes longer, and its mean power
changes with that. The job is run with ever shorter intervals until the one used is short enough.
"""

from collections.abc import Callable
from dataclasses import dataclass

from mapreduce.runtime import JobRun
from pim.config import SystemConfig, with_overrides
from pim.power import PowerReport, idle_power_w
from study import physical, projection
from study.parts import KernelFigures, Thermal

Runner = Callable[[SystemConfig], JobRun]
"""Runs the job on a machine."""


@dataclass(frozen=True)
class WarmRun:
    """A run, the machine with the refresh interval it ran at, and what the run drew and heated."""

    system: SystemConfig
    run: JobRun
    kernels: list[KernelFigures]
    drawn: PowerReport
    thermals: list[Thermal]

    @property
    def is_refreshed_enough(self) -> bool:
        """Return whether the DRAM's temperature allows the interval the run was made with."""
        return self.system.timing.trefi_ns <= physical.trefi_ns(self.thermals)

    def hotter(self) -> SystemConfig:
        """Return the machine with the longest interval that this run's temperature allows."""
        return with_overrides(self.system, {"timing.trefi_ns": physical.trefi_ns(self.thermals)})


def run_at_temperature(system: SystemConfig, run: Runner) -> WarmRun:
    """Run a job; where it heats the DRAM beyond the interval's limit, run it again with a shorter one.

    The temperatures are compared with the same die refreshed at the machine's own interval.
    """
    idle_chip_w = idle_power_w(system)

    def warm(machine: SystemConfig) -> WarmRun:
        ran = run(machine)
        kernels = projection.kernel_figures(ran.kernels, len(ran.iterations))
        drawn = projection.drawn_power(machine, kernels)
        return WarmRun(machine, ran, kernels, drawn, physical.temperatures(machine, drawn, idle_chip_w))

    while True:
        ran = warm(system)
        if ran.is_refreshed_enough:
            return ran
        system = ran.hotter()
