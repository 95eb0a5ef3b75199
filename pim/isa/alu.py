"""Integer operations that differ from Python's on int64: widths, shifts, unsigned comparison.

Registers are int64; a value of 32 bits is kept sign-extended, in RV32 as in RV64's W operations. Additions and logic
need nothing beyond the operator (they wrap in a kernel). As plain Python the arguments are ints in the range of int64.
"""

import numpy as np

from pim.jit import kernel

LOW_WORD = 0xFFFFFFFF
"""Mask of the low 32 bits."""


@kernel
def sext32(value: int) -> int:
    """Return the low 32 bits, sign-extended."""
    return int(np.int64(np.int32(np.int64(value))))


@kernel
def zext32(value: int) -> int:
    """Return the low 32 bits, zero-extended."""
    return int(np.int64(value) & np.int64(LOW_WORD))


@kernel
def srl(value: int, shift: int) -> int:
    """Return ``value`` shifted right by the low 6 bits of ``shift``, zeros entering."""
    return int(np.int64(np.uint64(np.int64(value)) >> np.uint64(np.int64(shift) & np.int64(63))))


@kernel
def sllw(value: int, shift: int) -> int:
    """Return the low 32 bits shifted left by the low 5 bits of ``shift``, sign-extended."""
    return sext32(int(np.int64(value) << (np.int64(shift) & np.int64(31))))


@kernel
def srlw(value: int, shift: int) -> int:
    """Return the low 32 bits shifted right by the low 5 bits of ``shift``, zeros entering, sign-extended."""
    return sext32(zext32(value) >> int(np.int64(shift) & np.int64(31)))


@kernel
def sraw(value: int, shift: int) -> int:
    """Return the low 32 bits shifted right by the low 5 bits of ``shift``, the sign entering."""
    return sext32(value) >> int(np.int64(shift) & np.int64(31))


@kernel
def ltu(left: int, right: int) -> bool:
    """Return whether ``left`` is below ``right``, both unsigned; also right for sign-extended 32-bit values."""
    return bool(np.uint64(np.int64(left)) < np.uint64(np.int64(right)))
