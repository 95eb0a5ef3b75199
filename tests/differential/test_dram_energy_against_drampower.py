"""Our DRAM energies against DRAMPower's, component by component."""

import csv
import json
from pathlib import Path

import pytest

from pim.power import CommandCounts, CommandTimes, StateTimes, dram_energy
from pim.power.figures import Currents

CASES = Path(__file__).parent.parent / "data" / "dram_energy"
NAMES = {
    "ACT": "act",
    "PRE": "pre",
    "REF_AB": "ref",
    "BG_ACT_shared": "background_active",
    "BG_ACT_bank": "background_open_banks",
    "BG_PRE": "background_precharged",
    "PDNA": "powerdown_active",
    "PDNP": "powerdown_precharged",
    "SREF": "self_refresh",
}


def column(path: Path, key: str, value: str) -> dict[str, float]:
    with path.open() as file:
        return {row[key]: float(row[value]) for row in csv.DictReader(file)}


def rail(memspec: dict[str, float], letter: str) -> Currents:
    keys = {"idd0": "0", "idd2n": "2n", "idd3n": "3n", "idd4r": "4r", "idd4w": "4w", "idd5b": "5B"}
    keys |= {"idd6n": "6n", "idd2p": "2p", "idd3p": "3p"}
    return Currents(**{name: 1e3 * memspec[f"i{letter}{letter}{key}"] for name, key in keys.items()})


@pytest.mark.parametrize("folder", sorted(path.name for path in CASES.iterdir() if path.is_dir()))
def test_energies_equal_those_of_drampower(folder: str) -> None:
    spec = json.loads((CASES / f"memspec_{folder.split('__')[1]}.json").read_text())
    n = column(CASES / folder / "counts.csv", "quantity", "value")
    currents, timing = spec["currents"], spec["timing"]
    assert currents["iBeta_vdd"] == currents["idd0"], "our equations take Ibeta = IDD0"
    tck_s = timing["tCK"]
    ours = dram_energy(
        (
            (currents["vdd"], rail(currents, "d")),
            (currents["vpp"], rail(currents, "p")),
        ),
        CommandCounts(
            act=n["n_act"],
            pre=n["n_pre"],
            rd=n["n_rd"] + n["n_rda"],
            wr=n["n_wr"] + n["n_wra"],
            ref=n["n_refab_commands"],
        ),
        StateTimes(
            active_s=n["cycles_rank_active"] * tck_s,
            precharged_s=n["cycles_rank_precharged"] * tck_s,
            powerdown_active_s=n["cycles_powerdown_active"] * tck_s,
            powerdown_precharged_s=n["cycles_powerdown_precharged"] * tck_s,
            self_refresh_s=n["cycles_selfrefresh"] * tck_s,
            bank_open_s=n["cycles_bank_active_sum"] * tck_s,
        ),
        CommandTimes(timing["RAS"] * tck_s, timing["RP"] * tck_s, spec["burst_clocks"] * tck_s, timing["RFC1"] * tck_s),
        rho=spec["rho"],
        n_banks=spec["banks"],
    )
    expected = column(CASES / folder / "expected_energy.csv", "component", "energy_J")
    for theirs, name in NAMES.items():
        assert getattr(ours, name) == pytest.approx(expected[theirs], rel=1e-6, abs=1e-18), theirs
    assert ours.rd == pytest.approx(expected["RD"] + expected["RDA"], rel=1e-6)
    assert ours.wr == pytest.approx(expected["WR"] + expected["WRA"], rel=1e-6)
    assert ours.total_j == pytest.approx(expected["CORE_TOTAL"], rel=1e-6)
