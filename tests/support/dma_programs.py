"""Random programs that move data with the scratchpad's DMA, between loads and stores to what it moves."""

import random

from pim.isa import Op
from tests.support.assembly import MAILBOX_AT, MEMORY_AT, SCRATCHPAD_AT, Assembly

SOURCE, DESTINATION, START = 0x100, 0x108, 0x110
"""Offsets of the engine's registers from the mailbox's address."""

DATA = MEMORY_AT + 0x4000
DATA_BYTES = 0x2000
DMA, T0, SUM, BASE, PAD, MEMORY_BASE, PAD_BASE = 31, 5, 9, 18, 19, 20, 21


def start(text: Assembly, source: int, destination: int, length: int) -> None:
    """Append a transfer; x31 must hold the mailbox's address."""
    store = Op.SD if text.xlen == 64 else Op.SW
    for register, value in ((SOURCE, source), (DESTINATION, destination), (START, length)):
        text.li(T0, value)
        text.op(store, rs1=DMA, rs2=T0, imm=register)


def dma_program(seed: int, xlen: int = 64, *, column: int = 8, scratchpad: int = 1024, n: int = 60) -> Assembly:
    """Return ``n`` transfers, of whole columns of ``column`` bytes, and accesses around them."""
    rng, text = random.Random(seed), Assembly(xlen)
    text.li(DMA, MAILBOX_AT)
    text.li(BASE, DATA)
    text.li(PAD, SCRATCHPAD_AT)
    for _ in range(n):
        here = 4 * rng.randrange(DATA_BYTES // 4)
        near = rng.randrange(scratchpad // 4) * 4
        match rng.randrange(6):
            case 0:
                text.op(Op.ADDI, rd=SUM, rs1=SUM, imm=rng.randrange(2048))
                text.li(T0, DATA + here)
                text.op(Op.SW, rs1=T0, rs2=SUM)
            case 1:
                text.li(T0, DATA + here)
                text.op(Op.LW, rd=T0, rs1=T0)
                text.op(Op.ADD, rd=SUM, rs1=SUM, rs2=T0)
            case 2:
                text.op(Op.SW, rs1=PAD, rs2=SUM, imm=near)
            case 3:
                text.op(Op.LW, rd=T0, rs1=PAD, imm=near)
                text.op(Op.ADD, rd=SUM, rs1=SUM, rs2=T0)
            case _:
                most = scratchpad // column
                length = rng.choice([0, 1, rng.randint(0, most), rng.randint(0, most), most])
                place = rng.randint(0, min(most - length, most - 1)) * column
                offset = rng.randint(0, DATA_BYTES // column - length - 1) * column
                ends = [DATA + offset, SCRATCHPAD_AT + place]
                if rng.random() < 0.5:
                    text.op(Op.LW, rd=SUM, rs1=PAD, imm=near)  # in write-back when the transfer begins
                    ends.reverse()
                start(text, *ends, length * column)
    text.exit(0)
    return text
