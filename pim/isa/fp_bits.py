"""Floating-point numbers as bits: NaN boxing in registers, kinds of numbers, order, sign injection.

Bits and `Precision` are those of `pim.isa.fp_format`. A register is an int64 that holds a double's bits, or a single's
with all ones above (NaN boxing).

References
----------
The RISC-V Instruction Set Manual, volume I (unprivileged), chapter "D" Extension, section "NaN Boxing of Narrower
Values"; chapter "F" Extension, sections "Single-Precision Floating-Point Compare Instructions" and "Classify".
IEEE 754-2019 (minimumNumber and maximumNumber, 9.6).
"""

import numpy as np

from pim.isa.alu import LOW_WORD
from pim.isa.fp_format import NV, SINGLE, Precision
from pim.jit import kernel

_BOX = -1 << 32
_CLASS_INFINITE, _CLASS_NORMAL, _CLASS_SUBNORMAL, _CLASS_ZERO = 0, 1, 2, 3
"""Bit of each class for a negative number; for a positive one it is 7 minus that."""
_CLASS_SIGNALING_NAN, _CLASS_QUIET_NAN = 1 << 8, 1 << 9


@kernel
def box(low_word: int) -> int:
    """Return a register that holds the single-precision bits ``low_word``; higher bits are ignored (flw, fmv.w.x)."""
    return int((np.int64(low_word) & np.int64(LOW_WORD)) | np.int64(_BOX))


@kernel
def unbox(register: int) -> int:
    """Return the single-precision bits of a register; the canonical NaN if it is not boxed."""
    if np.int64(register) >> 32 != -1:
        return SINGLE.nan
    return int(np.int64(register) & np.int64(LOW_WORD))


@kernel
def is_nan(bits: int, f: Precision) -> bool:
    """Tell whether a number is a NaN."""
    return bits & ~f.sign > f.infinity


@kernel
def is_signaling(bits: int, f: Precision) -> bool:
    """Tell whether a number is a signaling NaN: its first fraction bit is 0."""
    return is_nan(bits, f) and bits & f.nan != f.nan


@kernel
def with_sign(magnitude: int, is_negative: bool, f: Precision) -> int:
    """Return the bits of a number whose sign bit is 0, negated if ``is_negative``."""
    return magnitude | f.sign if is_negative else magnitude


@kernel
def signed_order(bits: int, f: Precision) -> int:
    """Return an integer that orders numbers as their values do; both zeros give 0."""
    magnitude = bits & ~f.sign
    return -magnitude if bits & f.sign else magnitude


@kernel
def equal(a: int, b: int, f: Precision) -> tuple[int, int]:
    """Return 1 if two numbers are equal, else 0, also for NaN; and flags: only a signaling NaN is invalid."""
    if is_nan(a, f) or is_nan(b, f):
        return 0, NV if is_signaling(a, f) or is_signaling(b, f) else 0
    return 1 if signed_order(a, f) == signed_order(b, f) else 0, 0


@kernel
def less(a: int, b: int, f: Precision) -> tuple[int, int]:
    """Return 1 if ``a`` is below ``b``, else 0, also for NaN; and flags: any NaN is invalid."""
    if is_nan(a, f) or is_nan(b, f):
        return 0, NV
    return 1 if signed_order(a, f) < signed_order(b, f) else 0, 0


@kernel
def less_or_equal(a: int, b: int, f: Precision) -> tuple[int, int]:
    """Return 1 if ``a`` is at most ``b``, else 0, also for NaN; and flags: any NaN is invalid."""
    if is_nan(a, f) or is_nan(b, f):
        return 0, NV
    return 1 if signed_order(a, f) <= signed_order(b, f) else 0, 0


@kernel
def extreme(a: int, b: int, is_maximum: bool, f: Precision) -> tuple[int, int]:
    """Return the smaller or larger number, -0 below +0, and flags: only a signaling NaN is invalid.

    Of a number and a NaN it is the number, of two NaNs the canonical one.
    """
    flags = NV if is_signaling(a, f) or is_signaling(b, f) else 0
    if is_nan(a, f):
        return f.nan if is_nan(b, f) else b, flags
    if is_nan(b, f):
        return a, flags
    a_comes_first = signed_order(a, f) < signed_order(b, f) or (
        signed_order(a, f) == signed_order(b, f) and a & f.sign != 0
    )
    return a if a_comes_first != is_maximum else b, flags


@kernel
def classify(bits: int, f: Precision) -> int:
    """Return the class of a number as fclass shows it: one bit of ten."""
    magnitude = bits & ~f.sign
    if magnitude > f.infinity:
        return _CLASS_SIGNALING_NAN if is_signaling(bits, f) else _CLASS_QUIET_NAN
    if magnitude == f.infinity:
        kind = _CLASS_INFINITE
    elif magnitude >> f.fraction_bits:
        kind = _CLASS_NORMAL
    else:
        kind = _CLASS_SUBNORMAL if magnitude else _CLASS_ZERO
    return 1 << kind if bits & f.sign else 1 << (7 - kind)
