"""Instruction words from operation and operands: the table's fixed bits, fields placed as the manual draws them."""

from pim.isa import Op
from pim.isa.encoding import ENCODINGS, Format


def assemble(op: Op, *, rd: int = 0, rs1: int = 0, rs2: int = 0, rs3: int = 0, imm: int = 0, rm: int = 0) -> int:
    """Return the 32-bit word; operands that the operation lacks must be 0."""
    row = ENCODINGS[op]
    word = row.match | rd << 7 | rs1 << 15 | rs2 << 20 | rs3 << 27 | rm << 12 | immediate_bits(row.format, imm)
    if word & row.mask != row.match:
        raise ValueError(f"{op.name}: operands write into fixed bits")
    return word


def immediate_bits(layout: Format, imm: int) -> int:  # noqa: PLR0911 - one return per format
    """Return the immediate's bits at their places in the word."""
    value = imm & 0xFFFFFFFF
    match layout:
        case Format.I | Format.CSR | Format.FENCE:
            return (value & 0xFFF) << 20
        case Format.SHIFT:
            return value << 20
        case Format.AMO:
            return value << 25
        case Format.S:
            return (value >> 5 & 0x7F) << 25 | (value & 0x1F) << 7
        case Format.B:
            return (
                (value >> 12 & 1) << 31 | (value >> 5 & 0x3F) << 25 | (value >> 1 & 0xF) << 8 | (value >> 11 & 1) << 7
            )
        case Format.U:
            return value & 0xFFFFF000
        case Format.J:
            upper = (value >> 20 & 1) << 31 | (value >> 1 & 0x3FF) << 21
            return upper | (value >> 11 & 1) << 20 | (value >> 12 & 0xFF) << 12
    return 0


def to_bytes(*words: int) -> bytes:
    """Return 32-bit words as little-endian text."""
    return b"".join(word.to_bytes(4, "little") for word in words)
