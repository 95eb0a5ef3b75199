"""Integer operations that differ from Python's on int64: widths, shifts, unsigned comparison.

Registers are int64; a value of 32 bits is kept sign-extended, in RV32 as in RV64's W operations. Additions and logic
need nothing beyond the operator (they wrap in a kernel). As plain Python the arguments are ints in the range of int64.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.extending import intrinsic, overload

from pim.jit import inlined_kernel, kernel

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
def low_bytes(value: int, n_bytes: int) -> int:
    """Return the low 1 to 8 bytes, zero-extended; 8 are all of it."""
    return int(np.int64(value) & ((np.int64(1) << np.int64(8 * n_bytes)) - np.int64(1))) if n_bytes < 8 else value


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


def bit_length(value: int) -> int:
    """Return how many bits ``value`` takes as an unsigned number, without leading zeros; a kernel counts with LLVM."""
    return (int(value) & (1 << 64) - 1).bit_length()


@intrinsic  # type: ignore[untyped-decorator]
def _llvm_bit_length(_typing: Any, value: Any) -> Any:
    """Return 64 minus LLVM's count of leading zeros of an int64."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        zero_is_undefined = ir.Constant(ir.IntType(1), 0)
        zeros = builder.ctlz(arguments[0], zero_is_undefined)
        return builder.sub(ir.Constant(zeros.type, 64), zeros)

    return value(value), generate


@overload(bit_length)  # type: ignore[untyped-decorator]
def _overload_bit_length(value: Any) -> Any:
    """Let kernels call `bit_length`."""

    def call(value: Any) -> Any:
        return _llvm_bit_length(value)

    return call


@inlined_kernel
def lowest_bit(mask: int) -> int:
    """Return the number of the lowest bit that is 1; there is one."""
    return int(bit_length(mask & -mask) - 1)
