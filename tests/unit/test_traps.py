"""Traps with a handler: where they go, what mcause, mepc and mtval say, how mret comes back, and what it takes."""

from collections.abc import Callable

import numpy as np
import pytest

from pim.core.trap import Cause
from pim.errors import CycleLimitError, GuestTrap
from pim.isa import Op
from pim.isa.csr import Csr
from pim.system import STACK
from pim.system.trace import steps
from tests.support.assembly import MAILBOX_AT, MEMORY_AT, Assembly
from tests.support.bare import SMALL, exit_with, load, machine, put, results, run

pytestmark = pytest.mark.plain

RA, SP, T0, T1, S0, A0, A1, A2 = 1, 2, 5, 6, 8, 10, 11, 12
DATA = MEMORY_AT + 0x4000
END = MEMORY_AT + SMALL
MIE, MPIE, MPP = 1 << 3, 1 << 7, 3 << 11


def program(body: Callable[[Assembly], None], xlen: int = 64) -> Assembly:
    """Return a program that runs ``body`` with a handler behind it: it stores what it was told at DATA, and ends."""
    text = Assembly(xlen)
    text.labels["handler"] = 0x800
    text.address_of(T0, "handler")
    text.op(Op.CSRRW, rs1=T0, imm=Csr.MTVEC)
    body(text)
    while text.size < 0x800:
        text.raw(1, 2)  # c.nop
    text.li(S0, DATA)
    for number in (Csr.MCAUSE, Csr.MEPC, Csr.MTVAL, Csr.MSTATUS):
        text.op(Op.CSRRS, rd=A0, imm=number)
        put(text, (A0,), S0)
        text.op(Op.ADDI, rd=S0, rs1=S0, imm=8)
    text.op(Op.CSRRW, imm=Csr.MTVEC)
    text.exit(0)
    return text


def access(address: int, op: Op) -> Callable[[Assembly], None]:
    def append(text: Assembly) -> None:
        text.li(T1, address)
        text.label("bad")
        text.op(op, rs1=T1)

    return append


def raw(word: int, size: int = 4) -> Callable[[Assembly], None]:
    def append(text: Assembly) -> None:
        text.label("bad")
        text.raw(word, size)

    return append


TRAPS = {
    "load misaligned": (access(DATA + 1, Op.LW), Cause.LOAD_MISALIGNED, DATA + 1),
    "store misaligned": (access(DATA + 2, Op.SW), Cause.STORE_MISALIGNED, DATA + 2),
    "load access": (access(END, Op.LW), Cause.LOAD_ACCESS, END),
    "store access": (access(MEMORY_AT - 4, Op.SW), Cause.STORE_ACCESS, MEMORY_AT - 4),
    "lr misaligned": (access(DATA + 2, Op.LR_W), Cause.LOAD_MISALIGNED, DATA + 2),
    "sc misaligned": (access(DATA + 2, Op.SC_W), Cause.STORE_MISALIGNED, DATA + 2),
    "amo misaligned": (access(DATA + 1, Op.AMOADD_W), Cause.STORE_MISALIGNED, DATA + 1),
    "lr access": (access(END, Op.LR_W), Cause.LOAD_ACCESS, END),
    "sc access": (access(END, Op.SC_W), Cause.STORE_ACCESS, END),
    "amo in the mailbox": (access(MAILBOX_AT + 0x18, Op.AMOSWAP_W), Cause.STORE_ACCESS, MAILBOX_AT + 0x18),
    "illegal": (raw(0xFFFF_FFFF), Cause.ILLEGAL_INSTRUCTION, 0xFFFF_FFFF),
    "illegal, compressed": (raw(0, 2), Cause.ILLEGAL_INSTRUCTION, 0),
    "unknown csr": (raw(0x7C0_02573), Cause.ILLEGAL_INSTRUCTION, 0x7C0_02573),
    "ebreak": (raw(0x0010_0073), Cause.BREAKPOINT, None),
    "compressed ebreak": (raw(0x9002, 2), Cause.BREAKPOINT, None),
    "ecall": (raw(0x0000_0073), Cause.ECALL_M, 0),
}


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("name", TRAPS)
def test_handler_learns_cause_place_and_value(name: str, xlen: int) -> None:
    body, cause, tval = TRAPS[name]
    text = program(body, xlen)
    loaded = load(text)
    with np.errstate(over="ignore"):
        assert loaded.run().exit_code == 0
    pc = MEMORY_AT + text.labels["bad"]
    got = [word & ((1 << xlen) - 1) for word in results(loaded, DATA, 3)]
    assert got == [cause, pc, pc if tval is None else tval]


