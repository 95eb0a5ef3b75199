"""Programs that do what their core can't: each stops with hart, pc, instruction, cause and address."""

from collections.abc import Callable

import numpy as np
import pytest

from pim.config import load_system
from pim.core.trap import Cause
from pim.errors import CycleLimitError, GuestTrap
from pim.isa import Op
from pim.system import CoreTask, run_cores
from tests.support.assembly import MAILBOX_AT, MEMORY_AT, SCRATCHPAD_AT, Assembly, program

pytestmark = pytest.mark.plain

BANK = load_system("bank")
MAPPED = 0x2000
END = MEMORY_AT + MAPPED
RA, T0, T1, A0 = 1, 5, 6, 10


def at(address: int, op: Op, **operands: int) -> Callable[[Assembly], None]:
    """Return what appends an access to ``address``."""

    def append(text: Assembly) -> None:
        text.li(T0, address)
        text.label("bad")
        text.op(op, rs1=T0, **operands)

    return append


def word(bits: int, size: int = 4) -> Callable[[Assembly], None]:
    def append(text: Assembly) -> None:
        text.label("bad")
        text.raw(bits, size)

    return append


def jump_to(address: int) -> Callable[[Assembly], None]:
    def append(text: Assembly) -> None:
        text.li(T0, address)
        text.op(Op.JALR, rs1=T0)

    return append


def ecall(number: int) -> Callable[[Assembly], None]:
    def append(text: Assembly) -> None:
        text.li(17, number)
        text.label("bad")
        text.op(Op.ECALL)

    return append


TRAPS = {
    "store past the end": (at(END, Op.SD), Cause.STORE_ACCESS, END, "sd zero, 0(t0)"),
    "store at 0": (at(0, Op.SB), Cause.STORE_ACCESS, 0, "sb zero, 0(t0)"),
    "store over the text": (at(MEMORY_AT, Op.SD), Cause.STORE_ACCESS, MEMORY_AT, "sd zero, 0(t0)"),
    "load past the end": (at(END, Op.LBU, rd=A0), Cause.LOAD_ACCESS, END, "lbu a0, 0(t0)"),
    "load below memory": (at(MEMORY_AT, Op.LB, imm=-1), Cause.LOAD_ACCESS, MEMORY_AT - 1, "lb zero, -1(t0)"),
    "load at the top": (at(-8, Op.LD, rd=A0), Cause.LOAD_ACCESS, 2**64 - 8, "ld a0, 0(t0)"),
    "load in the middle": (at(2**63, Op.LD, rd=A0), Cause.LOAD_ACCESS, 2**63, "ld a0, 0(t0)"),
    "address that wraps": (at(2**63 - 1, Op.LB, imm=1), Cause.LOAD_ACCESS, 2**63, "lb zero, 1(t0)"),
    "sp below the stack": (at(SCRATCHPAD_AT, Op.SD, imm=-8), Cause.STORE_ACCESS, SCRATCHPAD_AT - 8, "sd zero, -8(t0)"),
    "scratchpad's end": (at(SCRATCHPAD_AT + 1024, Op.LD), Cause.LOAD_ACCESS, SCRATCHPAD_AT + 1024, "ld zero, 0(t0)"),
    "odd half": (at(END - 7, Op.LH), Cause.LOAD_MISALIGNED, END - 7, "lh zero, 0(t0)"),
    "odd word": (at(END - 6, Op.LWU), Cause.LOAD_MISALIGNED, END - 6, "lwu zero, 0(t0)"),
    "odd double": (at(END - 4, Op.LD), Cause.LOAD_MISALIGNED, END - 4, "ld zero, 0(t0)"),
    "odd half store": (at(END - 7, Op.SH), Cause.STORE_MISALIGNED, END - 7, "sh zero, 0(t0)"),
    "odd word store": (at(END - 6, Op.SW), Cause.STORE_MISALIGNED, END - 6, "sw zero, 0(t0)"),
    "odd double store": (at(END - 4, Op.SD), Cause.STORE_MISALIGNED, END - 4, "sd zero, 0(t0)"),
    "argument is read only": (
        at(MAILBOX_AT, Op.SD, imm=0x80),
        Cause.STORE_ACCESS,
        MAILBOX_AT + 0x80,
        "sd zero, 128(t0)",
    ),
    "half a mailbox word": (at(MAILBOX_AT, Op.LW, imm=0x80), Cause.LOAD_ACCESS, MAILBOX_AT + 0x80, "lw zero, 128(t0)"),
    "mailbox's end": (at(MAILBOX_AT, Op.LD, imm=0x100), Cause.LOAD_ACCESS, MAILBOX_AT + 0x100, "ld zero, 256(t0)"),
    "zeros": (word(0, 2), Cause.ILLEGAL_INSTRUCTION, 0, ".2byte 0x0000"),
    "ones": (word(0xFFFF_FFFF), Cause.ILLEGAL_INSTRUCTION, 0xFFFF_FFFF, ".4byte 0xffffffff"),
    "no FPU": (word(0x02007053), Cause.ILLEGAL_INSTRUCTION, 0x02007053, "fadd.d ft0, ft0, ft0"),
    "no atomics": (word(0x0002A02F), Cause.ILLEGAL_INSTRUCTION, 0x0002A02F, "amoadd.w zero, zero, (t0)"),
    "ebreak": (word(0x00100073), Cause.BREAKPOINT, None, "ebreak"),
    "another system call": (ecall(64), Cause.ECALL_M, 0, "ecall"),
}


