"""Builds ``pim_bank_controller`` and runs its cocotb tests on Icarus Verilog."""

from pathlib import Path

import pytest

from rtl.tests.simulation import SRC, fails, inject, simulate

pytestmark = pytest.mark.rtl


def run(folder: Path, source: Path = SRC / "pim_bank_controller.sv", test_filter: str | None = None) -> Path:
    parameters = {"NRfc": 60, "NClaim": 400, "NQuiet": 26}
    return simulate(
        folder, "pim_bank_controller", ["controller_tests"], [source], parameters=parameters, test_filter=test_filter
    )


def test_controller_agrees_with_its_model(tmp_path: Path) -> None:
    run(tmp_path)


BUGS = {
    "tRAS a clock short": ("pre_wait_d   = TIMER_BITS'(NRas - 1);", "pre_wait_d   = TIMER_BITS'(NRas - 2);"),
    "tWR forgotten": ("WRITE_TO_PRE  = NCwl + NWr", "WRITE_TO_PRE  = NCwl"),
    "read after write one clock late": ("_TO_READ = NCwl + NWtr;", "_TO_READ = NCwl + NWtr + 1;"),
    "refresh cuts a request short": ("refreshing = due && !begun_q", "refreshing = due"),
    "claim ignored": ("(taken_q || !claimed_i)", "1'b1"),
    "refresh in a claim": ("(!claimed_i || due_first_d)", "1'b1"),
    "quiet zone a clock late": ("claim_q > CLAIM_BITS'(NClaim - NQuiet)", "claim_q > CLAIM_BITS'(NClaim - NQuiet + 1)"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_an_injected_bug_is_caught(tmp_path: Path, bug: str) -> None:
    broken = inject(("pim_bank_controller", *BUGS[bug]), tmp_path)
    assert fails(tmp_path, lambda: run(tmp_path, broken, "commands_and_data.*busy=0.95/grants=1.0"))
