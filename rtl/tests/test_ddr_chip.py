"""Builds a chip of four bank cores and drives it from its pins, on Icarus Verilog."""

from pathlib import Path

import pytest

from rtl.tests.simulation import HERE, SRC, simulate

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
