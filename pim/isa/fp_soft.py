"""Sums, products, quotients and square roots in integers: every operand, rounding mode and flag.

`pim.isa.fp_host` does the common cases faster. Products take two limbs of `LIMB` bits, high and low, of which only the
high one may be larger; the leading bit of two significands' product is at 2 * LEADING or one above.

References
----------
IEEE 754-2019, chapters 5 to 7; The RISC-V Instruction Set Manual, volume I (unprivileged), chapter "F" Extension:
infinity times zero is invalid, whatever is added.
"""

from pim.isa.alu import bit_length
from pim.isa.fp_bits import is_nan, is_signaling, with_sign
from pim.isa.fp_format import DZ, NV, Precision, RoundingMode
from pim.isa.fp_round import LEADING, pack, unpack
from pim.jit import kernel

LIMB = LEADING + 1
LIMB_MASK = (1 << LIMB) - 1
HALF = LIMB // 2
HALF_MASK = (1 << HALF) - 1
_ROOT_BITS = 56
"""Bits of a square root: a double's significand, one to round and one that sticks need 55; pairs of bits go in."""


@kernel
def multiply_add(a: int, b: int, c: int, mode: int, f: Precision) -> tuple[int, int]:
    """Return a * b + c, rounded once, and flags."""
    size_a, size_b, size_c = a & ~f.sign, b & ~f.sign, c & ~f.sign
    product_is_negative, c_is_negative = (a ^ b) & f.sign != 0, c & f.sign != 0
    if size_a >= f.infinity or size_b >= f.infinity or size_c >= f.infinity:
        return multiply_add_infinite(a, b, c, f)
    if size_a == 0 or size_b == 0:
        if size_c == 0 and product_is_negative != c_is_negative:
            return with_sign(0, mode == RoundingMode.RDN, f), 0
        return c, 0
    exponent_a, significand_a = unpack(size_a, f)
    exponent_b, significand_b = unpack(size_b, f)
    high, low = wide_product(significand_a, significand_b)
    exponent, is_negative = exponent_a + exponent_b, product_is_negative
    if size_c != 0:
        exponent_c, significand_c = unpack(size_c, f)
        high_c, low_c = significand_c >> 1, 0  # its leading bit at 2 * LEADING; its last bit is always 0
        if exponent > exponent_c:
            high_c, low_c = wide_shift_right(high_c, low_c, exponent - exponent_c)
        else:
            high, low = wide_shift_right(high, low, exponent_c - exponent)
            exponent = exponent_c
        if product_is_negative != c_is_negative:
            high_c, low_c = -high_c, -low_c
        high, low = high + high_c + ((low + low_c) >> LIMB), (low + low_c) & LIMB_MASK
        if high < 0:
            high, low = -high - (1 if low else 0), -low & LIMB_MASK
            is_negative = c_is_negative
        if high == 0 and low == 0:
            return with_sign(0, mode == RoundingMode.RDN, f), 0
    length = bit_length(high) + LIMB if high else bit_length(low)
    significand = low << (LIMB - length) if length < LIMB else wide_shift_right(high, low, length - LIMB)[1]
    return pack(is_negative, exponent + length - 1 - 2 * LEADING, significand, mode, f)


@kernel
def multiply_add_infinite(a: int, b: int, c: int, f: Precision) -> tuple[int, int]:
    """Return a * b + c, one of which is infinite or NaN, and flags."""
    size_a, size_b, size_c = a & ~f.sign, b & ~f.sign, c & ~f.sign
    is_invalid = (size_a == f.infinity and size_b == 0) or (size_a == 0 and size_b == f.infinity)
    if size_a > f.infinity or size_b > f.infinity or size_c > f.infinity:
        is_invalid = is_invalid or is_signaling(a, f) or is_signaling(b, f) or is_signaling(c, f)
        return f.nan, NV if is_invalid else 0
    if size_a < f.infinity and size_b < f.infinity:
        return c, 0
    if is_invalid or (size_c == f.infinity and (a ^ b ^ c) & f.sign != 0):
        return f.nan, NV
    return with_sign(f.infinity, (a ^ b) & f.sign != 0, f), 0


@kernel
def wide_product(a: int, b: int) -> tuple[int, int]:
    """Return the limbs of the product of two significands."""
    high_a, low_a, high_b, low_b = a >> HALF, a & HALF_MASK, b >> HALF, b & HALF_MASK
    middle = high_a * low_b + low_a * high_b
    low = low_a * low_b + ((middle & HALF_MASK) << HALF)
    return high_a * high_b + (middle >> HALF) + (low >> LIMB), low & LIMB_MASK


@kernel
def wide_shift_right(high: int, low: int, n: int) -> tuple[int, int]:
    """Return the limbs divided by 2**n; what falls off sticks to the lowest bit."""
    is_lost = False
    if n >= LIMB and high:
        high, low, n, is_lost = 0, high, n - LIMB, low != 0
    if n >= LIMB:
        return 0, 1
    is_lost = is_lost or low & ((1 << n) - 1) != 0
    low = low >> n | (high & ((1 << n) - 1)) << (LIMB - n)
    return high >> n, low | (1 if is_lost else 0)


@kernel
def divide(a: int, b: int, mode: int, f: Precision) -> tuple[int, int]:
    """Return a / b and flags."""
    size_a, size_b = a & ~f.sign, b & ~f.sign
    is_negative = (a ^ b) & f.sign != 0
    if is_nan(a, f) or is_nan(b, f):
        return f.nan, NV if is_signaling(a, f) or is_signaling(b, f) else 0
    if size_a == size_b and size_a in (0, f.infinity):
        return f.nan, NV
    if size_a == f.infinity or size_b == 0:
        return with_sign(f.infinity, is_negative, f), 0 if size_a == f.infinity else DZ
    if size_a == 0 or size_b == f.infinity:
        return with_sign(0, is_negative, f), 0
    exponent_a, remainder = unpack(size_a, f)
    exponent_b, divisor = unpack(size_b, f)
    exponent = exponent_a - exponent_b
    if remainder < divisor:
        remainder <<= 1
        exponent -= 1
    quotient = 0
    for _ in range(LEADING + 1):
        quotient <<= 1
        if remainder >= divisor:
            remainder -= divisor
            quotient |= 1
        remainder <<= 1
    return pack(is_negative, exponent, quotient | (1 if remainder else 0), mode, f)


@kernel
def square_root(a: int, mode: int, f: Precision) -> tuple[int, int]:
    """Return the square root of ``a`` and flags."""
    if is_nan(a, f):
        return f.nan, NV if is_signaling(a, f) else 0
    size = a & ~f.sign
    if size == 0:
        return a, 0
    if a & f.sign:
        return f.nan, NV
    if size == f.infinity:
        return a, 0
    exponent, significand = unpack(size, f)
    if exponent % 2 == 0:
        significand >>= 1  # its last bit is always 0
    root, remainder = 0, 0
    for place in range(LEADING - 1, LEADING - 1 - 2 * _ROOT_BITS, -2):  # two digits of the radicand, one of the root
        digits = significand >> place & 3 if place >= 0 else 0
        remainder = remainder << 2 | digits
        trial = root << 2 | 1
        root <<= 1
        if remainder >= trial:
            remainder -= trial
            root |= 1
    significand = root << (LEADING + 1 - _ROOT_BITS) | (1 if remainder else 0)
    return pack(False, exponent >> 1, significand, mode, f)
