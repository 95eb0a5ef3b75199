"""The interpreter against unicorn: random programs end with the same registers and memory.

Each program stores all its registers before it ends, so comparing memory, exit code and instruction count compares all.
"""

import functools
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pim.config import SystemConfig, load_system, with_overrides
from pim.isa import Op
from pim.isa.encoding import ENCODINGS
from pim.system import CoreRun, CoreTask, run_cores
from tests.differential.test_floating_point_against_qemu import operations
from tests.support.assembly import MEMORY_AT
from tests.support.compressed_assembler import RV64_FORMS, forms
from tests.support.emulator import Emulated, emulate
from tests.support.random_bodies import NOT_RANDOM
from tests.support.random_programs import RandomProgram, other_memory, random_program

SEEDS = range(100)
SEEDS_RV32 = range(4000, 4050)
BATCH = 10
BANK, CHIP, RANK = (load_system(level) for level in ("bank", "chip", "rank"))
BANK_RV32 = with_overrides(BANK, {"core.extensions": "rv32imac"})
UNIT = Path(__file__).parents[1] / "unit"
BY_HAND = {
    Op.ECALL: UNIT / "test_traps.py",
    Op.EBREAK: UNIT / "test_traps.py",
    Op.MRET: UNIT / "test_traps.py",
    Op.WFI: UNIT / "test_csrs.py",
}
"""Tests of what random programs do not hold, ecall but for their ends."""
WITH_FPU = {"core.extensions": "rv64imafdc"}


def is_floating(seed: int) -> bool:
    return seed % 2 == 1


@functools.cache
def emulated(seed: int) -> tuple[RandomProgram, Emulated]:
    program = random_program(seed, floating=is_floating(seed))
    return program, emulate(program.memory)


@functools.cache
def emulated_rv32(seed: int) -> tuple[RandomProgram, Emulated]:
    program = random_program(seed, xlen=32)
    return program, emulate(program.memory, xlen=32)


def task(memory: bytes) -> CoreTask:
    return CoreTask((), ((MEMORY_AT, np.frombuffer(memory, np.uint8)),), ((MEMORY_AT, len(memory)),))


def run(system: SystemConfig, program: RandomProgram, *memories: bytes) -> tuple[CoreRun, ...]:
    tasks = [task(memory) for memory in memories or (program.memory,)]
    return run_cores(system, program.program, tasks, cycle_limit=10**7).cores


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


@pytest.mark.parametrize("first_seed", range(SEEDS_RV32.start, SEEDS_RV32.stop, BATCH))
def test_random_rv32_programs_end_as_in_the_emulator(first_seed: int) -> None:
    for seed in range(first_seed, first_seed + BATCH):
        program, expected = emulated_rv32(seed)
        (core,) = run(BANK_RV32, program)
        assert_same(core, expected)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["integer", "floating", "rv32"])
def test_ten_million_instructions_end_as_in_the_emulator(kind: str) -> None:
    """Seeds from 100,000 on, a third of the instructions of each kind."""
    xlen, total, seed = 32 if kind == "rv32" else 64, 0, 100_000
    system = {"integer": BANK, "floating": with_overrides(BANK, WITH_FPU), "rv32": BANK_RV32}[kind]
    while total < 10_000_000 // 3 + 1:
        program = random_program(seed, floating=kind == "floating", xlen=xlen)
        expected = emulate(program.memory, xlen=xlen)
        (core,) = run(system, program)
        assert_same(core, expected)
        total, seed = total + len(expected.steps), seed + 1


def test_enough_is_executed() -> None:
    """200,000 instructions, and every operation and compressed form at least 50 times."""
    executed = _executed([emulated(seed) for seed in SEEDS], 64)
    wanted = {op.mnemonic for op, row in ENCODINGS.items() if op not in NOT_RANDOM}
    wanted |= {name for name, form in RV64_FORMS.items() if form.op not in NOT_RANDOM}
    assert {name: executed[name] for name in wanted if executed[name] < 50} == {}
    assert executed.total() >= 200_000


def test_enough_is_executed_on_rv32() -> None:
    """Every operation and compressed form of RV32IMAC at least 50 times."""
    executed = _executed([emulated_rv32(seed) for seed in SEEDS_RV32], 32)
    wanted = {
        op.mnemonic
        for op, row in ENCODINGS.items()
        if op not in NOT_RANDOM and row.extension not in "fd" and row.min_xlen == 32
    }
    wanted |= {name for name, form in forms(32).items() if form.op not in NOT_RANDOM and "f" not in name}
    assert {name: executed[name] for name in wanted if executed[name] < 50} == {}


@pytest.mark.parametrize("xlen", [32, 64])
def test_no_instruction_of_the_table_is_left_out(xlen: int) -> None:
    """Random programs execute it, or QEMU does with many operands or in programs, or it is tried by hand."""
    table = {op for op, row in ENCODINGS.items() if row.min_xlen <= xlen}
    in_programs = {op for op in table - NOT_RANDOM.keys() if xlen == 64 or ENCODINGS[op].extension not in "fd"}
    under_qemu = {*operations(xlen), Op.FLW, Op.FLD, Op.FSW, Op.FSD}
    assert in_programs | under_qemu | BY_HAND.keys() == table


@pytest.mark.parametrize("op", BY_HAND)
def test_what_is_tried_by_hand_is(op: Op) -> None:
    assert re.search(rf"Op\.{op.name}\b", BY_HAND[op].read_text())


def _executed(runs: list[tuple[RandomProgram, Emulated]], xlen: int) -> Counter[str]:
    """Return how often each operation and compressed form was executed."""
    executed: Counter[str] = Counter()
    for program, expected in runs:
        for step in expected.steps:
            offset = step.pc - MEMORY_AT
            word = int.from_bytes(program.memory[offset : offset + step.size], "little")
            executed[_name(word, step.size, xlen)] += 1
    return executed


@functools.cache
def _name(word: int, size: int, xlen: int) -> str:
    if size == 4:
        return next(
            op.mnemonic
            for op, row in ENCODINGS.items()
            if xlen >= row.min_xlen and word & row.mask_for(xlen) == row.match
        )
    matching = [form for form in forms(xlen).values() if word & form.mask == form.match]
    return next(form.mnemonic for form in reversed(matching) if not form.nonzero or word & form.nonzero)


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
