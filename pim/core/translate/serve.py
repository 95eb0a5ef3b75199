"""What native code calls for: requests to the DRAM, and entries for loads and stores.

An access that its entry does not stand for is looked up in the line buffers as the interpreter does it, and fetched if
it is not there; then the entry of its sector is written into the frame, and native code repeats the comparison. An
entry only ever stands for what is in a line buffer; what is there may have none until it is asked for.
"""

from typing import Any

import numpy as np

from pim.core.buffers import fetch_line, fetch_sector, find_slot, is_held, is_own_row, locate, oldest_slot, write_run
from pim.core.clock import edge
from pim.core.settings import MEMORY_BASE, SCRATCHPAD_BASE, CoreSettings
from pim.core.state import Core
from pim.core.translate.call import fetch_ahead, server
from pim.core.translate.layout import (
    ACCESS_SHIFT,
    ENTRY_WORDS,
    HEADER_WORDS,
    REASON_MASK,
    SITE_MASK,
    SITE_SHIFT,
    SITE_WORDS,
    STORE_BIT,
    TABLE_WORDS,
    UNALIGNED_MASK,
    UNALIGNED_SHIFT,
    Entry,
    Header,
    Reason,
    SiteWord,
)
from pim.core.translate.native import Environment, Native, Port
from pim.core.translate.waiting import is_behind, wait_for_turn
from pim.isa.alu import lowest_bit
from pim.jit import at_index, inlined_kernel, kernel, rarely


@inlined_kernel
def serve(port: Port, environment: Environment, cycle: int) -> int:
    """Do what a core's native code asks for; return the cycle at which it can go on, the entry in the frame.

    If it can't, -1, and the cycle is in the frame: the core is parked, or the interpreter has to go on, as the access
    traps, or goes somewhere that needs care.
    """
    if port.frame[Header.REASON] & REASON_MASK == Reason.ACCESS:
        is_served, cycle = serve_access(port, environment, cycle)
    else:
        is_served, cycle = serve_fetch(port, environment, cycle)
    if rarely(not is_served):
        port.frame[Header.CYCLE] = cycle
        return -1
    return cycle


@inlined_kernel
def drop_entries(entries: Any, slot: int, sectors: int, word: int, settings: CoreSettings) -> None:
    """Let entries of a slot stand for nothing, from a word on: Entry.STORE_BASE, or LOAD_BASE and it."""
    nothing = 1 << (settings.sector_shift - 1)
    first = slot * (settings.sector_mask + 1)
    while sectors:
        at = (first + lowest_bit(sectors)) * ENTRY_WORDS
        if word == Entry.LOAD_BASE:
            entries[at_index(at + Entry.LOAD_BASE)] = nothing
        entries[at_index(at + Entry.STORE_BASE)] = nothing
        sectors &= sectors - 1


@inlined_kernel
def write_entry(
    core: Core, entries: Any, slot: int, offset: int, lowest_store: int, settings: CoreSettings
) -> tuple[bool, bool]:
    """Let the entry of the sector of ``offset``, which is in a slot, stand for it; return for which loads and stores.

    ``lowest_store`` is the lowest offset in memory whose stores need no care. Updates ``entries``.
    """
    nothing = 1 << (settings.sector_shift - 1)
    number = offset >> settings.sector_shift
    start, sector = number << settings.sector_shift, number & settings.sector_mask
    at = (slot * (settings.sector_mask + 1) + sector) * ENTRY_WORDS
    loads = start + (1 << settings.sector_shift) <= settings.plain_bytes
    stores = loads and (core.dirty[at_index(slot)] >> sector) & 1 != 0 and start >= lowest_store
    entries[at_index(at + Entry.LOAD_BASE)] = MEMORY_BASE + start if loads else nothing
    entries[at_index(at + Entry.STORE_BASE)] = MEMORY_BASE + start if stores else nothing
    return loads, stores


@inlined_kernel
def exchange_line(frame: Any, native: Native, old: int, new: int) -> None:
    """Note which lines of code are not in the instruction buffer after one has taken another's place there."""
    step, n_lines = native.line_step, native.block_at - native.line_at
    for line in range(max(0, old << step), min(n_lines, (old + 1) << step)):
        frame[at_index(native.line_at + line)] = 1
    for line in range(max(0, new << step), min(n_lines, (new + 1) << step)):
        frame[at_index(native.line_at + line)] = 0


