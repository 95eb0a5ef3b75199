"""Power against hand calculations, and the edges of its inputs."""

import pytest

from pim.config import Level, device_names, load_system, with_overrides
from pim.errors import ConfigError
from pim.power import Activity, CommandCounts, Scale, StateTimes, core_energy, idle_power_w, run_power
from pim.power.core import busy_pj
from pim.power.figures import DRAM
from pim.system import CoreTask, run_cores
from pim.technology import Case, Process
from tests.support.assembly import Assembly

BANK, CHIP, RANK = (load_system(name) for name in ("bank", "chip", "rank"))


def activity(**changes: object) -> Activity:
    values = {"seconds": 1.0, "busy_cycles": 0.0, "commands": CommandCounts(), "n_chips": 32}
    return Activity(**(values | changes))  # type: ignore[arg-type]


def test_one_activate_and_precharge_cost_what_the_currents_say() -> None:
    """(IDD0-IDD3N) tRAS + (IDD0-IDD2N) tRP at 1.2 V = 5 mA x 32.5 ns + 14 mA x 14.2 ns; VPP adds nothing."""
    nras, nrp = BANK.timing.to_kernel().nras, BANK.timing.to_kernel().nrp
    expected_j = 1.2e-3 * (5 * nras + 14 * nrp) * 0.833e-9
    many = 1e6
    report = run_power(BANK, activity(commands=CommandCounts(act=many, pre=many)))
    assert report.dram_activity_w == pytest.approx(many * expected_j)
    assert expected_j == pytest.approx(0.43e-9, rel=0.02), "DRAMPower's ACT + PRE, tests/data/dram_energy"


def test_a_read_burst_costs_its_current_above_standby() -> None:
    """(135-43) mA x 1.2 V x 4 clocks = 0.368 nJ for 64 bits, 5.7 pJ/bit."""
    report = run_power(BANK, activity(commands=CommandCounts(rd=1e6)))
    assert report.dram_activity_w / 1e6 == pytest.approx(0.368e-9, rel=1e-3)


def test_background_is_standby_current_of_both_supplies() -> None:
    opened = run_power(BANK, activity())
    assert opened.dram_background_w == pytest.approx(1.2 * 0.043 + 2.5 * 0.003)
    closed = run_power(BANK, activity(bank_open_s=0.0))
    assert closed.dram_background_w == pytest.approx(1.2 * 0.034 + 2.5 * 0.003)


def test_background_follows_the_time_that_banks_are_open() -> None:
    """A core that opens one row of a closed-page bank: VDD gives IDD3N for that time, IDD2N for the rest."""
    system = with_overrides(BANK, {"controller.page": "closed", "timing.trefi_ns": 1e9})
    text = Assembly()
    text.exit(0)
    run = run_cores(system, text.program(), [CoreTask(())])
    clocks = BANK.timing.to_kernel()
    open_nck = clocks.nrcd + 7 * clocks.nccd_l + clocks.nrtp  # one line of 8 columns, longer than tRAS
    assert run.bank_open_nck == (open_nck, *[0] * 15)
    share = open_nck / run.nck
    work = activity(seconds=run.seconds, bank_open_s=share * run.seconds, commands=CommandCounts(act=1, pre=1, rd=8))
    sheet, typical = (run_power(system, work, scale=scale) for scale in Scale)
    assert 0.2 < share < 0.9
    expected_w = 1.2 * (0.043 * share + 0.034 * (1 - share)) + 2.5 * 0.003
    assert sheet.dram_background_w == pytest.approx(expected_w)
    assert typical.dram_background_w == pytest.approx(0.465 * expected_w)
    assert any("one after the other" in note for note in sheet.notes)


def test_banks_open_together_never_count_as_more_than_all_the_time() -> None:
    always = run_power(BANK, activity())
    assert run_power(BANK, activity(bank_open_s=9.0)).dram_background_w == always.dram_background_w


