"""What native code is left for, and goes on after: requests to the DRAM, entries for loads and stores.

An access that its entry does not stand for is looked up in the line buffers as the interpreter does it, and fetched if
it is not there; then the entry of its sector is written into the frame, and native code repeats the comparison.
"""

from typing import Any

import numpy as np

from pim.core.buffers import fetch_line, fill_slot, find_slot, is_own_row, slot_for
from pim.core.pipeline import edge
from pim.core.settings import MEMORY_BASE, SCRATCHPAD_BASE, CoreSettings
from pim.core.state import NO_LINE, Core, Group, Hart
from pim.core.translate.layout import BLOCK_WORDS, ENTRY_WORDS, HEADER_WORDS, TABLE_WORDS, BlockWord, Entry, Header
from pim.core.translate.native import Native, PointColumn, Step, Total
from pim.core.turn import is_later, park
from pim.isa.alu import bit_length
from pim.jit import inlined_kernel, kernel

LINE, VALID, DIRTY = 0, 1, 2
"""Rows of Native.matched."""

NOTHING = -2
"""Line that no line buffer has, so that a slot's entries are made anew."""


@inlined_kernel
def lowest_bit(mask: int) -> int:
    """Return the number of the lowest bit that is 1."""
    return int(bit_length(mask & -mask) - 1)


@inlined_kernel
def match_slot(core: Core, native: Native, slot: int, lowest_store: int, settings: CoreSettings) -> None:
    """Let the entries of a slot stand for what is in the line buffer now. Updates ``native``.

    ``lowest_store`` is the lowest offset in memory whose stores need no care.
    """
    matched, entries = native.matched[core.hart_id], native.entries[core.hart_id]
    n_sectors = settings.sector_mask + 1
    nothing = 1 << (settings.sector_shift - 1)
    line, valid, dirty = core.line[slot], core.valid[slot], core.dirty[slot]
    if matched[LINE, slot] != line:
        gone = matched[VALID, slot]
        while gone:
            entry = entries[slot * n_sectors + lowest_bit(gone)]
            entry[Entry.LOAD_BASE] = entry[Entry.STORE_BASE] = nothing
            gone &= gone - 1
        matched[LINE, slot], matched[VALID, slot], matched[DIRTY, slot] = line, 0, 0
    changed = (matched[VALID, slot] ^ valid) | (matched[DIRTY, slot] ^ dirty)
    if changed == 0:
        return
    while changed:
        sector = lowest_bit(changed)
        offset = (line << settings.line_shift) + (sector << settings.sector_shift)
        entry = entries[slot * n_sectors + sector]
        loads = (valid >> sector) & 1 and offset + (1 << settings.sector_shift) <= settings.plain_bytes
        stores = loads and (dirty >> sector) & 1 and offset >= lowest_store
        entry[Entry.LOAD_BASE] = MEMORY_BASE + offset if loads else nothing
        entry[Entry.STORE_BASE] = MEMORY_BASE + offset if stores else nothing
        changed &= changed - 1
    matched[VALID, slot], matched[DIRTY, slot] = valid, dirty


@kernel
def match_all(core: Core, native: Native, lowest_store: int, settings: CoreSettings) -> None:
    """Let entries and blocks stand for what the interpreter has left in the buffers. Updates ``native``."""
    frame = native.frames[core.hart_id]
    if frame[Header.LOWEST_STORE] != lowest_store:
        frame[Header.LOWEST_STORE] = lowest_store
        native.matched[core.hart_id, LINE] = NOTHING
    for slot in range(len(core.line)):
        match_slot(core, native, slot, lowest_store, settings)
    for place in range(len(core.instruction_line)):
        match_blocks(core, native, place)


@inlined_kernel
def match_blocks(core: Core, native: Native, place: int) -> None:
    """Let no block count as ready that lost the line at a place of the instruction buffer. Updates ``native``."""
    fetched, frame = native.fetched[core.hart_id], native.frames[core.hart_id]
    line = fetched[place]
    if line == core.instruction_line[place]:
        return
    if line != NO_LINE and line < len(native.blocks_of_line):
        for block in range(native.blocks_of_line[line, 0], native.blocks_of_line[line, 1]):
            frame[native.block_at + BLOCK_WORDS * block + BlockWord.READY] = 0
    fetched[place] = core.instruction_line[place]


