"""Operands for floating-point operations: corner values, and random ones near what rounds, cancels or leaves range."""

import random
from fractions import Fraction

from tests.reference import floating_point as exact
from tests.reference.float_operations import BOX
from tests.reference.floating_point import DOUBLE, SINGLE, Binary

_INTEGERS = [0, 1, 2, 3, 7, 2**24, 2**31, 2**32, 2**53, 2**63]


def corners(f: Binary) -> list[int]:
    """Return zeros, subnormals, ones, halves, limits of integers, the largest, infinities and NaNs, of both signs."""
    one, least = f.bias << f.fraction_bits, 1 << f.fraction_bits
    positive = [0, 1, least - 1, least, least + 1, 2 * least - 1, one - 1, one, one + 1, one * 3 // 2]
    positive += [f.number(Fraction(odd, 2)) for odd in (1, 3, 5)]
    for power in (31, 32, 63, 64):
        positive += [f.number(2**power) - below for below in (0, 1)]
    positive += [f.infinity - 1, f.infinity, f.infinity + 1, f.nan, f.nan + 9]
    return [x | sign for x in positive for sign in (0, f.sign_bit)]


class FloatOperands:
    """Draws operands of one format as bits."""

    def __init__(self, f: Binary, seed: int) -> None:
        self.f, self._rng, self._corners = f, random.Random(seed), corners(f)

    def triple(self) -> tuple[int, int, int]:  # noqa: PLR0911 - one return per kind
        """Return operands of one kind: unrelated, of any exponents, cancelling, or with a tiny or huge result."""
        f, rng = self.f, self._rng
        match rng.randrange(8):
            case 0:
                return rng.choice(self._corners), rng.choice(self._corners), rng.choice(self._corners)
            case 1:
                return self._number(), rng.choice(self._corners), self._number()
            case 2:
                return self._any(), self._any(), self._any()
            case 3:  # the product's exponent is at an end of the range, and the addend's near it
                end = rng.choice((-f.bias, 1 - f.bias - f.fraction_bits, f.bias))
                first = rng.randrange(-f.bias // 2, f.bias // 2)
                last = end + rng.randrange(-4, 5)
                return self._number(first), self._number(last - first), self._number(last + rng.randrange(-60, 3))
            case 4:  # so is the quotient's, or the sum's
                end = rng.choice((-f.bias, 1 - f.bias - f.fraction_bits, f.bias)) + rng.randrange(-3, 4)
                first = rng.randrange(-f.bias // 2, f.bias // 2)
                if rng.random() < 0.5:
                    return self._number(end), self._number(end + rng.randrange(-2, 3)), self._number(end)
                return self._number(first), self._number(first - end), self._number(end)
            case 5:  # the addend cancels the product, but for a few last places
                a, b = self._number(rng.randrange(-40, 40)), self._number(rng.randrange(-40, 40))
                return a, b, f.negated(exact.multiply(f, a, b)[0]) + rng.choice((-1, 0, 0, 1))
            case 6:  # nearby sums, and quotients close to halves of the last place
                exponent = rng.randrange(-60, 70)
                return tuple(self._number(exponent + rng.randrange(-2, 3)) for _ in range(3))
            case _:
                return tuple(self._number() for _ in range(3))

    def _any(self) -> int:
        return self._rng.getrandbits(self.f.bits)

    def _number(self, exponent: int | None = None) -> int:
        """Return a number with the exponent, or one near 0; its fraction has few ones, few zeros, or is random."""
        f, rng = self.f, self._rng
        if exponent is None:
            exponent = rng.randrange(-70, 70)
        fraction = rng.getrandbits(f.fraction_bits)
        match rng.randrange(4):
            case 0:
                fraction = 1 << rng.randrange(f.fraction_bits + 1) & (1 << f.fraction_bits) - 1
            case 1:
                fraction = (-1 << rng.randrange(f.fraction_bits + 1)) & (1 << f.fraction_bits) - 1
            case 2:
                fraction &= -1 << rng.randrange(f.fraction_bits + 1)
        sign = f.sign_bit if rng.random() < 0.5 else 0
        if exponent < 1 - f.bias:  # subnormal
            return sign | ((1 << f.fraction_bits | fraction) >> min(1 - f.bias - exponent, f.fraction_bits + 1))
        return sign | min(exponent + f.bias, 2 * f.bias) << f.fraction_bits | fraction

    def register_triple(self) -> tuple[int, int, int]:
        """Return operands as register bits: singles are boxed, but for a few."""
        triple = self.triple()
        if self.f is DOUBLE:
            return triple
        boxed = [x | BOX for x in triple]
        if self._rng.random() < 0.03:
            place = self._rng.randrange(3)
            boxed[place] = self._rng.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFE)) << 32 | triple[place]
        return tuple(boxed)


def integer_triple(rng: random.Random) -> tuple[int, int, int]:
    """Return three registers with integers: limits, and any magnitudes."""
    drawn = []
    for _ in range(3):
        value = rng.choice(_INTEGERS) + rng.randrange(-2, 3) if rng.random() < 0.3 else rng.getrandbits(64)
        drawn.append((value >> rng.randrange(64) if rng.random() < 0.5 else value) * rng.choice((1, -1)) % 2**64)
    return tuple(drawn)


def operands_for(suffix: str, seed: int) -> FloatOperands:
    """Return a source of operands of the precision ``s`` or ``d``."""
    return FloatOperands(SINGLE if suffix == "s" else DOUBLE, seed)
