"""Area sizes the floorplan, power heats it: the three models fit together for every preset."""

import pytest

from pim.area import core_area
from pim.config import Level, load_system
from pim.power import Activity, CommandCounts, run_power
from thermal import (
    AirStream,
    CorePlace,
    bare_dimm_package,
    block_power,
    buffer_die,
    core_heat,
    dram_die,
)

WORK = Activity(
    seconds=1.0,
    busy_cycles=1e8,
    commands=CommandCounts(act=1e7, pre=1e7, rd=1e8, wr=1e7),
    n_chips=32,
    instructions=1e8,
    loads=2e7,
    stores=1e7,
)


@pytest.mark.parametrize("name", ["bank", "chip"])
def test_dram_die_gets_all_of_the_chips_power(name: str) -> None:
    system = load_system(name)
    area, power = core_area(system), run_power(system, WORK)
    place = CorePlace.BANK if system.level is Level.BANK else CorePlace.SPINE
    core_m2 = area.core_mm2.nominal * 1e-6
    floorplan = dram_die(die_m2=area.die_mm2 * 1e-6, place=place, n_cores=system.cores_per_group, core_m2=core_m2)
    assert floorplan.area_m2 * 1e6 == pytest.approx(area.die_mm2 + area.cores_mm2.nominal)
    idle_w = block_power(floorplan, background_w=power.idle_chip_w, banks_w=0.0, core_w=0.0)
    computing_w = block_power(
        floorplan,
        background_w=power.dram_background_w + power.dram_refresh_w,
        banks_w=power.dram_activity_w,
        core_w=power.core_w,
    )
    heat = core_heat(floorplan, bare_dimm_package(floorplan.area_m2), idle_w, computing_w, air=AirStream())
    assert heat.computing.power_w == pytest.approx(power.chip_w)
    assert heat.idle.power_w == pytest.approx(power.idle_chip_w)
    assert heat.computing.heat_top_w + heat.computing.heat_bottom_w == pytest.approx(power.chip_w)
    assert heat.rise_k > heat.rise_over_air_k > 0


def test_buffer_die_gets_its_cores_power() -> None:
    system = load_system("rank")
    area, power = core_area(system), run_power(system, WORK)
    floorplan = buffer_die(
        periphery_m2=area.die_mm2 * 1e-6,
        n_cores=system.cores_per_group,
        core_m2=area.core_mm2.nominal * 1e-6,
    )
    without = block_power(floorplan, background_w=0.5, banks_w=0.0, core_w=0.0)
    with_cores = block_power(floorplan, background_w=0.5, banks_w=0.0, core_w=power.core_w)
    heat = core_heat(floorplan, bare_dimm_package(floorplan.area_m2), without, with_cores)
    assert heat.computing.power_w - heat.idle.power_w == pytest.approx(power.cores_w)
    assert heat.rise_k > 0
