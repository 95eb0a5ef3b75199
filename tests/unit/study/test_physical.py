import pytest

from pim.config import Level, load_system, with_overrides
from pim.power import Activity, CommandCounts, run_power
from study import physical

LEVELS = [level.value for level in Level]


@pytest.mark.parametrize("level", LEVELS)
def test_area_of_all_sites_is_the_machines(level: str) -> None:
    system = load_system(level)
    area = physical.area(system)
    assert area.n_sites == system.n_locations
    assert area.cores_per_site * area.n_sites == system.n_cores
    assert area.total_mm2 == pytest.approx(area.core_mm2 * system.n_cores)
    assert area.share_low < area.share < area.share_high


def drawn(level: str, busy: float) -> tuple[object, list[object]]:
    system = load_system(level)
    activity = Activity(
        seconds=1.0, busy_cycles=busy, commands=CommandCounts(act=1e6, pre=1e6, rd=1e7), n_chips=system.geometry.n_chips
    )
    report = run_power(system, activity)
    return report, list(physical.temperatures(system, report, report.idle_chip_w))


@pytest.mark.parametrize("level", LEVELS)
def test_all_of_a_dies_power_heats_it(level: str) -> None:
    report, dies = drawn(level, 1e8)
    dram = dies[0]
    assert dram.computing_w == pytest.approx(report.chip_w)  # type: ignore[attr-defined]
    assert dram.idle_w == pytest.approx(report.idle_chip_w)  # type: ignore[attr-defined]
    assert [d.die for d in dies] == ["DRAM die"] + ["buffer die"] * (level == "rank")  # type: ignore[attr-defined]
    if level == "rank":
        assert dies[1].computing_w == pytest.approx(report.cores_w)  # type: ignore[attr-defined]


@pytest.mark.parametrize("level", LEVELS)
def test_busier_cores_make_a_hotter_die(level: str) -> None:
    (_, idle), (_, busy) = drawn(level, 0.0), drawn(level, 2e8)
    assert max(d.rise_k for d in busy) > max(d.rise_k for d in idle) >= 0  # type: ignore[attr-defined]
    assert busy[0].rise_k > busy[0].rise_alone_k > 0  # type: ignore[attr-defined]


def test_line_buffers_take_area() -> None:
    system = load_system("bank")
    more = with_overrides(system, {"core.line_buffers": 16})
    assert physical.area(more).total_mm2 > physical.area(system).total_mm2
