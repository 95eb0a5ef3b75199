"""Temperature of a die, its package and its board."""

from thermal.air import AirStream
from thermal.die import CoreHeat, ThermalMap, core_heat, solve_die
from thermal.floorplan import Block, BlockKind, CorePlace, Floorplan, block_power, buffer_die, dram_die, spread
from thermal.materials import Material
from thermal.stack import AMBIENT_K, Layer, Stack, bare_dimm_package

__all__ = [
    "AMBIENT_K",
    "AirStream",
    "Block",
    "BlockKind",
    "CoreHeat",
    "CorePlace",
    "Floorplan",
    "Layer",
    "Material",
    "Stack",
    "ThermalMap",
    "bare_dimm_package",
    "block_power",
    "buffer_die",
    "core_heat",
    "dram_die",
    "solve_die",
    "spread",
]
