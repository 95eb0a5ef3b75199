"""Every F and D operation against QEMU user mode: results and flags, all rounding modes.

So are the exact fractions that check them where there is no QEMU.
"""

import random

import pytest

from pim.isa import Op
from pim.isa.encoding import ENCODINGS
from pim.isa.fp_format import NX
from pim.isa.fpu import has_integer_result, operate
from tests.reference.float_operations import execute
from tests.reference.integer_arithmetic import signed, unsigned
from tests.support.float_operands import integer_triple, operands_for
from tests.support.qemu import Trial, run_trials

pytestmark = pytest.mark.emulator

MODES = range(5)
OPERATIONS = [op for op in Op if Op.FADD_S <= op <= Op.FMV_D_X]


def operations(xlen):
    return [op for op in OPERATIONS if ENCODINGS[op].min_xlen <= xlen]


def trials(seed, n_operands, xlen=64):
    """Return a trial of every operation in every rounding mode, with operands of its own."""
    found = []
    for op in operations(xlen):
        row = ENCODINGS[op]
        for mode in MODES if "m" in row.syntax else (0,):
            rng = random.Random(f"{seed} {op.name} {mode}")
            if "s" in row.syntax:
                operands = [integer_triple(rng) for _ in range(n_operands)]
            else:
                source = operands_for(op.mnemonic[-1], rng.getrandbits(32))
                operands = [source.register_triple() for _ in range(n_operands)]
            found.append(Trial(op, operands, rm=mode))
    return found


def description(trial, operands, accrued):
    return f"{trial.op.mnemonic} rm={trial.rm} {', '.join(map(hex, operands))}, accrued {accrued:#x}"


def check(seed, n_operands, folder, xlen=64):
    """Compare all operations; return how many operand sets were tried."""
    n_tried = 0
    batch = trials(seed, n_operands, xlen)
    for trial, results in zip(batch, run_trials(batch, folder, xlen), strict=True):
        width = xlen if has_integer_result(trial.op) else 64
        for operands, (expected, expected_flags) in zip(trial.operands, results, strict=True):
            a, b, c = (signed(operand, 64) for operand in operands)
            for accrued in (0, NX):
                value, flags = operate(int(trial.op), a, b, c, signed(a, xlen), trial.rm, accrued)
                got = unsigned(value, width), flags | accrued
                assert got == (expected, expected_flags | accrued), description(trial, operands, accrued)
                assert -(1 << width - 1) <= value < 1 << width - 1, description(trial, operands, accrued)
        n_tried += len(trial.operands)
    return n_tried


def test_results_and_flags_are_those_of_qemu(tmp_path):
    n_trials = sum(5 if "m" in ENCODINGS[op].syntax else 1 for op in operations(64))
    assert check(754, 250, tmp_path) == 250 * n_trials >= 50_000


def test_exact_fractions_give_what_qemu_gives(tmp_path):
    batch = trials(2019, 20)
    for trial, results in zip(batch, run_trials(batch, tmp_path), strict=True):
        for operands, expected in zip(trial.operands, results, strict=True):
            got = execute(trial.op.mnemonic, *operands, operands[0], trial.rm)
            assert got == expected, (trial.op.mnemonic, trial.rm, [*map(hex, operands)])


def test_results_and_flags_on_rv32_are_those_of_qemu(tmp_path):
    n_trials = sum(5 if "m" in ENCODINGS[op].syntax else 1 for op in operations(32))
    assert check(32, 40, tmp_path, xlen=32) == 40 * n_trials


@pytest.mark.long
def test_results_and_flags_are_those_of_qemu_for_two_million_operands(tmp_path):
    assert sum(check(seed, 500, tmp_path) for seed in range(20)) >= 2_000_000
