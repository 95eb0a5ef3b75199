"""Line buffers and instruction buffer, from outside: programs whose misses and waits can be counted by hand."""

from collections.abc import Iterable
from math import ceil

import numpy as np
import pytest

from pim.config import SystemConfig, load_system, with_overrides
from pim.isa import Op
from pim.system import STACK, CoreRun, CoreTask, GroupRun, run_cores
from tests.support.assembly import MEMORY_AT, Assembly
from tests.support.guest_loops import DATA, scattered_stores

pytestmark = pytest.mark.plain

BANK, RANK = load_system("bank"), load_system("rank")
ROW_PORT = with_overrides(BANK, {"port": "row"})
T = BANK.timing.to_kernel()
Q = 6  # DRAM clocks per core cycle at 200 MHz
BASE, LINE, SECTOR = 0x1000, 1024, 64
FETCH = T.ncl + 7 * T.nccd_l  # of a sector, its row open


def run_accesses(system: SystemConfig, accesses: Iterable[str], *, n_cores: int = 1) -> GroupRun:
    """Run loads (``r``), stores (``w``) and fences (``f``): "r 1.2" loads from sector 2 of line 1.

    Long after the text, so that it does not share a row with them; the text is one line of the instruction buffer
    as far as possible, and its waits are counted apart.
    """
    text = Assembly()
    text.op(Op.AUIPC, rd=8, imm=BASE)
    for access in accesses:
        if access == "f":
            text.op(Op.FENCE, imm=0xFF)
            continue
        kind, place = access.split()
        line, sector = map(int, place.split("."))
        text.li(6, line * LINE + sector * SECTOR)
        text.op(Op.ADD, rd=6, rs1=6, rs2=8)
        text.op(*((Op.LD,) if kind == "r" else (Op.SD,)), rs1=6)
    text.exit(0)
    task = CoreTask((), reads=((MEMORY_AT + BASE + 16 * LINE, 8),))
    return run_cores(system, text.program(), [task] * n_cores)


def parts(core: CoreRun) -> dict[str, int]:
    return dict(zip(STACK, core.stack, strict=True))


def fills(*accesses: str, system: SystemConfig = BANK) -> int:
    return run_accesses(system, accesses).cores[0].line_fills


def writes(*accesses: str, system: SystemConfig = BANK) -> tuple[int, int]:
    """Return runs written and columns of them."""
    run = run_accesses(system, accesses)
    return run.cores[0].line_writebacks, run.commands["WR"]


def test_sector_is_fetched_once() -> None:
    assert fills("r 0.0", "r 0.0", "w 0.0") == 1


def test_other_sector_of_the_line_is_fetched_too() -> None:
    assert fills("r 0.0", "r 0.1", "r 0.0", "r 0.1") == 2


def test_row_port_fetches_whole_lines() -> None:
    assert fills("r 0.0", "r 0.1", "w 0.15", system=ROW_PORT) == 1


def test_five_lines_stay() -> None:
    lines = [f"r {line}.0" for line in range(5)]
    assert fills(*lines, *lines) == 5


def test_least_recently_used_line_goes() -> None:
    lines = [f"r {line}.0" for line in range(5)]
    assert fills(*lines, "r 0.0", "r 5.0", "r 0.0") == 6  # line 1 went
    assert fills(*lines, "r 0.0", "r 5.0", "r 1.0") == 7
    assert fills(*lines, "r 5.0", "r 0.0") == 7  # line 0 went


def test_missing_sector_makes_its_line_recent() -> None:
    lines = [f"r {line}.0" for line in range(5)]
    assert fills(*lines, "r 0.1", "r 5.0", "r 0.0") == 7  # line 1 went, not line 0


def test_sets_are_taken_by_the_line_number() -> None:
    two_sets = with_overrides(BANK, {"core.line_buffers": 1, "core.line_sets": 2})
    assert fills("r 0.0", "r 1.0", "r 0.0", "r 1.0", system=two_sets) == 2
    assert fills("r 0.0", "r 2.0", "r 0.0", "r 2.0", system=two_sets) == 4


def test_fence_empties_the_buffers() -> None:
    assert fills("r 0.0", "f", "r 0.0") == 2
    assert writes("w 0.0", "f", "f") == (1, 8)
    assert writes("w 0.0", "f", "w 0.0") == (2, 16)


def test_neighbouring_dirty_sectors_are_one_run() -> None:
    assert writes("w 0.1", "w 0.2", "w 0.5", "r 0.3", "w 0.15") == (3, 4 * 8)


