"""Builds ``pim_mailbox`` and runs its cocotb tests on Icarus Verilog."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from pim.config.interface import InterfaceConfig

SRC = Path(__file__).parents[1] / "src"
SEED = 20210511
ONE_RANDOM_TEST = "random_traffic_matches_the_model/idle=0.7/load=0.9"

pytestmark = pytest.mark.rtl


@pytest.fixture(autouse=True)
def bench_is_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put this folder on the path that the runner hands to the simulator's Python."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


def simulate(
    folder: Path,
    ratio: str,
    *,
    mailbox: Path = SRC / "pim_mailbox.sv",
    test_filter: str | None = None,
    tmod_nck: int | None = None,
) -> Path:
    """Build and run; return the results file. A failing cocotb test exits.

    Without ``tmod_nck`` the RTL keeps its default, and the bench expects that of the configuration.
    """
    from cocotb_tools.runner import get_runner  # noqa: PLC0415  so that it can be skipped where cocotb is absent

    runner = get_runner("icarus")
    runner.build(
        sources=[SRC / "pim_pkg.sv", mailbox],
        includes=[SRC],
        hdl_toplevel="pim_mailbox",
        parameters={} if tmod_nck is None else {"TmodNck": tmod_nck},
        build_dir=folder,
        timescale=("1ps", "1ps"),
    )
    return runner.test(
        test_module=["mailbox_tests", "mailbox_random_tests"],
        hdl_toplevel="pim_mailbox",
        build_dir=folder,
        seed=SEED,
        plusargs=[f"+core_ratio={ratio}", f"+tmod_nck={tmod_nck or InterfaceConfig().tmod_nck}"],
        test_filter=test_filter,
        results_xml=str(folder / "results.xml"),
        timescale=("1ps", "1ps"),
    )


@pytest.mark.parametrize("ratio", ["1/1", "1/6", "2/9"])
def test_mailbox_agrees_with_its_model(tmp_path: Path, ratio: str) -> None:
    simulate(tmp_path, ratio)


def test_mailbox_with_the_shortest_mode_switch(tmp_path: Path) -> None:
    simulate(tmp_path, "1/1", test_filter="random_traffic|steps_cost", tmod_nck=2)


BUGS = {
    "mode switch one clock short": (
        "COUNT_BITS'(TmodNck - 1);\n        if (release",
        "COUNT_BITS'(TmodNck - 2);\n        if (release",
    ),
    "host access during drain ignored": ("bank_idle_i && !host_bank_access_i", "bank_idle_i"),
    "dirty buffers ignored": ("core_en_i && core_flushed_i", "core_en_i"),
    "lock-out error never set": ("(host_lockout_o && host_bank_access_i)", "1'b0"),
    "start survives a release": ("if (launch || release_asked)", "if (launch)"),
    "byte strobes ignored": ("8'hFF : core_strobe_i", "8'hFF : 8'hFF"),
    "done sampled between core edges": ("!start_q && core_en_i && (done_i", "!start_q && (done_i"),
    "two users of the port": ("assign host_ready_o  = !core_access", "assign host_ready_o  = 1'b1"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_an_injected_bug_is_caught(tmp_path: Path, bug: str) -> None:
    right, wrong = BUGS[bug]
    source = (SRC / "pim_mailbox.sv").read_text()
    assert source.count(right) == 1
    broken = tmp_path / "pim_mailbox.sv"
    broken.write_text(source.replace(right, wrong))
    with pytest.raises(SystemExit):
        simulate(tmp_path, "1/6", mailbox=broken, test_filter=ONE_RANDOM_TEST)
    report = ElementTree.parse(tmp_path / "results.xml")
    assert [case.get("name") for case in report.iter("testcase") if case.find("failure") is not None]
