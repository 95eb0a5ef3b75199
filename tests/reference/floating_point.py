"""IEEE 754 binary arithmetic in exact fractions, all rounding modes, with RISC-V's NaN rules; slow and plain.

Numbers are bit patterns of a `Binary` format. Every function returns the bits of the result.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

RNE, RTZ, RDN, RUP, RMM = range(5)


@dataclass(frozen=True)
class Binary:
    """An interchange format of IEEE 754-2019, table 3.5."""

    exponent_bits: int
    fraction_bits: int

    @property
    def bits(self):
        return 1 + self.exponent_bits + self.fraction_bits

    @property
    def bias(self):
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def infinity(self):
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits

    @property
    def nan(self):
        return self.infinity | 1 << (self.fraction_bits - 1)

    @property
    def sign_bit(self):
        return 1 << (self.bits - 1)

    def is_negative(self, x):
        return bool(x & self.sign_bit)

    def magnitude(self, x):
        return x & ~self.sign_bit

    def is_nan(self, x):
        return self.magnitude(x) > self.infinity

    def is_infinite(self, x):
        return self.magnitude(x) == self.infinity

    def is_zero(self, x):
        return self.magnitude(x) == 0

    def negated(self, x):
        return x ^ self.sign_bit

    def exact(self, x):
        """Return the value of a finite number."""
        exponent = self.magnitude(x) >> self.fraction_bits
        fraction = x & ((1 << self.fraction_bits) - 1)
        if exponent:
            fraction += 1 << self.fraction_bits
        value = fraction * Fraction(2) ** (max(exponent, 1) - self.bias - self.fraction_bits)
        return -value if self.is_negative(x) else value

    def rounded(self, value, mode, zero_sign=False):
        """Return the nearest number; `zero_sign` is the sign of an exact zero."""
        if value == 0:
            return self.sign_bit if zero_sign else 0
        negative, magnitude = value < 0, abs(value)
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        if magnitude < Fraction(2) ** exponent:
            exponent -= 1
        exponent = max(exponent, 1 - self.bias)
        unit = Fraction(2) ** (exponent - self.fraction_bits)
        steps = round_to_integer(magnitude / unit, negative, mode)
        largest = (2 - Fraction(1, 1 << self.fraction_bits)) * Fraction(2) ** self.bias
        sign = self.sign_bit if negative else 0
        if steps * unit > largest:
            goes_up = mode in (RNE, RMM) or mode == (RDN if negative else RUP)
            return sign | (self.infinity if goes_up else self.infinity - 1)
        # A carry out of the fraction is a carry into the exponent.
        return sign | (steps + ((exponent - 1 + self.bias) << self.fraction_bits))


SINGLE, DOUBLE = Binary(8, 23), Binary(11, 52)


def round_to_integer(magnitude, negative, mode):
    """Return a non-negative value rounded as that of a number with the given sign."""
    floor = magnitude.numerator // magnitude.denominator
    rest = magnitude - floor
    half = Fraction(1, 2)
    up = {
        RNE: rest > half or (rest == half and floor % 2 == 1),
        RTZ: False,
        RDN: rest > 0 and negative,
        RUP: rest > 0 and not negative,
        RMM: rest >= half,
    }[mode]
    return floor + up


def fused_multiply_add(f, a, b, c, mode=RNE):
    if any(map(f.is_nan, (a, b, c))):
        return f.nan
    product_negative = f.is_negative(a) != f.is_negative(b)
    product_infinite = f.is_infinite(a) or f.is_infinite(b)
    if product_infinite:
        opposite_infinity = f.is_infinite(c) and f.is_negative(c) != product_negative
        if f.is_zero(a) or f.is_zero(b) or opposite_infinity:
            return f.nan
        return f.infinity | (f.sign_bit if product_negative else 0)
    if f.is_infinite(c):
        return c
    total = f.exact(a) * f.exact(b) + f.exact(c)
    same_sign = product_negative == f.is_negative(c)
    return f.rounded(total, mode, product_negative if same_sign else mode == RDN)


def multiply(f, a, b, mode=RNE):
    negative_zero_or_zero = f.sign_bit if f.is_negative(a) != f.is_negative(b) else 0
    return fused_multiply_add(f, a, b, negative_zero_or_zero, mode)


def add(f, a, b, mode=RNE):
    one = f.bias << f.fraction_bits
    return fused_multiply_add(f, a, one, b, mode)


def subtract(f, a, b, mode=RNE):
    return add(f, a, f.negated(b), mode)


def divide(f, a, b, mode=RNE):
    if f.is_nan(a) or f.is_nan(b) or (f.is_infinite(a) and f.is_infinite(b)) or (f.is_zero(a) and f.is_zero(b)):
        return f.nan
    negative = f.is_negative(a) != f.is_negative(b)
    sign = f.sign_bit if negative else 0
    if f.is_infinite(a) or f.is_zero(b):
        return sign | f.infinity
    if f.is_infinite(b) or f.is_zero(a):
        return sign
    return f.rounded(f.exact(a) / f.exact(b), mode, negative)


def square_root(f, a, mode=RNE):
    if f.is_zero(a):
        return a
    if f.is_nan(a) or f.is_negative(a):
        return f.nan
    if f.is_infinite(a):
        return a
    # Enough digits that what is cut off can't be taken for a half or for nothing: a root is never a half exactly.
    scale = 1 << 1200
    root = isqrt(int(f.exact(a) * scale * scale))
    exact = root * root == f.exact(a) * scale * scale
    value = Fraction(root, scale)
    return f.rounded(value if exact else value + Fraction(1, 2 * scale), mode)


def minimum(f, a, b):
    return _extreme(f, a, b, lambda x, y: x < y, prefer_negative=True)


def maximum(f, a, b):
    return _extreme(f, a, b, lambda x, y: x > y, prefer_negative=False)


def _extreme(f, a, b, wins, *, prefer_negative):
    if f.is_nan(a):
        return f.nan if f.is_nan(b) else b
    if f.is_nan(b):
        return a
    x, y = ordered(f, a), ordered(f, b)
    if x == y:
        return a if f.is_negative(a) == prefer_negative else b
    return a if wins(x, y) else b


def ordered(f, x):
    """Return a number that compares as x does; infinities lie outside all finite numbers."""
    if f.is_infinite(x):
        return (-1 if f.is_negative(x) else 1) * Fraction(2) ** (f.bias + 2)
    return f.exact(x)


def compare(f, a, b):
    """Return (equal, less, less or equal)."""
    if f.is_nan(a) or f.is_nan(b):
        return 0, 0, 0
    x, y = ordered(f, a), ordered(f, b)
    return int(x == y), int(x < y), int(x <= y)


def to_integer(f, x, mode, bits, *, is_signed):
    """Return the integer nearest to x within range, the largest for NaN."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)
    if f.is_nan(x):
        return high
    if f.is_infinite(x):
        return low if f.is_negative(x) else high
    magnitude = round_to_integer(abs(f.exact(x)), f.is_negative(x), mode)
    return max(low, min(high, -magnitude if f.is_negative(x) else magnitude))


def from_integer(f, value, mode=RNE):
    return f.rounded(Fraction(value), mode)


def convert(source, target, x, mode=RNE):
    if source.is_nan(x):
        return target.nan
    sign = target.sign_bit if source.is_negative(x) else 0
    if source.is_infinite(x):
        return sign | target.infinity
    return target.rounded(source.exact(x), mode, source.is_negative(x))


def classify(f, x):
    """Return the ten-bit mask of fclass."""
    exponent = f.magnitude(x) >> f.fraction_bits
    if f.is_nan(x):
        quiet = x >> (f.fraction_bits - 1) & 1
        return 1 << (9 if quiet else 8)
    kinds = ["infinite", "normal", "subnormal", "zero"]
    if f.is_infinite(x):
        kind = "infinite"
    elif f.is_zero(x):
        kind = "zero"
    else:
        kind = "normal" if exponent else "subnormal"
    place = kinds.index(kind)
    return 1 << (place if f.is_negative(x) else 7 - place)
