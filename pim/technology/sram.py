"""SRAM macros of 64-bit words: area, energy and leakage, from a table of CACTI results (`sram.csv`).

CACTI 7 (HewlettPackard/cacti 1ffd8df), 22 nm, 350 K, one read-write port, no ECC; `hp` are a logic process's fast
transistors, `lstp` low-standby-power ones, the nearest to a DRAM process's periphery. Leakage is subthreshold plus
gate. Macros below 1 KB are outside CACTI's calibrated range: indicative.
"""

import csv
import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from pim.errors import ConfigError

WORD_BYTES = 8
"""Bytes one access moves."""


class SramDevice(StrEnum):
    """Transistors of cell and periphery."""

    HIGH_PERFORMANCE = "hp"
    LOW_STANDBY_POWER = "lstp"


@dataclass(frozen=True)
class SramMacro:
    """One or several equal macros side by side: figures of all of them together, energy of one access.

    Attributes
    ----------
    size_bytes : int
        Capacity, B.
    area_mm2 : float
        In a logic process of the node, mm2.
    read_pj, write_pj : float
        One 64-bit access, pJ.
    leakage_mw : float
        mW at 350 K.
    """

    size_bytes: int
    area_mm2: float
    read_pj: float
    write_pj: float
    leakage_mw: float


@cache
def _table() -> dict[SramDevice, dict[int, SramMacro]]:
    """Return the shipped macros by transistor and capacity."""
    table: dict[SramDevice, dict[int, SramMacro]] = {device: {} for device in SramDevice}
    with (Path(__file__).parent / "sram.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            size_bytes = int(row["size_bytes"])
            table[SramDevice(row["device"])][size_bytes] = SramMacro(
                size_bytes=size_bytes,
                area_mm2=float(row["area_mm2"]),
                read_pj=float(row["read_pj"]),
                write_pj=float(row["write_pj"]),
                leakage_mw=float(row["leakage_mw"]),
            )
    return table


def sram_macro(size_bytes: int, device: SramDevice, count: int = 1) -> SramMacro:
    """Return `count` macros of at least `size_bytes` each: the next size of the table, or several of its largest.

    Parameters
    ----------
    size_bytes : int
        Capacity of one macro in B, > 0.
    device : SramDevice
    count : int
        Macros, > 0.
    """
    if size_bytes <= 0 or count <= 0:
        raise ConfigError(f"SRAM: size and count must be > 0, got {count} macros of {size_bytes} B")
    sizes = _table()[device]
    largest = max(sizes)
    pieces = math.ceil(size_bytes / largest)
    one = sizes[min(size for size in sizes if size * pieces >= size_bytes)]
    total = pieces * count
    return SramMacro(
        size_bytes=one.size_bytes * total,
        area_mm2=one.area_mm2 * total,
        read_pj=one.read_pj,
        write_pj=one.write_pj,
        leakage_mw=one.leakage_mw * total,
    )
