"""The translator against the interpreter: whatever a program does, both leave the same state, to the last bit.

Compared are registers, memory, cycles and their causes, counters, traps, buffers with their order of use, and DRAM.
"""

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mapreduce import jobs, launch
from mapreduce.runtime import run_job
from pim.config import load_system, with_overrides
from pim.core.state import Stop
from pim.core.translate import compile as compiler
from pim.core.translate import function, stacks
from pim.isa import Op, Program, Segment
from pim.isa.csr import Csr
from pim.system import CoreTask, Engine
from tests.differential.test_jobs_on_cores import machine, workload
from tests.property.test_bare_fuzz import LIMIT, MEMORY_BYTES, SYSTEMS, random_code
from tests.support.assembler import assemble
from tests.support.assembly import MAILBOX_AT, MEMORY_AT, SCRATCHPAD_AT, Assembly
from tests.support.engines import assert_engines_agree, assert_same_state, run_bare, run_kernel, state
from tests.support.guest_loops import DATA, random_access, scattered_stores, stream
from tests.support.random_machines import WITH_FPU, random_machine
from tests.support.random_programs import other_memory, random_program

BANK, CHIP, RANK = (load_system(level) for level in ("bank", "chip", "rank"))
DATA_AT = MEMORY_AT + 2048
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


@pytest.mark.long
@pytest.mark.parametrize("level", LEVELS)
def test_ten_million_instructions_leave_the_same(level: str) -> None:
    """Seeds from 600,000 on, 3.4 million instructions on each level."""
    seed, instructions = 600_000, 0
    while instructions < 3_400_000:
        system, n_cores = LEVELS[level]
        program = random_program(seed, floating=seed % 2 == 1)
        if seed % 2 == 1:
            system = with_overrides(system, WITH_FPU)
        tasks = [task(other_memory(program, seed + hart_id)) for hart_id in range(n_cores)]
        group = assert_engines_agree(system, program.program, tasks, with_flags=seed % 2 == 0, what=(level, seed))
        instructions += int(group.harts.instret.sum())
        seed += 1


def test_threads_change_nothing() -> None:
    system, n_cores = LEVELS["bank"]
    program = random_program(5400)
    groups = [[task(other_memory(program, 100 * i + hart_id)) for hart_id in range(n_cores)] for i in range(6)]

    def run(tasks: list[CoreTask]) -> dict[str, Any]:
        return state(*run_kernel(system, program.program, tasks, Engine.TRANSLATOR))

    alone = [run(tasks) for tasks in groups]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(run, groups))
    for i, (expected, got) in enumerate(zip(alone, together, strict=True)):
        assert_same_state(expected, got, i)


@pytest.mark.parametrize("seed", range(5100, 5110))
def test_random_rv32_programs_leave_the_same(seed: int) -> None:
    program = random_program(seed, xlen=32)
    system = with_overrides(BANK, {"core.extensions": "rv32imac"})
    assert_engines_agree(system, program.program, [task(program.memory)], what=seed)


