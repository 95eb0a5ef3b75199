"""What always holds for the core's time: parts sum up, waits only grow with the timings, all dirty data is written."""

from functools import cache
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pim.config import ClassCycles, SystemConfig, load_system, with_overrides
from pim.isa import Op, Program
from pim.system import STACK, CoreRun, CoreTask, run_cores
from tests.support.assembly import MEMORY_AT, Assembly
from tests.support.random_machines import random_machine
from tests.support.random_programs import other_memory, random_program

LEVELS = st.sampled_from(("bank", "chip", "rank"))
SEEDS = st.integers(0, 10_000)


@cache
def machine(level: str, *, refresh: bool = False) -> SystemConfig:
    system = load_system(level)
    return system if refresh else with_overrides(system, {"timing.trefi_ns": 1e12})


def run(system: SystemConfig, seed: int, n_cores: int = 1) -> tuple[CoreRun, ...]:
    program = random_program(seed, n_blocks=4)
    memories = [other_memory(program, seed + hart_id) for hart_id in range(n_cores)]
    tasks = [CoreTask((), ((MEMORY_AT, np.frombuffer(m, np.uint8)),), ((MEMORY_AT, len(m)),)) for m in memories]
    return run_cores(system, program.program, tasks, cycle_limit=10**8).cores


@given(SEEDS, SEEDS)
@settings(max_examples=40)
def test_parts_of_the_stack_sum_to_the_cycles(machine_seed: int, seed: int) -> None:
    """Where every class takes one cycle, nothing is left for the part that is computed as the rest."""
    system, _ = random_machine(Random(machine_seed))
    ones = {f"core.cycles.{name}": 1 for name in ClassCycles.model_fields}
    for core in run(with_overrides(system, ones), seed, min(2, system.cores_per_group)):
        stack = dict(zip(STACK, core.stack, strict=True))
        assert sum(core.stack) == core.cycles
        assert min(core.stack) >= 0
        assert stack["issue"] == core.instructions
        assert stack["mul/div/fp"] == 0


TIMINGS = (
    "trcd_ns",
    "trp_ns",
    "tras_ns",
    "twr_ns",
    "trtp_ns",
    "twtr_l_ns",
    "tccd_l_ns",
    "trrd_s_ns",
    "trrd_l_ns",
    "tfaw_ns",
)


@given(LEVELS, SEEDS, st.sampled_from((*TIMINGS, "cl_nck")), st.integers(1, 60))
@settings(max_examples=60)
def test_longer_timing_never_saves_one_core_time_without_refresh(level: str, seed: int, name: str, more: int) -> None:
    system = machine(level)
    longer = with_overrides(system, {f"timing.{name}": getattr(system.timing, name) + more})
    (before,), (after,) = run(system, seed), run(longer, seed)
    assert after.cycles >= before.cycles
    assert after.outputs[0].tobytes() == before.outputs[0].tobytes()


@given(LEVELS, SEEDS)
@settings(max_examples=20)
def test_more_line_buffers_never_miss_more(level: str, seed: int) -> None:
    """LRU keeps what a smaller buffer would keep, whole sets of sectors included."""
    fills = []
    for n in (1, 2, 3, 5, 8):
        system = with_overrides(machine(level), {"core.line_buffers": n, "core.line_sets": 1})
        fills.append(run(system, seed)[0].line_fills)
    assert all(more >= fewer for more, fewer in pairwise(fills)), fills


@given(LEVELS, SEEDS)
@settings(max_examples=15)
def test_run_is_repeatable(level: str, seed: int) -> None:
    n_cores = min(4, machine(level).cores_per_group)
    first, second = (run(machine(level, refresh=True), seed, n_cores) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        assert one.stack == other.stack
        assert one.outputs[0].tobytes() == other.outputs[0].tobytes()


def stores(places: list[int]) -> Program:
    text = Assembly()
    text.op(Op.AUIPC, rd=8, imm=0x4000)
    for place in places:
        text.li(6, place)
        text.op(Op.ADD, rd=6, rs1=6, rs2=8)
        text.op(Op.SB, rs1=6, rs2=6)
    text.exit(0)
    return text.program()


@given(st.lists(st.integers(0, 5 * 1024 - 1), min_size=1, max_size=60), st.sampled_from((8, 64, 128)))
@example([63, 64, 127, 128], 64)
@settings(max_examples=60)
def test_end_writes_every_dirty_sector_once(places: list[int], sector_bytes: int) -> None:
    """Five lines fit: each sector that was stored to is written at the end, one run per row of neighbours in a line."""
    overrides = {"core.sector_bytes": sector_bytes, "core.line_bytes": min(1024, 32 * sector_bytes)}
    system = with_overrides(machine("bank"), overrides | {"core.line_buffers": 64})
    result = run_cores(system, stores(places), [CoreTask((), reads=((MEMORY_AT + 0x4000, 5 * 1024),))])
    dirty = {place // sector_bytes for place in places}
    per_line = system.core.line_bytes // sector_bytes
    runs = sum(1 for sector in dirty if sector - 1 not in dirty or sector % per_line == 0)
    assert result.commands["WR"] == len(dirty) * sector_bytes // 8
    assert result.cores[0].line_writebacks == runs
    assert result.cores[0].line_fills == len(dirty)


@given(st.lists(st.integers(0, 32 * 1024 - 1), min_size=1, max_size=60))
@settings(max_examples=30)
def test_no_dirty_sector_is_lost_where_lines_are_replaced(places: list[int]) -> None:
    """Each fetched sector was stored to, so each is written once for every time it was fetched."""
    result = run_cores(machine("bank"), stores(places), [CoreTask((), reads=((MEMORY_AT + 0x4000, 32 * 1024),))])
    assert result.commands["WR"] == 8 * result.cores[0].line_fills


@pytest.mark.parametrize("level", ["bank", "chip", "rank"])
def test_core_alone_and_among_others_gets_the_same_results(level: str) -> None:
    system = machine(level, refresh=True)
    together = run(system, 77, system.cores_per_group)
    (alone,) = run(system, 77)
    assert together[0].outputs[0].tobytes() == alone.outputs[0].tobytes()
    assert together[0].instructions == alone.instructions
    assert together[0].line_fills == alone.line_fills
