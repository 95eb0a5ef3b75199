"""Conversions between floating point and integers, and between precisions, on registers as in `pim.isa.fp_bits`.

Towards integers every rounding mode is honoured; towards floating point the result is rounded to nearest even, whatever
mode the instruction asks for. No exception flags are raised. A dynamic rounding mode is for the caller to look up.

References
----------
The RISC-V Instruction Set Manual, volume I (unprivileged), chapter "F" Extension, tables "Rounding mode encoding" and
"Domains of float-to-integer conversions and behavior for invalid inputs".
"""

from enum import IntEnum

import numpy as np

from pim.isa.alu import sext32, zext32
from pim.isa.fp_bits import register_d, register_s, value_d, value_s
from pim.jit import kernel


class RoundingMode(IntEnum):
    """The rm field of an instruction and the frm register."""

    RNE = 0  # to nearest, halves to even
    RTZ = 1  # towards zero
    RDN = 2  # down
    RUP = 3  # up
    RMM = 4  # to nearest, halves away from zero
    DYNAMIC = 7  # as frm says


@kernel
def round_to_integral(value: float, rounding_mode: int) -> float:
    """Return ``value`` rounded to an integral number; NaN and infinities stay."""
    if rounding_mode == RoundingMode.RTZ:
        return float(np.trunc(value))
    if rounding_mode == RoundingMode.RDN:
        return float(np.floor(value))
    if rounding_mode == RoundingMode.RUP:
        return float(np.ceil(value))
    if rounding_mode == RoundingMode.RMM:
        whole = float(np.trunc(value))
        return whole + float(np.copysign(1.0, value)) if abs(value - whole) >= 0.5 else whole
    return float(np.rint(value))


@kernel
def to_int64(value: float, rounding_mode: int) -> int:
    """Return the nearest int64; the largest for NaN."""
    rounded = round_to_integral(value, rounding_mode)
    if rounded < -(2.0**63):
        return -(1 << 63)
    if rounded < 2.0**63:
        return int(np.int64(rounded))
    return (1 << 63) - 1


@kernel
def to_uint64(value: float, rounding_mode: int) -> int:
    """Return the bits of the nearest uint64; the largest for NaN."""
    rounded = round_to_integral(value, rounding_mode)
    if rounded < 2.0**63:
        return int(np.int64(rounded)) if rounded > 0.0 else 0
    if rounded < 2.0**64:
        return int(np.int64(rounded - 2.0**63) ^ np.int64(-(1 << 63)))
    return -1


@kernel
def to_int32(value: float, rounding_mode: int) -> int:
    """Return the nearest 32-bit signed number; the largest for NaN."""
    return min(max(to_int64(value, rounding_mode), -(1 << 31)), (1 << 31) - 1)


@kernel
def to_uint32(value: float, rounding_mode: int) -> int:
    """Return the nearest 32-bit unsigned number, sign-extended as registers are; the largest for NaN."""
    return sext32(min(max(to_int64(value, rounding_mode), 0), (1 << 32) - 1))


@kernel
def fcvt_w_d(register: int, rounding_mode: int) -> int:
    """Return a double as a signed 32-bit number."""
    return to_int32(value_d(register), rounding_mode)


@kernel
def fcvt_w_s(register: int, rounding_mode: int) -> int:
    """Return a single as a signed 32-bit number."""
    return to_int32(np.float64(value_s(register)), rounding_mode)


@kernel
def fcvt_wu_d(register: int, rounding_mode: int) -> int:
    """Return a double as an unsigned 32-bit number, sign-extended."""
    return to_uint32(value_d(register), rounding_mode)


@kernel
def fcvt_wu_s(register: int, rounding_mode: int) -> int:
    """Return a single as an unsigned 32-bit number, sign-extended."""
    return to_uint32(np.float64(value_s(register)), rounding_mode)


@kernel
def fcvt_l_d(register: int, rounding_mode: int) -> int:
    """Return a double as a signed 64-bit number."""
    return to_int64(value_d(register), rounding_mode)


@kernel
def fcvt_l_s(register: int, rounding_mode: int) -> int:
    """Return a single as a signed 64-bit number."""
    return to_int64(np.float64(value_s(register)), rounding_mode)


@kernel
def fcvt_lu_d(register: int, rounding_mode: int) -> int:
    """Return a double as an unsigned 64-bit number."""
    return to_uint64(value_d(register), rounding_mode)


@kernel
def fcvt_lu_s(register: int, rounding_mode: int) -> int:
    """Return a single as an unsigned 64-bit number."""
    return to_uint64(np.float64(value_s(register)), rounding_mode)


@kernel
def fcvt_d_w(value: int) -> int:
    """Return a signed 32-bit number as a double."""
    return register_d(np.float64(np.int64(sext32(value))))


@kernel
def fcvt_s_w(value: int) -> int:
    """Return a signed 32-bit number as a single."""
    return register_s(np.float32(np.int64(sext32(value))))


@kernel
def fcvt_d_wu(value: int) -> int:
    """Return an unsigned 32-bit number as a double."""
    return register_d(np.float64(np.int64(zext32(value))))


@kernel
def fcvt_s_wu(value: int) -> int:
    """Return an unsigned 32-bit number as a single."""
    return register_s(np.float32(np.int64(zext32(value))))


@kernel
def fcvt_d_l(value: int) -> int:
    """Return a signed 64-bit number as a double."""
    return register_d(np.float64(np.int64(value)))


@kernel
def fcvt_s_l(value: int) -> int:
    """Return a signed 64-bit number as a single."""
    return register_s(np.float32(np.int64(value)))


@kernel
def fcvt_d_lu(value: int) -> int:
    """Return an unsigned 64-bit number as a double."""
    return register_d(np.float64(np.uint64(np.int64(value))))


@kernel
def fcvt_s_lu(value: int) -> int:
    """Return an unsigned 64-bit number as a single."""
    return register_s(np.float32(np.uint64(np.int64(value))))


@kernel
def fcvt_s_d(register: int) -> int:
    """Return a double as a single."""
    return register_s(np.float32(value_d(register)))


@kernel
def fcvt_d_s(register: int) -> int:
    """Return a single as a double."""
    return register_d(np.float64(value_s(register)))
