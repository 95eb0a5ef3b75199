"""What native code calls for: requests to the DRAM, and entries for loads and stores.

An access that its entry does not stand for is looked up in the line buffers as the interpreter does it, and fetched if
it is not there; then the entry of its sector is written into the frame, and native code repeats the comparison. An
entry only ever stands for what is in a line buffer; what is there may have none until it is asked for.

Indices that can't be negative are unsigned: half the instructions.
"""

from typing import Any

import numpy as np

from pim.core.buffers import fetch_line, fetch_sector, is_held, is_own_row, locate, write_run
from pim.core.pipeline import edge
from pim.core.settings import MEMORY_BASE, SCRATCHPAD_BASE, CoreSettings
from pim.core.state import Core
from pim.core.translate.call import fetch_ahead, server
from pim.core.translate.layout import ENTRY_WORDS, HEADER_WORDS, TABLE_WORDS, Entry, Header, Reason
from pim.core.translate.native import Environment, Native, PointColumn, Port
from pim.core.turn import is_later, park
from pim.isa.alu import bit_length
from pim.jit import inlined_kernel, kernel


@inlined_kernel
def serve(port: Port, environment: Environment) -> bool:
    """Do what a core's native code was left for; return whether it can go on, its cycle and entry in the frame.

    If not, the core is parked, or the interpreter has to go on: the access traps, or goes somewhere that needs care.
    """
    if port.frame[Header.REASON] == Reason.ACCESS:
        return serve_access(port, environment)
    return serve_fetch(port, environment)


@inlined_kernel
def at_index(number: int) -> Any:
    """Return an index that is not negative as one that needs no look."""
    return np.uint64(number)


@inlined_kernel
def lowest_bit(mask: int) -> int:
    """Return the number of the lowest bit that is 1."""
    return int(bit_length(mask & -mask) - 1)


@inlined_kernel
def drop_entries(entries: Any, slot: int, sectors: int, word: int, settings: CoreSettings) -> None:
    """Let entries of a slot stand for nothing, from a word on: Entry.STORE_BASE, or LOAD_BASE and it."""
    nothing = 1 << (settings.sector_shift - 1)
    first = slot * (settings.sector_mask + 1)
    while sectors:
        entry = entries[at_index(first + lowest_bit(sectors))]
        if word == Entry.LOAD_BASE:
            entry[Entry.LOAD_BASE] = nothing
        entry[Entry.STORE_BASE] = nothing
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
    entry = entries[at_index(slot * (settings.sector_mask + 1) + sector)]
    loads = start + (1 << settings.sector_shift) <= settings.plain_bytes
    stores = loads and (core.dirty[at_index(slot)] >> sector) & 1 != 0 and start >= lowest_store
    entry[Entry.LOAD_BASE] = MEMORY_BASE + start if loads else nothing
    entry[Entry.STORE_BASE] = MEMORY_BASE + start if stores else nothing
    return loads, stores


@inlined_kernel
def exchange_line(frame: Any, native: Native, old: int, new: int) -> None:
    """Count the lines that blocks miss after one has taken another's place in the instruction buffer."""
    starts, missing_at = native.line_starts, native.missing_at
    n_lines = len(starts) - 1
    if 0 <= old < n_lines:
        for n in range(starts[at_index(old)], starts[at_index(old + 1)]):
            frame[at_index(missing_at[at_index(n)])] += 1
    if 0 <= new < n_lines:
        for n in range(starts[at_index(new)], starts[at_index(new + 1)]):
            frame[at_index(missing_at[at_index(n)])] -= 1


@kernel
def serve_fetch(port: Port, environment: Environment) -> bool:
    """Fetch the lines of a block's first instruction; return whether the block has all of its lines."""
    core, frame, native, settings = port.core, port.frame, environment.native, environment.settings
    row = native.points[at_index(frame[Header.POINT])]
    first, last = row[PointColumn.FIRST_LINE], row[PointColumn.LAST_LINE]
    while True:
        line = last
        if core.instruction_line[at_index(first & settings.instruction_line_mask)] != first:
            line = first
        place = at_index(line & settings.instruction_line_mask)
        old = core.instruction_line[place]
        if old == line:
            return bool(frame[at_index(row[PointColumn.MISSING_AT])] == 0)
        cycle = frame[Header.CYCLE]
        at = max(edge(cycle, settings.clock_p, settings.clock_q), core.hart.written_at)
        offset = line << settings.instruction_line_shift
        if is_later(core, at, frame[Header.OTHER], frame[Header.OTHER_AT]) and not is_own_row(
            core, environment.device, offset, at, settings
        ):
            park(core, at)
            return False
        frame[Header.CYCLE] = fetch_line(core, environment.device, line, cycle, at, settings)
        if core.instruction_line[place] == line:
            exchange_line(frame, native, old, line)


