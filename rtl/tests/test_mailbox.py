"""Builds ``pim_mailbox`` and runs its cocotb tests on Icarus Verilog."""

from pathlib import Path

import pytest

from pim.config.interface import InterfaceConfig
from rtl.tests.simulation import SRC, fails, inject, simulate

ONE_RANDOM_TEST = "random_traffic_matches_the_model/idle=0.0/load=0.9"

pytestmark = pytest.mark.rtl


def run(
    folder: Path,
    ratio: str,
    *,
    mailbox: Path = SRC / "pim_mailbox.sv",
    test_filter: str | None = None,
    tmod_nck: int | None = None,
) -> Path:
    """Build and run; without ``tmod_nck`` the RTL keeps its default, and the bench expects the configuration's."""
    return simulate(
        folder,
        "pim_mailbox",
        ["mailbox_tests", "mailbox_random_tests"],
        [mailbox],
        parameters={} if tmod_nck is None else {"TmodNck": tmod_nck},
        plusargs=[f"+core_ratio={ratio}", f"+tmod_nck={tmod_nck or InterfaceConfig().tmod_nck}"],
        test_filter=test_filter,
    )


@pytest.mark.parametrize("ratio", ["1/1", "1/6", "2/9"])
def test_mailbox_agrees_with_its_model(tmp_path: Path, ratio: str) -> None:
    run(tmp_path, ratio)


def test_mailbox_with_the_shortest_mode_switch(tmp_path: Path) -> None:
    run(tmp_path, "1/1", test_filter="random_traffic|steps_cost", tmod_nck=2)


BUGS = {
    "mode switch one clock short": (
        "COUNT_BITS'(TmodNck - 1);\n        if (release",
        "COUNT_BITS'(TmodNck - 2);\n        if (release",
    ),
    "host access during drain ignored": (
        "else if (bank_idle_i && !host_bank_access_i) owner_d",
        "else if (bank_idle_i) owner_d",
    ),
    "dirty buffers ignored": ("core_en_i && core_flushed_i", "core_en_i"),
    "lock-out error never set": ("(host_lockout_o && host_bank_access_i)", "1'b0"),
    "start survives a release": ("if (launch || release_asked)", "if (launch)"),
    "byte strobes ignored": ("8'hFF : core_strobe_i", "8'hFF : 8'hFF"),
    "done sampled between core edges": ("!start_q && core_en_i && (done_i", "!start_q && (done_i"),
    "two users of the port": ("assign host_ready_o  = !core_access", "assign host_ready_o  = 1'b1"),
    "command waits for the port": ("!core_access || host_commands", "!core_access"),
    "claim ends with its row open": ("unclaim_asked && bank_idle_i", "unclaim_asked"),
    "claim lets the host in at once": ("&& !claim_ready_i;", "&& !claimed_q;"),
    "kept bank given back": ("run_ends && (!keep_q || release_asked)", "run_ends"),
    "start before the write-back": ("!running && core_flushed_i\n", "!running\n"),
    "claim in force a clock early": ("claimed_q        <= claim_q", "claimed_q        <= claim_d"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_an_injected_bug_is_caught(tmp_path: Path, bug: str) -> None:
    broken = inject(("pim_mailbox", *BUGS[bug]), tmp_path)
    assert fails(tmp_path, lambda: run(tmp_path, "1/6", mailbox=broken, test_filter=ONE_RANDOM_TEST))
