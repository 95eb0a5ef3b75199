"""Builds ``pim_line_buffers`` and runs its cocotb tests on Icarus Verilog."""

from pathlib import Path

import pytest

from rtl.tests.simulation import SRC, fails, inject, simulate

pytestmark = pytest.mark.rtl

SIZES = {"sectors": (64, 16, 8), "whole lines": (32, 32, 32)}
"""Bytes of a line, a sector and a column."""


def run(
    folder: Path, sizes: str, ratio: str, source: Path = SRC / "pim_line_buffers.sv", test_filter: str | None = None
) -> Path:
    line, sector, port = SIZES[sizes]
    return simulate(
        folder,
        "pim_line_buffers",
        ["lines_tests"],
        [source, SRC / "pim_sram.sv"],
        parameters={"MemoryBits": 10, "LineBuffers": 3, "LineBytes": line, "SectorBytes": sector, "PortBytes": port},
        plusargs=[f"+core_ratio={ratio}", f"+line={line}", f"+sector={sector}", f"+port={port}"],
        test_filter=test_filter,
    )


@pytest.mark.parametrize(("sizes", "ratio"), [("sectors", "1/6"), ("sectors", "1/1"), ("whole lines", "2/9")])
def test_line_buffers_agree_with_their_model(tmp_path: Path, sizes: str, ratio: str) -> None:
    run(tmp_path, sizes, ratio)


BUGS = {
    "newest line replaced": ("chosen[i] = rank_q[i] == '0;", "chosen[i] = &rank_q[i];"),
    "dirty sectors forgotten": ("if (completes && write_i) dirty_d", "if (1'b0) dirty_d"),
    "all sectors valid": ("found ? valid_q[i] | sector_mask : sector_mask", "'1"),
    "core does not wait for its edge": ("assign wait_d            = ", "assign wait_d            = 1'b0 && "),
    "word of a load lost": ("held_valid_d = 1'b1;", "held_valid_d = 1'b0;"),
    "strobes ignored": ("sram_mask[8*word +: 8] = strobe_i;", "sram_mask[8*word +: 8] = 8'hFF;"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_an_injected_bug_is_caught(tmp_path: Path, bug: str) -> None:
    broken = inject(("pim_line_buffers", *BUGS[bug]), tmp_path)
    assert fails(tmp_path, lambda: run(tmp_path, "sectors", "1/6", broken, "random_accesses.*delay=0/lines=8"))