def test_fetch_fault_is_at_the_target() -> None:
    for target in (0, 0x1000, END, MEMORY_AT - 2):

        def body(text: Assembly, target: int = target) -> None:
            text.li(T1, target)
            text.op(Op.JALR, rs1=T1)

        loaded = load(program(body))
        loaded.run()
        assert results(loaded, DATA, 3) == [Cause.FETCH_ACCESS, target, target]


def test_trace_has_both_a_jump_and_the_fetch_fault_at_its_target() -> None:
    def body(text: Assembly) -> None:
        text.li(T1, 0x1000)
        text.op(Op.JALR, rs1=T1)

    trace = list(steps(load(program(body), single_step=True)))
    at = next(i for i, step in enumerate(trace) if step.trap is not None)
    assert (trace[at].trap, trace[at].pc) == (Cause.FETCH_ACCESS, 0x1000)
    assert (trace[at - 1].trap, trace[at - 1].text) == (None, "jalr zero, 0(t1)")
    assert trace[at].cycle == trace[at - 1].cycle + 3


@pytest.mark.parametrize("op", [Op.JAL, Op.JALR, Op.BEQ])
def test_jump_to_half_a_word_without_c_traps_at_the_jump(op: Op) -> None:
    def body(text: Assembly) -> None:
        text.op(Op.ADDI, rd=RA, imm=7)
        text.address_of(T1, "handler")
        text.label("bad")
        match op:
            case Op.JAL:
                text.op(op, rd=RA, imm=0x102)
            case Op.JALR:
                text.op(op, rd=RA, rs1=T1, imm=2)
            case _:
                text.op(op, imm=0x102)

    text = Assembly()
    text.labels["handler"] = 0x100
    text.address_of(T0, "handler")
    text.op(Op.CSRRW, rs1=T0, imm=Csr.MTVEC)
    body(text)
    while text.size < 0x100:
        text.op(Op.ADDI)
    text.li(S0, DATA)
    for place, number in enumerate((Csr.MCAUSE, Csr.MEPC, Csr.MTVAL)):
        text.op(Op.CSRRS, rd=A0, imm=number)
        text.op(Op.SD, rs1=S0, rs2=A0, imm=8 * place)
    text.op(Op.SD, rs1=S0, rs2=RA, imm=24)
    text.op(Op.CSRRW, imm=Csr.MTVEC)
    text.exit(0)
    loaded = load(text, machine(extensions="rv64ima"))
    loaded.run()
    bad = text.labels["bad"]
    target = 0x102 if op is Op.JALR else bad + 0x102
    assert results(loaded, DATA, 4) == [Cause.FETCH_MISALIGNED, MEMORY_AT + bad, MEMORY_AT + target, 7]


def test_not_taken_branch_to_half_a_word_is_harmless() -> None:
    text = Assembly()
    text.op(Op.BNE, imm=0x102)
    text.exit(5)
    assert run(text, machine(extensions="rv64i")).exit_code == 5


