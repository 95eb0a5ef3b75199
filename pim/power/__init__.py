"""Energy of cores and DRAM from their activity."""

from pim.power.channel import rank_energy
from pim.power.core import CoreEnergy, core_energy
from pim.power.dram import CommandCounts, CommandTimes, DramEnergy, StateTimes, dram_energy
from pim.power.figures import Scale
from pim.power.report import Activity, PowerReport, idle_power_w, run_power

__all__ = [
    "Activity",
    "CommandCounts",
    "CommandTimes",
    "CoreEnergy",
    "DramEnergy",
    "PowerReport",
    "Scale",
    "StateTimes",
    "core_energy",
    "dram_energy",
    "idle_power_w",
    "rank_energy",
    "run_power",
]
