"""Floating-point kernels against exact fractions: corner values in all combinations, and random ones."""

import itertools
import random

import numpy as np
import pytest

from pim.isa import fp_bits, fp_convert, fpu
from pim.isa.fp_convert import RoundingMode
from tests.reference import floating_point as exact
from tests.reference.floating_point import DOUBLE, SINGLE
from tests.reference.integer_arithmetic import signed, unsigned

pytestmark = pytest.mark.plain

RANDOM = random.Random(754)
MODES = [mode for mode in RoundingMode if mode is not RoundingMode.DYNAMIC]


def corners(f):
    one = f.bias << f.fraction_bits
    integers = [f.rounded(exact.Fraction(2) ** power, exact.RNE) for power in (31, 32, 63, 64)]
    halves = [f.rounded(exact.Fraction(odd, 2), exact.RNE) for odd in (1, 3, 5)]
    positive = [
        *(0, 1, (1 << f.fraction_bits) - 1, 1 << f.fraction_bits, one, one + 1, one - 1),
        *(*halves, halves[0] - 1, *integers, integers[0] - 1, integers[2] - 1),
        *(f.infinity - 1, f.infinity, f.infinity + 1, f.nan, f.nan + 5),
    ]
    return [x | sign for x in positive for sign in (0, f.sign_bit)]


def random_number(f):
    """Return any bits, or a number near 1, so that sums cancel and products round."""
    x = RANDOM.getrandbits(f.bits)
    if RANDOM.random() < 0.7:
        x &= f.sign_bit | ((1 << f.fraction_bits) - 1)
        x |= (f.bias + RANDOM.randrange(-60, 70)) << f.fraction_bits
    return x


PAIRS = {
    f: [
        *itertools.product(corners(f), corners(f)),
        *((random_number(f), random_number(f)) for _ in range(300)),
    ]
    for f in (SINGLE, DOUBLE)
}
VALUES = {f: [*corners(f), *(random_number(f) for _ in range(300))] for f in (SINGLE, DOUBLE)}
INTEGERS = [0, 1, -1, 2**24 + 1, 2**53 + 1, 2**63 - 1, -(2**63), 2**31, 2**32 - 1, 0x8000_0080_0000_0001 - 2**64]
INTEGERS += [signed(RANDOM.getrandbits(64) >> RANDOM.randrange(64), 64) for _ in range(200)]
INTEGERS += [signed((2**24 + 1 << shift) + extra, 64) for shift in (8, 30, 38) for extra in (-1, 0, 1)]


def register(f, bits):
    return signed(bits | (0xFFFFFFFF << 32 if f is SINGLE else 0), 64)


FORMATS = [pytest.param(SINGLE, "s", id="single"), pytest.param(DOUBLE, "d", id="double")]


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize(("f", "suffix"), FORMATS)
@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("fadd", exact.add),
        ("fsub", exact.subtract),
        ("fmul", exact.multiply),
        ("fdiv", exact.divide),
        ("fmin", exact.minimum),
        ("fmax", exact.maximum),
    ],
)
def test_two_operands(f, suffix, name, reference):
    kernel = getattr(fpu, f"{name}_{suffix}")
    for a, b in PAIRS[f]:
        assert kernel(register(f, a), register(f, b)) == register(f, reference(f, a, b)), (hex(a), hex(b))


@pytest.mark.parametrize(("f", "suffix"), FORMATS)
def test_comparisons(f, suffix):
    kernels = [getattr(fpu, f"{name}_{suffix}") for name in ("feq", "flt", "fle")]
    for a, b in PAIRS[f]:
        got = tuple(kernel(register(f, a), register(f, b)) for kernel in kernels)
        assert got == exact.compare(f, a, b), (hex(a), hex(b))


@pytest.mark.parametrize(("f", "suffix"), FORMATS)
def test_square_root_and_class(f, suffix):
    square_root, classify = getattr(fpu, f"fsqrt_{suffix}"), getattr(fp_bits, f"fclass_{suffix}")
    for x in VALUES[f]:
        assert square_root(register(f, x)) == register(f, exact.square_root(f, x)), hex(x)
        assert classify(register(f, x)) == exact.classify(f, x), hex(x)


