"""One instruction at a time, as a kernel: for programs that write or load code while they run.

It reads the same tables as `pim.isa.decode`, which does whole texts at once, and gives the same fields.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from pim.isa.compressed import expansion
from pim.isa.decode import RESERVED_RM, field_table
from pim.isa.encoding import ENCODINGS, FORMATS
from pim.isa.extensions import parse_extensions
from pim.isa.fields import piece_table
from pim.isa.ops import Op
from pim.jit import kernel

_LOWEST_RESERVED_RM, _HIGHEST_RESERVED_RM = RESERVED_RM


class DecodeTables(NamedTuple):
    """Encodings that one core has; all arrays are int64."""

    mask: Any  # one per 32-bit instruction
    match: Any
    op: Any  # same order
    format: Any  # by Op
    fields: Any  # (n_ops, 5): has rd, rs1 (or an immediate in its place), rs2, rs3, rm
    pieces: Any  # (n_formats, 4, 3): high bit, low bit, place in the value
    n_pieces: Any  # by Format
    signed_width: Any  # by Format
    short_op: Any  # by 16-bit parcel
    short_rd: Any
    short_rs1: Any
    short_rs2: Any
    short_imm: Any


class Fields(NamedTuple):
    """One decoded instruction; the fields are those of `pim.isa.decode.Decoded`."""

    op: int
    rd: int
    rs1: int
    rs2: int
    rs3: int
    rm: int
    imm: int
    size: int


@lru_cache(maxsize=8)
def decode_tables(xlen: int, extensions: str) -> DecodeTables:
    """Return the tables of a core, which must not be changed; arguments as of `pim.isa.decode.decode_text`."""
    available = parse_extensions(extensions, xlen)
    rows = [row for row in ENCODINGS.values() if row.extension in available and row.min_xlen <= xlen]
    has_op = np.zeros(len(ENCODINGS) + 1, bool)
    has_op[[row.op for row in rows]] = "c" in available
    short = expansion(xlen)
    columns = (
        [row.mask_for(xlen) for row in rows],
        [row.match for row in rows],
        [row.op for row in rows],
        FORMATS,
        field_table(),
        *piece_table(),
        np.where(has_op[short.op], short.op, np.int16(Op.ILLEGAL)),
        *short[1:],
    )
    return DecodeTables(*(np.array(column, np.int64) for column in columns))


@kernel
def decode_word(word: int, tables: DecodeTables) -> Fields:
    """Return the instruction in ``word``, 32 bits without a sign; only its low 16 count if it is a compressed one."""
    if word & 3 != 3:
        parcel = word & 0xFFFF
        op = tables.short_op[parcel]
        if op == Op.ILLEGAL:
            return Fields(Op.ILLEGAL.value, 0, 0, 0, 0, 0, parcel, 2)
        rd, rs1, rs2 = tables.short_rd[parcel], tables.short_rs1[parcel], tables.short_rs2[parcel]
        return Fields(op, rd, rs1, rs2, 0, 0, tables.short_imm[parcel], 2)
    for row in range(len(tables.mask)):
        if word & tables.mask[row] == tables.match[row]:
            return long_fields(word, tables.op[row], tables)
    return Fields(Op.ILLEGAL.value, 0, 0, 0, 0, 0, word, 4)


@kernel
def long_fields(word: int, op: int, tables: DecodeTables) -> Fields:
    """Return the fields of a 32-bit instruction; ILLEGAL if it names a reserved rounding mode."""
    rm = field(word, op, 4, 12, tables) & 7
    if _LOWEST_RESERVED_RM <= rm <= _HIGHEST_RESERVED_RM:
        return Fields(Op.ILLEGAL.value, 0, 0, 0, 0, 0, word, 4)
    rd, rs1 = field(word, op, 0, 7, tables), field(word, op, 1, 15, tables)
    rs2, rs3 = field(word, op, 2, 20, tables), field(word, op, 3, 27, tables)
    return Fields(op, rd, rs1, rs2, rs3, rm, immediate(word, tables.format[op], tables), 4)


@kernel
def field(word: int, op: int, column: int, low: int, tables: DecodeTables) -> int:
    """Return the 5-bit field at bit ``low``, 0 if the operation has no such field."""
    return (word >> low) & 31 if tables.fields[op, column] else 0


@kernel
def immediate(word: int, layout: int, tables: DecodeTables) -> int:
    """Return the immediate of a word of format ``layout``, 0 if it has none."""
    value = 0
    for i in range(tables.n_pieces[layout]):
        high, low, place = tables.pieces[layout, i]
        value |= ((word >> low) & ((1 << (high - low + 1)) - 1)) << place
    width = tables.signed_width[layout]
    if width:
        sign = 1 << (width - 1)
        value = (value ^ sign) - sign
    return int(value)
