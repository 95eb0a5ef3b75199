"""The interpreter's time against the reference model: cycles, CPI stacks, counters and DRAM commands are equal.

The trace of each core comes from the emulator; `tests/reference/core_timing.py` says how long it takes.
"""

import random
from fractions import Fraction

import pytest

from pim.config import SystemConfig, load_system, with_overrides
from pim.isa import Program
from tests.support.emulator import emulate
from tests.support.guest_loops import DATA, random_access, scattered_stores, stream
from tests.support.random_machines import WITH_FPU, random_machine
from tests.support.random_programs import other_memory, random_program
from tests.support.timing_bridge import executed, measured, predicted, simulate

RATIO = {"bank": Fraction(1, 6), "chip": Fraction(1, 6), "rank": Fraction(5, 6)}
"""Core clock over 1200 MHz, the DRAM's: 200 MHz, 200 MHz and 1000 MHz."""

MACHINES = {
    "bank": {},
    "bank, row port": {"port": "row"},
    "bank, no tFAW": {"obey_tfaw": False},
    "bank, one burst": {"column_bursts": 1},
    "bank, tight tFAW": {"timing.tfaw_ns": 400.0},
    "chip": {},
    "chip, 4 cores": {"cores_per_location": 4},
    "rank": {},
    "rank, no refresh": {"timing.trefi_ns": 1e9},
    "rank, much refresh": {"timing.trefi_ns": 700.0},
}


def machine(name: str, **more: object) -> tuple[SystemConfig, Fraction]:
    level = name.split(",", maxsplit=1)[0]
    return with_overrides(load_system(level), MACHINES[name] | WITH_FPU | more), RATIO[level]


def assert_reference_agrees(system: SystemConfig, ratio: Fraction, program: Program, memories: list[bytes]) -> None:
    traces = [executed(emulate(memory, xlen=program.xlen), memory) for memory in memories]
    assert measured(simulate(system, program, memories)) == predicted(system, ratio, traces)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("seed", [3001, 3002])
def test_one_core_takes_what_the_reference_says(name: str, seed: int) -> None:
    program = random_program(seed, floating=True)
    assert_reference_agrees(*machine(name), program.program, [program.memory])


@pytest.mark.parametrize("name", MACHINES)
def test_cores_that_share_take_what_the_reference_says(name: str) -> None:
    system, ratio = machine(name)
    for n_cores in {2, system.cores_per_group} if system.cores_per_group > 1 else ():
        program = random_program(3100 + n_cores, floating=True, n_blocks=6)
        memories = [other_memory(program, hart_id) for hart_id in range(n_cores)]
        assert_reference_agrees(system, ratio, program.program, memories)


@pytest.mark.parametrize("name", MACHINES)
def test_cores_of_32_bits_take_what_the_reference_says(name: str) -> None:
    system, ratio = machine(name, **{"core.extensions": "rv32imac"})
    program = random_program(3300, xlen=32, n_blocks=6)
    memories = [other_memory(program, hart_id) for hart_id in range(min(3, system.cores_per_group))]
    assert_reference_agrees(system, ratio, program.program, memories)


LOOPS = {
    "stream": stream(1200),
    "random access": random_access(600, 17),
    "scattered stores": scattered_stores(250, 15),
}


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("loop", LOOPS)
def test_loops_take_what_the_reference_says(name: str, loop: str) -> None:
    system, ratio = machine(name)
    program = LOOPS[loop]
    memory = bytearray(DATA + (1 << 17) + 256)
    memory[: len(program.text)] = program.text
    n_cores = min(3, system.cores_per_group)
    assert_reference_agrees(system, ratio, program, [bytes(memory)] * n_cores)


@pytest.mark.parametrize("seed", range(40))
def test_any_machine_takes_what_the_reference_says(seed: int) -> None:
    rng = random.Random(seed)
    system, ratio = random_machine(rng)
    program = random_program(3200 + seed, floating=True, n_blocks=5)
    n_cores = rng.choice((1, min(system.cores_per_group, 5)))
    memories = [other_memory(program, seed + hart_id) for hart_id in range(n_cores)]
    assert_reference_agrees(system, ratio, program.program, memories)
