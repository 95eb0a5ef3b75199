"""What a run costs besides time: area from the machine, power from the activity, temperature from the power.

Joins `pim.area`, `pim.power` and `thermal`, which do not know each other. The die looked at is a DRAM die; at
rank level, where the cores sit in the buffer chip, that one too.
"""

from collections.abc import Sequence

from pim.area import AreaReport, Site, core_area, share_of
from pim.area.silicon import dram_die_mm2
from pim.config import Level, SystemConfig
from pim.power import PowerReport
from pim.technology import Case
from study.parts import Area, AreaRow, Power, Thermal
from thermal import (
    AirStream,
    CoreHeat,
    CorePlace,
    Floorplan,
    bare_dimm_package,
    block_power,
    buffer_die,
    core_heat,
    dram_die,
)
from thermal.die import ZERO_CELSIUS_K

DRAM_DIE = "DRAM die"
NORMAL_TREFI_NS = 7800.0
"""Average refresh interval up to 85 C (JESD79-4)."""
SITES = {
    Level.BANK: (Site.BANK, "bank"),
    Level.CHIP: (Site.CHIP, DRAM_DIE),
    Level.RANK: (Site.BUFFER, "buffer chip"),
}
"""Level -> what the cores sit on, for `pim.area` and in words."""


def area(system: SystemConfig) -> Area:
    """Return the area of a machine's cores, part by part, and as a share of what they sit on."""
    report = core_area(system)
    site, name = SITES[system.level]
    sites_per_die = report.banks_per_die if site is Site.BANK else 1
    n_sites = system.n_groups * sites_per_die
    cores_per_site = report.cores_per_die / sites_per_die
    rows = [
        AreaRow(
            part=row.part,
            mm2_low=row.mm2.optimistic,
            mm2=row.mm2.nominal,
            mm2_high=row.mm2.pessimistic,
            kilo_gates=row.kilo_gates.nominal,
            sram_bytes=row.sram_bytes,
            source=row.source,
        )
        for row in report.rows
    ]
    return Area(
        site=name,
        n_sites=n_sites,
        cores_per_site=cores_per_site,
        site_mm2=report.die_mm2 / sites_per_die,
        rows=rows,
        core_mm2=report.core_mm2.nominal,
        share_low=share_of(report, site, Case.OPTIMISTIC),
        share=share_of(report, site),
        share_high=share_of(report, site, Case.PESSIMISTIC),
        total_mm2=report.core_mm2.nominal * report.cores_per_die * system.n_groups,
        process=report.process.value,
        notes=report.notes,
    )


def power(drawn: PowerReport) -> Power:
    """Return a power report as part of a result."""
    names = Power.model_fields.keys() - {"notes"}
    return Power(**{name: getattr(drawn, name) for name in names}, notes=drawn.notes)


def temperatures(system: SystemConfig, drawn: PowerReport, idle_chip_w: float) -> list[Thermal]:
    """Return the temperature of a DRAM die of the machine, and at rank level of a buffer die.

    Parameters
    ----------
    system : SystemConfig
        The machine.
    drawn : PowerReport
        What it draws while computing.
    idle_chip_w : float
        Power of a chip that only refreshes, W; the state that the temperatures are compared with.
    """
    report = core_area(system)
    dies = [_dram(system, report, drawn, idle_chip_w)]
    if system.level is Level.RANK:
        dies.append(_buffer(report, drawn))
    return dies


def trefi_ns(dies: Sequence[Thermal]) -> float:
    """Return the longest average refresh interval that the DRAM dies' temperatures allow, in ns.

    A window of 64 ms is an interval of 7.8 us (JESD79-4: 8192 refresh commands a window, rounded); hotter dies have
    windows of 32 or 16 ms.
    """
    window_ms = min(die.refresh_window_ms for die in dies if die.die == DRAM_DIE)
    return NORMAL_TREFI_NS * window_ms / 64.0


def _dram(system: SystemConfig, report: AreaReport, drawn: PowerReport, idle_chip_w: float) -> Thermal:
    """Solve the warmest DRAM die of a module: all of them refreshing, against all of them computing."""
    die_m2 = dram_die_mm2(system.geometry.device_gbit) * 1e-6
    if system.level is Level.RANK:
        floorplan, core_w = dram_die(die_m2=die_m2), 0.0
    else:
        place = CorePlace.BANK if system.level is Level.BANK else CorePlace.SPINE
        core_m2 = report.core_mm2.nominal * 1e-6
        floorplan = dram_die(die_m2=die_m2, place=place, n_cores=report.cores_per_die, core_m2=core_m2)
        core_w = drawn.core_w
    idle = block_power(floorplan, background_w=idle_chip_w, banks_w=0.0, core_w=0.0)
    computing = block_power(
        floorplan,
        background_w=drawn.dram_background_w + drawn.dram_refresh_w,
        banks_w=drawn.dram_activity_w,
        core_w=core_w,
    )
    heat = core_heat(floorplan, bare_dimm_package(floorplan.area_m2), idle, computing, air=AirStream())
    return _thermal(DRAM_DIE, floorplan, heat)


def _buffer(report: AreaReport, drawn: PowerReport) -> Thermal:
    """Solve the buffer die heated by its cores alone: no figure for the power of its own circuits was found."""
    floorplan = buffer_die(
        periphery_m2=report.die_mm2 * 1e-6, n_cores=report.cores_per_die, core_m2=report.core_mm2.nominal * 1e-6
    )
    idle = block_power(floorplan, background_w=0.0, banks_w=0.0, core_w=0.0)
    computing = block_power(floorplan, background_w=0.0, banks_w=0.0, core_w=drawn.core_w)
    heat = core_heat(floorplan, bare_dimm_package(floorplan.area_m2), idle, computing)
    return _thermal("buffer die", floorplan, heat, "the buffer's own circuits are taken to draw nothing")


def _thermal(die: str, floorplan: Floorplan, heat: CoreHeat, note: str = "") -> Thermal:
    return Thermal(
        die=die,
        air_c=heat.computing.ambient_k - ZERO_CELSIUS_K,
        idle_w=heat.idle.power_w,
        computing_w=heat.computing.power_w,
        idle_peak_c=heat.idle.peak_k - ZERO_CELSIUS_K,
        peak_c=heat.peak_c,
        rise_alone_k=heat.rise_over_air_k,
        map_c=[[round(cell - ZERO_CELSIUS_K, 3) for cell in row] for row in heat.computing.temperature_k.tolist()],
        width_mm=floorplan.width_m * 1e3,
        height_mm=floorplan.height_m * 1e3,
        refresh_window_ms=heat.refresh_window_ms,
        warning=heat.warning,
        note="; ".join(part for part in (heat.note, note) if part),
    )
