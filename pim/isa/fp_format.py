"""The two floating-point formats, the rounding modes and the exception flags, as kernels take them.

Kernels work on *bits*: a double is the int64 of its 64 bits, a single the int64 0 to 2**32 - 1 of its 32 bits. Both go
through the same code, which a `Precision` tells where sign, exponent and fraction are. How a single lies in a register
is for `pim.isa.fp_bits`.

References
----------
IEEE 754-2019, table 3.5; The RISC-V Instruction Set Manual, volume I (unprivileged), chapter "F" Extension, tables
"Rounding mode encoding" and "Accrued exception flag encoding", section "NaN Generation and Propagation".
"""

from enum import IntEnum
from typing import NamedTuple


class RoundingMode(IntEnum):
    """The rm field of an instruction and the frm register."""

    RNE = 0  # to nearest, halves to even
    RTZ = 1  # towards zero
    RDN = 2  # down
    RUP = 3  # up
    RMM = 4  # to nearest, halves away from zero
    DYNAMIC = 7  # as frm says


NX, UF, OF, DZ, NV = 1, 2, 4, 8, 16
"""Exceptions, as bits of fflags: inexact, underflow (tiny after rounding and inexact), overflow, division by zero,
invalid operation.
"""


class Precision(NamedTuple):
    """One binary interchange format; the last three are bits."""

    fraction_bits: int
    bias: int  # of the exponent field; also the largest exponent
    sign: int  # the sign bit
    infinity: int  # all exponent bits: the largest magnitude that is no NaN
    nan: int  # the canonical NaN, which every operation returns whatever NaN it got


SINGLE = Precision(23, 127, 1 << 31, 0x7F80_0000, 0x7FC0_0000)
DOUBLE = Precision(52, 1023, -1 << 63, 0x7FF0_0000_0000_0000, 0x7FF8_0000_0000_0000)
