"""Every F and D operation against exact fractions: corner values in all combinations, random ones, values and flags."""

import itertools
import random

import numpy as np
import pytest

from pim.isa import Op
from pim.isa.encoding import ENCODINGS
from pim.isa.fp_format import NX
from pim.isa.fpu import is_double, operate
from tests.reference.float_operations import FORMATS, boxed, execute
from tests.reference.floating_point import SINGLE
from tests.reference.integer_arithmetic import signed, unsigned
from tests.support.float_operands import corners, integer_triple, operands_for

pytestmark = pytest.mark.plain

OPERATIONS = [op for op in Op if Op.FADD_S <= op <= Op.FMV_D_X]
MODES = range(5)
N_RANDOM = 120
N_CORNERS = 250
"""Of the pairs or triples of corner values, for each operation and mode; singles are all tried."""


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"):
        yield


def source_precision(op):
    """Return the letter of the precision an operation reads; moves of bits read doubles."""
    letter = op.mnemonic[-1]
    return letter if letter in FORMATS else "d"


def operands(op, rng):
    """Return triples of registers: corner values, and random ones."""
    syntax = ENCODINGS[op].syntax
    if "s" in syntax:
        return [integer_triple(rng) for _ in range(N_RANDOM)]
    f = FORMATS[source_precision(op)]
    some = [boxed(f, x) for x in corners(f)]
    n_operands = sum(letter in syntax for letter in "STR")
    tuples = list(itertools.product(some, repeat=n_operands)) if n_operands < 3 else []
    if len(tuples) > N_CORNERS:
        tuples = rng.sample(tuples, N_CORNERS)
    if n_operands == 3:
        tuples = [tuple(rng.choices(some, k=3)) for _ in range(N_CORNERS)]
    drawn = operands_for(source_precision(op), rng.getrandbits(32))
    return [(*x, 0, 0)[:3] for x in tuples] + [drawn.register_triple() for _ in range(N_RANDOM)]


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.mnemonic)
def test_value_and_flags_in_every_rounding_mode(op):
    rng = random.Random(f"754 {op.name}")
    modes = MODES if "m" in ENCODINGS[op].syntax else [0]
    for mode in modes:
        for a, b, c in operands(op, rng):
            expected, expected_flags = execute(op.mnemonic, a, b, c, a, mode)
            for accrued in (0, NX):
                value, flags = operate(int(op), *(signed(x, 64) for x in (a, b, c, a)), mode, accrued)
                where = f"{op.mnemonic} rm={mode} {a:#x}, {b:#x}, {c:#x}; accrued {accrued}"
                assert (unsigned(value, 64), flags | accrued) == (expected, expected_flags | accrued), where


def test_no_operation_of_f_and_d_is_left_out():
    of_the_table = {op for op, row in ENCODINGS.items() if row.extension in "fd"}
    assert of_the_table == {*OPERATIONS, Op.FLW, Op.FLD, Op.FSW, Op.FSD}


def test_operations_come_in_pairs_of_single_and_double():
    for op in OPERATIONS:
        kind = op.mnemonic.split(".")[1]
        if kind in ("s", "d"):
            assert is_double(op) == (kind == "d"), op.mnemonic
        elif "fcvt" in op.mnemonic:
            assert is_double(op) == op.mnemonic.endswith("d"), op.mnemonic


@pytest.mark.parametrize("high", [0, 0x7FFFFFFF, 0xFFFFFFFE])
def test_single_that_is_not_boxed_counts_as_quiet_nan(high):
    one, nan = boxed(SINGLE, 0x3F800000), boxed(SINGLE, SINGLE.nan)
    unboxed = high << 32 | 0x3F800000

    def result(op):
        value, flags = operate(int(op), signed(unboxed, 64), signed(one, 64), signed(one, 64), 0, 0, 0)
        return unsigned(value, 64), flags

    assert result(Op.FADD_S) == (nan, 0)
    assert result(Op.FMIN_S) == (one, 0)
    assert result(Op.FEQ_S) == (0, 0)
    assert result(Op.FLT_S) == (0, 16)
    assert result(Op.FCLASS_S) == (1 << 9, 0)
    assert result(Op.FSGNJ_S) == (nan, 0)
    assert result(Op.FMV_X_W) == (0x3F800000, 0)
