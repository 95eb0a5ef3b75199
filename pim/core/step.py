"""What instructions do: integer results, branch conditions, loads and stores. No time in here (see pipeline.py)."""

from pim.core.state import Memory
from pim.isa import Op
from pim.isa.alu import ltu, sext32, sllw, sraw, srl, srlw
from pim.isa.muldiv import (
    div,
    divu,
    divuw,
    divw,
    mulh,
    mulh32,
    mulhsu,
    mulhsu32,
    mulhu,
    mulhu32,
    rem,
    remu,
    remuw,
    remw,
)
from pim.jit import inlined_kernel


@inlined_kernel
def integer(op: int, a: int, b: int) -> int:
    """Return the result of a register-register operation; immediates come as ``b``."""
    if op == Op.ADDI or op == Op.ADD:
        return a + b
    if op == Op.ADDIW or op == Op.ADDW:
        return sext32(a + b)
    if op == Op.SUB:
        return a - b
    if op == Op.SLLI or op == Op.SLL:
        return a << (b & 63)
    if op == Op.SRLI or op == Op.SRL:
        return srl(a, b & 63)
    if op == Op.ANDI or op == Op.AND:
        return a & b
    if op == Op.OR or op == Op.ORI:
        return a | b
    if op == Op.XOR or op == Op.XORI:
        return a ^ b
    if op == Op.SRAI or op == Op.SRA:
        return a >> (b & 63)
    if op == Op.SLTU or op == Op.SLTIU:
        return 1 if ltu(a, b) else 0
    if op == Op.SLT or op == Op.SLTI:
        return 1 if a < b else 0
    if op == Op.LUI:
        return b
    if op == Op.SUBW:
        return sext32(a - b)
    if op == Op.SLLIW or op == Op.SLLW:
        return sllw(a, b & 31)
    if op == Op.SRLIW or op == Op.SRLW:
        return srlw(a, b & 31)
    return sraw(a, b & 31)  # SRAIW, SRAW


@inlined_kernel
def muldiv(op: int, a: int, b: int, xlen: int) -> int:
    """Return the result of an M operation; those of RV32 are RV64's on words, but for the upper products."""
    if op == Op.MUL:
        return a * b
    if op == Op.MULHU:
        return mulhu(a, b) if xlen == 64 else mulhu32(a, b)
    if op == Op.MULW:
        return sext32(a * b)
    if op == Op.MULH:
        return mulh(a, b) if xlen == 64 else mulh32(a, b)
    if op == Op.MULHSU:
        return mulhsu(a, b) if xlen == 64 else mulhsu32(a, b)
    if op == Op.DIV:
        return div(a, b)
    if op == Op.DIVU:
        return divu(a, b)
    if op == Op.REM:
        return rem(a, b)
    if op == Op.REMU:
        return remu(a, b)
    if op == Op.DIVW:
        return divw(a, b)
    if op == Op.DIVUW:
        return divuw(a, b)
    if op == Op.REMW:
        return remw(a, b)
    return remuw(a, b)


@inlined_kernel
def is_taken(op: int, a: int, b: int) -> bool:
    """Tell whether a branch is taken."""
    if op == Op.BEQ:
        return a == b
    if op == Op.BNE:
        return a != b
    if op == Op.BLT:
        return a < b
    if op == Op.BGE:
        return a >= b
    if op == Op.BLTU:
        return ltu(a, b)
    return not ltu(a, b)


@inlined_kernel
def width_shift(op: int) -> int:
    """Return log2 of the bytes a load or store moves."""
    if op == Op.LD or op == Op.SD or op == Op.FLD or op == Op.FSD:
        return 3
    if op == Op.LW or op == Op.SW or op == Op.LWU or op == Op.FLW or op == Op.FSW:
        return 2
    if op == Op.LH or op == Op.LHU or op == Op.SH:
        return 1
    return 0


@inlined_kernel
def load(op: int, memory: Memory, at: int) -> int:
    """Return the value an integer or floating-point load reads at byte ``at``, a multiple of its width."""
    if op == Op.LD or op == Op.FLD:
        return int(memory.i64[at >> 3])
    if op == Op.LBU:
        return int(memory.u8[at])
    if op == Op.LW:
        return sext32(int(memory.u32[at >> 2]))
    if op == Op.LWU:
        return int(memory.u32[at >> 2])
    if op == Op.LHU:
        return int(memory.u16[at >> 1])
    if op == Op.LH:
        return (int(memory.u16[at >> 1]) ^ 0x8000) - 0x8000
    if op == Op.LB:
        return (int(memory.u8[at]) ^ 0x80) - 0x80
    return int(memory.u32[at >> 2]) | -0x1_0000_0000  # FLW, NaN-boxed


@inlined_kernel
def store(op: int, memory: Memory, at: int, value: int) -> None:
    """Write the low bytes of ``value`` at byte ``at``, a multiple of the store's width. Updates ``memory``."""
    if op == Op.SD or op == Op.FSD:
        memory.i64[at >> 3] = value
    elif op == Op.SW or op == Op.FSW:
        memory.u32[at >> 2] = value & 0xFFFF_FFFF
    elif op == Op.SB:
        memory.u8[at] = value & 0xFF
    else:
        memory.u16[at >> 1] = value & 0xFFFF
