"""Area against hand calculations, and the tables behind it."""

import pytest

from pim.area import Site, core_area, share_of
from pim.config import checked, load_system, with_overrides
from pim.errors import ConfigError
from pim.technology import Band, Case, Process, SramDevice, sram_macro
from pim.technology.figures import FIGURES, Figures
from pim.technology.synthesis import synthesis

BANK, CHIP, RANK = (load_system(name) for name in ("bank", "chip", "rank"))


def part(report, name):  # type: ignore[no-untyped-def]
    (row,) = [row for row in report.rows if row.part == name]
    return row


def test_registers_area_from_gates_node_placement_and_process() -> None:
    """Mean of both libraries x 1.43 um2 x (22/65)^2 x 1.43 x 4."""
    bank = synthesis().bank("rv64, column")
    mean_ge = sum(result.blocks["pim_register_file"].ge for result in bank.results) / 2
    row = part(core_area(BANK), "registers")
    assert row.kilo_gates.nominal == pytest.approx(mean_ge / 1000)
    assert row.mm2.nominal == pytest.approx(mean_ge * 1.43e-6 * (22 / 65) ** 2 * 1.43 * 4)
    most_ge = max(result.blocks["pim_register_file"].ge for result in bank.results)
    assert row.mm2.pessimistic == pytest.approx(most_ge * 1.43e-6 * (22 / 65) ** 2 * 1.67 * 10)


def test_the_default_core_has_all_gates_of_its_synthesis_and_its_share_of_the_dies() -> None:
    """A sixteenth of what the 16 cores of the die share; fetch unit and line buffers as mapped alone."""
    gates = sum((row.kilo_gates for row in core_area(BANK).rows), Band.same(0.0))
    die = synthesis().point("pim_activate_arbiter") + synthesis().point("pim_ddr_decoder")
    whole = synthesis().bank("rv64, column").band() + die * (1 / 16)
    assert gates.nominal == pytest.approx(whole.nominal, rel=0.005)
    assert gates.optimistic <= whole.optimistic * 1.005
    assert gates.pessimistic >= whole.pessimistic * 0.995


def test_a_core_with_a_row_port_has_all_gates_of_its_synthesis_and_the_latch() -> None:
    rows = core_area(with_overrides(BANK, {"port": "row"})).rows
    gates = sum((row.kilo_gates for row in rows if row.part != "row latch"), Band.same(0.0))
    die = synthesis().point("pim_activate_arbiter") + synthesis().point("pim_ddr_decoder")
    assert gates.nominal == pytest.approx((synthesis().bank("rv64, row").band() + die * (1 / 16)).nominal, rel=0.01)


def test_a_core_without_multiplier_or_compressed_instructions_lacks_their_gates() -> None:
    blocks = synthesis().bank("rv64, column")
    plain = sum((row.kilo_gates for row in core_area(BANK).rows), Band.same(0.0)).nominal
    lean = core_area(with_overrides(BANK, {"core.extensions": "rv64i"}))
    gone = sum(blocks.band(name).nominal for name in ("pim_multiplier", "pim_divider", "pim_expander"))
    assert sum((row.kilo_gates for row in lean.rows), Band.same(0.0)).nominal == pytest.approx(plain - gone)


def test_line_buffers_are_five_macros_of_one_kilobyte() -> None:
    """CACTI, 1 KB of 64-bit words, lstp, 22 nm: 0.00085754 mm2."""
    row = part(core_area(BANK), "line buffers")
    assert row.sram_bytes == 5 * 1024
    assert row.mm2.nominal == pytest.approx(5 * 0.00085754 * 4)
    assert row.kilo_gates == Band.same(0.0)


def test_a_cache_has_its_ways_and_their_tags() -> None:
    """4 ways x 64 sets x 64 B; 33-6-6 tag bits + 2 of one sector = 23 bits x 64 sets = 184 B, smallest macro 256 B."""
    report = core_area(RANK)
    assert part(report, "line buffers").sram_bytes == 4 * 4096
    assert part(report, "line buffers' control").sram_bytes == 4 * 256
    assert report.process is Process.LOGIC


def test_tags_of_a_large_instruction_buffer_are_sram() -> None:
    """256 lines of 33-14 tag bits and one valid bit: 640 B, macro of 1 KB."""
    assert part(core_area(RANK), "fetch, tags of the instruction buffer").sram_bytes == 1024


def test_cores_of_a_die_share_the_controller_of_its_banks() -> None:
    one = part(core_area(CHIP), "controller of all banks").kilo_gates
    four = part(core_area(with_overrides(CHIP, {"cores_per_location": 4})), "controller of all banks").kilo_gates
    assert four.nominal == pytest.approx(one.nominal / 4)
    controller = synthesis().bank("rv64, column").band("pim_bank_controller")
    assert controller.pessimistic * 16 == pytest.approx(one.pessimistic)


