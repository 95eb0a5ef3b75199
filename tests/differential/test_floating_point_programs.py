"""Random floating-point programs on our cores against QEMU user mode: all registers and fcsr at the end."""

import numpy as np
import pytest

from pim.config import load_system, with_overrides
from pim.isa import Program, Segment
from pim.system import CoreTask, run_cores
from tests.support.assembly import MEMORY_AT
from tests.support.random_floats import DATA, RESULT_BYTES, RESULTS, TEXT_BYTES, float_program

pytestmark = pytest.mark.emulator

RESULTS_AT = MEMORY_AT + DATA + RESULTS


def check(seed, xlen, folder):
    system = with_overrides(load_system("bank"), {"core.extensions": f"rv{xlen}imafdc"})
    program = float_program(seed, xlen)
    text = program.memory[:TEXT_BYTES]
    loaded = Program(xlen, MEMORY_AT, (Segment(MEMORY_AT, text, len(text), True, False),), {})
    memory = np.frombuffer(program.memory, np.uint8)
    task = CoreTask((), ((MEMORY_AT, memory),), ((RESULTS_AT, RESULT_BYTES),))
    (core,) = run_cores(system, loaded, [task], cycle_limit=10**6).cores
    expected = np.frombuffer(program.results_of_qemu(folder), np.int64)
    np.testing.assert_array_equal(core.outputs[0].view(np.int64), expected, f"RV{xlen}, seed {seed}", strict=True)
    return core.instructions


@pytest.mark.parametrize("xlen", [64, 32])
def test_random_floating_point_programs_end_as_under_qemu(xlen, tmp_path):
    assert sum(check(seed, xlen, tmp_path) for seed in range(30)) >= 15_000


@pytest.mark.long
@pytest.mark.parametrize("xlen", [64, 32])
def test_many_random_floating_point_programs_end_as_under_qemu(xlen, tmp_path):
    assert sum(check(seed, xlen, tmp_path) for seed in range(1000, 2000)) >= 500_000
