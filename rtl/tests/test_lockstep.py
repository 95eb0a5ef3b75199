"""Model and RTL run the same programs; every retired instruction and every cycle must be the same."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from pim.config import SystemConfig, load_system, with_overrides
from pim.errors import ConfigError, LoadError
from pim.isa import Op
from rtl.tests.lockstep_guests import MACHINES, MEMORY_BYTES, dma_guest, guest, machine, random_guest, trap_guests
from rtl.tests.lockstep_kernels import kernel_guests
from rtl.tests.simulation import copy_rtl, inject
from study.cli import app
from study.lockstep import RTL_FOLDER, Comparison, Guest, Run, build, rtl_parameters, run_lockstep
from tests.support.assembly import MEMORY_AT, Assembly
from tests.support.elf_image import Part, elf_image

pytestmark = pytest.mark.rtl

FIRST_SEED = 20260


def run(system: SystemConfig, guests: list[Guest], kind: str = "icarus", folder: Path = RTL_FOLDER) -> list[Comparison]:
    results = run_lockstep(
        [Run([guest]) for guest in guests], build(rtl_parameters(system, MEMORY_BYTES), kind, folder)
    )
    return [alone for [alone] in results]


def assert_same(results: list[Comparison]) -> None:
    assert [result.difference.text for result in results if result.difference] == []
    assert all(result.n_same for result in results)


@pytest.mark.parametrize("name", MACHINES)
def test_random_programs_retire_the_same_on_any_machine(name: str) -> None:
    system = machine(name)
    assert_same(run(system, [random_guest(system, FIRST_SEED + number, n_blocks=3) for number in range(2)]))


@pytest.mark.parametrize("name", MACHINES)
def test_transfers_of_the_scratchpad_are_the_same(name: str) -> None:
    system = machine(name)
    assert_same(run(system, [dma_guest(system, FIRST_SEED + number, n=40) for number in range(2)]))


@pytest.mark.parametrize("name", ["default", "rv32"])
def test_traps_are_the_same(name: str) -> None:
    system = machine(name)
    results = run(system, trap_guests(system))
    assert_same(results)
    assert len(results) == 19


def test_a_store_to_tohost_ends_both() -> None:
    system = machine("default")
    text = Assembly()
    text.li(5, MEMORY_AT + 0x1000)
    text.li(6, 1)
    text.op(Op.SW, rs1=5, rs2=6)
    for _ in range(8):
        text.op(Op.ADDI, rd=7, rs1=7, imm=1)
    text.exit(9)
    ends = guest("tohost", text, system)
    ends.machine.settings = ends.machine.settings._replace(tohost=0x1000)
    ends.machine.group.checked[0] = 0x1008
    [result] = run(system, [ends])
    assert result.difference is None
    assert result.n_same == len(text.text()) // 4 - 8 - 3  # neither what follows the store nor the exit


def test_two_hundred_random_programs_retire_the_same() -> None:
    system = machine("default")
    guests = [random_guest(system, FIRST_SEED + 100 + number) for number in range(200)]
    results = run(system, guests, "verilator")
    assert_same(results)
    assert sum(result.n_same for result in results) > 400_000


BUGS = {
    "sltu compares with signs": ("pim_alu", "(operation_i[0] ? b_i[Xlen-1] : a_i[Xlen-1])", "a_i[Xlen-1]"),
    "load-use does not wait": ("pim_core", "execute  = fetch_valid && !load_use;", "execute = fetch_valid;"),
    "read after write one clock late": (
        "pim_bank_controller",
        "_TO_READ = NCwl + NWtr;",
        "_TO_READ = NCwl + NWtr + 1;",
    ),
    "newest line replaced": ("pim_line_buffers", "chosen[i] = rank_q[i] == '0;", "chosen[i] = &rank_q[i];"),
    "dirty sectors forgotten": ("pim_line_buffers", "if (completes && write_i) dirty_d", "if (1'b0) dirty_d"),
    "second half not fetched": ("pim_fetch", "(!straddles || (next_hit && next_in_memory))", "1'b1"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_an_injected_bug_of_the_rtl_is_caught(tmp_path: Path, bug: str) -> None:
    inject(BUGS[bug], copy_rtl(tmp_path))
    system = machine("two small lines")
    guests = [random_guest(system, FIRST_SEED + number, n_blocks=6) for number in range(6)]
    try:
        differs = any(result.difference for result in run(system, guests, folder=tmp_path))
    except LoadError:  # an assertion of the RTL has ended the simulation
        differs = True
    assert differs


def ends_after(n: int) -> Assembly:
    text = Assembly()
    for _ in range(2):
        text.op(Op.DIV, rd=5, rs1=6, rs2=7)
    for _ in range(n):
        text.op(Op.ADDI, rd=5, rs1=5, imm=1)
    text.exit(0)
    return text


@pytest.mark.parametrize("is_broken", [False, True])
def test_a_bank_goes_back_after_a_refresh_that_is_due(tmp_path: Path, is_broken: bool) -> None:
    # The programs end one core cycle after the other, around the refresh, whose REF falls on a core edge.
    system = with_overrides(load_system("bank"), {"timing.nck.nrefi": 1201})
    guests = [guest(f"{n} additions", ends_after(n), system) for n in range(26, 40)]
    if is_broken:
        inject(("pim_bank_controller", "!request_i && !due;", "!request_i;"), copy_rtl(tmp_path))
        with pytest.raises(LoadError, match="BankGoesBackIdle"):
            run(system, guests, folder=tmp_path)
    else:
        assert_same(run(system, guests))


def test_an_injected_bug_of_the_model_is_caught() -> None:
    system = machine("default")
    late = random_guest(system, FIRST_SEED, n_blocks=1)
    late.machine.settings = late.machine.settings._replace(taken_branch_penalty=3)
    wrong = trap_guests(system)[-1]
    wrong.machine.settings = wrong.machine.settings._replace(mstatus_fixed=0)
    first, second = run(system, [late, wrong])
    assert first.difference is not None
    assert first.difference.fields == ("cycle",)
    assert second.difference is not None
    assert second.difference.fields == ("value",)


def test_the_first_difference_comes_with_its_context() -> None:
    system = machine("default")
    wrong = random_guest(system, FIRST_SEED, n_blocks=1)
    wrong.machine.settings = wrong.machine.settings._replace(taken_branch_penalty=3)
    [result] = run(system, [wrong])
    assert result.difference is not None
    lines = result.difference.text.splitlines()
    assert lines[0] == f"entry {result.n_same} differs in cycle"
    assert [line.split()[0] for line in lines[1:]] == ["both"] * 5 + ["model", "RTL"]
    model, rtl = (int(line.split()[1]) for line in lines[-2:])
    assert model == rtl + 1


def test_machines_that_the_rtl_is_not_are_refused() -> None:
    for settings, message in (
        ({"core.extensions": "rv64imac"}, "core.extensions"),
        ({"core.line_sets": 2}, "core.line_sets"),
        ({"core.cycles.mul": 4}, "core.cycles"),
        ({"core.clock_mhz": 2400}, "core.clock_mhz"),
        ({"controller.page": "closed"}, "controller.page"),
        ({"column_bursts": 4}, "column_bursts"),
    ):
        with pytest.raises(ConfigError, match=message):
            rtl_parameters(with_overrides(load_system("bank"), settings))
    with pytest.raises(ConfigError, match="level must be bank"):
        rtl_parameters(load_system("chip"))


def test_kernels_retire_the_same() -> None:
    system = machine("default")
    results = run(system, kernel_guests(system), "verilator")
    assert_same(results)
    assert len(results) == 10


@pytest.mark.long
def test_two_thousand_random_programs_retire_the_same() -> None:
    system = machine("default")
    for first in range(0, 2000, 100):
        assert_same(run(system, [random_guest(system, 10**6 + first + number) for number in range(100)], "verilator"))


def test_command_compares_a_users_program_and_writes_waves(tmp_path: Path) -> None:
    text = Assembly()
    text.li(5, 0x8000_1000)
    text.op(Op.SD, rs1=5, rs2=5)
    text.op(Op.LD, rd=6, rs1=5)
    text.exit(3)
    elf, wave = tmp_path / "small.elf", tmp_path / "small.fst"
    elf.write_bytes(elf_image([Part(MEMORY_AT, text.text())], MEMORY_AT))
    command = ["rtl", "lockstep", str(elf), "--memory", "128KiB", "--wave", str(wave)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "instructions and traps the same in model and RTL" in done.output
    assert wave.stat().st_size > 0
    done = CliRunner().invoke(app, [*command, "--cores", "2", "--ownership", "concurrent"])
    assert done.exit_code == 0, done.output
    assert [line.rpartition(":")[0] for line in done.output.splitlines()] == ["core 0: small.elf", "core 1: small.elf"]