def test_parts_add_up_and_cores_of_a_die_too() -> None:
    report = core_area(BANK)
    for case in Case:
        assert report.core_mm2.of(case) == pytest.approx(sum(row.mm2.of(case) for row in report.rows))
        assert report.cores_mm2.of(case) == pytest.approx(16 * report.core_mm2.of(case))
        assert share_of(report, Site.BANK, case) == pytest.approx(report.core_mm2.of(case) / (58.48 / 16))
        assert share_of(report, Site.CHIP, case) == pytest.approx(share_of(report, Site.BANK, case))


def test_shares_exist_only_where_cores_sit() -> None:
    assert share_of(core_area(BANK), Site.BUFFER) == 0.0
    assert share_of(core_area(CHIP), Site.BANK) == 0.0
    assert share_of(core_area(RANK), Site.CHIP) == 0.0
    rank = core_area(RANK)
    assert share_of(rank, Site.BUFFER) == pytest.approx(4 * rank.core_mm2.nominal / rank.die_mm2)


def test_published_share_lies_within_the_band() -> None:
    """Below 4 % of the bank (ISCA 2026, footnote 1, on the Computing Frontiers 2021 study)."""
    report = core_area(BANK)
    assert share_of(report, Site.BANK, Case.OPTIMISTIC) < 0.04 < share_of(report, Site.BANK, Case.PESSIMISTIC)


def test_each_option_costs_area() -> None:
    plain = core_area(BANK).core_mm2.nominal
    for change in (
        {"core.extensions": "rv64imafdc"},
        {"core.scratchpad_bytes": 2048},
        {"core.instruction_buffer_bytes": 4096},
        {"core.line_buffers": 8},
        {"core.line_buffers": 6},
        {"core.sector_bytes": 32},
        {"port": "row"},
    ):
        assert core_area(with_overrides(BANK, change)).core_mm2.nominal > plain, change
    more = core_area(with_overrides(CHIP, {"cores_per_location": 4}))
    alone = core_area(CHIP)
    die = ("controller of all banks", "share of activate budget and DDR decoder")
    shared = sum(part(alone, name).mm2.nominal for name in die)
    assert more.cores_mm2.nominal == pytest.approx(4 * alone.cores_mm2.nominal - 3 * shared)


def test_row_latch_is_one_row_of_latches() -> None:
    """8192 bits x 3.17 GE = 26.0 kGE."""
    row = part(core_area(with_overrides(BANK, {"port": "row"})), "row latch")
    assert row.kilo_gates.nominal == pytest.approx(8192 * 3.17e-3)


def test_fpu_is_a_published_unit_and_registers() -> None:
    registers = synthesis().bank("rv64, column").band("pim_register_file").nominal
    row = part(core_area(RANK), "FPU and its registers")
    assert row.kilo_gates.nominal == pytest.approx(165 + registers)
    single = core_area(with_overrides(BANK, {"core.extensions": "rv64imfc"}))
    assert part(single, "FPU and its registers").kilo_gates.nominal == pytest.approx(55 + registers / 2)


def test_die_follows_capacity() -> None:
    assert core_area(BANK).die_mm2 == 58.48
    assert core_area(with_overrides(BANK, {"geometry.device_gbit": 16})).die_mm2 == pytest.approx(2 * 58.48)


def test_report_names_its_assumptions() -> None:
    for system in (BANK, CHIP, RANK):
        report = core_area(system)
        assert any("no layout exists" in note for note in report.notes)
        assert all(row.source for row in report.rows)
    assert any("assumption" in note for note in core_area(RANK).notes)


@pytest.mark.parametrize(
    ("size_bytes", "macro_bytes"), [(1, 256), (256, 256), (1000, 1024), (65536, 65536), (65537, 131072)]
)
def test_macro_is_the_next_size_of_the_table(size_bytes: int, macro_bytes: int) -> None:
    assert sram_macro(size_bytes, SramDevice.LOW_STANDBY_POWER).size_bytes == macro_bytes


def test_several_macros_share_no_access() -> None:
    one = sram_macro(1024, SramDevice.HIGH_PERFORMANCE)
    five = sram_macro(1024, SramDevice.HIGH_PERFORMANCE, 5)
    assert (five.area_mm2, five.leakage_mw) == pytest.approx((5 * one.area_mm2, 5 * one.leakage_mw))
    assert (five.read_pj, five.write_pj) == (one.read_pj, one.write_pj)


def test_sram_without_size_is_an_error() -> None:
    with pytest.raises(ConfigError, match="must be > 0, got 1 macros of 0 B"):
        sram_macro(0, SramDevice.LOW_STANDBY_POWER)


def test_unordered_cases_and_unknown_figures_are_errors() -> None:
    values = FIGURES.model_dump()
    swapped = values | {"latch_ge": values["latch_ge"] | {"optimistic": 9.0}}
    with pytest.raises(ConfigError, match=r"latch_ge: .*optimistic <= nominal <= pessimistic"):
        checked(Figures, swapped, "figures.yaml")
    with pytest.raises(ConfigError, match=r"figures\.yaml: gates"):
        checked(Figures, values | {"gates": 1}, "figures.yaml")
