"""Atomic operations: values, reservations, and what they take at the bank."""

from collections.abc import Callable

import numpy as np
import pytest

from pim.config import SystemConfig
from pim.errors import GuestTrap
from pim.isa import Op
from pim.system import STACK, CoreRun, CoreTask, run_cores
from tests.support.assembly import MEMORY_AT, SCRATCHPAD_AT, Assembly
from tests.support.bare import exit_with, load, machine, put, results, run

pytestmark = pytest.mark.plain

T0, T1, T2, S0, A0, A1, A2 = 5, 6, 7, 8, 10, 11, 12
DATA = MEMORY_AT + 0x4000
AQ, RL = 2, 1
WORD = (1 << 32) - 1


def signed(value: int, bits: int) -> int:
    return (value & (1 << bits) - 1) - ((value & 1 << bits - 1) << 1)


MEANING: dict[str, Callable[[int, int, int], int]] = {
    "SWAP": lambda old, new, bits: new,
    "ADD": lambda old, new, bits: old + new,
    "XOR": lambda old, new, bits: old ^ new,
    "AND": lambda old, new, bits: old & new,
    "OR": lambda old, new, bits: old | new,
    "MIN": lambda old, new, bits: min(signed(old, bits), signed(new, bits)),
    "MAX": lambda old, new, bits: max(signed(old, bits), signed(new, bits)),
    "MINU": lambda old, new, bits: min(old % (1 << bits), new % (1 << bits)),
    "MAXU": lambda old, new, bits: max(old % (1 << bits), new % (1 << bits)),
}
EDGES = (0, 1, -1, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63), 0x0123_4567_89AB_CDEF)


@pytest.mark.parametrize("place", [DATA, SCRATCHPAD_AT + 64])
@pytest.mark.parametrize("name", MEANING)
@pytest.mark.parametrize("width", ["W", "D"])
def test_amo_returns_the_old_value_and_stores_the_new(name: str, width: str, place: int) -> None:
    """The word above a 32-bit one is left alone; rd is sign-extended."""
    op, bits = Op[f"AMO{name}_{width}"], 32 if width == "W" else 64
    text = Assembly()
    text.li(S0, DATA)
    expected = []
    for old in EDGES:
        for new in EDGES[::2]:
            for register, value in ((T0, place), (A0, old), (A1, new)):
                text.li(register, value)
            text.op(Op.SD, rs1=T0, rs2=A0)
            text.op(op, rd=A2, rs1=T0, rs2=A1)
            text.op(Op.LD, rd=A1, rs1=T0)
            text.op(Op.ADDI, rd=S0, rs1=S0, imm=16)
            put(text, (A2, A1), S0)
            stored = MEANING[name](old, new, bits)
            if bits == 32:
                stored = old & ~WORD | stored & WORD
            expected += [signed(old, bits), signed(stored, 64)]
    text.exit(0)
    loaded = load(text)
    with np.errstate(over="ignore"):
        loaded.run()
    assert results(loaded, DATA + 16, len(expected)) == expected


def reservation(body: Callable[[Assembly], None]) -> int:
    """Return what a store-conditional at DATA says after ``body``; 0: it stored."""
    text = Assembly()
    text.li(T0, DATA)
    body(text)
    text.op(Op.SC_D, rd=A1, rs1=T0, rs2=T0)
    exit_with(text, A1)
    return run(text).exit_code


def test_store_conditional_needs_a_reservation_of_its_place() -> None:
    def reserve(text: Assembly, offset: int = 0, op: Op = Op.LR_D) -> None:
        text.op(Op.ADDI, rd=T1, rs1=T0, imm=offset)
        text.op(op, rd=A0, rs1=T1)

    def twice(text: Assembly) -> None:
        reserve(text)
        text.op(Op.SC_D, rd=A1, rs1=T0, rs2=A0)

    def elsewhere(text: Assembly) -> None:
        reserve(text)
        text.op(Op.ADDI, rd=T1, rs1=T0, imm=64)
        text.op(Op.SC_D, rd=A1, rs1=T1, rs2=A0)

    def moved(text: Assembly) -> None:
        reserve(text)
        reserve(text, 8)

    assert reservation(reserve) == 0
    assert reservation(lambda text: reserve(text, 4, Op.LR_W)) == 0
    assert [reservation(body) for body in (lambda _: None, lambda text: reserve(text, 8), twice, elsewhere, moved)] == (
        [1] * 5
    )


def test_failed_store_conditional_stores_nothing() -> None:
    text = Assembly()
    text.li(T0, DATA)
    text.op(Op.SC_W, rd=A0, rs1=T0, rs2=T0)
    text.op(Op.LW, rd=A1, rs1=T0)
    text.op(Op.ADD, rd=A0, rs1=A0, rs2=A1)
    text.exit()
    assert run(text).exit_code == 1


def timed(body: Callable[[Assembly], None], system: SystemConfig) -> tuple[CoreRun, dict[str, int]]:
    """Return the run and the DRAM commands of a program; s0 points to data, a1 is 1."""
    text = Assembly()
    text.li(S0, DATA)
    text.op(Op.ADDI, rd=A1, imm=1)
    body(text)
    text.exit(0)
    assert text.size <= system.core.instruction_line_bytes, "one line, so that its fetch is the only one"
    location = run(text, system).group
    return location.cores[0], location.commands


