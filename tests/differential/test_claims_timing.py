"""Programs beside a host that claims banks: the interpreter against the reference model, the translator against it.

Compared are cycles, CPI stacks, counters and DRAM commands; with the translator everything that a run leaves.
"""

import random

import numpy as np
import pytest

from pim.config import SystemConfig, load_system, with_overrides
from pim.isa import Program
from pim.system import CoreTask
from tests.differential.test_interpreter_timing import LOOPS, RATIO
from tests.support.assembly import MEMORY_AT
from tests.support.emulator import emulate
from tests.support.engines import assert_engines_agree
from tests.support.guest_loops import DATA
from tests.support.random_claims import RandomHost, random_host
from tests.support.random_machines import WITH_FPU
from tests.support.random_programs import other_memory, random_program
from tests.support.timing_bridge import executed, measured, predicted, simulate

MACHINES = {
    "bank": ({}, 5),
    "bank, in order": ({"controller.scheduling": "fcfs", "core.line_bytes": 256}, 16),
    "bank, row port": ({"port": "row"}, 3),
    "bank, column bursts": ({"column_bursts": 2, "core.line_bytes": 256, "timing.trefi_ns": 15600.0}, 6),
    "bank, RV32": ({"core.extensions": "rv32imac"}, 3),
    "chip": ({"timing.trefi_ns": 7800.0}, 1),
    "chip, 4 cores": ({"cores_per_location": 4, "core.line_bytes": 256, "timing.trefi_ns": 15600.0}, 4),
    "rank": ({}, 4),
    "rank, in order, closed page": ({"controller.scheduling": "fcfs", "controller.page": "closed"}, 4),
}


def machine(name: str) -> tuple[SystemConfig, int]:
    settings, n_cores = MACHINES[name]
    return with_overrides(
        load_system(name.split(",", maxsplit=1)[0]), WITH_FPU | {"timing.trefi_ns": 3900.0} | settings
    ), n_cores


def assert_all_agree(system: SystemConfig, program: Program, memories: list[bytes], host: RandomHost) -> None:
    traces = [executed(emulate(memory, xlen=program.xlen), memory) for memory in memories]
    run = measured(simulate(system, program, memories, host.use))
    assert run == predicted(system, RATIO[system.level], traces, host=host.reference)
    assert run.cores[0]["host"] >= 0
    tasks = [CoreTask((), ((MEMORY_AT, np.frombuffer(m, np.uint8)),), ((MEMORY_AT, len(m)),)) for m in memories]
    assert_engines_agree(system, program, tasks, with_flags=False, host_use=host.use)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("seed", [7001, 7002])
def test_programs_beside_claims_take_what_the_reference_says(name: str, seed: int) -> None:
    system, n_cores = machine(name)
    host = random_host(system, random.Random(seed), 400_000, rate=0.8)
    program = random_program(seed, floating="RV32" not in name, xlen=system.core.xlen, n_blocks=5)
    memories = [other_memory(program, seed + hart_id) for hart_id in range(n_cores)]
    assert_all_agree(system, program.program, memories, host)


@pytest.mark.parametrize("name", ["bank", "bank, in order", "chip, 4 cores", "rank"])
@pytest.mark.parametrize("loop", LOOPS)
def test_loops_beside_claims_take_what_the_reference_says(name: str, loop: str) -> None:
    system, n_cores = machine(name)
    host = random_host(system, random.Random(8000), 1_000_000)
    program = LOOPS[loop]
    memory = bytearray(DATA + (1 << 17) + 256)
    memory[: len(program.text)] = program.text
    assert_all_agree(system, program, [bytes(memory)] * min(n_cores, 4), host)
