"""IEEE 754 binary arithmetic in exact fractions, all rounding modes and flags, with RISC-V's NaN rules; slow and plain.

Numbers are bit patterns of a `Binary` format. Every operation returns the bits of the result and the flags it raises.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

RNE, RTZ, RDN, RUP, RMM = range(5)
NX, UF, OF, DZ, NV = 1, 2, 4, 8, 16


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

    def is_signaling(self, x):
        return self.is_nan(x) and not x >> (self.fraction_bits - 1) & 1

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
        """Return the nearest number and flags; `zero_sign` is the sign of an exact zero."""
        if value == 0:
            return self.signed_zero(zero_sign), 0
        negative, magnitude = value < 0, abs(value)
        sign = self.sign_bit if negative else 0
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        if magnitude < Fraction(2) ** exponent:
            exponent -= 1
        least_exponent = 1 - self.bias
        with_any_exponent = self._rounded_at(magnitude, negative, exponent, mode)
        exponent = max(exponent, least_exponent)
        nearest = self._rounded_at(magnitude, negative, exponent, mode)
        largest = (2 - Fraction(1, 1 << self.fraction_bits)) * Fraction(2) ** self.bias
        if nearest > largest:
            goes_up = mode in (RNE, RMM) or mode == (RDN if negative else RUP)
            return sign | (self.infinity if goes_up else self.infinity - 1), OF | NX
        flags = NX if nearest != magnitude else 0
        if flags and with_any_exponent < Fraction(2) ** least_exponent:
            flags |= UF
        # A carry out of the fraction is a carry into the exponent.
        steps = nearest / Fraction(2) ** (exponent - self.fraction_bits)
        return sign | (int(steps) + ((exponent - 1 + self.bias) << self.fraction_bits)), flags

    def _rounded_at(self, magnitude, negative, exponent, mode):
        """Return a value of that exponent rounded to the fraction's last place."""
        unit = Fraction(2) ** (exponent - self.fraction_bits)
        return round_to_integer(magnitude / unit, negative, mode) * unit

    def signed_zero(self, negative):
        return self.sign_bit if negative else 0

    def signed_infinity(self, negative):
        return self.infinity | self.signed_zero(negative)

    def number(self, value):
        """Return the bits of a value that the format has."""
        bits, flags = self.rounded(Fraction(value), RNE)
        assert not flags, f"{value} is not a number of {self.bits} bits"
        return bits

    def nan_from(self, *operands):
        """Return the canonical NaN, and flags: a signaling operand is invalid."""
        return self.nan, NV if any(map(self.is_signaling, operands)) else 0


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
    product_negative = f.is_negative(a) != f.is_negative(b)
    product_infinite = f.is_infinite(a) or f.is_infinite(b)
    infinity_times_zero = product_infinite and (f.is_zero(a) or f.is_zero(b))
    if infinity_times_zero:
        return f.nan, NV
    if any(map(f.is_nan, (a, b, c))):
        return f.nan_from(a, b, c)
    if product_infinite:
        if f.is_infinite(c) and f.is_negative(c) != product_negative:
            return f.nan, NV
        return f.signed_infinity(product_negative), 0
    if f.is_infinite(c):
        return c, 0
    total = f.exact(a) * f.exact(b) + f.exact(c)
    same_sign = product_negative == f.is_negative(c)
    return f.rounded(total, mode, product_negative if same_sign else mode == RDN)


def multiply(f, a, b, mode=RNE):
    negative_zero_or_zero = f.signed_zero(f.is_negative(a) != f.is_negative(b))
    return fused_multiply_add(f, a, b, negative_zero_or_zero, mode)


def add(f, a, b, mode=RNE):
    one = f.bias << f.fraction_bits
    return fused_multiply_add(f, a, one, b, mode)


def subtract(f, a, b, mode=RNE):
    return add(f, a, f.negated(b), mode)


def divide(f, a, b, mode=RNE):
    if f.is_nan(a) or f.is_nan(b):
        return f.nan_from(a, b)
    if (f.is_infinite(a) and f.is_infinite(b)) or (f.is_zero(a) and f.is_zero(b)):
        return f.nan, NV
    negative = f.is_negative(a) != f.is_negative(b)
    if f.is_infinite(a):
        return f.signed_infinity(negative), 0
    if f.is_zero(b):
        return f.signed_infinity(negative), DZ
    if f.is_infinite(b) or f.is_zero(a):
        return f.signed_zero(negative), 0
    return f.rounded(f.exact(a) / f.exact(b), mode, negative)


def square_root(f, a, mode=RNE):
    if f.is_nan(a):
        return f.nan_from(a)
    if f.is_zero(a):
        return a, 0
    if f.is_negative(a):
        return f.nan, NV
    if f.is_infinite(a):
        return a, 0
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
    _, flags = f.nan_from(a, b)
    if f.is_nan(a):
        return f.nan if f.is_nan(b) else b, flags
    if f.is_nan(b):
        return a, flags
    x, y = ordered(f, a), ordered(f, b)
    if x == y:
        return a if f.is_negative(a) == prefer_negative else b, 0
    return a if wins(x, y) else b, 0


def ordered(f, x):
    """Return a number that compares as x does; infinities lie outside all finite numbers."""
    if f.is_infinite(x):
        return (-1 if f.is_negative(x) else 1) * Fraction(2) ** (f.bias + 2)
    return f.exact(x)


def equal(f, a, b):
    if f.is_nan(a) or f.is_nan(b):
        return 0, f.nan_from(a, b)[1]
    return int(ordered(f, a) == ordered(f, b)), 0


def less(f, a, b):
    if f.is_nan(a) or f.is_nan(b):
        return 0, NV
    return int(ordered(f, a) < ordered(f, b)), 0


def less_or_equal(f, a, b):
    if f.is_nan(a) or f.is_nan(b):
        return 0, NV
    return int(ordered(f, a) <= ordered(f, b)), 0


def to_integer(f, x, mode, bits, *, is_signed):
    """Return the integer nearest to x within range, the largest for NaN, and flags."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)
    if f.is_nan(x):
        return high, NV
    if f.is_infinite(x):
        return low if f.is_negative(x) else high, NV
    value = f.exact(x)
    magnitude = round_to_integer(abs(value), f.is_negative(x), mode)
    rounded = -magnitude if f.is_negative(x) else magnitude
    if not low <= rounded <= high:
        return low if rounded < low else high, NV
    return rounded, NX if rounded != value else 0


def from_integer(f, value, mode=RNE):
    return f.rounded(Fraction(value), mode)


def convert(source, target, x, mode=RNE):
    if source.is_nan(x):
        return target.nan, source.nan_from(x)[1]
    if source.is_infinite(x):
        return target.signed_infinity(source.is_negative(x)), 0
    return target.rounded(source.exact(x), mode, source.is_negative(x))


def classify(f, x):
    """Return the ten-bit mask of fclass."""
    if f.is_nan(x):
        return 1 << (8 if f.is_signaling(x) else 9)
    kinds = ["infinite", "normal", "subnormal", "zero"]
    if f.is_infinite(x):
        kind = "infinite"
    elif f.is_zero(x):
        kind = "zero"
    else:
        kind = "normal" if f.magnitude(x) >> f.fraction_bits else "subnormal"
    place = kinds.index(kind)
    return 1 << (place if f.is_negative(x) else 7 - place)