@kernel
def serve_access(port: Port, environment: Environment) -> bool:
    """Bring the sector of a load or store, and point its site to the entry; return whether it did so."""
    frame, native, settings = port.frame, environment.native, environment.settings
    row, address = native.points[at_index(frame[Header.POINT])], frame[Header.ADDRESS]
    if address & row[PointColumn.UNALIGNED]:
        return False
    is_store = row[PointColumn.IS_STORE] != 0
    offset, lowest_store = address - MEMORY_BASE, environment.checked[0]
    if (lowest_store if is_store else 0) <= offset < settings.plain_bytes:
        slot = reach_sector(port, environment, row[PointColumn.CYCLES], offset)
        if slot < 0:
            return False
        sector = (offset >> settings.sector_shift) & settings.sector_mask
        if is_store:
            port.core.dirty[at_index(slot)] |= 1 << sector
        loads, stores = write_entry(port.core, port.entries, slot, offset, lowest_store, settings)
        if not (stores if is_store else loads):
            return False
        number = slot * (settings.sector_mask + 1) + sector
    elif 0 <= address - SCRATCHPAD_BASE < settings.scratchpad_bytes >> settings.sector_shift << settings.sector_shift:
        number = native.scratchpad_entry + ((address - SCRATCHPAD_BASE) >> settings.sector_shift)
    else:
        return False
    entry = port.entry_address + 8 * ENTRY_WORDS * number
    frame[at_index(HEADER_WORDS + ((address >> settings.sector_shift) & (TABLE_WORDS - 1)))] = entry
    frame[at_index(HEADER_WORDS + TABLE_WORDS + row[PointColumn.SITE])] = entry
    return True


@inlined_kernel
def find_or_free(core: Core, line: int, settings: CoreSettings) -> tuple[bool, int]:
    """Return whether a slot has a line, and that slot or the least recently used one of the line's set."""
    first = (line & settings.set_mask) * settings.n_ways
    found, oldest = -1, first
    used = core.used[at_index(first)]
    for slot in range(first, first + settings.n_ways):
        if core.line[at_index(slot)] == line:
            found = slot
        if core.used[at_index(slot)] < used:
            oldest, used = slot, core.used[at_index(slot)]
    return found >= 0, found if found >= 0 else oldest


@inlined_kernel
def reach_sector(port: Port, environment: Environment, static: int, offset: int) -> int:
    """Return the slot that has the sector of ``offset``, fetched if it was not there; -1 if the core is parked.

    ``static`` are the cycles from the block's start to the access. Native code repeats it, and with it the LRU stamp.
    """
    core, frame, device, settings = port.core, port.frame, environment.device, environment.settings
    line = offset >> settings.line_shift
    has_line, slot = find_or_free(core, line, settings)
    if has_line and (core.valid[at_index(slot)] >> ((offset >> settings.sector_shift) & settings.sector_mask)) & 1:
        return slot
    cycle = frame[Header.CYCLE] + static
    while True:
        at = max(edge(cycle, settings.clock_p, settings.clock_q), core.hart.written_at)
        if is_later(core, at, frame[Header.OTHER], frame[Header.OTHER_AT]) and not (
            has_line and is_own_row(core, device, offset, at, settings)
        ):
            fetch_ahead(port.memory_at + offset)
            park(core, at)
            return -1
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
    frame[Header.CYCLE] = fetch_sector(core, device, slot, offset, cycle, at, settings) - static
    return slot


@kernel
def write_back(port: Port, environment: Environment, slot: int, at: int) -> None:
    """Write a line's first run of dirty sectors at clock ``at``; stores to them need care from now on."""
    core, settings = port.core, environment.settings
    dirty = core.dirty[at_index(slot)]
    write_run(core, environment.device, slot, at, settings)
    drop_entries(port.entries, slot, dirty ^ core.dirty[at_index(slot)], Entry.STORE_BASE, settings)


serve_address = server(serve)
