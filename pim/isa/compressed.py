"""The C extension: which 32-bit operation each 16-bit parcel stands for.

There are only 65,536 parcels, so the whole answer is one table per XLEN, made on first use.

References
----------
The RISC-V Instruction Set Manual, volume I (unprivileged), chapter "C" Standard Extension for Compressed
Instructions, section "RVC Instruction Set Listings".
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pim.isa.fields import Pieces, Words, bits, gather
from pim.isa.ops import Op

_RD, _RS2, _RD_SHORT, _RS2_SHORT = "rd", "rs2", "rd'", "rs2'"
"""Register fields: bits 11:7, bits 6:2, and the three-bit ones in bits 9:7 and 4:2 that name x8 to x15."""

_ADDI4SPN: Pieces = ((12, 11, 4), (10, 7, 6), (6, 6, 2), (5, 5, 3))
_WORD: Pieces = ((12, 10, 3), (6, 6, 2), (5, 5, 6))
_DOUBLE: Pieces = ((12, 10, 3), (6, 5, 6))
_CI: Pieces = ((12, 12, 5), (6, 2, 0))
_UPPER: Pieces = ((12, 12, 17), (6, 2, 12))
_ADDI16SP: Pieces = ((12, 12, 9), (6, 6, 4), (5, 5, 6), (4, 3, 7), (2, 2, 5))
_JUMP: Pieces = (
    (12, 12, 11), (11, 11, 4), (10, 9, 8), (8, 8, 10), (7, 7, 6), (6, 6, 7), (5, 3, 1), (2, 2, 5)
)  # fmt: skip
_BRANCH: Pieces = ((12, 12, 8), (11, 10, 3), (6, 5, 6), (4, 3, 1), (2, 2, 5))
_LWSP: Pieces = ((12, 12, 5), (6, 4, 2), (3, 2, 6))
_LDSP: Pieces = ((12, 12, 5), (6, 5, 3), (4, 2, 6))
_SWSP: Pieces = ((12, 9, 2), (8, 7, 6))
_SDSP: Pieces = ((12, 10, 3), (9, 7, 6))

_RD_FIELD, _RS2_FIELD, _IMM_FIELD = 0x0F80, 0x007C, 0x107C
"""Bits that a form may require not to be all 0."""


class CompressedForm(NamedTuple):
    """One row of the listing.

    Attributes
    ----------
    xlens : tuple of int
        Register widths that have it.
    nonzero : int
        Bits of which at least one must be 1 (otherwise reserved or another row); 0: no such rule.
    rd, rs1, rs2 : str or int
        Register field, or a fixed register number.
    signed_width : int
        Width of the immediate if it is signed, else 0.
    """

    mnemonic: str
    op: Op
    mask: int
    match: int
    xlens: tuple[int, ...]
    nonzero: int
    rd: str | int
    rs1: str | int
    rs2: str | int
    pieces: Pieces
    signed_width: int


_BOTH, _RV32, _RV64 = (32, 64), (32,), (64,)
_C = CompressedForm

# fmt: off
COMPRESSED_FORMS = (
    _C("c.addi4spn", Op.ADDI, 0xE003, 0x0000, _BOTH, 0x1FE0, _RS2_SHORT, 2, 0, _ADDI4SPN, 0),
    _C("c.fld", Op.FLD, 0xE003, 0x2000, _BOTH, 0, _RS2_SHORT, _RD_SHORT, 0, _DOUBLE, 0),
    _C("c.lw", Op.LW, 0xE003, 0x4000, _BOTH, 0, _RS2_SHORT, _RD_SHORT, 0, _WORD, 0),
    _C("c.flw", Op.FLW, 0xE003, 0x6000, _RV32, 0, _RS2_SHORT, _RD_SHORT, 0, _WORD, 0),
    _C("c.ld", Op.LD, 0xE003, 0x6000, _RV64, 0, _RS2_SHORT, _RD_SHORT, 0, _DOUBLE, 0),
    _C("c.fsd", Op.FSD, 0xE003, 0xA000, _BOTH, 0, 0, _RD_SHORT, _RS2_SHORT, _DOUBLE, 0),
    _C("c.sw", Op.SW, 0xE003, 0xC000, _BOTH, 0, 0, _RD_SHORT, _RS2_SHORT, _WORD, 0),
    _C("c.fsw", Op.FSW, 0xE003, 0xE000, _RV32, 0, 0, _RD_SHORT, _RS2_SHORT, _WORD, 0),
    _C("c.sd", Op.SD, 0xE003, 0xE000, _RV64, 0, 0, _RD_SHORT, _RS2_SHORT, _DOUBLE, 0),
    _C("c.addi", Op.ADDI, 0xE003, 0x0001, _BOTH, 0, _RD, _RD, 0, _CI, 6),  # c.nop with rd = x0
    _C("c.jal", Op.JAL, 0xE003, 0x2001, _RV32, 0, 1, 0, 0, _JUMP, 12),
    _C("c.addiw", Op.ADDIW, 0xE003, 0x2001, _RV64, _RD_FIELD, _RD, _RD, 0, _CI, 6),
    _C("c.li", Op.ADDI, 0xE003, 0x4001, _BOTH, 0, _RD, 0, 0, _CI, 6),
    _C("c.lui", Op.LUI, 0xE003, 0x6001, _BOTH, _IMM_FIELD, _RD, 0, 0, _UPPER, 18),
    # The next row takes rd = x2 from c.lui: a later row wins.
    _C("c.addi16sp", Op.ADDI, 0xEF83, 0x6101, _BOTH, _IMM_FIELD, 2, 2, 0, _ADDI16SP, 10),
    _C("c.srli", Op.SRLI, 0xFC03, 0x8001, _RV32, 0, _RD_SHORT, _RD_SHORT, 0, _CI, 0),
    _C("c.srli", Op.SRLI, 0xEC03, 0x8001, _RV64, 0, _RD_SHORT, _RD_SHORT, 0, _CI, 0),
    _C("c.srai", Op.SRAI, 0xFC03, 0x8401, _RV32, 0, _RD_SHORT, _RD_SHORT, 0, _CI, 0),
    _C("c.srai", Op.SRAI, 0xEC03, 0x8401, _RV64, 0, _RD_SHORT, _RD_SHORT, 0, _CI, 0),
    _C("c.andi", Op.ANDI, 0xEC03, 0x8801, _BOTH, 0, _RD_SHORT, _RD_SHORT, 0, _CI, 6),
    _C("c.sub", Op.SUB, 0xFC63, 0x8C01, _BOTH, 0, _RD_SHORT, _RD_SHORT, _RS2_SHORT, (), 0),
    _C("c.xor", Op.XOR, 0xFC63, 0x8C21, _BOTH, 0, _RD_SHORT, _RD_SHORT, _RS2_SHORT, (), 0),
    _C("c.or", Op.OR, 0xFC63, 0x8C41, _BOTH, 0, _RD_SHORT, _RD_SHORT, _RS2_SHORT, (), 0),
    _C("c.and", Op.AND, 0xFC63, 0x8C61, _BOTH, 0, _RD_SHORT, _RD_SHORT, _RS2_SHORT, (), 0),
    _C("c.subw", Op.SUBW, 0xFC63, 0x9C01, _RV64, 0, _RD_SHORT, _RD_SHORT, _RS2_SHORT, (), 0),
    _C("c.addw", Op.ADDW, 0xFC63, 0x9C21, _RV64, 0, _RD_SHORT, _RD_SHORT, _RS2_SHORT, (), 0),
    _C("c.j", Op.JAL, 0xE003, 0xA001, _BOTH, 0, 0, 0, 0, _JUMP, 12),
    _C("c.beqz", Op.BEQ, 0xE003, 0xC001, _BOTH, 0, 0, _RD_SHORT, 0, _BRANCH, 9),
    _C("c.bnez", Op.BNE, 0xE003, 0xE001, _BOTH, 0, 0, _RD_SHORT, 0, _BRANCH, 9),
    _C("c.slli", Op.SLLI, 0xF003, 0x0002, _RV32, 0, _RD, _RD, 0, _CI, 0),
    _C("c.slli", Op.SLLI, 0xE003, 0x0002, _RV64, 0, _RD, _RD, 0, _CI, 0),
    _C("c.fldsp", Op.FLD, 0xE003, 0x2002, _BOTH, 0, _RD, 2, 0, _LDSP, 0),
    _C("c.lwsp", Op.LW, 0xE003, 0x4002, _BOTH, _RD_FIELD, _RD, 2, 0, _LWSP, 0),
    _C("c.flwsp", Op.FLW, 0xE003, 0x6002, _RV32, 0, _RD, 2, 0, _LWSP, 0),
    _C("c.ldsp", Op.LD, 0xE003, 0x6002, _RV64, _RD_FIELD, _RD, 2, 0, _LDSP, 0),
    _C("c.jr", Op.JALR, 0xF07F, 0x8002, _BOTH, _RD_FIELD, 0, _RD, 0, (), 0),
    _C("c.mv", Op.ADD, 0xF003, 0x8002, _BOTH, _RS2_FIELD, _RD, 0, _RS2, (), 0),
    _C("c.ebreak", Op.EBREAK, 0xFFFF, 0x9002, _BOTH, 0, 0, 0, 0, (), 0),
    _C("c.jalr", Op.JALR, 0xF07F, 0x9002, _BOTH, _RD_FIELD, 1, _RD, 0, (), 0),
    _C("c.add", Op.ADD, 0xF003, 0x9002, _BOTH, _RS2_FIELD, _RD, _RD, _RS2, (), 0),
    _C("c.fsdsp", Op.FSD, 0xE003, 0xA002, _BOTH, 0, 0, 2, _RS2, _SDSP, 0),
    _C("c.swsp", Op.SW, 0xE003, 0xC002, _BOTH, 0, 0, 2, _RS2, _SWSP, 0),
    _C("c.fswsp", Op.FSW, 0xE003, 0xE002, _RV32, 0, 0, 2, _RS2, _SWSP, 0),
    _C("c.sdsp", Op.SD, 0xE003, 0xE002, _RV64, 0, 0, 2, _RS2, _SDSP, 0),
)
"""All forms of RV32C and RV64C. Hints (such as c.li with rd = x0) are that operation, without effect."""
# fmt: on


class Expansion(NamedTuple):
    """Operation and operands of all 65,536 parcels, by parcel; ILLEGAL where its low bits are 11."""

    op: npt.NDArray[np.int16]
    rd: npt.NDArray[np.uint8]
    rs1: npt.NDArray[np.uint8]
    rs2: npt.NDArray[np.uint8]
    imm: npt.NDArray[np.int64]


@lru_cache(maxsize=2)
def expansion(xlen: int) -> Expansion:
    """Return the table of all parcels in RV32C or RV64C; the caller must not change it."""
    parcels = np.arange(1 << 16, dtype=np.int64)
    table = Expansion(
        op=np.zeros(parcels.size, np.int16),
        rd=np.zeros(parcels.size, np.uint8),
        rs1=np.zeros(parcels.size, np.uint8),
        rs2=np.zeros(parcels.size, np.uint8),
        imm=np.zeros(parcels.size, np.int64),
    )
    for form in COMPRESSED_FORMS:
        if xlen not in form.xlens:
            continue
        matches = (parcels & form.mask) == form.match
        if form.nonzero:
            matches &= (parcels & form.nonzero) != 0
        words = parcels[matches]
        table.op[matches] = form.op
        table.rd[matches] = _register(words, form.rd)
        table.rs1[matches] = _register(words, form.rs1)
        table.rs2[matches] = _register(words, form.rs2)
        table.imm[matches] = gather(words, form.pieces, form.signed_width)
    return table


def _register(words: Words, field: str | int) -> Words | int:
    """Return the register numbers that ``field`` names."""
    match field:
        case int():
            return field
        case "rd":
            return bits(words, 11, 7)
        case "rs2":
            return bits(words, 6, 2)
        case "rd'":
            return bits(words, 9, 7) + 8
        case _:
            return bits(words, 4, 2) + 8
