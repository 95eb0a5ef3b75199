"""Programs that end as they should: results, mailbox, counters, and what a task may ask for."""

import numpy as np
import pytest

from pim.config import load_system, with_overrides
from pim.errors import CapacityError, ConfigError, LoadError
from pim.isa import Op, Program, Segment
from pim.system import STACK, CoreTask, run_cores
from tests.support.assembly import MAILBOX_AT, MEMORY_AT, SCRATCHPAD_AT, Assembly, program

pytestmark = pytest.mark.plain

BANK, CHIP, RANK = (load_system(level) for level in ("bank", "chip", "rank"))
DATA_AT = MEMORY_AT + 0x1000
ARGUMENT, RETURN = 0x80, 0x18


def loads_argument(index: int, rd: int) -> Assembly:
    text = Assembly()
    text.li(5, MAILBOX_AT)
    text.op(Op.LD, rd=rd, rs1=5, imm=ARGUMENT + 8 * index)
    return text


def test_arguments_come_in_and_the_result_goes_out_by_the_mailbox() -> None:
    text = loads_argument(0, 6)
    text.op(Op.LD, rd=7, rs1=5, imm=ARGUMENT + 8 * 15)
    text.op(Op.SUB, rd=6, rs1=6, rs2=7)
    text.op(Op.SD, rs1=5, rs2=6, imm=RETURN)
    text.exit(7)
    run = run_cores(BANK, text.program(), [CoreTask((2**64 - 5, *range(14), 3)), CoreTask((-5, *range(15)))])
    assert [core.return_value for core in run.cores] == [-8, -19]
    assert [core.exit_code for core in run.cores] == [7, 7]


def test_each_core_reads_and_writes_its_own_memory() -> None:
    text = loads_argument(0, 6)
    text.op(Op.LW, rd=7, rs1=6)
    text.op(Op.ADDI, rd=7, rs1=7, imm=1)
    text.op(Op.SW, rs1=6, rs2=7, imm=4)
    text.exit(0)
    values = np.arange(100, 116, dtype=np.int32)
    tasks = [CoreTask((DATA_AT,), ((DATA_AT, values[i : i + 1]),), ((DATA_AT, 8), (DATA_AT + 4, 4))) for i in range(16)]
    run = run_cores(BANK, text.program(), tasks)
    for core, value in zip(run.cores, values, strict=True):
        assert core.outputs[0].view(np.int32).tolist() == [value, value + 1]
        assert core.outputs[1].view(np.int32).tolist() == [value + 1]


def test_scratchpad_is_private_and_starts_zeroed() -> None:
    text = loads_argument(0, 6)
    text.li(7, SCRATCHPAD_AT + 1024)
    text.op(Op.LD, rd=10, rs1=7, imm=-8)
    text.op(Op.SD, rs1=7, rs2=6, imm=-8)
    text.op(Op.LD, rd=11, rs1=7, imm=-8)
    text.op(Op.ADD, rd=10, rs1=10, rs2=11)
    text.exit()
    run = run_cores(RANK, text.program(), [CoreTask((i,)) for i in range(4)])
    assert [core.exit_code for core in run.cores] == [0, 1, 2, 3]


