"""Builds ``pim_dma`` and runs its cocotb tests on Icarus Verilog."""

from pathlib import Path

import pytest

from rtl.tests.simulation import SRC, fails, inject, simulate

pytestmark = pytest.mark.rtl


def run(folder: Path, ratio: str, source: Path = SRC / "pim_dma.sv", test_filter: str | None = None) -> Path:
    return simulate(
        folder,
        "pim_dma",
        ["dma_tests"],
        [source],
        parameters={"MemoryBits": 12, "RowBytes": 128, "ScratchpadBytes": 512},
        plusargs=[f"+core_ratio={ratio}"],
        test_filter=test_filter,
    )


@pytest.mark.parametrize("ratio", ["1/1", "1/6", "2/9"])
def test_dma_agrees_with_its_rules(tmp_path: Path, ratio: str) -> None:
    run(tmp_path, ratio)


BUGS = {
    "rows ignored": ("is_last    = PIECE_BITS'(left) <= to_row_end", "is_last    = 1'b1"),
    "does not wait for the write-back": ("starts && clean_i && !is_empty", "starts && !is_empty"),
    "core does not wait for its edge": ("wait_d     = is_last && !core_en_i;", "wait_d     = 1'b0;"),
    "past the scratchpad": ("if (place_end > LENGTH_BITS'(ScratchpadBytes)) may_start_o = 1'b0;", ""),
    "past memory": ("if (memory_end > {1'b1, MemoryBits'(0)}) may_start_o = 1'b0;", ""),
    "long lengths wrap": ("if (value_i > Xlen'(ScratchpadBytes)) may_start_o = 1'b0;", ""),
}


@pytest.mark.parametrize("bug", BUGS)
def test_an_injected_bug_is_caught(tmp_path: Path, bug: str) -> None:
    broken = inject(("pim_dma", *BUGS[bug]), tmp_path)
    assert fails(tmp_path, lambda: run(tmp_path, "1/6", broken, "transfers_make.*dirty=40"))
