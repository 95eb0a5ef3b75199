"""Builds ``pim_fetch`` and runs its cocotb tests on Icarus Verilog."""

from pathlib import Path

import pytest

from rtl.tests.simulation import SRC, fails, inject, simulate

pytestmark = pytest.mark.rtl

LINE = 32


def run(
    folder: Path, fill: int, ratio: str, source: Path = SRC / "pim_fetch.sv", test_filter: str | None = None
) -> Path:
    """Run with refills of ``fill`` bytes a column."""
    return simulate(
        folder,
        "pim_fetch",
        ["fetch_tests"],
        [source, SRC / "pim_sram.sv"],
        parameters={"MemoryBits": 10, "BufferBytes": 4 * LINE, "LineBytes": LINE, "FillBytes": fill},
        plusargs=[f"+core_ratio={ratio}", f"+line={LINE}", f"+fill={fill}"],
        test_filter=test_filter,
    )


@pytest.mark.parametrize(("fill", "ratio"), [(8, "1/6"), (8, "1/1"), (32, "2/9")])
def test_fetch_agrees_with_its_model(tmp_path: Path, fill: int, ratio: str) -> None:
    run(tmp_path, fill, ratio)


BUGS = {
    "second line not fetched": ("(!straddles || (next_hit && next_in_memory))", "1'b1"),
    "redirect a cycle short": ("refill_d = 2'd2;", "refill_d = 2'd1;"),
    "fence.i keeps the buffer": ("(start_i || (next_i && invalidate_i))", "start_i"),
    "load before a new line does not wait": ("&& !(loading_i && new_line)", ""),
    "refill does not go past the SRAM": ("ahead_valid_d = 1'b1;", "ahead_valid_d = ahead_valid_q;"),
    "core does not wait for its edge": ("wait_d            = !core_en_i &&", "wait_d            = 1'b0 &&"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_an_injected_bug_is_caught(tmp_path: Path, bug: str) -> None:
    broken = inject(("pim_fetch", *BUGS[bug]), tmp_path)
    assert fails(tmp_path, lambda: run(tmp_path, 8, "1/6", broken, "instructions_come.*delay=0"))
