"""What a group needs beside its own state to run native code: frames, entries, and tables of points and blocks."""

from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from pim.core.code import ENTRY, Code
from pim.core.settings import MEMORY_BASE, SCRATCHPAD_BASE, CoreSettings
from pim.core.state import NO_LINE, Core, Group
from pim.core.translate import stacks
from pim.core.translate.compile import Machinecode
from pim.core.translate.flow import Edge, Flow, make_flow
from pim.core.translate.kept import KEPT_WORDS
from pim.core.translate.layout import (
    ENTRY_WORDS,
    HEADER_WORDS,
    TABLE_WORDS,
    BlockWord,
    Entry,
    Header,
    Layout,
    SiteWord,
    layout_of,
)
from pim.core.translate.plan import KEPT_PLANS, Plan
from pim.core.translate.stacks import STACK_ALIGNMENT, STACK_BYTES
from pim.core.translate.turns import make_turns
from pim.dram import Device
from pim.isa import Op

KEPT_APART = 104
"""Words between what is kept of one core and of the next: not a power of two away, or caches would keep few of them."""


class PointColumn(IntEnum):
    """Columns of the table of points; counts are those of its block's instructions before it."""

    PARCEL = 0
    BLOCK = 1
    CYCLES = 2  # static cycles
    N = 3
    LOADS = 4
    STORES = 5
    LOAD_USE = 6  # core cycles
    ADDRESS = 7  # of its instruction


class Total(IntEnum):
    """Columns of the table of blocks; what a block executed to its end counts."""

    N = 0
    LOADS = 1
    STORES = 2
    LOAD_USE = 3


class Step(IntEnum):
    """Columns of the table of steps: how the count of a block's end follows from those it meets at a block."""

    BLOCK = 0  # where they meet
    WORD = 1  # of the frame that is to be set
    IS_OUT = 2  # whether it is an end of this block, or one that leads to it
    FIRST_INTO = 3  # part of Native.into: words of the ends that lead to the block
    END_INTO = 4


class Native(NamedTuple):
    """Native code of a program on one group. Arrays of int64 where nothing else is said."""

    address: int  # of the function
    frames: Any  # (n_harts, words): see layout.py
    entries: Any  # (n_harts, n_entries * ENTRY_WORDS)
    known: Any  # (n_harts, 3, n_slots): line, valid, dirty as native code has left them to the interpreter
    fetched: Any  # (n_harts, n_lines): instruction buffer as native code has left it
    point_at: Any  # int32 by parcel: number + 1 of the point to enter at, or 0; native code reads it
    points: Any  # (n_points, PointColumn)
    blocks: Any  # (n_blocks, Total)
    line_at: int  # where the words of lines begin in a frame; they end at block_at
    line_step: int  # log2 of how many of these lines are one of the instruction buffer
    scratchpad_entry: int  # number of the first entry of the scratchpad
    block_at: int  # where the blocks' records begin in a frame
    is_active: Any  # (1,): 0 once translated code has been written over
    reads_counters: bool  # whether the program may: then native code's counts are added before the interpreter goes on
    turns: Any  # see turns.py
    stacks: Any  # (n, STACK_BYTES / 8): each core's, none where one core is alone, or the host has no switch
    kept: Any  # (n_harts + 1, KEPT_WORDS + KEPT_APART): each core's Port, and the Environment
    steps: Any  # (n, Step), in this order
    into: Any  # words of the frame, see Step


class Port(NamedTuple):
    """What a core's requests need of its own; kept where native code finds it, as the `Environment` is."""

    core: Core
    frame: Any
    entries: Any
    entry_address: int  # of entries[0]
    memory_at: int  # address in this process of the core's memory


class Environment(NamedTuple):
    """What the requests of all cores of a group need."""

    device: Device
    checked: Any
    native: Native
    settings: CoreSettings


def unmatched(settings: CoreSettings) -> int:
    """Return the base of an entry that stands for nothing.

    The bit is cleared in what is compared with it, at any width, as a sector has 16 bytes at least.
    """
    return 1 << (settings.sector_shift - 1)


