"""Builds ``pim_ddr_decoder`` and runs its cocotb tests on Icarus Verilog."""

from pathlib import Path

import pytest

from rtl.tests.simulation import SRC, fails, inject, simulate

pytestmark = pytest.mark.rtl


def run(folder: Path, source: Path = SRC / "pim_ddr_decoder.sv", test_filter: str | None = None) -> Path:
    return simulate(folder, "pim_ddr_decoder", ["decoder_tests"], [source], test_filter=test_filter)


def test_decoder_agrees_with_its_model(tmp_path: Path) -> None:
    run(tmp_path)


BUGS = {
    "register row of any row": ("row_q == '1", "row_q[0]"),
    "locked bank reaches the array": ("act           = selected & ~lockout_i", "act           = selected"),
    "registers locked out too": ("|| read != '0)}", "&& lockout_i == '0 || read != '0)}"),
    "write data a clock early": ("AGE_REGISTER_WRITE = NCwl + BURST - 1", "AGE_REGISTER_WRITE = NCwl + BURST - 2"),
    "late write takes the pins": ("waits ? taken_q : {dq_i", "1'b0 ? taken_q : {dq_i"),
    "read data a clock late": ("AGE_READ_DATA      = NCl - 1", "AGE_READ_DATA      = NCl"),
    "refresh of the core's bank": ("~lockout_i & ~core_grant_i", "~lockout_i"),
    "tRAS forgotten": ("wait_d[i] = longer(wait_d[i], NRtp)", "wait_d[i] = TIMER_BITS'(NRtp - 1)"),
    "PREA leaves registers open": (
        "auto_q ? '0 : registers_open_q & ~selected;\n    if",
        "registers_open_q & ~selected;\n    if",
    ),
}


@pytest.mark.parametrize("bug", BUGS)
def test_an_injected_bug_is_caught(tmp_path: Path, bug: str) -> None:
    broken = inject(("pim_ddr_decoder", *BUGS[bug]), tmp_path)
    assert fails(tmp_path, lambda: run(tmp_path, broken, "random_traffic_matches_the_model/idle=0.0/busy=0.5"))
