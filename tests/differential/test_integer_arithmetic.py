"""Integer kernels against exact integers, on all pairs of corner values and on random ones."""

import itertools
import random

import numpy as np
import pytest

from pim.isa import alu, muldiv
from tests.reference.integer_arithmetic import divide, signed, unsigned, upper_product

pytestmark = pytest.mark.plain

CORNERS = [0, 1, -1, 2, -2, 7, -7, 2**31 - 1, -(2**31), 2**31, 2**32 - 1, 2**32, 2**63 - 1, -(2**63), 0x5555 << 40]
RANDOM = random.Random(20240501)
PAIRS = [
    *itertools.product(CORNERS, CORNERS),
    *(
        (signed(RANDOM.getrandbits(64), 64), signed(RANDOM.getrandbits(64 - RANDOM.randrange(63)), 64))
        for _ in range(400)
    ),
]


@pytest.fixture(autouse=True)
def _wrapping():
    with np.errstate(over="ignore"):
        yield


@pytest.mark.parametrize(
    ("kernel", "bits", "left_signed", "right_signed"),
    [
        (muldiv.mulh, 64, True, True),
        (muldiv.mulhsu, 64, True, False),
        (muldiv.mulhu, 64, False, False),
        (muldiv.mulh32, 32, True, True),
        (muldiv.mulhsu32, 32, True, False),
        (muldiv.mulhu32, 32, False, False),
    ],
)
def test_upper_products(kernel, bits, left_signed, right_signed):
    for a, b in PAIRS:
        expected = upper_product(a, b, bits, left_signed=left_signed, right_signed=right_signed)
        assert kernel(a, b) == expected, (a, b)


@pytest.mark.parametrize(
    ("quotient", "remainder", "bits", "is_signed"),
    [
        (muldiv.div, muldiv.rem, 64, True),
        (muldiv.divu, muldiv.remu, 64, False),
        (muldiv.divw, muldiv.remw, 32, True),
        (muldiv.divuw, muldiv.remuw, 32, False),
    ],
)
def test_division(quotient, remainder, bits, is_signed):
    for a, b in PAIRS:
        assert (quotient(a, b), remainder(a, b)) == divide(a, b, bits, is_signed=is_signed), (a, b)


def test_division_by_zero_and_overflow_as_the_manual_lists_them():
    lowest = -(2**63)
    assert [muldiv.div(5, 0), muldiv.divu(5, 0), muldiv.rem(5, 0), muldiv.remu(5, 0)] == [-1, -1, 5, 5]
    assert [muldiv.div(lowest, -1), muldiv.rem(lowest, -1)] == [lowest, 0]
    assert [muldiv.divw(-(2**31), -1), muldiv.remw(-(2**31), -1)] == [-(2**31), 0]


def test_shifts_and_widths():
    for value, shift in PAIRS:
        assert alu.srl(value, shift) == signed(unsigned(value, 64) >> shift % 64, 64)
        assert alu.sllw(value, shift) == signed(value << shift % 32, 32)
        assert alu.srlw(value, shift) == signed(unsigned(value, 32) >> shift % 32, 32)
        assert alu.sraw(value, shift) == signed(value, 32) >> shift % 32
        assert alu.sext32(value) == signed(value, 32)
        assert alu.zext32(value) == unsigned(value, 32)
        assert alu.ltu(value, shift) == (unsigned(value, 64) < unsigned(shift, 64))