def can_be_native(settings: CoreSettings) -> bool:
    """Tell whether native code serves these settings; the interpreter takes the others."""
    return settings.sector_shift >= 4 and not settings.shares_memory and not settings.single_step


def make_native(machinecode: Machinecode, plan: Plan, code: Code, group: Group, settings: CoreSettings) -> Native:
    """Return a group's native code, ready to run; marks where it can be entered in ``code``."""
    layout = layout_of(plan)
    n_harts, n_slots = group.buffers.line.shape
    n_sectors, n_scratchpad = settings.sector_mask + 1, settings.scratchpad_bytes >> settings.sector_shift
    entries = np.zeros((n_harts, n_slots * n_sectors + n_scratchpad + 1, ENTRY_WORDS), np.int64)
    entries[:, :, : Entry.USED] = unmatched(settings)
    first = n_slots * n_sectors
    for hart_id in range(n_harts):
        own = entries[hart_id]
        at = group.memory.u8.ctypes.data + hart_id * settings.stride_bytes
        own[:first, Entry.DELTA] = at - MEMORY_BASE
        at = group.scratchpad.u8.ctypes.data + hart_id * settings.scratchpad_bytes
        own[first:, Entry.DELTA] = at - SCRATCHPAD_BASE
        bases = SCRATCHPAD_BASE + (np.arange(n_scratchpad) << settings.sector_shift)
        own[first:-1, Entry.LOAD_BASE] = own[first:-1, Entry.STORE_BASE] = bases
    n_parcels = len(code.op)
    flow = make_flow(plan)
    point_at = np.zeros(n_parcels, np.int32)
    for number in flow.entered:
        block = plan.blocks[number]
        point_at[block.body[0].parcel] = block.head + 1
    code.fetch_line[point_at > 0] = ENTRY
    points, blocks, cycles = _tables(plan, code)
    frames = np.zeros((n_harts, layout.words), np.int64)
    _fill_frames(frames, layout, cycles, group, settings)
    frames[:, layout.line_at : layout.block_at] = 1
    frames[:, Header.JUMPS] = point_at.ctypes.data
    own_stacks = np.empty((n_harts if stacks.can_switch() and n_harts > 1 else 0, STACK_BYTES // 8), np.int64)
    for frame, stack in zip(frames, own_stacks, strict=False):
        frame[Header.STACK] = (stack.ctypes.data + stack.nbytes) // STACK_ALIGNMENT * STACK_ALIGNMENT
    used = group.buffers.used.ctypes.data + 8 * np.arange(n_harts * n_slots).reshape(n_harts, n_slots)
    steps, into = block_steps(plan, flow, layout)
    entries[:, :first, Entry.USED] = np.repeat(used, n_sectors, axis=1)
    entries[:, first:, Entry.USED] = (
        frames[:, Header.NO_STAMP :].ctypes.data + (np.arange(n_harts) * frames[0].nbytes)[:, None]
    )
    last_entries = entries[:, -1].ctypes.data + np.arange(n_harts) * entries[0].nbytes
    frames[:, HEADER_WORDS : HEADER_WORDS + TABLE_WORDS] = last_entries[:, None]
    *_, access, site = _places(plan)[2]
    is_access = access >= 0
    frames[:, layout.site(site[is_access], SiteWord.ENTRY)] = last_entries[:, None]
    frames[:, layout.site(access[is_access], SiteWord.CYCLES)] = points[is_access, PointColumn.CYCLES]
    return Native(
        machinecode.address,
        frames,
        entries.reshape(n_harts, -1),
        np.stack([np.full((n_harts, n_slots), NO_LINE), *np.zeros((2, n_harts, n_slots), np.int64)], axis=1),
        np.full_like(group.buffers.instruction_line, NO_LINE),
        point_at,
        points,
        blocks,
        layout.line_at,
        settings.instruction_line_shift - plan.line_shift,
        first,
        layout.block_at,
        np.ones(1, np.int64),
        not settings.protects_text or bool(((code.op >= Op.CSRRW) & (code.op <= Op.CSRRCI)).any()),
        make_turns(n_harts),
        own_stacks,
        np.zeros((n_harts + 1, KEPT_WORDS + KEPT_APART), np.int64),
        steps,
        into,
    )


@lru_cache(KEPT_PLANS)
def block_steps(plan: Plan, flow: Flow, layout: Layout) -> tuple[Any, Any]:
    """Return the tables of steps, and of what leads to each block: leaf by leaf of the ends that are not counted."""

    def word(edge: Edge) -> Any:
        return layout.block(edge.source, BlockWord.TAKEN_COUNT if edge.is_taken else BlockWord.FALL_COUNT)

    into: list[list[Edge]] = [[] for _ in plan.blocks]
    unknown: list[set[Edge]] = [set() for _ in plan.blocks]
    for edge in flow.edges:
        into[edge.target].append(edge)
        if (edge.source, edge.is_taken) not in flow.counted:
            unknown[edge.source].add(edge)
            unknown[edge.target].add(edge)
    starts = np.cumsum([0, *map(len, into)])
    steps = []
    todo = [number for number, edges in enumerate(unknown) if len(edges) == 1]
    while todo:
        number = todo.pop()
        for edge in tuple(unknown[number]):
            steps.append((number, word(edge), edge.source == number, starts[number], starts[number + 1]))
            for end in (edge.source, edge.target):
                unknown[end].discard(edge)
                if len(unknown[end]) == 1:
                    todo.append(end)
    words = [word(edge) for edges in into for edge in edges]
    return np.array(steps, np.int64).reshape(-1, len(Step)), np.array(words, np.int64)


@lru_cache(KEPT_PLANS)
def _places(plan: Plan) -> tuple[Any, Any, Any]:
    """Return the parcels of all blocks' instructions, where each block's begin among them, and columns of the points.

    These are parcel, block, n, access and site.
    """
    parcels = np.array([it.parcel for block in plan.blocks for it in block.body], np.int64)
    starts = np.cumsum([0, *(len(block.body) for block in plan.blocks)])
    columns = [(point.parcel, point.block, point.n, point.access, point.site) for point in plan.points]
    return parcels, starts, np.array(columns, np.int64).reshape(-1, 5).T


def _tables(plan: Plan, code: Code) -> tuple[Any, Any, Any]:
    """Return the tables of points and of blocks, and the static cycles of each block."""
    parcels, starts, (parcel, block, n, *_) = _places(plan)
    op = code.op[parcels]
    is_store = (op >= Op.SB) & (op <= Op.FSD)
    is_load = (op >= Op.LB) & (op <= Op.FSD) & ~is_store
    sums = np.zeros((len(parcels) + 1, 5), np.int64)
    own = (code.cost[parcels], np.ones_like(parcels), is_load, is_store, code.load_use[parcels])
    np.cumsum(np.stack(own, axis=1), axis=0, out=sums[1:])
    totals = sums[starts[1:]] - sums[starts[:-1]]
    before = sums[starts[block] + n] - sums[starts[block]]
    points = np.column_stack((parcel, block, before, MEMORY_BASE + 2 * parcel))
    return points, np.ascontiguousarray(totals[:, 1:]), totals[:, 0]


def _fill_frames(frames: Any, layout: Layout, cycles: Any, group: Group, settings: CoreSettings) -> None:
    """Write what stays the same in all frames."""
    frames[:, Header.X] = [row.ctypes.data for row in group.registers.x]
    frames[:, Header.F] = [row.ctypes.data for row in group.registers.f_bits]
    frames[:, Header.SECTOR_SHIFT] = settings.sector_shift
    frames[:, Header.IS_STALE] = 1
    frames[:, Header.SLACK] = _slack(cycles, settings)
    for shift in range(4):
        frames[:, Header.MASK + shift] = ~((1 << settings.sector_shift) - (1 << shift))
    numbers = np.arange(len(cycles))
    frames[:, layout.block(numbers, BlockWord.FALL_CYCLES)] = cycles
    frames[:, layout.block(numbers, BlockWord.TAKEN_CYCLES)] = cycles + settings.taken_branch_penalty


def _slack(cycles: Any, settings: CoreSettings) -> int:
    """Return the most cycles, stalls apart, from one branch or jump at which native code looks at its limit to another.

    Loops have one each: in between no block is executed twice.
    """
    return int(cycles.sum()) + settings.taken_branch_penalty * len(cycles)