def edge(nck: int, system: SystemConfig) -> int:
    """Return core cycles until clock ``nck`` is over, from an edge of both clocks on; a sixth of the DRAM's clock."""
    assert system.core.clock_mhz == 200
    return -(-nck // 6)


def test_amo_takes_a_read_at_the_bank_and_holds_it_for_the_write() -> None:
    """An AMO, then a load of the same place: the load's sector comes after the write and its turnaround."""
    system = machine(extensions="rv64imac")
    timing, sector_columns = system.timing.to_kernel(), 8
    alone, commands = timed(lambda text: text.op(Op.AMOADD_D, rs1=S0, rs2=A1), system)
    nothing, _ = timed(lambda text: text.op(Op.ADDI), system)
    # another row than the text's: precharged after tRAS, opened, read
    fetched = timing.nrcd + 7 * timing.nccd_l + timing.ncl
    start = 6 * (edge(fetched, system) + nothing.cycles - edge(fetched, system) - 4)
    assert alone.cycles - nothing.cycles == (
        edge(max(start, timing.nras) + timing.nrp + timing.nrcd + timing.ncl - start, system) + 1
    )
    assert commands["WR"] == 1
    assert (alone.loads, alone.stores, alone.line_fills) == (0, 0, 0)

    def then_load(text: Assembly) -> None:
        text.op(Op.AMOADD_D, rs1=S0, rs2=A1)
        text.op(Op.LD, rd=T0, rs1=S0)

    both, commands = timed(then_load, system)
    # clocks from the read's command on: its data, the write's command and data, turnaround, the sector's reads
    read_over = timing.ncl
    write = max(read_over, read_over + 2 - timing.ncwl)
    sector = write + timing.ncwl + timing.nwtr_l + (sector_columns - 1) * timing.nccd_l + timing.ncl
    wait = both.cycles - alone.cycles - 1
    assert abs(6 * wait - (sector - read_over - 6 * 2)) < 12  # edges of the core's clock before and after
    assert commands["RD"] == 8 + 1 + sector_columns
    stack = dict(zip(STACK, both.stack, strict=True))
    assert stack["row conflict"] > 0
    assert stack["row hit"] == wait


def test_load_reserved_reads_and_store_conditional_writes_once() -> None:
    system = machine(extensions="rv64imac")

    def pair(text: Assembly) -> None:
        text.op(Op.LR_D, rd=A0, rs1=S0)
        text.op(Op.SC_D, rd=A0, rs1=S0, rs2=A1)

    def failing(text: Assembly) -> None:
        text.op(Op.SC_D, rd=A0, rs1=S0, rs2=A1)

    _, nothing = timed(lambda text: text.op(Op.ADDI), system)
    core, commands = timed(pair, system)
    assert {name: commands[name] - nothing[name] for name in ("RD", "WR")} == {"RD": 1, "WR": 1}
    core, commands = timed(failing, system)
    assert commands == nothing
    assert core.stack[STACK.index("mul/div/fp")] == 1  # two cycles of its class


@pytest.mark.parametrize("level", ["bank", "chip", "rank"])
@pytest.mark.parametrize("ordering", [0, AQ, RL, AQ | RL])
def test_own_line_is_written_back_and_all_lines_with_aq_or_rl(level: str, ordering: int) -> None:
    """Two dirty lines, an AMO on one of them, then loads of both: what was dropped is fetched again."""
    system = machine(level, "rv64imac")
    text = Assembly()
    text.li(S0, DATA)
    text.li(T0, DATA + 1024)
    text.op(Op.SD, rs1=S0, rs2=S0)
    text.op(Op.SD, rs1=T0, rs2=S0)
    text.op(Op.AMOADD_D, rd=A0, rs1=S0, rs2=A1, imm=ordering)
    text.op(Op.LD, rd=T1, rs1=S0)
    text.op(Op.LD, rd=T2, rs1=T0)
    text.op(Op.SUB, rd=A0, rs1=A0, rs2=T1)
    text.exit()
    result = run(text, system)
    core = result.group.cores[0]
    assert result.exit_code == 0
    assert core.line_fills == (4 if ordering else 3)
    assert core.line_writebacks == 2
    assert sum(core.stack) == core.cycles
    assert core.stack[STACK.index("write-back")] > 0


def test_bits_of_ordering_do_not_change_the_value() -> None:
    for ordering in (0, AQ, RL, AQ | RL):
        text = Assembly()
        text.li(S0, DATA)
        text.op(Op.ADDI, rd=A1, imm=5)
        text.op(Op.SD, rs1=S0, rs2=A1)
        text.op(Op.AMOADD_D, rd=A0, rs1=S0, rs2=A1, imm=ordering)
        text.op(Op.LR_D, rd=A1, rs1=S0, imm=ordering)
        text.op(Op.SC_D, rd=A2, rs1=S0, rs2=A0, imm=ordering)
        text.op(Op.LD, rd=T0, rs1=S0)
        for register in (A1, A2, T0):
            text.op(Op.ADD, rd=A0, rs1=A0, rs2=register)
        text.exit()
        assert run(text).exit_code == 5 + 10 + 0 + 5


def test_kernels_cannot_change_their_text_atomically() -> None:
    text = Assembly()
    text.op(Op.AUIPC, rd=T0)
    text.op(Op.AMOADD_W, rs1=T0, rs2=A1)
    text.exit(0)
    with pytest.raises(GuestTrap, match=r"amoadd.w zero, a1, \(t0\)\): store access at 0x80000000"):
        run_cores(machine(), text.program(), [CoreTask(())])


def test_cores_with_memories_of_their_own_keep_their_reservations() -> None:
    text = Assembly()
    text.li(T0, DATA)
    text.op(Op.LR_D, rd=A0, rs1=T0)
    text.op(Op.SD, rs1=T0, rs2=T0, imm=64)
    text.op(Op.SC_D, rd=A0, rs1=T0, rs2=T0)
    text.exit()
    tasks = [CoreTask((), reads=((DATA, 256),))] * 16
    assert [core.exit_code for core in run_cores(machine(), text.program(), tasks).cores] == [0] * 16