def test_counters_that_a_program_reads() -> None:
    """instret counts what came before, time is the DRAM's clock of the core's edge, mhartid the place in the group."""
    text = loads_argument(0, 6)
    before = text.size // 4
    for i, number in enumerate((0xC02, 0xC00, 0xC01, 0xF14)):
        text.op(Op.CSRRS, rd=28 + i, imm=number)
    for i in range(4):
        text.op(Op.SD, rs1=6, rs2=28 + i, imm=8 * i)
    text.exit(0)
    tasks = [CoreTask((DATA_AT,), reads=((DATA_AT, 32),)) for _ in range(2)]
    run = run_cores(RANK, text.program(), tasks)
    for hart_id, core in enumerate(run.cores):
        instret, cycle, time, mhartid = core.outputs[0].view(np.int64).tolist()
        assert instret == before
        assert 0 < cycle < core.cycles
        assert time == -(-(cycle + 1) * 6 // 5)  # one instruction later; 1000 MHz of 1200 MHz
        assert mhartid == hart_id


def test_stack_and_totals_of_a_program_by_hand() -> None:
    """A cold line of 8 instructions: one fetch of 8 columns, then a cycle each, 3 for mul, 2 more for the jump."""
    text = Assembly()
    text.op(Op.MUL, rd=6)
    text.op(Op.JAL, "end")
    text.label("end")
    text.exit(0)
    run = run_cores(BANK, text.program(), [CoreTask(())])
    (core,) = run.cores
    timing = BANK.timing.to_kernel()
    first_nck = timing.nrcd + 7 * timing.nccd_l + timing.ncl
    wait = -(-first_nck // 6)  # 200 MHz of 1200 MHz
    assert dict(zip(STACK, core.stack, strict=True)) == dict.fromkeys(STACK, 0) | {
        "issue": 5, "mul/div/fp": 2, "branch": 2, "instruction buffer": wait,
    }  # fmt: skip
    assert core.cycles == sum(core.stack) == 9 + wait
    assert run.nck == 6 * core.cycles
    assert run.seconds == pytest.approx(run.nck * 0.833e-9)
    assert run.commands == {"ACT": 1, "PRE": 0, "RD": 8, "WR": 0, "REF": 0}


def test_segments_lie_where_the_program_says() -> None:
    text = Assembly()
    text.op(Op.AUIPC, rd=5, imm=0x1000)
    text.op(Op.LD, rd=10, rs1=5)
    text.op(Op.LD, rd=11, rs1=5, imm=8)
    text.op(Op.ADD, rd=10, rs1=10, rs2=11)
    text.exit()
    rodata = Segment(DATA_AT, (41).to_bytes(8, "little"), 16, False, False)
    whole = Program(64, MEMORY_AT, (*text.program().segments, rodata), {})
    assert run_cores(BANK, whole, [CoreTask(())]).cores[0].exit_code == 41


EXITS = Assembly()
EXITS.exit(0)


@pytest.mark.parametrize(
    ("task", "error", "message"),
    [
        (CoreTask((), reads=((MEMORY_AT + 2**26 - 8, 16),)), CapacityError, "needs 67,108,872 B of memory, its window"),
        (CoreTask((), reads=((0, 8),)), LoadError, "memory of a core starts at 0x80000000, got address 0x0"),
        (CoreTask((), ((16, np.zeros(1)),)), LoadError, "memory of a core starts at 0x80000000, got address 0x10"),
        (CoreTask(tuple(range(17))), ValueError, "at most 16 words, got 17"),
    ],
)
def test_task_that_a_core_cannot_have(task: CoreTask, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        run_cores(BANK, EXITS.program(), [task])


@pytest.mark.parametrize(("system", "most"), [(BANK, 16), (CHIP, 1), (RANK, 4)])
def test_group_takes_as_many_tasks_as_it_has_cores(system, most: int) -> None:
    assert len(run_cores(system, EXITS.program(), [CoreTask(())] * most).cores) == most
    for wrong in (0, most + 1):
        with pytest.raises(ValueError, match=f"1 to {most} allowed at level {system.level}, got {wrong}"):
            run_cores(system, EXITS.program(), [CoreTask(())] * wrong)


def test_program_for_another_place_or_width_is_refused() -> None:
    text = EXITS.text()
    elsewhere = Program(64, 0x9000_0000, (Segment(0x9000_0000, text, len(text), True, False),), {})
    with pytest.raises(LoadError, match="text must start at 0x80000000, got 0x90000000"):
        run_cores(BANK, elsewhere, [CoreTask(())])
    with pytest.raises(
        LoadError, match=r"XLEN must be 64.*\(rv64imc\), got 32; a core for it is core.extensions=rv32imc"
    ):
        run_cores(BANK, Program(32, MEMORY_AT, program(text).segments, {}), [CoreTask(())])


def test_window_is_all_of_a_bank_and_no_more() -> None:
    last = MEMORY_AT + 2**26 - 8
    text = loads_argument(0, 6)
    text.op(Op.SD, rs1=6, rs2=6)
    text.exit(0)
    run = run_cores(BANK, text.program(), [CoreTask((last,), reads=((last, 8),))])
    assert run.cores[0].outputs[0].view(np.int64).tolist() == [last]


@pytest.mark.parametrize("clock_mhz", [1, 3, 5000])
def test_very_slow_and_very_fast_cores_run(clock_mhz: int) -> None:
    system = with_overrides(BANK, {"core.clock_mhz": clock_mhz})
    run = run_cores(system, EXITS.program(), [CoreTask(())])
    seconds_of_the_core = run.cores[0].cycles / (clock_mhz * 1e6)
    assert run.seconds == pytest.approx(seconds_of_the_core, rel=0.01)


def test_instruction_buffer_of_one_line_is_refused() -> None:
    """An instruction in two lines would fetch each of them again and again."""
    with pytest.raises(ConfigError, match="half of instruction_buffer_bytes"):
        with_overrides(BANK, {"core.instruction_buffer_bytes": 64})


def test_sixteen_cores_of_a_rank_have_a_bank_each_and_share_its_bus() -> None:
    """The largest rank: 1 GHz, caches, one bank a core; each reads what is its own, and they wait for each other."""
    system = with_overrides(RANK, {"cores_per_location": 16})
    text = loads_argument(0, 6)
    text.op(Op.LD, rd=10, rs1=6)
    text.exit()
    values = np.arange(16, dtype=np.int64)
    run = run_cores(system, text.program(), [CoreTask((DATA_AT,), ((DATA_AT, values[i : i + 1]),)) for i in range(16)])
    assert [core.exit_code for core in run.cores] == values.tolist()
    assert (system.n_cores, system.core.clock_mhz, run.commands["ACT"]) == (64, 1000, 16)
    assert sum(core.stack[STACK.index("contention")] for core in run.cores) > 0
    assert all(nck > 0 for nck in run.bank_open_nck)