def test_refresh_is_added_at_its_interval_when_it_was_not_counted() -> None:
    per_refresh_j = 1.2 * (0.250 - 0.043) * BANK.timing.to_kernel().nrfc * 0.833e-9
    report = run_power(BANK, activity())
    assert report.dram_refresh_w == pytest.approx(per_refresh_j / 7.8e-6)
    counted = run_power(BANK, activity(commands=CommandCounts(ref=1000)))
    assert counted.dram_refresh_w == pytest.approx(1000 * per_refresh_j)


def test_halving_the_refresh_interval_doubles_refresh_power() -> None:
    hot = with_overrides(BANK, {"timing.trefi_ns": 3900.0})
    cool_w, hot_w = (run_power(system, activity()).dram_refresh_w for system in (BANK, hot))
    assert hot_w == pytest.approx(2 * cool_w)


def test_idle_chip_is_standby_plus_refresh_at_standby() -> None:
    trfc_s = BANK.timing.to_kernel().nrfc * 0.833e-9
    expected_w = 1.2 * 0.034 + 2.5 * 0.003 + 1.2 * (0.250 - 0.034) * trfc_s / 7.8e-6
    assert idle_power_w(BANK) == pytest.approx(expected_w)
    assert run_power(BANK, activity()).idle_chip_w == idle_power_w(BANK)


def test_typical_currents_are_below_the_data_sheet() -> None:
    work = activity(commands=CommandCounts(act=1e6, pre=1e6, rd=1e7, wr=1e7))
    sheet, typical = (run_power(BANK, work, scale=scale) for scale in Scale)
    assert typical.dram_background_w == pytest.approx(0.465 * sheet.dram_background_w)
    assert 0 < typical.dram_activity_w < sheet.dram_activity_w
    assert 0 < typical.idle_chip_w < sheet.idle_chip_w
    assert typical.core_w == sheet.core_w


def test_core_logic_follows_its_busy_clocks() -> None:
    """Nominal in the DRAM process: 34 pJ x 22/40 x (1.2/0.9)^2 = 33.2 pJ; 200 MHz busy = 6.65 mW."""
    report = run_power(BANK, activity(busy_cycles=200e6))
    assert report.core_logic_w == pytest.approx(34e-12 * 22 / 40 * (4 / 3) ** 2 * 200e6)
    waiting = run_power(BANK, activity(stalled_cycles=200e6))
    assert waiting.core_logic_w == pytest.approx(0.3 * report.core_logic_w)


def test_logic_process_takes_the_published_figure() -> None:
    """1 GHz x 34 pJ = 34 mW: 0.034 mW/MHz."""
    assert run_power(RANK, activity(busy_cycles=1e9)).core_logic_w == pytest.approx(0.034)


@pytest.mark.parametrize("process", list(Process))
def test_cases_are_ordered(process: Process) -> None:
    energy = busy_pj(process)
    assert energy.optimistic <= energy.nominal <= energy.pessimistic


def test_sram_energy_counts_accesses_of_the_table() -> None:
    """1 KB of 64-bit words, lstp: 0.38016 pJ read, 0.78455 pJ write."""
    report = run_power(BANK, activity(instructions=1e8, loads=1e7, stores=2e7))
    assert report.core_sram_w == pytest.approx((1.1e8 * 0.38016 + 2e7 * 0.78455) * 1e-12)


def test_words_from_and_to_the_dram_pass_the_line_buffers() -> None:
    """A column is one 64-bit word of one of a chip's 16 cores; at the rank it is eight words of one of 4 cores."""
    columns = activity(commands=CommandCounts(rd=16e6, wr=32e6))
    assert run_power(BANK, columns).core_sram_w == pytest.approx((0.78455 + 2 * 0.38016) * 1e-6)
    assert run_power(RANK, columns).core_sram_w == pytest.approx((4 * 1.16382 + 8 * 1.08749) * 8e-6)


