"""What changes hands between native code and the interpreter: buffers, entries, counts."""

from typing import Any

from pim.core.settings import CoreSettings
from pim.core.state import NO_SLOT, Core, Hart
from pim.core.translate.layout import BLOCK_WORDS, BlockWord, Entry, Header
from pim.core.translate.native import Native, PointColumn, Step, Total
from pim.core.translate.serve import drop_entries, exchange_line, write_entry
from pim.isa.alu import lowest_bit
from pim.jit import inlined_kernel, kernel

LINE, VALID, DIRTY = 0, 1, 2
"""Rows of Native.known."""


@inlined_kernel
def take_over(core: Core, native: Native, number: int) -> None:
    """Count a block that native code goes on in from a point only from there on. Updates ``core``."""
    count(core.hart, native, number, -1)
    row = native.points[number]
    ahead = core.hart.uses - (core.hart.cycle - row[PointColumn.CYCLES] + row[PointColumn.N] - 1)
    if ahead > 0:  # native stamps begin at the core's cycle
        for slot in range(len(core.used)):
            core.used[slot] -= ahead


@inlined_kernel
def hand_over(core: Core, native: Native, settings: CoreSettings) -> None:
    """Let the interpreter go on where native code was left. Updates ``core`` and ``native``."""
    hart, frame = core.hart, native.frames[core.hart_id]
    number = frame[Header.POINT]
    row = native.points[number]
    count(hart, native, number, 1)
    hart.pc = row[PointColumn.ADDRESS]
    hart.cycle = frame[Header.CYCLE] + row[PointColumn.CYCLES]
    hart.uses = frame[Header.CYCLE] + row[PointColumn.N] - 1
    hart.data_slot = NO_SLOT
    if native.reads_counters:
        collect_counts(hart, native, core.hart_id, settings)
    known, fetched = native.known[core.hart_id], native.fetched[core.hart_id]
    for slot in range(len(core.line)):
        known[LINE, slot], known[VALID, slot] = core.line[slot], core.valid[slot]
        known[DIRTY, slot] = core.dirty[slot]
    for place in range(len(fetched)):
        fetched[place] = core.instruction_line[place]


@kernel
def match_buffers(core: Core, native: Native, lowest_store: int, settings: CoreSettings) -> None:
    """Let entries and blocks stand for what the interpreter has left in the buffers. Updates ``native``."""
    frame, known, fetched = native.frames[core.hart_id], native.known[core.hart_id], native.fetched[core.hart_id]
    entries = native.entries[core.hart_id]
    is_known = frame[Header.LOWEST_STORE] == lowest_store
    frame[Header.LOWEST_STORE] = lowest_store
    for slot in range(len(core.line)):
        if not is_known or known[LINE, slot] != core.line[slot]:
            drop_entries(entries, slot, known[VALID, slot], Entry.LOAD_BASE, settings)
            known[VALID, slot] = known[DIRTY, slot] = 0
        gone = known[VALID, slot] & ~core.valid[slot]
        drop_entries(entries, slot, gone, Entry.LOAD_BASE, settings)
        changed = ((known[VALID, slot] ^ core.valid[slot]) | (known[DIRTY, slot] ^ core.dirty[slot])) & ~gone
        while changed:
            sector = core.line[slot] << (settings.line_shift - settings.sector_shift) | lowest_bit(changed)
            write_entry(core, entries, slot, sector << settings.sector_shift, lowest_store, settings)
            changed &= changed - 1
    for place in range(len(fetched)):
        if fetched[place] != core.instruction_line[place]:
            exchange_line(frame, native, fetched[place], core.instruction_line[place])


@inlined_kernel
def count(hart: Hart, native: Native, number: int, times: int) -> None:
    """Count what a block executed before a point, which is not counted with the block. Updates ``hart``."""
    row = native.points[number]
    hart.instret += times * row[PointColumn.N]
    hart.loads += times * row[PointColumn.LOADS]
    hart.stores += times * row[PointColumn.STORES]
    hart.load_use_cycles += times * row[PointColumn.LOAD_USE]


@inlined_kernel
def collect_counts(hart: Hart, native: Native, hart_id: int, settings: CoreSettings) -> None:
    """Add what native code has executed to a core's counters. Updates ``hart`` and ``native``."""
    frame = native.frames[hart_id]
    follow_counts(frame, native)
    for block in range(len(native.blocks)):
        at = native.block_at + BLOCK_WORDS * block
        taken = frame[at + BlockWord.TAKEN_COUNT]
        times = taken + frame[at + BlockWord.FALL_COUNT]
        if times:
            totals = native.blocks[block]
            hart.instret += times * totals[Total.N]
            hart.loads += times * totals[Total.LOADS]
            hart.stores += times * totals[Total.STORES]
            hart.load_use_cycles += times * totals[Total.LOAD_USE]
            hart.branch_cycles += taken * settings.taken_branch_penalty
            frame[at + BlockWord.TAKEN_COUNT] = frame[at + BlockWord.FALL_COUNT] = 0
        frame[at + BlockWord.ENTERED] = 0


@inlined_kernel
def follow_counts(frame: Any, native: Native) -> None:
    """Set the counts of ends that native code doesn't count: what comes to a block leaves it. Updates ``frame``."""
    for step in native.steps:
        block, word = step[Step.BLOCK], step[Step.WORD]
        at = native.block_at + BLOCK_WORDS * block
        left = frame[at + BlockWord.TAKEN_COUNT] + frame[at + BlockWord.FALL_COUNT]
        come = frame[at + BlockWord.ENTERED]
        for i in range(step[Step.FIRST_INTO], step[Step.END_INTO]):
            come += frame[native.into[i]]
        frame[word] = come - left if step[Step.IS_OUT] else left - come
