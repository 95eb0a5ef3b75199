"""Integer arithmetic kernels against QEMU user mode."""

import itertools
import random

import pytest

from pim.isa import Op, alu, muldiv
from tests.reference.integer_arithmetic import signed, unsigned
from tests.support.qemu import Trial, run_trials

pytestmark = pytest.mark.emulator

RANDOM = random.Random(2019)
INTEGERS = [0, 1, -1, 7, -7, 2**31 - 1, -(2**31), 2**31, 2**32, 2**53 + 1, 2**63 - 1, -(2**63)]
KERNELS = {
    alu: ("srl", "sllw", "srlw", "sraw"),
    muldiv: ("mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu", "divw", "divuw", "remw", "remuw"),
}


def operands():
    pairs = [*itertools.product(INTEGERS, INTEGERS)]
    pairs += [(RANDOM.getrandbits(64), RANDOM.getrandbits(RANDOM.randrange(1, 65))) for _ in range(200)]
    return [(unsigned(a, 64), unsigned(b, 64), 0) for a, b in pairs]


def test_kernels_return_what_qemu_returns(tmp_path):
    kernels = {Op[name.upper()]: getattr(module, name) for module, names in KERNELS.items() for name in names}
    trials = [Trial(op, operands()) for op in kernels]
    for trial, results in zip(trials, run_trials(trials, tmp_path), strict=True):
        for (a, b, _), (expected, _flags) in zip(trial.operands, results, strict=True):
            got = kernels[trial.op](signed(a, 64), signed(b, 64))
            assert unsigned(got, 64) == expected, (trial.op.mnemonic, hex(a), hex(b))
