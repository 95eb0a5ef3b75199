"""States counted by the channel, and their energy, against DRAMPower on its own traces (../shared/golden_power)."""

import csv
import json

import pytest

from pim.config import TimingSpec
from pim.dram import Command, issue, make_channel
from pim.dram.channel import state_clocks
from pim.power import rank_energy
from pim.power.figures import Currents

COMMANDS = {name: name for name in ("ACT", "RD", "RDA", "WR", "WRA", "PRE", "PREA")} | {
    "REFA": "REF", "PDEA": "PDE", "PDEP": "PDE", "PDXA": "PDX", "PDXP": "PDX", "SREFEN": "SRE", "SREFEX": "SRX",
}  # fmt: skip
CASES = (
    "p1_single_bank__micron8Gb_x8_2400",
    "p1_single_bank__test8Gb_x8",
    "p2_open_page_stream__micron8Gb_x8_2400",
    "p2_open_page_stream__test8Gb_x8",
    "p3_closed_page_random__test8Gb_x8",
    "p4_idle_powerdown_selfref__test8Gb_x8",
)


def table(path):
    with path.open() as file:
        return {key: float(value) for key, value in list(csv.reader(file))[1:]}


def spec_of(folder, case):
    return json.loads((folder / f"memspec_{case.split('__')[1]}.json").read_text())["memspec"]


def replayed(folder, case):
    """Return the channel after a trace, and its end."""
    timing = spec_of(folder, case)["memtimingspec"]
    clocks = TimingSpec().to_kernel()._replace(
        nras=timing["RAS"], nrp=timing["RP"], nrcd=timing["RCD"], ncl=timing["RL"], ncwl=timing["WL"],
        nrtp=timing["RTP"], nwr=timing["WR"], nrfc=timing["RFC1"],
    )  # fmt: skip
    channel = make_channel(clocks, 1)
    with (folder / case / "trace.csv").open() as file:
        for at, command, _, _, bank, row, *_ in csv.reader(file):
            if command == "END":
                return channel, int(at)
            issue(channel, Command[COMMANDS[command]], int(bank), int(row), int(at))
    raise AssertionError(case)


def rails(spec):
    power = spec["mempowerspec"]
    keys = {"idd0": "0", "idd2n": "2n", "idd3n": "3n", "idd4r": "4r", "idd4w": "4w", "idd5b": "5B"}
    keys |= {"idd6n": "6n", "idd2p": "2p", "idd3p": "3p"}
    return tuple(
        (power[f"v{rail}"], Currents(**{name: 1e3 * power[f"i{rail}{key}"] for name, key in keys.items()}))
        for rail in ("dd", "pp")
    )


@pytest.mark.parametrize("case", CASES)
def test_states_and_energy_are_those_of_drampower(shared_data, case):
    folder = shared_data("golden_power")
    channel, end = replayed(folder, case)
    counts, spec = table(folder / case / "counts.csv"), spec_of(folder, case)
    states = state_clocks(channel, 0, end)
    assert states.active == counts["cycles_rank_active"]
    assert sum(states.bank_open) == counts["cycles_bank_active_sum"]
    assert states.down_active == counts["cycles_powerdown_active"]
    assert states.down_precharged == counts["cycles_powerdown_precharged"]
    assert states.self_refresh == counts["cycles_selfrefresh"]
    assert states.precharged == counts["cycles_rank_precharged"]
    energy = rank_energy(
        channel, 0, end, spec["memtimingspec"]["tCK"], rails(spec), rho=spec["bankwisespec"]["factRho"]
    )
    expected = table(folder / case / "expected_energy.csv")
    for theirs, ours in {
        "ACT": energy.act,
        "PRE": energy.pre,
        "REF_AB": energy.ref,
        "BG_ACT_shared": energy.background_active,
        "BG_ACT_bank": energy.background_open_banks,
        "BG_PRE": energy.background_precharged,
        "PDNA": energy.powerdown_active,
        "PDNP": energy.powerdown_precharged,
        "SREF": energy.self_refresh,
        "CORE_TOTAL": energy.total_j,
    }.items():
        assert ours == pytest.approx(expected[theirs], rel=1e-6, abs=1e-18), theirs
    assert energy.rd == pytest.approx(expected["RD"] + expected["RDA"], rel=1e-6)
    assert energy.wr == pytest.approx(expected["WR"] + expected["WRA"], rel=1e-6)


@pytest.mark.parametrize("case", CASES)
def test_counters_of_each_bank_are_drampowers(shared_data, case):
    """Energy of one bank's commands over that of one command: how many there were."""
    folder = shared_data("golden_power")
    channel, _ = replayed(folder, case)
    banks = channel.bank_activity
    total = table(folder / case / "expected_energy.csv")
    with (folder / case / "expected_bank_energy.csv").open() as file:
        for row in csv.DictReader(file):
            bank = banks[int(row["bank"])]
            for theirs, ours, of_all in (
                (("ACT",), bank.acts, banks.acts),
                (("PRE",), bank.closings, banks.closings),
                (("RD", "RDA"), bank.reads, banks.reads),
                (("WR", "WRA"), bank.writes, banks.writes),
            ):
                share = sum(float(row[name]) for name in theirs)
                whole = sum(total[name] for name in theirs)
                assert share * int(of_all.sum()) == pytest.approx(whole * int(ours), rel=1e-6, abs=1e-18), (row, theirs)
