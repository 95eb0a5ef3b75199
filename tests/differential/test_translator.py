"""The translator against the interpreter: whatever a program does, both leave the same state, to the last bit.

Compared are registers, memory, cycles and their causes, counters, traps, buffers with their order of use, and DRAM.
"""

import random
from typing import Any

import numpy as np
import pytest

from mapreduce import jobs, launch
from mapreduce.runtime import run_job
from pim.config import load_system, with_overrides
from pim.isa import Program, Segment
from pim.system import CoreTask, Engine
from tests.differential.test_jobs_on_cores import machine, workload
from tests.property.test_bare_fuzz import LIMIT, MEMORY_BYTES, SYSTEMS, random_code
from tests.support.assembly import MEMORY_AT
from tests.support.engines import assert_engines_agree, assert_same_state, run_bare, state
from tests.support.guest_loops import DATA, random_access, scattered_stores, stream
from tests.support.random_machines import WITH_FPU, random_machine
from tests.support.random_programs import other_memory, random_program

BANK, CHIP, RANK = (load_system(level) for level in ("bank", "chip", "rank"))
LEVELS = {"bank": (BANK, 5), "chip": (with_overrides(CHIP, {"cores_per_location": 4}), 4), "rank": (RANK, 4)}


def task(memory: bytes) -> CoreTask:
    return CoreTask((), ((MEMORY_AT, np.frombuffer(memory, np.uint8)),), ((MEMORY_AT, len(memory)),))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(5000, 5010))
def test_random_programs_leave_the_same(level: str, seed: int) -> None:
    system, n_cores = LEVELS[level]
    floating = seed % 2 == 1
    program = random_program(seed, floating=floating)
    if floating:
        system = with_overrides(system, WITH_FPU)
    memories = [other_memory(program, seed + hart_id) for hart_id in range(n_cores)]
    tasks = [task(memory) for memory in memories]
    assert_engines_agree(system, program.program, tasks, with_flags=not floating, what=(level, seed))


@pytest.mark.parametrize("seed", range(5100, 5110))
def test_random_rv32_programs_leave_the_same(seed: int) -> None:
    program = random_program(seed, xlen=32)
    system = with_overrides(BANK, {"core.extensions": "rv32imac"})
    assert_engines_agree(system, program.program, [task(program.memory)], what=seed)


@pytest.mark.parametrize("seed", range(40))
def test_any_machine_leaves_the_same(seed: int) -> None:
    rng = random.Random(f"machine {seed}")
    system, _ = random_machine(rng)
    program = random_program(5200 + seed, floating=True, n_blocks=5)
    n_cores = rng.choice((1, min(system.cores_per_group, 5)))
    memories = [other_memory(program, seed + hart_id) for hart_id in range(n_cores)]
    assert_engines_agree(system, program.program, [task(memory) for memory in memories], with_flags=False, what=seed)


@pytest.mark.parametrize("seed", range(20))
def test_any_cycle_limit_stops_both_alike(seed: int) -> None:
    rng = random.Random(f"limit {seed}")
    system, n_cores = rng.choice(list(LEVELS.values()))
    program = random_program(5300 + seed, n_blocks=4)
    tasks = [task(program.memory)] * n_cores
    assert_engines_agree(system, program.program, tasks, cycle_limit=rng.randrange(1, 30_000), what=seed)


LOOPS = {"stream": stream(1200), "random access": random_access(600, 17), "scattered stores": scattered_stores(250, 15)}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("loop", LOOPS)
def test_loops_leave_the_same(level: str, loop: str) -> None:
    system, n_cores = LEVELS[level]
    program = LOOPS[loop]
    memory = bytearray(DATA + (1 << 17) + 256)
    memory[: len(program.text)] = program.text
    assert_engines_agree(system, program, [task(bytes(memory))] * n_cores, what=(level, loop))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", jobs.names())
def test_kernels_leave_the_same(name: str, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = launch.run_cores
    n_compared = 0

    def compare(system: Any, program: Any, tasks: Any, **options: Any) -> Any:
        nonlocal n_compared
        n_compared += 1
        limit, has_flags = options["cycle_limit"], system.core.has_fpu
        assert_engines_agree(system, program, tasks, cycle_limit=limit, with_flags=not has_flags, what=(name, level))
        return run(system, program, tasks, **options)

    monkeypatch.setattr(launch, "run_cores", compare)
    inputs, parameters, expected = workload(name, 100)
    assert run_job(jobs.get(name), inputs, parameters, machine(level), sample_groups=None).result == expected
    assert n_compared > 1


@pytest.mark.parametrize("name", [name for name, (_, n_harts) in SYSTEMS.items() if n_harts == 1])
def test_random_code_with_handlers_leaves_the_same(name: str) -> None:
    """Traps, control registers, atomics, code that is written over."""
    system, _ = SYSTEMS[name]
    for seed in range(500_000, 500_150):
        rng = random.Random(f"{name} {seed}")
        code = random_code(rng, system.core.xlen)[:MEMORY_BYTES]
        symbols = {"tohost": MEMORY_AT + rng.randrange(0, MEMORY_BYTES - 8, 8)} if rng.random() < 0.3 else {}
        program = Program(system.core.xlen, MEMORY_AT, (Segment(MEMORY_AT, code, len(code), True, True),), symbols)
        options = {"memory_bytes": MEMORY_BYTES, "cycle_limit": LIMIT}
        expected = state(*run_bare(system, program, Engine.INTERPRETER, **options))
        assert_same_state(expected, state(*run_bare(system, program, Engine.TRANSLATOR, **options)), (name, seed))
