"""Programs for the lockstep of model and RTL, loaded into machines that run by single steps."""

import numpy as np

from pim.config import SystemConfig, load_system, with_overrides
from pim.isa import Op
from pim.system.bare import BareMachine
from study.lockstep import Guest
from tests.support.assembly import MAILBOX_AT, SCRATCHPAD_AT, Assembly
from tests.support.dma_programs import dma_program
from tests.support.random_programs import random_program

MEMORY_BYTES = 1 << 17
CYCLE_LIMIT = 10**6

MACHINES = {
    "default": {},
    "row port": {"port": "row", "core.sector_bytes": 1024},
    "core as fast as DRAM": {"core.clock_mhz": 1200},
    "2 core edges in 9 clocks": {"core.clock_mhz": 266},
    "row port, slow core": {"port": "row", "core.sector_bytes": 1024, "core.clock_mhz": 133},
    "two small lines": {"core.line_buffers": 2, "core.line_bytes": 128, "core.sector_bytes": 32},
    "one line, small instruction lines": {
        "core.line_buffers": 1,
        "core.instruction_buffer_bytes": 64,
        "core.instruction_line_bytes": 16,
    },
    "much refresh": {"timing.trefi_ns": 1000.0},
    "rv32": {"core.extensions": "rv32imc"},
}
"""Overrides of the bank preset."""


def machine(name: str) -> SystemConfig:
    return with_overrides(load_system("bank"), MACHINES[name])


def random_guest(system: SystemConfig, seed: int, n_blocks: int = 12) -> Guest:
    program = random_program(seed, xlen=system.core.xlen, n_blocks=n_blocks, atomics=False)
    made = BareMachine(system, program.program, memory_bytes=MEMORY_BYTES, single_step=True, cycle_limit=CYCLE_LIMIT)
    made.group.memory.u8[: len(program.memory)] = np.frombuffer(program.memory, np.uint8)
    return Guest(f"random program {seed}", made)


def guest(name: str, text: Assembly, system: SystemConfig, arguments: tuple[int, ...] = ()) -> Guest:
    made = BareMachine(
        system,
        text.program(),
        arguments=arguments,
        memory_bytes=MEMORY_BYTES,
        single_step=True,
        cycle_limit=CYCLE_LIMIT,
    )
    return Guest(name, made)


def dma_guest(system: SystemConfig, seed: int, n: int = 60) -> Guest:
    column = system.row_bytes if system.port == "row" else system.column_bytes
    text = dma_program(seed, system.core.xlen, column=column, scratchpad=system.core.scratchpad_bytes, n=n)
    return guest(f"transfers {seed}", text, system)


def trap_guests(system: SystemConfig) -> list[Guest]:
    """Return a program per way to trap without a handler, and one whose handler counts and steps over all of them."""
    every = _trapping(system.core.xlen)
    alone = []
    for name, write in every.items():
        text = Assembly(system.core.xlen)
        write(text)
        text.exit(0)
        alone.append(guest(f"trap: {name}", text, system))
    return [*alone, guest("all traps, handled", _all_handled(system.core.xlen), system)]


def _trapping(xlen: int):
    a5 = 15

    def at(address: int, op: Op, **operands: int):
        def write(text: Assembly) -> None:
            text.li(a5, address)
            text.op(op, rs1=a5, **operands)

        return write

    return {
        "illegal word": lambda text: text.raw(0xFFFF_FFFF, 4),
        "illegal parcel": lambda text: text.raw(0, 2),
        "unknown CSR": lambda text: text.op(Op.CSRRS, rd=5, imm=0x7C0),
        "read-only CSR": lambda text: text.op(Op.CSRRW, rd=5, imm=0xC00),
        "breakpoint": lambda text: text.op(Op.EBREAK),
        "environment call": lambda text: text.op(Op.ECALL),
        "misaligned load": at(0x8000_0001, Op.LW, rd=5),
        "misaligned store": at(0x8000_0002, Op.SW, rs2=5),
        "load from nowhere": at(0x4000_0000, Op.LB, rd=5),
        "store to nowhere": at(0x4000_0000, Op.SB, rs2=5),
        "load past memory": at(0x8000_0000 + MEMORY_BYTES, Op.LBU, rd=5),
        "load below the scratchpad": at(SCRATCHPAD_AT - 4, Op.LW, rd=5),
        "byte of the mailbox": at(MAILBOX_AT + 0x80, Op.LB, rd=5),
        "load of the DMA's SOURCE": at(MAILBOX_AT + 0x100, Op.LD if xlen == 64 else Op.LW, rd=5),
        "half a register of the DMA": at(MAILBOX_AT + 0x108, Op.SH, rs2=5),
        "no register of the DMA": at(MAILBOX_AT + 0x118, Op.SD if xlen == 64 else Op.SW, rs2=5),
        "transfer from nowhere": at(MAILBOX_AT + 0x110, Op.SD if xlen == 64 else Op.SW),
        "store to STATUS": at(MAILBOX_AT + 8, Op.SD if xlen == 64 else Op.SW, rs2=5),
    }


def _all_handled(xlen: int) -> Assembly:
    """Return every trap once, between stores; the handler keeps mcause, mtval and mstatus in memory and steps over."""
    s0, s1, t0, t1 = 8, 9, 6, 7
    text = Assembly(xlen)
    store = Op.SD if xlen == 64 else Op.SW
    text.address_of(t0, "handler")
    text.op(Op.CSRRW, imm=0x305, rs1=t0)
    text.op(Op.CSRRSI, imm=0x300, rs1=8)
    text.li(s0, 0x8001_0000)
    for write in _trapping(xlen).values():
        write(text)
        text.op(store, rs1=s0, rs2=s0)
        text.op(Op.ADDI, rd=s1, rs1=s1, imm=1)
    text.li(t0, 0x9000_0000)
    text.op(Op.JALR, rd=1, rs1=t0)  # no memory there: the handler returns to ra
    text.op(Op.CSRRS, rd=10, imm=0xB02)
    text.op(Op.CSRRS, rd=11, imm=0xC00)
    text.op(Op.CSRRS, rd=12, imm=0xC01)
    text.op(Op.CSRRW, imm=0x305)
    text.exit(7)
    if text.size % 4:
        text.c("c.addi", rd=5)
    text.label("handler")
    for csr in (0x342, 0x343, 0x300):
        text.op(Op.CSRRS, rd=t0, imm=csr)
        text.op(store, rs1=s0, rs2=t0)
        text.op(Op.ADDI, rd=s0, rs1=s0, imm=xlen // 8)
    text.op(Op.CSRRS, rd=t0, imm=0x342)
    text.op(Op.ADDI, rd=t1, imm=1)
    text.op(Op.BEQ, "fetch", rs1=t0, rs2=t1)
    text.op(Op.CSRRS, rd=t0, imm=0x341)
    text.op(Op.LHU, rd=t1, rs1=t0)
    text.op(Op.ANDI, rd=t1, rs1=t1, imm=3)
    text.op(Op.ADDI, rd=t1, rs1=t1, imm=-3)
    text.op(Op.ADDI, rd=t0, rs1=t0, imm=2)
    text.op(Op.BNE, "short", rs1=t1)
    text.op(Op.ADDI, rd=t0, rs1=t0, imm=2)
    text.label("short")
    text.op(Op.CSRRW, imm=0x341, rs1=t0)
    text.op(Op.MRET)
    text.label("fetch")
    text.op(Op.CSRRW, imm=0x341, rs1=1)
    text.op(Op.MRET)
    return text
