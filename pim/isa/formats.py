"""Shape of one row of the encoding table: fixed bits, immediate layout, operands."""

from enum import IntEnum
from typing import NamedTuple

from pim.isa.ops import Op, OpClass


class Format(IntEnum):
    """Layout of the immediate (unprivileged specification, "Immediate Encoding Variants")."""

    NONE = 0
    R = 1
    R4 = 2
    I = 3  # noqa: E741 - the specification's name
    SHIFT = 4
    S = 5
    B = 6
    U = 7
    J = 8
    AMO = 9
    CSR = 10
    FENCE = 11


class RegisterFile(IntEnum):
    """Which registers an operand field names."""

    NONE = 0
    INTEGER = 1
    FLOAT = 2


class Encoding(NamedTuple):
    """One 32-bit instruction.

    Attributes
    ----------
    mask, match : int
        A word ``w`` is this instruction if ``w & mask == match``; aq, rl and ignored bits are left out.
    extension : str
        Extension that brings it: a letter of IMAFD, ``zicsr`` or ``zifencei``.
    min_xlen : int
        32: in RV32 and RV64; 64: in RV64 only.
    syntax : str
        Operands in assembler order, one character each. Integer registers ``d s t`` (rd, rs1, rs2),
        floating-point registers ``D S T R`` (rd, rs1, rs2, rs3), ``j`` immediate, ``>`` shift amount,
        ``u`` upper immediate, ``o`` offset, ``p`` branch target, ``m`` rounding mode, ``E`` CSR,
        ``Z`` 5-bit immediate in rs1, ``P`` fence sets.
    """

    op: Op
    mask: int
    match: int
    format: Format
    op_class: OpClass
    extension: str
    min_xlen: int
    syntax: str

    def mask_for(self, xlen: int) -> int:
        """Return the mask for RV32 or RV64: bit 25 is part of RV64's shift amounts and 0 in RV32's."""
        return self.mask | 1 << 25 if self.format is Format.SHIFT and xlen == 32 else self.mask

    @property
    def register_files(self) -> tuple[RegisterFile, RegisterFile, RegisterFile, RegisterFile]:
        """Register files of rd, rs1, rs2 and rs3; NONE where the instruction has no such operand."""
        return (
            self._register_file("d", "D"),
            self._register_file("s", "S"),
            self._register_file("t", "T"),
            self._register_file(None, "R"),
        )

    def _register_file(self, integer: str | None, floating: str) -> RegisterFile:
        if floating in self.syntax:
            return RegisterFile.FLOAT
        return RegisterFile.INTEGER if integer is not None and integer in self.syntax else RegisterFile.NONE
