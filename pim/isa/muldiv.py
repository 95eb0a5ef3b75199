"""The M extension's operations on int64, with the manual's results for division by zero and overflow.

``mul`` is the operator, ``mulw`` its `sext32`. Functions ending in ``w`` are RV64's W operations and at the same time
RV32's ``div``, ``divu``, ``rem`` and ``remu``; those ending in ``32`` are RV32's upper products.

References
----------
The RISC-V Instruction Set Manual, volume I (unprivileged), chapter "M" Extension for Integer Multiplication and
Division, table "Semantics for division by zero and division overflow".
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from pim.isa.alu import sext32, zext32
from pim.jit import kernel


def mulhu(left: int, right: int) -> int:
    """Return the upper 64 bits of the product of two unsigned numbers; a kernel has the processor's instruction."""
    mask = (1 << 64) - 1
    upper = (int(left) & mask) * (int(right) & mask) >> 64
    return upper - (upper >> 63 << 64)


@intrinsic  # type: ignore[untyped-decorator]
def _llvm_mulhu(_typing: Any, left: Any, right: Any) -> Any:
    """Return the upper half of LLVM's product of 128 bits."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        both, half = ir.IntType(128), ir.IntType(64)
        product = builder.mul(*(builder.zext(argument, both) for argument in arguments))
        return builder.trunc(builder.lshr(product, ir.Constant(both, 64)), half)

    return types.int64(types.int64, types.int64), generate


@overload(mulhu)  # type: ignore[untyped-decorator]
def _overload_mulhu(left: Any, right: Any) -> Any:
    """Let kernels call `mulhu`."""

    def call(left: Any, right: Any) -> Any:
        return _llvm_mulhu(left, right)

    return call


@kernel
def mulh(left: int, right: int) -> int:
    """Return the upper 64 bits of the product of two signed numbers."""
    correction = (np.int64(left) >> 63 & np.int64(right)) + (np.int64(right) >> 63 & np.int64(left))
    return int(np.int64(mulhu(left, right)) - correction)


@kernel
def mulhsu(left: int, right: int) -> int:
    """Return the upper 64 bits of the product of signed ``left`` and unsigned ``right``."""
    return int(np.int64(mulhu(left, right)) - (np.int64(left) >> 63 & np.int64(right)))


@kernel
def mulh32(left: int, right: int) -> int:
    """Return the upper 32 bits of the product of two signed 32-bit numbers, sign-extended."""
    return int(np.int64(sext32(left)) * np.int64(sext32(right)) >> 32)


@kernel
def mulhu32(left: int, right: int) -> int:
    """Return the upper 32 bits of the product of two unsigned 32-bit numbers, sign-extended."""
    return sext32(int(np.int64(np.uint64(zext32(left)) * np.uint64(zext32(right)) >> np.uint64(32))))


@kernel
def mulhsu32(left: int, right: int) -> int:
    """Return the upper 32 bits of the product of signed ``left`` and unsigned ``right``, sign-extended."""
    return int(np.int64(sext32(left)) * np.int64(zext32(right)) >> 32)


@kernel
def divu(dividend: int, divisor: int) -> int:
    """Return the unsigned quotient; all ones for division by zero."""
    if divisor == 0:
        return -1
    return int(np.int64(np.uint64(np.int64(dividend)) // np.uint64(np.int64(divisor))))


@kernel
def remu(dividend: int, divisor: int) -> int:
    """Return the unsigned remainder; the dividend for division by zero."""
    if divisor == 0:
        return dividend
    return int(np.int64(np.uint64(np.int64(dividend)) % np.uint64(np.int64(divisor))))


@kernel
def div(dividend: int, divisor: int) -> int:
    """Return the quotient rounded towards zero; -1 for division by zero, the dividend for -2**63 / -1."""
    if divisor == 0:
        return -1
    quotient = np.int64(divu(magnitude(dividend), magnitude(divisor)))
    return int(-quotient if (dividend < 0) != (divisor < 0) else quotient)


@kernel
def rem(dividend: int, divisor: int) -> int:
    """Return the remainder with the dividend's sign; the dividend for division by zero, 0 for -2**63 / -1."""
    if divisor == 0:
        return dividend
    remainder = np.int64(remu(magnitude(dividend), magnitude(divisor)))
    return int(-remainder if dividend < 0 else remainder)


@kernel
def magnitude(value: int) -> int:
    """Return the absolute value as the bits of an unsigned number: that of -2**63 is 2**63, kept as -2**63."""
    signed = np.int64(value)
    return int(-signed if signed < 0 else signed)


@kernel
def divw(dividend: int, divisor: int) -> int:
    """Return `div` of the low 32 bits, sign-extended."""
    return sext32(div(sext32(dividend), sext32(divisor)))


@kernel
def divuw(dividend: int, divisor: int) -> int:
    """Return `divu` of the low 32 bits, sign-extended."""
    return sext32(divu(zext32(dividend), zext32(divisor)))


@kernel
def remw(dividend: int, divisor: int) -> int:
    """Return `rem` of the low 32 bits, sign-extended."""
    return sext32(rem(sext32(dividend), sext32(divisor)))


@kernel
def remuw(dividend: int, divisor: int) -> int:
    """Return `remu` of the low 32 bits, sign-extended."""
    return sext32(remu(zext32(dividend), zext32(divisor)))
