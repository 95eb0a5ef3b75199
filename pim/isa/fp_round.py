"""Numbers taken apart and put together: from bits to exponent and significand, and back with one rounding.

A significand is an int64 with its leading bit at `LEADING`, so that value = significand * 2**(exponent - LEADING). Its
lowest bit also stands for anything non-zero below it ("sticky"), which is all that rounding needs to know of it.
"""

from pim.isa.alu import bit_length
from pim.isa.fp_format import NX, OF, UF, Precision, RoundingMode
from pim.jit import kernel

LEADING = 61
"""Place of a significand's leading bit: two bits below the sign, so that a rounding increment does not overflow."""


@kernel
def unpack(magnitude: int, f: Precision) -> tuple[int, int]:
    """Return exponent and significand of a positive finite number; infinity gets the exponent above the largest."""
    exponent = magnitude >> f.fraction_bits
    fraction = magnitude & ((1 << f.fraction_bits) - 1)
    if exponent == 0:
        length = bit_length(fraction)
        return length - f.fraction_bits - f.bias, fraction << (LEADING + 1 - length)
    return exponent - f.bias, (fraction | 1 << f.fraction_bits) << (LEADING - f.fraction_bits)


@kernel
def shift_right(significand: int, n: int) -> int:
    """Return a significand divided by 2**n; what falls off sticks to the lowest bit."""
    if n > LEADING:
        return 1
    lost = significand & ((1 << n) - 1)
    return significand >> n | (1 if lost else 0)


@kernel
def round_off(significand: int, discarded: int, is_negative: bool, mode: int) -> tuple[int, int, bool]:
    """Return a significand without its last ``discarded`` bits, the increment before cutting, whether it is inexact."""
    increment = 0
    if mode in (RoundingMode.RNE, RoundingMode.RMM):
        increment = 1 << discarded >> 1
    elif (mode == RoundingMode.RUP and not is_negative) or (mode == RoundingMode.RDN and is_negative):
        increment = (1 << discarded) - 1
    rest = significand & ((1 << discarded) - 1)
    steps = (significand + increment) >> discarded
    if mode == RoundingMode.RNE and rest == increment:
        steps &= -2
    return steps, increment, rest != 0


@kernel
def pack(is_negative: bool, exponent: int, significand: int, mode: int, f: Precision) -> tuple[int, int]:
    """Return the bits of a non-zero number after rounding, and flags."""
    discarded = LEADING - f.fraction_bits
    steps, increment, is_inexact = round_off(significand, discarded, is_negative, mode)
    field = exponent + f.bias
    flags = 0
    if field <= 0:
        # Tiny after rounding as if the exponent had no end: all below half the smallest normal number, and what does
        # not round up to it.
        is_tiny = field < 0 or significand + increment < 1 << (LEADING + 1)
        steps, increment, is_inexact = round_off(shift_right(significand, 1 - field), discarded, is_negative, mode)
        field = 1
        if is_tiny and is_inexact:
            flags |= UF
    # The leading bit adds 1 to the exponent field; so does a carry.
    magnitude = ((field - 1) << f.fraction_bits) + steps
    if is_inexact:
        flags |= NX
    if exponent > f.bias or magnitude >= f.infinity:
        magnitude = f.infinity if increment else f.infinity - 1
        flags = OF | NX
    return magnitude | f.sign if is_negative else magnitude, flags
