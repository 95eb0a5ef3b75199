"""The profiler: it changes nothing, its sums are the run's totals, and each instruction gets what it cost."""

import ast
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mapreduce import jobs
from mapreduce.profile import profile_job
from pim.config import SystemConfig, load_system, with_overrides
from pim.core.booking import EMPTY, LOCALS, make_profile
from pim.core.profile import profile_group
from pim.core.settings import MEMORY_BASE
from pim.errors import ConfigError
from pim.isa import Op, Program
from pim.system import BareMachine, CoreTask, GroupRun, run_cores
from pim.system.profile import EVENTS, Costs, Hot, profile_bare, profile_cores
from pim.system.trace import steps
from tests.differential.test_jobs_on_cores import machine, workload
from tests.support import bare
from tests.support.assembly import MEMORY_AT, Assembly
from tests.support.elf_image import Part, elf_image
from tests.support.guest_loops import random_access, scattered_stores, stream
from tests.support.random_programs import other_memory, random_program

NO_DEBUG = elf_image([Part(MEMORY_BASE, b"\x73\0\0\0")], MEMORY_BASE)
CHIP4 = with_overrides(load_system("chip"), {"cores_per_location": 4})


def assert_sums(rows: Sequence[Hot], group: GroupRun) -> None:
    total: Costs = reduce(add, (row.costs for row in rows))
    assert total.instructions == sum(core.instructions for core in group.cores)
    assert total.cycles == sum(core.cycles for core in group.cores)
    assert total.stack == tuple(map(sum, zip(*(core.stack for core in group.cores), strict=True)))
    assert total.events == tuple(sum(getattr(core, name) for core in group.cores) for name in EVENTS)
    assert all(sum(row.costs.stack) == row.costs.cycles for row in rows)


def assert_same(mine: GroupRun, theirs: GroupRun) -> None:
    assert (mine.nck, mine.commands) == (theirs.nck, theirs.commands)
    for core, other in zip(mine.cores, theirs.cores, strict=True):
        assert (core.exit_code, core.return_value, core.stack) == (other.exit_code, other.return_value, other.stack)
        assert [array.tobytes() for array in core.outputs] == [array.tobytes() for array in other.outputs]


@pytest.mark.parametrize("system", [load_system("bank"), CHIP4, load_system("rank")], ids=["bank", "chip", "rank"])
@pytest.mark.parametrize("seed", range(7000, 7004))
def test_random_programs_cost_the_same_and_the_sums_are_exact(system: SystemConfig, seed: int) -> None:
    program = random_program(seed)
    memories = [np.frombuffer(other_memory(program, seed + hart), np.uint8) for hart in range(4)]
    tasks = [CoreTask((), ((MEMORY_AT, memory),), ((MEMORY_AT, memory.size),)) for memory in memories]
    plain = run_cores(system, program.program, tasks)
    group, rows = profile_cores(system, program.program, NO_DEBUG, tasks)
    assert_same(group, plain)
    assert_sums(rows, group)


@pytest.mark.parametrize("step", ["map", "reduce"])
@pytest.mark.parametrize(("name", "level"), [("wordcount", "bank"), ("kmeans", "chip"), ("q6", "rank")])
def test_kernels_of_jobs_name_their_source_lines(name: str, level: str, step: str) -> None:
    inputs, parameters, _ = workload(name, 300)
    done = profile_job(jobs.get(name), inputs, parameters, machine(level), step)
    assert_sums(done.hot, done.group)
    kernel = done.kernel
    own = [row for row in done.hot if row.place.source_function == kernel.name and row.place.line]
    assert {row.place.file for row in own} == {f"{name}.py"}
    source = ast.walk(ast.parse(Path(kernel.origin).read_text()))  # helpers, merged into the kernel, included
    assert {row.place.line for row in own} <= {getattr(node, "lineno", None) for node in source}
    assert len({row.place.line for row in own}) >= 3
    assert all(row.path[0] == "_start" for row in done.hot)


def test_step_must_be_one() -> None:
    with pytest.raises(ConfigError, match="kernel 'shuffle': must be one of map, reduce"):
        profile_job(jobs.get("q6"), {}, {}, machine("bank"), "shuffle")


