"""Floating-point registers as bit patterns: NaN boxing, canonical NaN, signs and classes.

A floating-point register is an int64 that holds the 64 bits; a single-precision value has all ones above it (NaN
boxing). Kernels here and in `pim.isa.fpu` and `pim.isa.fp_convert` take and return such registers; names end in ``_d``
for double and ``_s`` for single precision, as in the mnemonics.

References
----------
The RISC-V Instruction Set Manual, volume I (unprivileged), chapter "D" Extension, section "NaN Boxing of Narrower
Values"; chapter "F" Extension, sections "NaN Generation and Propagation" and "Single-Precision Floating-Point Classify
Instruction".
"""

import numpy as np

from pim.isa.alu import LOW_WORD, sext32
from pim.jit import kernel

CANONICAL_NAN_D = 0x7FF8_0000_0000_0000
CANONICAL_NAN_S = 0x7FC0_0000
"""The quiet NaN that every operation returns, whatever NaN it got."""

_BOX = -1 << 32
_SIGN_D = -1 << 63
_SIGN_S = 1 << 31
_CLASS_INFINITE, _CLASS_NORMAL, _CLASS_SUBNORMAL, _CLASS_ZERO = 0, 1, 2, 3
"""Bit of each class for a negative number; for a positive one it is 7 minus that."""
_CLASS_SIGNALING_NAN, _CLASS_QUIET_NAN = 1 << 8, 1 << 9


@kernel
def box(low_word: int) -> int:
    """Return a register that holds the single-precision bits ``low_word``; higher bits are ignored (flw, fmv.w.x)."""
    return int((np.int64(low_word) & np.int64(LOW_WORD)) | np.int64(_BOX))


@kernel
def unbox(register: int) -> int:
    """Return the single-precision bits, 0 to 2**32 - 1, of a register; the canonical NaN if it is not boxed."""
    if np.int64(register) >> 32 != -1:
        return CANONICAL_NAN_S
    return int(np.int64(register) & np.int64(LOW_WORD))


@kernel
def value_d(register: int) -> float:
    """Return the number in a double-precision register."""
    return np.int64(register).view(np.float64)


@kernel
def value_s(register: int) -> np.float32:
    """Return the number in a single-precision register, NaN if it is not boxed."""
    return np.int32(np.int64(unbox(register))).view(np.float32)


@kernel
def register_d(value: float) -> int:
    """Return the register for a double-precision result; every NaN becomes the canonical one."""
    if value != value:  # noqa: PLR0124 - NaN
        return CANONICAL_NAN_D
    return int(np.float64(value).view(np.int64))


@kernel
def register_s(value: np.float32) -> int:
    """Return the register for a single-precision result; every NaN becomes the canonical one."""
    if value != value:  # noqa: PLR0124 - NaN
        return box(CANONICAL_NAN_S)
    return box(int(np.int64(np.float32(value).view(np.int32))))


@kernel
def fsgnj_d(left: int, right: int) -> int:
    """Return ``left`` with the sign of ``right``."""
    return int((np.int64(left) & ~np.int64(_SIGN_D)) | (np.int64(right) & np.int64(_SIGN_D)))


@kernel
def fsgnjn_d(left: int, right: int) -> int:
    """Return ``left`` with the opposite of the sign of ``right``."""
    return fsgnj_d(left, int(~np.int64(right)))


@kernel
def fsgnjx_d(left: int, right: int) -> int:
    """Return ``left`` with its sign flipped if ``right`` is negative."""
    return int(np.int64(left) ^ (np.int64(right) & np.int64(_SIGN_D)))


@kernel
def fsgnj_s(left: int, right: int) -> int:
    """Return ``left`` with the sign of ``right``."""
    return box((unbox(left) & ~_SIGN_S) | (unbox(right) & _SIGN_S))


@kernel
def fsgnjn_s(left: int, right: int) -> int:
    """Return ``left`` with the opposite of the sign of ``right``."""
    return box((unbox(left) & ~_SIGN_S) | (~unbox(right) & _SIGN_S))


@kernel
def fsgnjx_s(left: int, right: int) -> int:
    """Return ``left`` with its sign flipped if ``right`` is negative."""
    return box(unbox(left) ^ (unbox(right) & _SIGN_S))


@kernel
def fmv_x_w(register: int) -> int:
    """Return the low 32 bits of a register, sign-extended, boxed or not."""
    return sext32(register)


@kernel
def fclass_d(register: int) -> int:
    """Return the class of a double as fclass.d shows it: one bit of ten."""
    return classify(register < 0, int(np.int64(register) & ~np.int64(_SIGN_D)), 52, 2047)


@kernel
def fclass_s(register: int) -> int:
    """Return the class of a single as fclass.s shows it: one bit of ten."""
    bits = unbox(register)
    return classify(bits >= _SIGN_S, bits & ~_SIGN_S, 23, 255)


@kernel
def classify(is_negative: bool, magnitude: int, fraction_bits: int, top_exponent: int) -> int:
    """Return the class bit of a number given by its sign and the bits below the sign."""
    exponent = magnitude >> fraction_bits
    fraction = magnitude & ((1 << fraction_bits) - 1)
    if exponent == top_exponent and fraction != 0:
        return _CLASS_QUIET_NAN if fraction >> (fraction_bits - 1) else _CLASS_SIGNALING_NAN
    if exponent == top_exponent:
        kind = _CLASS_INFINITE
    elif exponent != 0:
        kind = _CLASS_NORMAL
    else:
        kind = _CLASS_SUBNORMAL if fraction != 0 else _CLASS_ZERO
    return 1 << kind if is_negative else 1 << (7 - kind)