@inlined_kernel
def is_ready(core: Core, native: Native, block: int, settings: CoreSettings) -> bool:
    """Tell whether all lines of a block are in the instruction buffer, and note it. Updates ``native``."""
    shift = settings.instruction_line_shift
    for line in range(
        native.blocks[block, Total.FIRST_BYTE] >> shift, (native.blocks[block, Total.LAST_BYTE] >> shift) + 1
    ):
        if core.instruction_line[line & settings.instruction_line_mask] != line:
            return False
    native.frames[core.hart_id, native.block_at + BLOCK_WORDS * block + BlockWord.READY] = 1
    return True


@inlined_kernel
def serve_fetch(
    core: Core,
    group: Group,
    native: Native,
    point: int,
    size: int,
    cycle: int,
    other: int,
    other_at: int,
    settings: CoreSettings,
) -> tuple[bool, int]:
    """Fetch the lines of a block's first instruction, ``size`` bytes; return whether the block is ready, and the cycle.

    If not, the core is parked, or the interpreter has to go on.
    """  # fmt: skip
    offset = 2 * native.points[point, PointColumn.PARCEL]
    first, last = offset >> settings.instruction_line_shift, (offset + size - 1) >> settings.instruction_line_shift
    while True:
        line = last
        if core.instruction_line[first & settings.instruction_line_mask] != first:
            line = first
        if core.instruction_line[line & settings.instruction_line_mask] == line:
            break
        at = max(edge(cycle, settings.clock_p, settings.clock_q), core.hart.written_at)
        place = line << settings.instruction_line_shift
        if is_later(core, at, other, other_at) and not is_own_row(core, group.device, place, at, settings):
            park(core, at)
            return False, cycle
        cycle = fetch_line(core, group.device, line, cycle, settings)
        match_blocks(core, native, line & settings.instruction_line_mask)
        for block in range(native.blocks_of_line[line, 0], native.blocks_of_line[line, 1]):
            is_ready(core, native, block, settings)
    return is_ready(core, native, native.points[point, PointColumn.BLOCK], settings), cycle


@inlined_kernel
def serve_access(
    core: Core,
    group: Group,
    native: Native,
    point: int,
    address: int,
    cycle: int,
    stamp: int,
    other: int,
    other_at: int,
    settings: CoreSettings,
) -> tuple[bool, int]:
    """Bring the sector of a load or store, and point its site to the entry; return whether it did so, and the cycle.

    If not, the core is parked, or the interpreter has to do the access: it traps, or goes somewhere that needs care.
    ``stamp`` is the access's LRU stamp.
    """  # fmt: skip
    row = native.points[point]
    if address & ((1 << row[PointColumn.SHIFT]) - 1):
        return False, cycle
    is_store = row[PointColumn.IS_STORE] != 0
    offset = address - MEMORY_BASE
    lowest_store = group.checked[0]
    number = 0
    if (lowest_store if is_store else 0) <= offset < settings.plain_bytes:
        line = offset >> settings.line_shift
        sector = (offset >> settings.sector_shift) & settings.sector_mask
        slot = find_slot(core, line, settings)
        if slot < 0 or not (core.valid[slot] >> sector) & 1:
            victim = slot
            if slot < 0:
                victim = slot_for(core, line, settings)
            core.hart.uses = stamp - 1
            filled = False
            while not filled:
                at = max(edge(cycle, settings.clock_p, settings.clock_q), core.hart.written_at)
                if is_later(core, at, other, other_at) and not (
                    is_own_row(core, group.device, offset, at, settings) and slot >= 0
                ):
                    park(core, at)
                    match_slot(core, native, victim, lowest_store, settings)
                    return False, cycle
                index: Any = np.uint64(row[PointColumn.PARCEL])
                filled, cycle = fill_slot(core, group.device, index, victim, offset, cycle, at, settings)
            slot = victim
        if is_store:
            core.dirty[slot] |= 1 << sector
        match_slot(core, native, slot, lowest_store, settings)
        start = offset >> settings.sector_shift << settings.sector_shift
        if start + (1 << settings.sector_shift) > settings.plain_bytes or (is_store and start < lowest_store):
            return False, cycle
        number = slot * (settings.sector_mask + 1) + sector
    elif 0 <= address - SCRATCHPAD_BASE < settings.scratchpad_bytes >> settings.sector_shift << settings.sector_shift:
        number = native.scratchpad_entry + ((address - SCRATCHPAD_BASE) >> settings.sector_shift)
    else:
        return False, cycle
    entry = native.entry_address + 8 * ENTRY_WORDS * (core.hart_id * native.entries.shape[1] + number)
    frame = native.frames[core.hart_id]
    frame[HEADER_WORDS + ((address >> settings.sector_shift) & (TABLE_WORDS - 1))] = entry
    frame[HEADER_WORDS + TABLE_WORDS + row[PointColumn.SITE]] = entry
    return True, cycle


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