def by_parcel(loaded: BareMachine, n: int) -> tuple[dict[int, int], dict[int, int]]:
    """Return cycles and instructions by address, as the profiler books them."""
    profile = make_profile(loaded.group, (), np.zeros(n + 1))
    profile_group(loaded.group, loaded.code, loaded.settings, profile)
    cycles, instructions = Counter[int](), Counter[int]()
    for row in np.flatnonzero(profile.key != EMPTY):
        address = MEMORY_BASE + 2 * (int(profile.key[row]) % (n + 1))
        cycles[address] += int(profile.counts[row, LOCALS.index("cycle")])
        instructions[address] += int(profile.counts[row, LOCALS.index("instret")])
    return +cycles, +instructions


def with_handler() -> Assembly:
    """Return a program that traps into its own handler, which skips the instruction."""
    text = Assembly()
    text.labels["handler"] = 0x80
    text.address_of(5, "handler")
    text.op(Op.CSRRW, rs1=5, imm=0x305)  # mtvec
    for _ in range(3):
        text.op(Op.LD, rd=6, rs1=0)
    text.op(Op.CSRRW, imm=0x305)
    text.exit()
    while text.size < 0x80:
        text.op(Op.ADDI)
    text.op(Op.CSRRS, rd=7, imm=0x341)  # mepc
    text.op(Op.ADDI, rd=7, rs1=7, imm=4)
    text.op(Op.CSRRW, rs1=7, imm=0x341)
    text.op(Op.MRET)
    return text


PROGRAMS: dict[str, Program] = {
    "stream": stream(300),
    "random access": random_access(100, 14),
    "scattered stores": scattered_stores(100, 14),
    "own handler": with_handler().program(),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_instruction_gets_what_single_steps_show(name: str) -> None:
    """Another way to the same numbers: the core's clock after each single step."""
    program = PROGRAMS[name]
    make: Any = lambda **options: BareMachine(bare.machine(), program, memory_bytes=1 << 20, **options)  # noqa: E731
    cycles, instructions, before = Counter[int](), Counter[int](), 0
    for step in steps(make(single_step=True)):
        cycles[step.pc] += step.cycle - before
        instructions[step.pc] += step.trap is None
        before = step.cycle
    assert by_parcel(make(), 1 << 12) == (+cycles, +instructions)


def test_code_beyond_the_program_is_booked_elsewhere() -> None:
    """Code that the program has stored outside its file has no function; its costs are not lost."""
    text = Assembly()
    text.li(5, MEMORY_AT + 0x4000)
    text.li(6, 0x8082)  # ret
    text.op(Op.SH, rs1=5, rs2=6)
    text.op(Op.FENCE_I)
    for _ in range(4):
        text.op(Op.JALR, rd=1, rs1=5)
    text.exit()
    run, rows = profile_bare(bare.load(text), NO_DEBUG)
    assert_sums(rows, run.group)
    assert {row.place.function for row in rows} == {"?"}


def test_shared_memory_and_deep_recursion_keep_the_sums() -> None:
    """Four cores call deeper than paths go, return once too often, and add to one counter by atomics."""
    text = Assembly()
    text.li(8, MEMORY_AT + 0x4000)
    text.li(11, 1)
    text.li(10, 300)
    text.label("deeper")
    text.op(Op.AMOADD_D, rs1=8, rs2=11)
    text.op(Op.JAL, imm=4, rd=1)
    text.op(Op.ADDI, rd=10, rs1=10, imm=-1)
    text.op(Op.BNE, "deeper", rs1=10)
    text.li(10, 301)
    text.label("back")
    text.op(Op.AUIPC, rd=5)
    text.op(Op.JALR, rs1=5, imm=8)
    text.op(Op.ADDI, rd=10, rs1=10, imm=-1)
    text.op(Op.BNE, "back", rs1=10)
    text.exit()
    system = with_overrides(CHIP4, {"core.extensions": "rv64imac"})
    plain = bare.run(text, system, n_harts=4)
    run, rows = profile_bare(bare.load(text, system, n_harts=4), NO_DEBUG)
    assert_same(run.group, plain.group)
    assert_sums(rows, run.group)
