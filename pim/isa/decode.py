"""Program text to a structure of arrays, once per program.

Every 2-byte parcel gets an entry, also in the middle of a 4-byte instruction, so that ``(pc - base) >> 1`` is
the index of whatever a jump can reach. Which operations exist is decided here; `pim.core` does them.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pim.isa.compressed import expansion
from pim.isa.encoding import ENCODINGS, FORMATS, OP_CLASSES, REGISTER_FILES, RegisterFile
from pim.isa.extensions import parse_extensions
from pim.isa.fields import Words, bits, immediates
from pim.isa.ops import Op

Bytes = npt.NDArray[np.uint8]

_ALL_EXTENSIONS = "imafdc_zicsr_zifencei"
_HAS_RM = np.array([False, *("m" in row.syntax for row in ENCODINGS.values())])
_HAS_RD, _HAS_RS1, _HAS_RS2, _HAS_RS3 = (REGISTER_FILES != RegisterFile.NONE).T
_KEEPS_RS1 = _HAS_RS1 | np.array([False, *("Z" in row.syntax for row in ENCODINGS.values())])
RESERVED_RM = (5, 6)
"""Rounding modes without a meaning; an instruction that names one is illegal."""


def field_table() -> npt.NDArray[np.bool_]:
    """Return which operations (rows) have rd, rs1 or an immediate in its place, rs2, rs3 and rm (columns)."""
    return np.stack([_HAS_RD, _KEEPS_RS1, _HAS_RS2, _HAS_RS3, _HAS_RM], axis=1)


class Decoded(NamedTuple):
    """Instructions of a text by parcel, all arrays of one length; operands that an operation lacks are 0.

    Attributes
    ----------
    op : int16
        `Op`; ILLEGAL also for what the configured extensions lack and for an instruction that the text's end
        cuts off.
    rd, rs1, rs2, rs3 : uint8
        Register numbers; ``encoding.REGISTER_FILES[op]`` says integer or floating point. rs1 of csrrwi,
        csrrsi and csrrci is their 5-bit immediate.
    rm : uint8
        Rounding mode: 0 RNE, 1 RTZ, 2 RDN, 3 RUP, 4 RMM, 7 dynamic.
    imm : int64
        Sign-extended immediate; shift amount; CSR number; fence sets; aq and rl (2 and 1) of atomics; for ILLEGAL
        the instruction's bits.
    size : uint8
        Bytes, 2 or 4.
    op_class : uint8
        `OpClass`.
    """

    op: npt.NDArray[np.int16]
    rd: Bytes
    rs1: Bytes
    rs2: Bytes
    rs3: Bytes
    rm: Bytes
    imm: npt.NDArray[np.int64]
    size: Bytes
    op_class: Bytes


class Instruction(NamedTuple):
    """One decoded instruction; the fields are those of `Decoded`."""

    op: Op
    rd: int
    rs1: int
    rs2: int
    rs3: int
    rm: int
    imm: int
    size: int


def decode_text(text: bytes, xlen: int, extensions: str) -> Decoded:
    """Return the instructions of ``text``, one entry per 2-byte parcel.

    Parameters
    ----------
    text : bytes
        Little-endian code; an odd last byte is left out, as no instruction can be there.
    xlen : int
        32 or 64 bits.
    extensions : str
        For example ``rv64imc``; see `extensions.parse_extensions`.

    Raises
    ------
    ConfigError
        If the extensions are unknown or do not fit ``xlen``.
    """
    available = parse_extensions(extensions, xlen)
    parcels = np.frombuffer(text, "<u2", count=len(text) // 2).astype(np.int64)
    following = np.zeros_like(parcels)
    following[:-1] = parcels[1:]
    is_long = (parcels & 3) == 3
    words = np.where(is_long, parcels | following << 16, parcels)

    op = np.zeros(len(parcels), np.int16)
    op[is_long] = _operations(words[is_long], xlen)
    if len(op) and is_long[-1]:
        op[-1] = Op.ILLEGAL
    decoded = Decoded(
        op,
        rd=_field(words, op, _HAS_RD, 7),
        rs1=_field(words, op, _KEEPS_RS1, 15),
        rs2=_field(words, op, _HAS_RS2, 20),
        rs3=_field(words, op, _HAS_RS3, 27),
        rm=np.where(_HAS_RM[op], bits(words, 14, 12), 0).astype(np.uint8),
        imm=immediates(words, FORMATS[op]),
        size=np.where(is_long, 4, 2).astype(np.uint8),
        op_class=np.empty(len(op), np.uint8),
    )
    if "c" in available:
        _fill_compressed(decoded, parcels, ~is_long, xlen)
    _remove_unavailable(decoded, words, available)
    decoded.op_class[:] = OP_CLASSES[op]
    return decoded


def decode(word: int, xlen: int, extensions: str = _ALL_EXTENSIONS) -> Instruction:
    """Return the instruction in ``word``; only its low 16 bits count if it is a compressed one."""
    one = decode_text((word & 0xFFFFFFFF).to_bytes(4, "little"), xlen, extensions)
    op, *operands = (int(column[0]) for column in one[:-1])
    return Instruction(Op(op), *operands)


def _operations(words: Words, xlen: int) -> npt.NDArray[np.int16]:
    """Return the operation of each 32-bit word, ILLEGAL where no row of the table matches."""
    op = np.zeros(len(words), np.int16)
    for row in ENCODINGS.values():
        if xlen >= row.min_xlen:
            op[(words & row.mask_for(xlen)) == row.match] = row.op
    return op


def _field(words: Words, op: npt.NDArray[np.int16], has_field: npt.NDArray[np.bool_], low: int) -> Bytes:
    """Return the 5-bit field at bit ``low``, 0 for operations without it."""
    return np.where(has_field[op], bits(words, low + 4, low), 0).astype(np.uint8)


def _fill_compressed(decoded: Decoded, parcels: Words, where: npt.NDArray[np.bool_], xlen: int) -> None:
    """Write the 16-bit instructions among ``parcels`` into ``decoded``."""
    table = expansion(xlen)
    chosen = np.flatnonzero(where)
    short = parcels[chosen]
    decoded.op[chosen] = table.op[short]
    decoded.rd[chosen] = table.rd[short]
    decoded.rs1[chosen] = table.rs1[short]
    decoded.rs2[chosen] = table.rs2[short]
    decoded.imm[chosen] = table.imm[short]


def _remove_unavailable(decoded: Decoded, words: Words, available: frozenset[str]) -> None:
    """Turn what the extensions lack, or what names a reserved rounding mode, into ILLEGAL."""
    is_available = np.array([False, *(row.extension in available for row in ENCODINGS.values())])
    gone = ~is_available[decoded.op] | np.isin(decoded.rm, RESERVED_RM)
    for column in (decoded.op, decoded.rd, decoded.rs1, decoded.rs2, decoded.rs3, decoded.rm):
        column[gone] = 0
    decoded.imm[gone] = words[gone]
