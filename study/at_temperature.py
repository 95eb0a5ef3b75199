"""A job run at the refresh interval that its own heat asks for: time, power and temperature in one loop.

Above 85 C a DRAM must be refreshed twice as often, above 95 C four times; the job then takes longer, and its mean power
changes with that. The job is run with ever shorter intervals until the one used is short enough.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mapreduce.runtime import JobRun
from pim.config import Level, SystemConfig, with_overrides
from pim.power import PowerReport, idle_power_w
from spark_traces.bundle import Bundle
from study import physical, projection
from study.parts import KernelFigures, Thermal

Runner = Callable[[Bundle, Mapping[str, int], SystemConfig], JobRun]
"""Runs a bundle's job with parameters on a machine."""


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


def run_at_temperature(bundle: Bundle, system: SystemConfig, run: Runner) -> WarmRun:
    """Run a bundle's job; where it heats the DRAM beyond the interval's limit, run it again with a shorter one.

    The temperatures are compared with the same die refreshed at the machine's own interval.
    """
    idle_chip_w = idle_power_w(system)

    def warm(parameters: Mapping[str, int], machine: SystemConfig) -> WarmRun:
        ran = run(bundle, parameters, machine)
        kernels = projection.kernel_figures(ran.kernels)
        drawn = projection.drawn_power(machine, kernels)
        return WarmRun(machine, ran, kernels, drawn, physical.temperatures(machine, drawn, idle_chip_w))

    parameters = bundle.parameters
    if parameters.get("iterations", 1) > 1 and _may_get_hot(system):
        trial = warm({**parameters, "iterations": 1}, system)  # one iteration draws what all of them draw
        system = system if trial.is_refreshed_enough else trial.hotter()
    while True:
        ran = warm(parameters, system)
        if ran.is_refreshed_enough:
            return ran
        system = ran.hotter()


def _may_get_hot(system: SystemConfig) -> bool:
    """Return whether a trial is worth its time: a single core on a die was never seen to heat it that far.

    A wrong guess costs a second run, not a wrong result.
    """
    return system.level is not Level.RANK and system.cores_per_group > 1