@pytest.mark.parametrize(("f", "suffix"), FORMATS)
@pytest.mark.parametrize(
    ("name", "negate_product", "negate_addend"),
    [("fmadd", False, False), ("fmsub", False, True), ("fnmsub", True, False), ("fnmadd", True, True)],
)
def test_fused_multiply_add_rounds_once(f, suffix, name, negate_product, negate_addend):
    kernel = getattr(fpu, f"{name}_{suffix}")
    few = [*corners(f)[:2], *RANDOM.sample(corners(f), 12)]  # both zeros, for the sign of an exact zero
    cases = [*itertools.product(few, few, few), *((a, b, random_number(f)) for a, b in PAIRS[f][-200:])]
    # Products that cancel against the addend but for their last bits.
    cases += [(a, b, f.negated(exact.multiply(f, a, b))) for a, b in PAIRS[f][-200:]]
    for a, b, c in cases:
        expected = exact.fused_multiply_add(
            f, f.negated(a) if negate_product else a, b, f.negated(c) if negate_addend else c
        )
        got = kernel(register(f, a), register(f, b), register(f, c))
        assert got == register(f, expected), (hex(a), hex(b), hex(c))


@pytest.mark.parametrize(("f", "suffix"), FORMATS)
def test_sign_injection(f, suffix):
    fsgnj, fsgnjn, fsgnjx = (getattr(fp_bits, f"{name}_{suffix}") for name in ("fsgnj", "fsgnjn", "fsgnjx"))
    for a, b in PAIRS[f]:
        size, sign_a, sign_b = f.magnitude(a), a & f.sign_bit, b & f.sign_bit
        operands = register(f, a), register(f, b)
        assert fsgnj(*operands) == register(f, size | sign_b)
        assert fsgnjn(*operands) == register(f, size | (sign_b ^ f.sign_bit))
        assert fsgnjx(*operands) == register(f, size | (sign_a ^ sign_b))


@pytest.mark.parametrize(("f", "suffix"), FORMATS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("name", "bits", "is_signed"), [("w", 32, True), ("wu", 32, False), ("l", 64, True), ("lu", 64, False)]
)
def test_conversion_to_integers_in_every_rounding_mode(*, f, suffix, mode, name, bits, is_signed):
    kernel = getattr(fp_convert, f"fcvt_{name}_{suffix}")
    for x in VALUES[f]:
        expected = signed(exact.to_integer(f, x, mode, bits, is_signed=is_signed), bits)
        assert kernel(register(f, x), mode) == expected, hex(x)


@pytest.mark.parametrize(("f", "suffix"), FORMATS)
@pytest.mark.parametrize(
    ("name", "view", "bits"), [("w", signed, 32), ("wu", unsigned, 32), ("l", signed, 64), ("lu", unsigned, 64)]
)
def test_conversion_from_integers(f, suffix, name, view, bits):
    kernel = getattr(fp_convert, f"fcvt_{suffix}_{name}")
    for value in INTEGERS:
        assert kernel(value) == register(f, exact.from_integer(f, view(value, bits))), hex(value)


def test_conversion_between_precisions():
    ties = [DOUBLE.rounded(1 + exact.Fraction(odd, 2**25), exact.RNE) for odd in (1, 2, 3, 6)]
    for x in [*VALUES[DOUBLE], *ties, *(exact.convert(SINGLE, DOUBLE, y) for y in VALUES[SINGLE])]:
        assert fp_convert.fcvt_s_d(register(DOUBLE, x)) == register(SINGLE, exact.convert(DOUBLE, SINGLE, x)), hex(x)
    for x in VALUES[SINGLE]:
        assert fp_convert.fcvt_d_s(register(SINGLE, x)) == register(DOUBLE, exact.convert(SINGLE, DOUBLE, x)), hex(x)


@pytest.mark.parametrize("high", [0, 0x7FFFFFFF, 0xFFFFFFFE])
def test_single_that_is_not_boxed_counts_as_nan(high):
    one = 0x3F800000
    unboxed = signed(high << 32 | one, 64)
    boxed, nan = register(SINGLE, one), register(SINGLE, SINGLE.nan)
    assert fpu.fadd_s(unboxed, boxed) == nan
    assert fpu.fmin_s(unboxed, boxed) == boxed
    assert fpu.feq_s(unboxed, boxed) == 0
    assert fp_bits.fclass_s(unboxed) == 1 << 9
    assert fp_bits.fsgnj_s(unboxed, boxed) == nan
    assert fp_bits.fmv_x_w(unboxed) == one


def test_box_ignores_what_is_above_the_word():
    assert fp_bits.box(0x1234_8000_0000) == signed(0xFFFF_FFFF_8000_0000, 64)
    assert fp_bits.unbox(signed(0xFFFF_FFFF_8000_0000, 64)) == 0x8000_0000
