"""What a core is made of, in gates and SRAM, and what the silicon it is made in costs: shared by area and power."""

from pim.technology.band import Band, Case
from pim.technology.figures import FIGURES, Sourced
from pim.technology.inventory import Component, Group, Process, core_inventory, process_of
from pim.technology.sram import SramDevice, SramMacro, sram_macro

__all__ = [
    "FIGURES",
    "Band",
    "Case",
    "Component",
    "Group",
    "Process",
    "Sourced",
    "SramDevice",
    "SramMacro",
    "core_inventory",
    "process_of",
    "sram_macro",
]
