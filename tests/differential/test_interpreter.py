"""The interpreter against unicorn: random programs end with the same registers and memory.

Each program stores all its registers before it ends, so comparing memory, exit code and instruction count compares all.
"""

import functools
from collections import Counter

import numpy as np
import pytest

from pim.config import SystemConfig, load_system, with_overrides
from pim.isa.encoding import ENCODINGS
from pim.system import CoreRun, CoreTask, run_location
from tests.support.assembly import MEMORY_AT
from tests.support.compressed_assembler import RV64_FORMS
from tests.support.emulator import Emulated, emulate
from tests.support.random_bodies import NOT_RANDOM
from tests.support.random_programs import RandomProgram, other_memory, random_program

SEEDS = range(100)
BATCH = 10
BANK, CHIP, RANK = (load_system(level) for level in ("bank", "chip", "rank"))
WITH_FPU = {"core.extensions": "rv64imafdc"}


def is_floating(seed: int) -> bool:
    return seed % 2 == 1


@functools.cache
def emulated(seed: int) -> tuple[RandomProgram, Emulated]:
    program = random_program(seed, floating=is_floating(seed))
    return program, emulate(program.memory)


def task(memory: bytes) -> CoreTask:
    return CoreTask((), ((MEMORY_AT, np.frombuffer(memory, np.uint8)),), ((MEMORY_AT, len(memory)),))


def run(system: SystemConfig, program: RandomProgram, *memories: bytes) -> tuple[CoreRun, ...]:
    tasks = [task(memory) for memory in memories or (program.memory,)]
    return run_location(system, program.program, tasks, cycle_limit=10**7).cores


def assert_same(core: CoreRun, expected: Emulated) -> None:
    assert core.instructions == len(expected.steps)
    assert core.exit_code == expected.exit_code
    words = (np.frombuffer(memory, np.int64) for memory in (core.outputs[0], expected.memory))
    np.testing.assert_array_equal(*words)


@pytest.mark.parametrize("first_seed", range(SEEDS.start, SEEDS.stop, BATCH))
def test_random_programs_end_as_in_the_emulator(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + BATCH):
        program, expected = emulated(seed)
        system = with_overrides(BANK, WITH_FPU) if is_floating(seed) else BANK
        (core,) = run(system, program)
        assert_same(core, expected)


def test_enough_is_executed() -> None:
    """200,000 instructions, and every operation and compressed form at least 50 times."""
    executed: Counter[str] = Counter()
    for seed in SEEDS:
        program, expected = emulated(seed)
        for step in expected.steps:
            offset = step.pc - MEMORY_AT
            executed[_name(int.from_bytes(program.memory[offset : offset + step.size], "little"), step.size)] += 1
    wanted = {op.mnemonic for op, row in ENCODINGS.items() if op not in NOT_RANDOM and row.extension != "zicsr"}
    wanted |= {name for name, form in RV64_FORMS.items() if form.op not in NOT_RANDOM}
    assert {name: executed[name] for name in wanted if executed[name] < 50} == {}
    assert executed.total() >= 200_000


@functools.cache
def _name(word: int, size: int) -> str:
    if size == 4:
        return next(op.mnemonic for op, row in ENCODINGS.items() if word & row.mask_for(64) == row.match)
    forms = [form for form in RV64_FORMS.values() if word & form.mask == form.match]
    return next(form.mnemonic for form in reversed(forms) if not form.nonzero or word & form.nonzero)


@pytest.mark.parametrize(
    "system",
    [BANK, with_overrides(BANK, {"port": "row"}), CHIP, RANK, with_overrides(CHIP, {"cores_per_location": 4})],
    ids=["bank", "bank, row port", "chip", "rank", "four cores on a chip"],
)
def test_where_the_cores_sit_and_how_many_they_are_changes_no_result(system: SystemConfig) -> None:
    """All cores of a group run one program on different data; waiting for the others repeats no effect."""
    for seed in (1000, 1001):
        program = random_program(seed, floating=is_floating(seed))
        memories = [other_memory(program, seed + hart_id) for hart_id in range(system.cores_per_group)]
        for core, memory in zip(run(with_overrides(system, WITH_FPU), program, *memories), memories, strict=True):
            assert_same(core, emulate(memory))


@pytest.mark.plain
@pytest.mark.parametrize("seed", [2000, 2001])
def test_short_random_program_ends_as_in_the_emulator(seed: int) -> None:
    program = random_program(seed, floating=is_floating(seed), n_blocks=2, block_length=40)
    with np.errstate(all="ignore"):
        (core,) = run(with_overrides(BANK, WITH_FPU), program)
    assert_same(core, emulate(program.memory))