def test_a_row_through_the_latch_costs_as_much_as_its_columns() -> None:
    """1 KB is 128 columns of 8 B."""
    row_port = with_overrides(BANK, {"port": "row"})
    rows = run_power(row_port, activity(commands=CommandCounts(rd=1e4, wr=1e3)))
    columns = run_power(BANK, activity(commands=CommandCounts(rd=128e4, wr=128e3)))
    assert rows.dram_activity_w == pytest.approx(columns.dram_activity_w)
    assert rows.core_sram_w == pytest.approx(columns.core_sram_w)
    assert any("row through the latch" in note for note in rows.notes)


def test_a_cache_reads_all_its_ways() -> None:
    """Rank preset: 4 ways of 4 KB."""
    assert core_energy(RANK).load_pj == pytest.approx(4 * 1.08749)
    assert core_energy(RANK).store_pj == pytest.approx(1.16382)


def test_cores_load_the_chip_they_sit_on() -> None:
    busy = activity(busy_cycles=1e8)
    bank, chip, rank = (run_power(system, busy) for system in (BANK, CHIP, RANK))
    assert (bank.cores_per_die, chip.cores_per_die, rank.cores_per_die) == (16, 1, 4)
    assert bank.chip_w == pytest.approx(bank.dram_w + 16 * bank.core_w)
    assert chip.chip_w == pytest.approx(chip.dram_w + chip.core_w)
    assert rank.chip_w == rank.dram_w
    assert rank.level is Level.RANK
    assert bank.total_w == pytest.approx(32 * bank.chip_w)
    assert rank.total_w == pytest.approx(32 * rank.dram_w + 4 * rank.cores_w)
    assert bank.energy_j == pytest.approx(bank.total_w * 1.0)


def test_power_does_not_depend_on_how_long_the_same_activity_lasts() -> None:
    once = run_power(BANK, activity(busy_cycles=1e8, commands=CommandCounts(act=1e6, rd=1e7, pre=1e6)))
    twice = run_power(BANK, activity(seconds=2.0, busy_cycles=2e8, commands=CommandCounts(act=2e6, rd=2e7, pre=2e6)))
    assert twice.total_w == pytest.approx(once.total_w)
    assert twice.energy_j == pytest.approx(2 * once.energy_j)


def test_a_report_says_that_it_is_preliminary_and_on_which_scale() -> None:
    report = run_power(BANK, activity(), case=Case.PESSIMISTIC, scale=Scale.TYPICAL)
    text = "; ".join(report.notes)
    assert "preliminary" in text
    assert "pessimistic" in text
    assert "typical" in text


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: activity(seconds=0.0), "seconds must be > 0"),
        (lambda: activity(busy_cycles=-1.0), "busy_cycles must be >= 0, got -1"),
        (lambda: activity(bank_open_s=-1.0), "bank_open_s must be >= 0 s, got -1"),
        (lambda: CommandCounts(act=-1), "act must be >= 0"),
        (lambda: StateTimes(active_s=-1.0), "active_s must be >= 0 s"),
    ],
)
def test_wrong_activity_is_named(make, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ConfigError, match=message):
        make()


@pytest.mark.parametrize(
    ("name", "label", "idd0"),
    [
        ("ddr4-2400-8gb-x8", "8 Gb x8 DDR4-2400", 48),
        ("ddr4-3200-8gb-x8", "8 Gb x8 DDR4-3200", 57),
        ("ddr4-2133-8gb-x8", "8 Gb x8 DDR4-2133", 45),
        ("ddr4-2400-8gb-x16", "8 Gb x16 DDR4-2400", 80),
        ("ddr4-2400-4gb-x8", "4 Gb x8 DDR4-2400", 60),
        ("ddr4-3200-16gb-x4", "8 Gb x8 DDR4-2400", 48),  # not listed: the first stands for it
    ],
)
def test_currents_are_those_of_the_machines_device(name, label, idd0):
    system = with_overrides(load_system("rank"), {"device": name})
    assert DRAM.label(system) == label
    assert DRAM.rails(Scale.DATASHEET, DRAM.device(system))[0][1].idd0 == idd0


def test_every_listed_device_can_be_configured():
    assert set(DRAM.devices) <= set(device_names())