def test_mret_goes_on_behind_the_trap_and_restores_the_interrupt_enable() -> None:
    """The handler adds 4 to mepc; MIE goes to MPIE in it and back."""
    text = Assembly()
    text.labels["handler"] = 0x100
    text.address_of(T0, "handler")
    text.op(Op.CSRRW, rs1=T0, imm=Csr.MTVEC)
    text.op(Op.CSRRSI, rs1=MIE, imm=Csr.MSTATUS)
    text.op(Op.ECALL)
    text.op(Op.CSRRS, rd=A2, imm=Csr.MSTATUS)
    text.op(Op.CSRRW, imm=Csr.MTVEC)
    text.li(S0, DATA)
    put(text, (A1, A2), S0)
    text.exit(9)
    while text.size < 0x100:
        text.raw(1, 2)
    text.op(Op.CSRRS, rd=A1, imm=Csr.MSTATUS)
    text.op(Op.CSRRS, rd=A0, imm=Csr.MEPC)
    text.op(Op.ADDI, rd=A0, rs1=A0, imm=4)
    text.op(Op.CSRRW, rs1=A0, imm=Csr.MEPC)
    text.op(Op.MRET)
    loaded = load(text, machine(extensions="rv64imac"))
    assert loaded.run().exit_code == 9
    assert results(loaded, DATA, 2) == [MPP | MPIE, MPP | MPIE | MIE]


def test_vectored_mode_sends_exceptions_to_the_base() -> None:
    text = Assembly()
    text.labels["handler"] = 0x100
    text.address_of(T0, "handler")
    text.op(Op.ADDI, rd=T0, rs1=T0, imm=1)
    text.op(Op.CSRRW, rs1=T0, imm=Csr.MTVEC)
    text.op(Op.EBREAK)
    while text.size < 0x100:
        text.raw(1, 2)
    text.op(Op.CSRRW, rd=A1, imm=Csr.MTVEC)
    text.op(Op.ANDI, rd=A1, rs1=A1, imm=3)
    exit_with(text, A1)
    assert run(text).exit_code == 1


def test_trap_takes_a_cycle_and_the_penalty_and_is_not_counted() -> None:
    """The same program with an ecall that traps, and with a jump in its place: one instruction less, a cycle less."""
    cores = []
    for op in (Op.ECALL, Op.JAL):
        text = Assembly()
        text.labels["handler"] = 0x20
        text.address_of(T0, "handler")
        text.op(Op.CSRRW, rs1=T0, imm=Csr.MTVEC)
        text.op(op, **({"imm": 0x20 - text.size} if op is Op.JAL else {}))
        while text.size < 0x20:
            text.raw(1, 2)
        text.op(Op.CSRRW, imm=Csr.MTVEC)
        text.exit(0)
        cores.append(run(text).group.cores[0])
    trapped, jumped = cores
    assert trapped.cycles == jumped.cycles
    assert trapped.instructions == jumped.instructions - 1
    stacks = [dict(zip(STACK, core.stack, strict=True)) for core in cores]
    assert stacks[0]["branch"] == stacks[1]["branch"] + 1
    assert sum(stacks[0].values()) == trapped.cycles


def test_handler_that_traps_for_ever_meets_the_limit() -> None:
    """mtvec names a place where nothing is: each trap is a trap's handler, and still takes time."""
    text = Assembly()
    text.li(T0, 0x1000)
    text.op(Op.CSRRW, rs1=T0, imm=Csr.MTVEC)
    text.op(Op.EBREAK)
    system = machine(**{"core.taken_branch_penalty": 0})
    with pytest.raises(CycleLimitError, match="the first at pc 0x1000"):
        run(text, system, cycle_limit=10_000)


@pytest.mark.parametrize("value", [1, 2, 3])
def test_mtvec_with_a_base_of_0_is_no_handler(value: int) -> None:
    text = Assembly()
    text.op(Op.CSRRWI, rs1=value, imm=Csr.MTVEC)
    text.op(Op.EBREAK)
    with pytest.raises(GuestTrap, match="breakpoint"):
        run(text)


def test_mret_without_a_trap_goes_where_mepc_says() -> None:
    text = Assembly()
    text.label("start")
    text.op(Op.MRET)
    with pytest.raises(GuestTrap, match="pc 0x0: fetch access"):
        run(text)


def test_exit_call_with_a_handler_is_a_trap() -> None:
    def body(text: Assembly) -> None:
        text.label("bad")
        text.exit(3)

    loaded = load(program(body))
    assert loaded.run().exit_code == 0
    assert results(loaded, DATA, 1) == [Cause.ECALL_M]
