"""Builds a chip of four bank cores and drives it from its pins, on Icarus Verilog."""

from pathlib import Path

import pytest

from rtl.tests.simulation import HERE, SRC, copy_rtl, fails, inject, simulate

pytestmark = pytest.mark.rtl


def run(folder: Path, source: Path = SRC, test_filter: str | None = None, n_refi: int = 3000) -> Path:
    sources = [path for path in sorted(source.glob("pim_*.sv")) if path.stem != "pim_pkg"]
    sources += [HERE.parent / "lockstep" / "pim_bank_model.sv", HERE / "ddr_chip_top.sv"]
    return simulate(
        folder,
        "ddr_chip_top",
        ["chip_tests"],
        sources,
        parameters={"NRefi": n_refi},
        plusargs=["+core_ratio=1/2"],
        test_filter=test_filter,
    )


def test_a_chip_is_launched_claimed_and_read_from_its_pins(tmp_path: Path) -> None:
    run(tmp_path)


BUGS = {
    "host's data never written": ("pim_ddr_chip", "lockout[i] ? core_wdata[i] : array_wdata", "core_wdata[i]"),
    "claim does not reach the controller": ("pim_ddr_chip", ".claimed_i         (claimed)", ".claimed_i         ('0)"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_an_injected_bug_is_caught(tmp_path: Path, bug: str) -> None:
    inject(BUGS[bug], copy_rtl(tmp_path))
    tests = "a_claimed_bank.*idle_core=False|used_too_early"
    assert fails(tmp_path / "run", lambda: run(tmp_path / "run", tmp_path / "src", tests))
