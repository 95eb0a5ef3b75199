"""The table of encodings, and what is read from it by operation number.

This is the only source of encodings: decoder, disassembler and timing classes all come from here. Compressed
instructions are forms of these operations, see `pim.isa.compressed`.
"""

import numpy as np

from pim.isa.formats import Encoding, Format, RegisterFile
from pim.isa.ops import Op, OpClass
from pim.isa.table_float import FLOAT_ENCODINGS
from pim.isa.table_integer import INTEGER_ENCODINGS

__all__ = ["ENCODINGS", "FORMATS", "OP_CLASSES", "REGISTER_FILES", "Encoding", "Format", "RegisterFile"]

ENCODINGS: dict[Op, Encoding] = {row.op: row for row in sorted(INTEGER_ENCODINGS + FLOAT_ENCODINGS)}
"""Every operation but ILLEGAL, by number."""

OP_CLASSES = np.array([OpClass.ILLEGAL, *(row.op_class for row in ENCODINGS.values())], np.uint8)
"""Class of each operation, uint8, indexed by `Op`."""

FORMATS = np.array([Format.NONE, *(row.format for row in ENCODINGS.values())], np.uint8)
"""Immediate layout of each operation, uint8, indexed by `Op`."""

REGISTER_FILES = np.array([[RegisterFile.NONE] * 4, *(row.register_files for row in ENCODINGS.values())], np.uint8)
"""Register file of rd, rs1, rs2, rs3 (columns) of each operation (rows), uint8; see `RegisterFile`."""
