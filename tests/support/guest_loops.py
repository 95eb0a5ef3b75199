"""Small programs with one kind of access each; the data they work on begins at DATA_AT."""

from pim.isa import Op, Program
from tests.support.assembly import Assembly

DATA = 0x1000
DATA_AT = 0x8000_0000 + DATA


def _start() -> Assembly:
    text = Assembly()
    text.op(Op.AUIPC, rd=8, imm=DATA)  # s0: data
    return text


def _finish(text: Assembly, n: int) -> Program:
    text.op(Op.ADDI, rd=9, rs1=9, imm=1)
    text.li(6, n)
    text.op(Op.BLT, "loop", rs1=9, rs2=6)
    text.exit()
    return text.program()


def stream(n: int) -> Program:
    """Return the sum of n words in a0, read in order."""
    text = _start()
    text.op(Op.ADDI, rd=5, rs1=8)
    text.label("loop")
    text.op(Op.LD, rd=7, rs1=5)
    text.op(Op.ADD, rd=10, rs1=10, rs2=7)
    text.op(Op.ADDI, rd=5, rs1=5, imm=8)
    return _finish(text, n)


def random_access(n: int, log2_bytes: int) -> Program:
    """Return the sum of n words in a0, at places that a linear congruential generator draws."""
    text = _random_places(log2_bytes)
    text.op(Op.LD, rd=7, rs1=5)
    text.op(Op.ADD, rd=10, rs1=10, rs2=7)
    return _finish(text, n)


def scattered_stores(n: int, log2_bytes: int) -> Program:
    """Store n words at drawn places, and two neighbours of each: lines get runs of dirty sectors."""
    text = _random_places(log2_bytes)
    for offset in (0, 64, 192):
        text.op(Op.SD, rs1=5, rs2=11, imm=offset)
    return _finish(text, n)


def _random_places(log2_bytes: int) -> Assembly:
    """Return the start of a loop that puts the address of a word into t0."""
    text = _start()
    text.li(12, 6364136223846793005)  # Knuth, MMIX
    text.li(13, 1442695040888963407)
    text.label("loop")
    text.op(Op.MUL, rd=11, rs1=11, rs2=12)
    text.op(Op.ADD, rd=11, rs1=11, rs2=13)
    text.op(Op.SRLI, rd=5, rs1=11, imm=64 - log2_bytes)
    text.op(Op.ANDI, rd=5, rs1=5, imm=-8)
    text.op(Op.ADD, rd=5, rs1=5, rs2=8)
    return text