@pytest.mark.parametrize("name", TRAPS)
def test_trap_says_who_where_what_and_which_address(name: str) -> None:
    bad, cause, tval, disassembly = TRAPS[name]
    text = Assembly()
    bad(text)
    pc = MEMORY_AT + text.labels["bad"]
    text.exit(0)
    task = CoreTask((), reads=((END - 8, 8),))
    with np.errstate(over="ignore"), pytest.raises(GuestTrap) as caught:
        run_cores(BANK, text.program(), [task, task], cycle_limit=10_000, first_hart=32)
    trap = caught.value
    assert (trap.hart_id, trap.pc, trap.cause) == (32, pc, cause)
    assert tval is None or trap.tval == tval
    assert f"hart 32, pc {pc:#x} ({disassembly}): {cause.text} at {trap.tval:#x}" in str(trap)
    assert f"may use 0x80000000 up to {END:#x}" in str(trap)


@pytest.mark.parametrize("address", [0, 2, MEMORY_AT - 2, MEMORY_AT + 0x1000, SCRATCHPAD_AT, 2**63, 2**64 - 2])
def test_jump_out_of_the_text_is_a_fetch_fault_there(address: int) -> None:
    text = Assembly()
    jump_to(address)(text)
    with np.errstate(over="ignore"), pytest.raises(GuestTrap, match=f"pc {address:#x}: fetch access at") as caught:
        run_cores(BANK, text.program(), [CoreTask(())], cycle_limit=10_000)
    assert (caught.value.cause, caught.value.tval) == (Cause.FETCH_ACCESS, address)


def test_running_off_the_end_of_the_text_is_a_fetch_fault() -> None:
    text = Assembly()
    text.op(Op.ADDI, rd=A0, imm=1)
    with pytest.raises(GuestTrap, match="pc 0x80000004: fetch access at 0x80000004"):
        run_cores(BANK, text.program(), [CoreTask(())])


def test_instruction_that_the_text_cuts_off_is_a_fetch_fault_at_its_second_half() -> None:
    cut_off = program(b"\x01\x00" + b"\x13\x05")  # c.nop and the first half of an addi
    text = r"pc 0x80000002 \(cut off by the text's end: 13 05\): fetch access at 0x80000004"
    with pytest.raises(GuestTrap, match=text):
        run_cores(BANK, cut_off, [CoreTask(())])


def test_trap_of_one_core_names_that_core() -> None:
    """Core 2 gets an address that is not there; the others end."""
    text = Assembly()
    text.li(T0, MAILBOX_AT)
    text.op(Op.LD, rd=T1, rs1=T0, imm=0x80)
    text.op(Op.LD, rd=A0, rs1=T1)
    text.exit(0)
    tasks = [CoreTask((address,)) for address in (MEMORY_AT, MEMORY_AT, 64, MEMORY_AT)]
    with pytest.raises(GuestTrap, match=r"hart 2, pc 0x[0-9a-f]+ \(ld a0, 0\(t1\)\): load access at 0x40"):
        run_cores(BANK, text.program(), tasks)


@pytest.mark.parametrize("penalty_free", [False, True])
def test_endless_loop_meets_the_limit_and_names_the_harts(penalty_free: bool) -> None:
    text = Assembly()
    text.li(T0, MAILBOX_AT)
    text.op(Op.LD, rd=T1, rs1=T0, imm=0x80)
    text.label("loop")
    text.op(Op.BEQ, "loop", rs1=T1)
    text.exit(0)
    system = load_system("bank").model_copy(
        update={"core": BANK.core.model_copy(update={"taken_branch_penalty": 0 if penalty_free else 2})}
    )
    tasks = [CoreTask((value,)) for value in (1, 0, 1, 0)]
    with pytest.raises(CycleLimitError, match=r"cycle limit 5_000 reached; 2 of 4 harts still running \(17, 19\)"):
        run_cores(system, text.program(), tasks, cycle_limit=5_000, first_hart=16)


def test_trap_comes_before_the_limit_in_the_report() -> None:
    """Where one core traps and another runs on for ever, the trap is the news."""
    text = Assembly()
    text.li(T0, MAILBOX_AT)
    text.op(Op.LD, rd=T1, rs1=T0, imm=0x80)
    text.label("loop")
    text.op(Op.BEQ, "loop", rs1=T1)
    text.op(Op.EBREAK)
    with pytest.raises(GuestTrap, match=r"hart 1, .*breakpoint"):
        run_cores(BANK, text.program(), [CoreTask((0,)), CoreTask((1,))], cycle_limit=1_000)


def test_run_goes_on_up_to_the_limit_but_not_past_it() -> None:
    """The limit is met at the first jump or taken branch after it."""
    text = Assembly()
    text.li(T0, 100)
    text.label("loop")
    text.op(Op.ADDI, rd=T0, rs1=T0, imm=-1)
    text.op(Op.BNE, "loop", rs1=T0)
    text.exit(0)
    cycles = run_cores(BANK, text.program(), [CoreTask(())]).cores[0].cycles
    assert run_cores(BANK, text.program(), [CoreTask(())], cycle_limit=cycles).cores[0].cycles == cycles
    with pytest.raises(CycleLimitError):
        run_cores(BANK, text.program(), [CoreTask(())], cycle_limit=cycles // 2)