def test_evicted_line_is_written_once() -> None:
    lines = [f"w {line}.0" for line in range(6)]
    assert writes(*lines) == (6, 6 * 8)
    assert writes(*lines, "r 0.0") == (6, 6 * 8)
    assert writes(*lines, "w 0.0") == (7, 7 * 8)


def test_row_port_writes_a_line_as_one_column() -> None:
    assert writes("w 0.1", "w 0.9", "w 3.2", system=ROW_PORT) == (2, 2)


@pytest.mark.parametrize(("system", "columns"), [(BANK, 8), (RANK, 1), (ROW_PORT, 1)])
def test_columns_of_a_sector(system: SystemConfig, columns: int) -> None:
    one, two = (run_accesses(system, ["r 0.0", "r 1.0"][:n]).commands["RD"] for n in (1, 2))
    assert two - one == columns


def wait_of_last(part: str, *accesses: str, system: SystemConfig = BANK) -> int:
    """Return what the last access adds to a part of the stack; each is in the same instruction line."""
    shorter, longer = (run_accesses(system, accesses[: len(accesses) - n]).cores[0] for n in (1, 0))
    return parts(longer)[part] - parts(shorter)[part]


def test_row_hit_waits_for_the_columns() -> None:
    assert wait_of_last("row hit", "r 0.0", "r 0.1") == ceil(FETCH / Q)


def test_row_conflict_waits_for_precharge_and_activate_too() -> None:
    """The access before is long enough over for tRAS and tRTP: its own data took longer."""
    assert wait_of_last("row conflict", "r 0.0", "r 1.0") == ceil((T.nrp + T.nrcd + FETCH) / Q)


def test_whole_row_comes_at_once_by_the_row_port() -> None:
    wait = wait_of_last("row conflict", "r 0.0", "r 1.0", system=ROW_PORT)
    tras_left = T.nras - T.nrcd - T.nrow_transfer  # the row before was open no longer than its own fetch
    assert ceil((T.nrp + T.nrcd + T.nrow_transfer) / Q) <= wait
    assert wait <= ceil((max(0, tras_left) + T.nrp + T.nrcd + T.nrow_transfer) / Q)


def test_end_waits_for_what_is_written() -> None:
    core = run_accesses(BANK, ["w 0.0"]).cores[0]
    write = 7 * T.nccd_l + T.ncwl
    turnaround = 2 + T.ncl - T.ncwl  # after the RD of the fetch; long over
    assert turnaround < FETCH
    assert parts(core)["write-back"] == ceil(write / Q)


def test_long_straight_code_fetches_every_line_once() -> None:
    text = Assembly()
    for _ in range(1000):
        text.op(Op.ADDI, rd=5, rs1=5, imm=1)
    text.exit(0)
    core = run_cores(BANK, text.program(), [CoreTask(())]).cores[0]
    assert core.instruction_fills == ceil(len(text.text()) / 64)


@pytest.mark.parametrize(("n_instructions", "again"), [(200, False), (300, True)])
def test_loop_larger_than_the_instruction_buffer_misses_again(n_instructions: int, *, again: bool) -> None:
    text = Assembly()
    text.li(5, 2)
    text.label("loop")
    for _ in range(n_instructions):
        text.op(Op.ADDI, rd=6, rs1=6, imm=1)
    text.op(Op.ADDI, rd=5, rs1=5, imm=-1)
    text.op(Op.BNE, "loop", rs1=5)
    text.exit(0)
    core = run_cores(BANK, text.program(), [CoreTask(())]).cores[0]
    assert (core.instruction_fills > ceil(len(text.text()) / 64)) is again


def test_instruction_in_two_lines_needs_both() -> None:
    text = Assembly()
    text.c("c.addi", rd=6, imm=1)
    for _ in range(15):
        text.op(Op.ADDI, rd=6, rs1=6, imm=1)
    text.op(Op.JAL, "end")  # bytes 62 to 65
    for _ in range(32):
        text.op(Op.ADDI)
    text.label("end")
    text.exit(0)
    core = run_cores(BANK, text.program(), [CoreTask(())]).cores[0]
    assert core.instruction_fills == 3  # both lines of the jump, and the end's


def test_long_write_back_holds_up_no_other_bank() -> None:
    """Sixteen cores that store to random places each have a bank: tFAW alone slows them, by little."""
    program = scattered_stores(150, 15)
    task = CoreTask((), reads=((MEMORY_AT + DATA + (1 << 15) + 256, 8),))
    with np.errstate(over="ignore"):  # the generator's product wraps
        alone = run_cores(BANK, program, [task]).cores[0].cycles
        together = [core.cycles for core in run_cores(BANK, program, [task] * 16).cores]
    assert alone <= min(together)
    assert max(together) < 1.1 * alone