@inlined_kernel
def serve_fetch(port: Port, environment: Environment, cycle: int) -> tuple[bool, int]:
    """Fetch the lines of a block's first instruction; return whether they are there, and the cycle."""
    core, frame, native, settings = port.core, port.frame, environment.native, environment.settings
    start = frame[Header.ADDRESS] - MEMORY_BASE
    first, last = start >> settings.instruction_line_shift, (start + 2 * (start & 1)) >> settings.instruction_line_shift
    while True:
        line = last
        if core.instruction_line[at_index(first & settings.instruction_line_mask)] != first:
            line = first
        place = at_index(line & settings.instruction_line_mask)
        old = core.instruction_line[place]
        if old == line:
            return True, cycle
        at = max(edge(cycle, settings.clock), core.hart.written_at)
        offset = line << settings.instruction_line_shift
        if (
            is_behind(port, environment, at)
            and not is_own_row(core, environment.device, offset, at, settings)
            and not wait_for_turn(port, environment, at)
        ):
            return False, cycle
        cycle = fetch_line(core, environment.device, line, cycle, at, settings)
        if core.instruction_line[place] == line:
            exchange_line(frame, native, old, line)


@inlined_kernel
def serve_access(port: Port, environment: Environment, cycle: int) -> tuple[bool, int]:
    """Bring the sector of a load or store, and point its site to the entry; return whether it did so, and the cycle."""
    frame, native, settings = port.frame, environment.native, environment.settings
    reason, address = frame[Header.REASON], frame[Header.ADDRESS]
    if rarely(address & (reason >> UNALIGNED_SHIFT) & UNALIGNED_MASK != 0):
        return False, cycle
    site = at_index(HEADER_WORDS + TABLE_WORDS + SITE_WORDS * ((reason >> SITE_SHIFT) & SITE_MASK))
    own = at_index(HEADER_WORDS + TABLE_WORDS + SITE_WORDS * (reason >> ACCESS_SHIFT))
    is_store = reason & STORE_BIT != 0
    offset, lowest_store = address - MEMORY_BASE, environment.checked[0]
    if (lowest_store if is_store else 0) <= offset < settings.plain_bytes:
        static = frame[own + np.uint64(SiteWord.CYCLES)]
        slot, cycle = reach_sector(port, environment, cycle + static, offset)
        cycle -= static
        if slot < 0:
            return False, cycle
        sector = (offset >> settings.sector_shift) & settings.sector_mask
        if is_store:
            port.core.dirty[at_index(slot)] |= 1 << sector
        loads, stores = write_entry(port.core, port.entries, slot, offset, lowest_store, settings)
        if not (stores if is_store else loads):
            return False, cycle
        number = slot * (settings.sector_mask + 1) + sector
    elif 0 <= address - SCRATCHPAD_BASE < settings.scratchpad_bytes >> settings.sector_shift << settings.sector_shift:
        number = native.scratchpad_entry + ((address - SCRATCHPAD_BASE) >> settings.sector_shift)
    else:
        return False, cycle
    entry = port.entry_address + 8 * ENTRY_WORDS * number
    frame[at_index(HEADER_WORDS + ((address >> settings.sector_shift) & (TABLE_WORDS - 1)))] = entry
    frame[site] = entry
    return True, cycle


@inlined_kernel
def reach_sector(port: Port, environment: Environment, cycle: int, offset: int) -> tuple[int, int]:
    """Return the slot that has the sector of ``offset``, fetched if it was not there, and the core cycle.

    The slot is -1 if the core is parked. Native code repeats the access, and with it the LRU stamp.
    """
    core, device, settings = port.core, environment.device, environment.settings
    line = offset >> settings.line_shift
    slot = find_slot(core, line, settings)
    has_line = slot >= 0
    if not has_line:
        slot = oldest_slot(core, line, settings)
    elif (core.valid[at_index(slot)] >> ((offset >> settings.sector_shift) & settings.sector_mask)) & 1:
        return slot, cycle
    while True:
        at = max(edge(cycle, settings.clock), core.hart.written_at)
        if is_behind(port, environment, at) and not (has_line and is_own_row(core, device, offset, at, settings)):
            fetch_ahead(port.memory_at + offset)
            if not wait_for_turn(port, environment, at):
                return -1, cycle
        if not has_line and core.dirty[at_index(slot)]:
            write_back(port, environment, slot, at)
            continue
        bank_id, _ = locate(core.hart_id, offset, settings)
        if not is_held(core.hart, device, bank_id, at):
            break
    if not has_line:
        drop_entries(port.entries, slot, core.valid[at_index(slot)], Entry.LOAD_BASE, settings)
        core.line[at_index(slot)] = line
        core.valid[at_index(slot)] = 0
    return slot, fetch_sector(core, device, slot, offset, cycle, at, settings)


@kernel
def write_back(port: Port, environment: Environment, slot: int, at: int) -> None:
    """Write a line's first run of dirty sectors at clock ``at``; stores to them need care from now on."""
    core, settings = port.core, environment.settings
    dirty = core.dirty[at_index(slot)]
    write_run(core, environment.device, slot, at, settings)
    drop_entries(port.entries, slot, dirty ^ core.dirty[at_index(slot)], Entry.STORE_BASE, settings)


serve_address = server(serve)
