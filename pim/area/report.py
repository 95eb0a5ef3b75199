"""Area of a core, part by part, and what share of the silicon it sits on it takes."""

from dataclasses import dataclass
from enum import StrEnum

from pim.area.silicon import BUFFER_DIE_MM2, dram_die_mm2
from pim.config import Level, SystemConfig
from pim.technology import FIGURES, Band, Case, Group, Process, core_inventory, process_of


class Site(StrEnum):
    """What an area is a share of."""

    BANK = "bank"
    CHIP = "chip"
    BUFFER = "buffer"


@dataclass(frozen=True)
class AreaRow:
    """One part of a core.

    Attributes
    ----------
    part : str
    group : Group
        What it is for.
    kilo_gates : Band
        Logic in kGE.
    sram_bytes : int
        SRAM in B.
    mm2 : Band
        Area in the core's process.
    source : str
        Where gate count or macro come from.
    """

    part: str
    group: Group
    kilo_gates: Band
    sram_bytes: int
    mm2: Band
    source: str


@dataclass(frozen=True)
class AreaReport:
    """Area of one core and of all cores on a die.

    Attributes
    ----------
    level : Level
    process : Process
    rows : tuple of AreaRow
        Parts of one core.
    cores_per_die : int
        Cores on one DRAM die, or in one rank's buffer.
    banks_per_die : int
        Banks of the DRAM die; 0 in a buffer.
    die_mm2 : float
        The die without cores.
    notes : tuple of str
        Assumptions and limits.
    """

    level: Level
    process: Process
    rows: tuple[AreaRow, ...]
    cores_per_die: int
    banks_per_die: int
    die_mm2: float
    notes: tuple[str, ...]

    @property
    def core_mm2(self) -> Band:
        """One core in mm2."""
        return sum((row.mm2 for row in self.rows), Band.same(0.0))

    def group_mm2(self, group: Group) -> Band:
        """Return the area of what serves one purpose in a core, in mm2."""
        return sum((row.mm2 for row in self.rows if row.group is group), Band.same(0.0))

    @property
    def cores_mm2(self) -> Band:
        """All cores of a die in mm2."""
        return self.core_mm2 * self.cores_per_die


def core_area(system: SystemConfig) -> AreaReport:
    """Return the area of the machine's cores."""
    process = process_of(system)
    factor = FIGURES.dram_process_factor.band if process is Process.DRAM else Band.same(1.0)
    rows = []
    for component in core_inventory(system):
        logic = component.kilo_gates * FIGURES.placed_gate_um2 * 1e-3  # kGE x um2/GE = 1e-3 mm2
        macro = component.sram.area_mm2 if component.sram else 0.0
        rows.append(
            AreaRow(
                part=component.name,
                group=component.group,
                kilo_gates=component.kilo_gates,
                sram_bytes=component.sram.size_bytes if component.sram else 0,
                mm2=(logic + Band.same(macro)) * factor,
                source=component.source,
            )
        )
    notes = [
        "gates of our RTL's synthesis in two open libraries, least to most of both; FPU, A extension and caches from "
        "published figures and assumptions",
        f"a gate's cell {FIGURES.gate_um2.nominal:.3f} um2 (65 nm figure scaled to 22 nm), placed "
        f"{FIGURES.placed_gate_um2.nominal:.3f} um2",
        "no layout exists: clock tree, buffers of long wires and power grid are not in it",
    ]
    if process is Process.DRAM:
        notes.append(f"DRAM process: logic and SRAM x {FIGURES.dram_process_factor.source}")
        notes.append("bank: the die shared out over its banks, periphery included")
        die_mm2, banks = dram_die_mm2(system.geometry.device_gbit), system.geometry.banks_per_chip
    else:
        notes.append(f"buffer without cores: {BUFFER_DIE_MM2:g} mm2 (assumption, no published size found)")
        die_mm2, banks = BUFFER_DIE_MM2, 0
    return AreaReport(
        level=system.level,
        process=process,
        rows=tuple(rows),
        cores_per_die=system.cores_per_group,
        banks_per_die=banks,
        die_mm2=die_mm2,
        notes=tuple(notes),
    )


def share_of(report: AreaReport, site: Site, case: Case = Case.NOMINAL) -> float:
    """Return what the cores add to a bank, DRAM die or buffer, as a fraction of its area without cores.

    0 where the machine has no cores on that silicon.
    """
    match site:
        case Site.BANK if report.level is Level.BANK:
            cores_per_bank = report.cores_per_die / report.banks_per_die
            return report.core_mm2.of(case) * cores_per_bank / (report.die_mm2 / report.banks_per_die)
        case Site.CHIP if report.level is not Level.RANK:
            return report.cores_mm2.of(case) / report.die_mm2
        case Site.BUFFER if report.level is Level.RANK:
            return report.cores_mm2.of(case) / report.die_mm2
        case _:
            return 0.0
