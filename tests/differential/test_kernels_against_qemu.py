"""Arithmetic kernels, and the fractions that check them elsewhere, against QEMU in every rounding mode they know."""

import itertools
import random

import pytest

from pim.isa import Op, alu, fp_bits, fp_convert, fpu, muldiv
from pim.isa.fp_convert import RoundingMode
from tests.reference import floating_point as exact
from tests.reference.floating_point import DOUBLE, SINGLE
from tests.reference.integer_arithmetic import signed, unsigned
from tests.support.qemu import Trial, run_trials

pytestmark = pytest.mark.emulator

RANDOM = random.Random(2019)
MODES = [mode for mode in RoundingMode if mode is not RoundingMode.DYNAMIC]
INTEGERS = [0, 1, -1, 7, -7, 2**31 - 1, -(2**31), 2**31, 2**32, 2**53 + 1, 2**63 - 1, -(2**63)]


def specials(f):
    one = f.bias << f.fraction_bits
    positive = [0, 1, (1 << f.fraction_bits) - 1, 1 << f.fraction_bits, one - 1, one, one * 3 // 2, f.infinity - 1]
    positive += [f.infinity, f.infinity + 1, f.nan, f.nan + 9]
    return [x | sign for x in positive for sign in (0, f.sign_bit)]


def near_one(f):
    exponent = f.bias + RANDOM.randrange(-30, 66)
    return RANDOM.getrandbits(1) << (f.bits - 1) | exponent << f.fraction_bits | RANDOM.getrandbits(f.fraction_bits)


def boxed(bits):
    return bits | 0xFFFFFFFF << 32


def float_operands(suffix):
    f = SINGLE if suffix == "s" else DOUBLE
    some = specials(f)
    triples = [(a, b, RANDOM.choice(some)) for a, b in itertools.product(some, some)]
    triples += [tuple(near_one(f) for _ in range(3)) for _ in range(200)]
    triples += [(a, b, f.negated(exact.multiply(f, a, b))) for a, b, _ in triples[-100:]]
    if f is DOUBLE:
        return triples
    unboxed = [(one, boxed(0x3F800000), boxed(0)) for one in (0x3F800000, 0x7FFFFFFF_3F800000, 0xFFFFFFFE_00000000)]
    return [tuple(boxed(x) for x in triple) for triple in triples] + unboxed


def integer_operands():
    pairs = [*itertools.product(INTEGERS, INTEGERS)]
    pairs += [(RANDOM.getrandbits(64), RANDOM.getrandbits(RANDOM.randrange(1, 65))) for _ in range(200)]
    return [(unsigned(a, 64), unsigned(b, 64), 0) for a, b in pairs]


def kernel_trials():
    """Return (trial, function of the three operands) for everything a kernel does."""
    integers = integer_operands()
    two = [*("mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu", "divw", "divuw", "remw", "remuw")]
    found = [(Trial(Op[name.upper()], integers), _two(getattr(muldiv, name))) for name in two]
    found += [(Trial(Op[name.upper()], integers), _two(getattr(alu, name))) for name in ("srl", "sllw", "srlw", "sraw")]
    for suffix in "sd":
        floats = float_operands(suffix)
        for name in ("fadd", "fsub", "fmul", "fdiv", "fmin", "fmax", "feq", "flt", "fle"):
            found.append((Trial(Op[f"{name}_{suffix}".upper()], floats), _two(getattr(fpu, f"{name}_{suffix}"))))
        for name in ("fsgnj", "fsgnjn", "fsgnjx"):
            found.append((Trial(Op[f"{name}_{suffix}".upper()], floats), _two(getattr(fp_bits, f"{name}_{suffix}"))))
        for name in ("fmadd", "fmsub", "fnmsub", "fnmadd"):
            found.append((Trial(Op[f"{name}_{suffix}".upper()], floats), getattr(fpu, f"{name}_{suffix}")))
        found.append((Trial(Op[f"FSQRT_{suffix.upper()}"], floats), _one(getattr(fpu, f"fsqrt_{suffix}"))))
        found.append((Trial(Op[f"FCLASS_{suffix.upper()}"], floats), _one(getattr(fp_bits, f"fclass_{suffix}"))))
        for integer in ("w", "wu", "l", "lu"):
            name = f"fcvt_{suffix}_{integer}"
            found.append((Trial(Op[name.upper()], integers), _one(getattr(fp_convert, name))))
            name = f"fcvt_{integer}_{suffix}"
            for mode in MODES:
                kernel = _with_mode(getattr(fp_convert, name), mode)
                found.append((Trial(Op[name.upper()], floats, rm=mode), kernel))
    found.append((Trial(Op.FCVT_S_D, float_operands("d")), _one(fp_convert.fcvt_s_d)))
    found.append((Trial(Op.FCVT_D_S, float_operands("s")), _one(fp_convert.fcvt_d_s)))
    found.append((Trial(Op.FMV_X_W, float_operands("d")), _one(fp_bits.fmv_x_w)))
    found.append((Trial(Op.FMV_W_X, integers), _one(fp_bits.box)))
    return found


def _one(kernel):
    return lambda a, _b, _c: kernel(a)


def _two(kernel):
    return lambda a, b, _c: kernel(a, b)


def _with_mode(kernel, mode):
    return lambda a, _b, _c: kernel(a, mode)


def test_kernels_return_what_qemu_returns(tmp_path):
    trials = kernel_trials()
    answers = run_trials([trial for trial, _ in trials], tmp_path)
    for (trial, kernel), results in zip(trials, answers, strict=True):
        for operands, (expected, _flags) in zip(trial.operands, results, strict=True):
            got = kernel(*(signed(operand, 64) for operand in operands))
            assert unsigned(got, 64) == expected, (trial.op.name, trial.rm, [hex(operand) for operand in operands])


def test_exact_fractions_return_what_qemu_returns_in_every_rounding_mode(tmp_path):
    functions = {
        Op.FADD_D: lambda f, a, b, _c, rm: exact.add(f, a, b, rm),
        Op.FSUB_D: lambda f, a, b, _c, rm: exact.subtract(f, a, b, rm),
        Op.FMUL_D: lambda f, a, b, _c, rm: exact.multiply(f, a, b, rm),
        Op.FDIV_D: lambda f, a, b, _c, rm: exact.divide(f, a, b, rm),
        Op.FSQRT_D: lambda f, a, _b, _c, rm: exact.square_root(f, a, rm),
        Op.FMADD_D: exact.fused_multiply_add,
    }
    trials = [
        (f, reference, Trial(Op(op - (f is SINGLE)), operands, rm=mode))
        for f, suffix in ((SINGLE, "s"), (DOUBLE, "d"))
        for operands in [RANDOM.sample(float_operands(suffix)[:-3], 150)]
        for op, reference in functions.items()
        for mode in MODES
    ]
    answers = run_trials([trial for _, _, trial in trials], tmp_path)
    for (f, reference, trial), results in zip(trials, answers, strict=True):
        for operands, (expected, _flags) in zip(trial.operands, results, strict=True):
            got = reference(f, *(operand & (1 << f.bits) - 1 for operand in operands), trial.rm)
            bits = boxed(got) if f is SINGLE else got
            assert bits == expected, (trial.op.name, trial.rm, [hex(operand) for operand in operands])