@pytest.mark.parametrize("level", LEVELS)
def test_programs_too_large_for_values_leave_the_same(
    level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCALEIN_CACHE", str(tmp_path))  # the same programs may be compiled otherwise
    monkeypatch.setattr(compiler, "_loaded", {})
    monkeypatch.setattr(function, "MOST_IN_VALUES", 0)
    system, n_cores = LEVELS[level]
    for seed in (5000, 5002):
        program = random_program(seed)
        tasks = [task(other_memory(program, seed + hart_id)) for hart_id in range(n_cores)]
        assert_engines_agree(system, program.program, tasks, what=(level, seed))


@pytest.mark.parametrize("level", LEVELS)
def test_cores_without_stacks_of_their_own_leave_the_same(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacks, "can_switch", lambda: False)
    system, n_cores = LEVELS[level]
    for seed in (5000, 5002):
        program = random_program(seed)
        tasks = [task(other_memory(program, seed + hart_id)) for hart_id in range(n_cores)]
        assert_engines_agree(system, program.program, tasks, what=(level, seed))


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


@pytest.mark.plain
def test_limits_in_loops_with_calls_stop_both_alike() -> None:
    """Anywhere in a loop that calls a loop of loads and stores, which miss now and then, also near its end."""
    text = Assembly()
    text.li(9, DATA_AT)
    text.op(Op.ADDI, rd=8, imm=30)
    text.label("outer")
    text.op(Op.ADDI, rd=7, imm=5)
    text.op(Op.JAL, "inner", rd=1)
    text.op(Op.ADDI, rd=8, rs1=8, imm=-1)
    text.op(Op.BNE, "outer", rs1=8)
    text.exit()
    text.label("inner")
    text.op(Op.LD, rd=12, rs1=9)
    text.op(Op.ADD, rd=12, rs1=12, rs2=8)
    text.op(Op.SD, rs1=9, rs2=12)
    text.op(Op.ADDI, rd=9, rs1=9, imm=40)
    text.op(Op.ADDI, rd=7, rs1=7, imm=-1)
    text.op(Op.BNE, "inner", rs1=7)
    text.op(Op.JALR, rs1=1)
    tasks = [CoreTask((), ((MEMORY_AT + 2048, np.zeros(8192, np.uint8)),))]
    whole = int(assert_engines_agree(BANK, text.program(), tasks).harts.cycle.item())
    stops = set()
    for limit in (*range(1, whole, whole // 20), *range(whole - 400, whole + 2, 7)):
        group = assert_engines_agree(BANK, text.program(), tasks, cycle_limit=limit, what=limit)
        stops.add(group.harts.stop.item())
    assert stops == {Stop.EXITED, Stop.CYCLE_LIMIT}


NUMBERS = [
    *(0, 1 << 63, 1, 1 << 63 | 1, 0x3FF0 << 48, 0xBFF0 << 48, 0x7FF0 << 48, 0xFFF0 << 48),  # 0, subnormal, 1, infinity
    *(0x7FF8 << 48, 0xFFF8 << 48, 0x7FF0 << 48 | 1, 0xFFF4 << 48, 0x7FF8 << 48 | 5),  # NaN
    *(0xFFFFFFFF << 32 | bits for bits in (0, 1 << 31, 1, 0x3F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC00003)),
]
"""Doubles, and singles in boxes; each also taken for the other."""


@pytest.mark.plain
def test_special_numbers_leave_the_same() -> None:
    """What floating-point operations without rounding make of every pair of them, in native code."""
    operations = (Op.FMIN_S, Op.FMIN_D, Op.FMAX_S, Op.FMAX_D, Op.FEQ_S, Op.FLT_D, Op.FLE_S, Op.FSGNJ_S, Op.FSGNJX_D,
                  Op.FADD_S, Op.FMUL_D)  # fmt: skip
    text = Assembly()
    one, other, end, out = 5, 6, 7, 8
    text.li(one, DATA_AT)
    text.li(end, DATA_AT + 8 * len(NUMBERS))
    text.op(Op.ADDI, rd=out, rs1=end)
    text.label("outer")
    text.op(Op.FLD, rd=1, rs1=one)
    text.li(other, DATA_AT)
    for op in (Op.FCLASS_S, Op.FCLASS_D):
        text.op(op, rd=9, rs1=1)
        text.op(Op.SD, rs1=out, rs2=9)
        text.op(Op.ADDI, rd=out, rs1=out, imm=8)
    text.label("inner")
    text.op(Op.FLD, rd=2, rs1=other)
    for n, op in enumerate(operations):
        is_number = op not in (Op.FEQ_S, Op.FLT_D, Op.FLE_S)
        text.op(op, rd=3, rs1=1, rs2=2)
        text.op(Op.FSD if is_number else Op.SD, rs1=out, rs2=3, imm=8 * n)
    text.op(Op.ADDI, rd=out, rs1=out, imm=8 * len(operations))
    text.op(Op.ADDI, rd=other, rs1=other, imm=8)
    text.op(Op.BNE, "inner", rs1=other, rs2=end)
    text.op(Op.ADDI, rd=one, rs1=one, imm=8)
    text.op(Op.BNE, "outer", rs1=one, rs2=end)
    text.exit()
    memory = np.zeros(len(NUMBERS) * (1 + 2 + len(operations) * len(NUMBERS)), np.uint64)
    memory[: len(NUMBERS)] = NUMBERS
    group = assert_engines_agree(
        with_overrides(BANK, WITH_FPU),
        text.program(),
        [CoreTask((), ((DATA_AT, memory.view(np.uint8)),))],
        with_flags=False,
    )
    assert group.harts.stop.item() == Stop.EXITED


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


@pytest.mark.plain
def test_code_that_native_code_writes_is_executed_as_it_is_then() -> None:
    """A function is written anew before each call, to memory that was data when native code wrote it first."""
    text = Assembly()
    place, word, step, left = 5, 6, 7, 28
    text.op(Op.ADDI, rd=place, imm=1)
    text.op(Op.SLLI, rd=place, rs1=place, imm=31)
    text.op(Op.ADDI, rd=step, imm=1)
    text.op(Op.SLLI, rd=step, rs1=step, imm=20)  # 1 more in the immediate
    text.li(word, assemble(Op.JALR, rs1=1) << 32 | assemble(Op.ADDI, rd=10, rs1=10))
    text.op(Op.LUI, rd=left, imm=0x1000)
    text.op(Op.ADD, rd=place, rs1=place, rs2=left)
    text.op(Op.ADDI, rd=left, imm=5)
    text.label("again")
    text.op(Op.ADD, rd=word, rs1=word, rs2=step)
    text.op(Op.SD, rs1=place, rs2=word)
    text.op(Op.FENCE_I)
    text.op(Op.JALR, rd=1, rs1=place)
    text.op(Op.ADDI, rd=left, rs1=left, imm=-1)
    text.op(Op.BNE, "again", rs1=left)
    text.exit()
    expected = state(*run_bare(BANK, text.program(), Engine.INTERPRETER, memory_bytes=1 << 14))
    assert expected["hart.exit_code"] == [1 + 2 + 3 + 4 + 5]
    assert_same_state(expected, state(*run_bare(BANK, text.program(), Engine.TRANSLATOR, memory_bytes=1 << 14)))


@pytest.mark.plain
def test_a_handler_reads_what_native_code_has_counted() -> None:
    text = Assembly()
    text.address_of(5, "handler")
    text.op(Op.CSRRW, rs1=5, imm=Csr.MTVEC)
    text.op(Op.ADDI, rd=6, imm=100)
    text.label("loop")
    text.op(Op.ADDI, rd=6, rs1=6, imm=-1)
    text.op(Op.BNE, "loop", rs1=6)
    text.op(Op.EBREAK)
    text.label("handler")
    text.op(Op.CSRRS, rd=7, imm=Csr.MINSTRET)
    text.op(Op.CSRRW, imm=Csr.MTVEC)
    text.op(Op.ADDI, rd=10, rs1=7)
    text.exit()
    group = assert_engines_agree(BANK, text.program(), [CoreTask(())])
    assert group.harts.exit_code.tolist() == [2 + 2 + 200]


@pytest.mark.plain
@pytest.mark.parametrize(
    ("op", "register", "address", "cause"),
    [
        (Op.LD, 5, 4, 4),
        (Op.SW, 5, 3000 + 2, 6),
        (Op.LB, 5, 1 << 20, 5),
        (Op.SD, 5, 0, 7),
        (Op.LD, 6, 1024, 5),
        (Op.SD, 7, 0, 7),
    ],
)
def test_traps_are_those_of_the_faulting_instruction(op: Op, register: int, address: int, cause: int) -> None:
    """In a loop whose accesses are native until one goes wrong: memory, text, scratchpad, mailbox."""
    text = Assembly()
    text.li(5, MEMORY_AT)
    text.li(6, SCRATCHPAD_AT)
    text.li(7, MAILBOX_AT)
    text.li(9, DATA_AT)
    text.op(Op.ADDI, rd=8, imm=50)
    text.li(11, address)
    text.op(Op.ADD, rd=11, rs1=11, rs2=register)
    text.label("loop")
    text.op(Op.LD, rd=12, rs1=9)
    text.op(Op.SD, rs1=9, rs2=8)
    text.op(Op.ADDI, rd=8, rs1=8, imm=-1)
    text.op(Op.BNE, "go on", rs1=8)
    text.op(Op.ADDI, rd=9, rs1=11)
    text.label("go on")
    text.op(op, rd=0 if op in (Op.SD, Op.SW) else 13, rs1=9, rs2=8 if op in (Op.SD, Op.SW) else 0)
    text.op(Op.JAL, "loop")
    memory = np.zeros(4096, np.uint8)
    group = assert_engines_agree(BANK, text.program(), [CoreTask((), ((MEMORY_AT + 2048, memory),))])
    assert (group.harts.stop.item(), group.harts.cause.item()) == (Stop.TRAPPED, cause)
    assert int(group.harts.tval.item()) == {5: MEMORY_AT, 6: SCRATCHPAD_AT, 7: MAILBOX_AT}[register] + address
