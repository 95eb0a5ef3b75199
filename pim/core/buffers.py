"""Line buffers and instruction buffer: what hits costs nothing more, what misses goes to the DRAM.

Line buffers are timing only: data is functionally in the window's memory at once, since each core owns its window. A
line is fetched by sectors, allocated on reads and writes, written back by runs of dirty sectors; LRU within its set.
Each run and each fetch is a request of its own, so that other cores' requests come between them in the order of time.
"""

from typing import Any

import numpy as np

from pim.core.clock import core_cycles, first_edge
from pim.core.settings import CoreSettings
from pim.core.state import NO_LINE, NO_SLOT, Core, Hart
from pim.dram import Device, RowOutcome, access, access_apart, free_from, is_open
from pim.isa.alu import lowest_bit
from pim.jit import at_index, inlined_kernel, kernel, rarely


@inlined_kernel
def locate(hart_id: int, offset: int, settings: CoreSettings) -> tuple[int, int]:
    """Return bank and row of byte ``offset`` of a core's window.

    Consecutive rows go to the window's banks in turn: every 2**core_shift-th of the device, from the core's first on.
    """
    place = (hart_id * settings.window_bytes + offset) >> settings.row_shift
    bank_in_window = place & ((1 << settings.bank_shift) - 1)
    first = hart_id & ((1 << settings.core_shift) - 1)
    return bank_in_window << settings.core_shift | first, place >> settings.bank_shift


@inlined_kernel
def find_slot(core: Core, line: int, settings: CoreSettings) -> int:
    """Return the slot that holds ``line``, or -1: without a branch for each slot."""
    first = (line & settings.set_mask) * settings.n_ways
    found = -1
    for slot in range(first, first + settings.n_ways):
        found = slot if core.line[at_index(slot)] == line else found
    return found


@inlined_kernel
def oldest_slot(core: Core, line: int, settings: CoreSettings) -> int:
    """Return the least recently used slot of a line's set."""
    first = (line & settings.set_mask) * settings.n_ways
    oldest, used = first, core.used[at_index(first)]
    for slot in range(first + 1, first + settings.n_ways):
        stamp = core.used[at_index(slot)]
        oldest = slot if stamp < used else oldest
        used = min(stamp, used)
    return oldest


@inlined_kernel
def is_buffered(core: Core, site: Any, offset: int, settings: CoreSettings) -> bool:
    """Tell whether the sector of ``offset`` is in a line buffer; makes its line the most recently used one.

    ``site`` is the accessing instruction's parcel (uint64): the slot that it, or one of its number in the table, used
    last is looked at first (measured: loops that alternate between lines run 1.5 times as fast).
    """
    hart = core.hart
    line = offset >> settings.line_shift
    slot = int(core.site_slot[site & np.uint64(len(core.site_slot) - 1)])
    if core.line[slot] != line:
        slot = find_slot(core, line, settings)
        if slot < 0:
            return False
        core.site_slot[site & np.uint64(len(core.site_slot) - 1)] = slot
    if slot != hart.data_slot:
        touch(core, slot)
    sector = (offset >> settings.sector_shift) & settings.sector_mask
    return bool((core.valid[slot] >> sector) & 1)


@inlined_kernel
def is_own_row(core: Core, device: Device, offset: int, at: int, settings: CoreSettings) -> bool:
    """Tell whether a read of ``offset`` at DRAM clock ``at`` concerns no other core: a hit in the core's own bank.

    Such a read takes neither the shared activate budget nor a shared bus or burst, so it need not wait for its turn:
    fewer switches between cores, the same clocks.
    """
    if not settings.own_bank:
        return False
    bank_id, row = locate(core.hart_id, offset, settings)
    return is_open(device, bank_id, row, at, settings.timing)


@inlined_kernel
def touch(core: Core, slot: int) -> None:
    """Make a slot the most recently used one. Updates ``core``."""
    core.hart.uses += 1
    core.used[slot] = core.hart.uses
    core.hart.data_slot = slot


@inlined_kernel
def slot_for(core: Core, line: int, settings: CoreSettings) -> int:
    """Return the slot that holds ``line``, or else the least recently used one of its set."""
    slot = find_slot(core, line, settings)
    return slot if slot >= 0 else oldest_slot(core, line, settings)


@inlined_kernel
def is_held(hart: Hart, device: Device, bank_id: int, now: int) -> bool:
    """Tell whether the host claims the bank at clock ``now``: then the request is to be made when it is free.

    Updates ``hart``: it asks for nothing before.
    """
    free_at = free_from(device, bank_id, now)
    if rarely(free_at > now):
        hart.claim_wait += free_at - now
        hart.written_at = free_at
        return True
    return False


@inlined_kernel
def write_run(core: Core, device: Device, slot: int, now: int, settings: CoreSettings) -> None:
    """Write a line's first run of dirty sectors to its row at or after clock ``now``. Updates ``core``, ``device``.

    If the host claims the bank, the run is left to do.
    """
    dirty = core.dirty[at_index(slot)]
    sector = lowest_bit(dirty)
    run = lowest_bit(~(dirty >> sector))
    offset = (core.line[at_index(slot)] << settings.line_shift) + (sector << settings.sector_shift)
    bank_id, row = locate(core.hart_id, offset, settings)
    if is_held(core.hart, device, bank_id, now):
        return
    n_columns = run * settings.columns_per_sector
    done_at, _, _, _ = access_apart(device, bank_id, row, n_columns, True, now, now, settings.timing)
    core.dirty[at_index(slot)] = dirty & ~(((1 << run) - 1) << sector)
    core.hart.written_at = done_at
    core.hart.line_writebacks += 1


@inlined_kernel
def book_claims(hart: Hart, stall: int, settings: CoreSettings) -> int:
    """Book what of a wait the host's claims caused; return the rest. Updates ``hart``."""
    if rarely(hart.claim_wait != 0):
        part = min(stall, core_cycles(hart.claim_wait, settings.clock))
        hart.host_stall += part
        hart.claim_wait = 0
        stall -= part
    return stall


@inlined_kernel
def book_wait(
    hart: Hart, stall: int, outcome: int, refresh_wait: int, shared_wait: int, settings: CoreSettings
) -> None:
    """Book a wait: what of it claims caused, a refresh, and others' requests, the rest by the row outcome.

    Updates ``hart``.
    """
    stall = book_claims(hart, stall, settings)
    if rarely(refresh_wait != 0):
        part = min(stall, core_cycles(refresh_wait, settings.clock))
        hart.refresh_stall += part
        stall -= part
    if shared_wait:
        part = min(stall, core_cycles(shared_wait, settings.clock))
        hart.contention_stall += part
        stall -= part
    if outcome == RowOutcome.HIT:
        hart.hit_stall += stall
    elif outcome == RowOutcome.MISS:
        hart.miss_stall += stall
    else:
        hart.conflict_stall += stall


@kernel
def drop_line(core: Core, device: Device, offset: int, now: int, settings: CoreSettings) -> bool:
    """Make a request for a run of dirty sectors of the line of ``offset``; without any, drop the line, return True."""
    slot = find_slot(core, offset >> settings.line_shift, settings)
    if slot < 0:
        return True
    if core.dirty[slot]:
        write_run(core, device, slot, now, settings)
        return False
    core.line[slot] = NO_LINE
    core.valid[slot] = 0
    if core.hart.data_slot == slot:
        core.hart.data_slot = NO_SLOT
    return True


@inlined_kernel
def fill_sector(
    core: Core, device: Device, site: Any, offset: int, cycle: int, now: int, settings: CoreSettings
) -> tuple[bool, int]:
    """Make one request at clock ``now`` for the sector of ``offset``; return whether it is there, and the core cycle.

    A line that isn't there takes the least recently used slot of its set: as long as that has dirty sectors, the
    request writes a run of them instead. While the host claims the bank, none is made. (Merged into its callers:
    measured, programs that mostly miss run up to twice as fast.)
    """
    line = offset >> settings.line_shift
    slot = slot_for(core, line, settings)
    if core.line[slot] != line and core.dirty[slot]:
        write_run(core, device, slot, now, settings)
        return False, cycle
    bank_id, _ = locate(core.hart_id, offset, settings)
    if is_held(core.hart, device, bank_id, now):
        return False, cycle
    if core.line[slot] != line:
        core.line[slot] = line
        core.valid[slot] = 0
    touch(core, slot)
    core.site_slot[site & np.uint64(len(core.site_slot) - 1)] = slot
    return True, fetch_sector(core, device, slot, offset, cycle, now, settings)


@inlined_kernel
def fetch_sector(
    core: Core, device: Device, slot: int, offset: int, cycle: int, now: int, settings: CoreSettings
) -> int:
    """Read the sector of ``offset`` into a slot that has its line; return the core cycle at which it is there.

    The wait is booked by the row outcome, what of it claims, refresh and contention cause apart.
    """
    hart = core.hart
    sector = (offset >> settings.sector_shift) & settings.sector_mask
    bank_id, row = locate(core.hart_id, offset, settings)
    done_at, outcome, refresh_wait, shared_wait = access(
        device, bank_id, row, settings.columns_per_sector, False, now, settings.timing
    )
    core.valid[at_index(slot)] |= 1 << sector
    hart.line_fills += 1
    resume = max(cycle, first_edge(done_at, settings.clock))
    book_wait(hart, resume - cycle, outcome, refresh_wait, shared_wait, settings)
    return resume


@kernel
def flush(core: Core, device: Device, cycle: int, now: int, settings: CoreSettings) -> tuple[bool, int]:
    """Make a request for one run of dirty sectors at clock ``now``; without any, invalidate all line buffers.

    Returns whether that is done, and the core cycle at which it is.
    """
    hart = core.hart
    for slot in range(len(core.line)):
        if core.dirty[slot]:
            write_run(core, device, slot, now, settings)
            return False, cycle
    core.line[:] = NO_LINE
    core.valid[:] = 0
    hart.data_slot = NO_SLOT
    resume = max(cycle, first_edge(hart.written_at, settings.clock))
    hart.flush_stall += book_claims(hart, resume - cycle, settings)
    return True, resume


@inlined_kernel
def fetch_line(core: Core, device: Device, line: int, cycle: int, now: int, settings: CoreSettings) -> int:
    """Refill a line of the instruction buffer from memory, at clock ``now``; return the core cycle when it is there.

    While the host claims the bank no request is made, and the line is not there.
    """
    hart = core.hart
    bank_id, row = locate(core.hart_id, line << settings.instruction_line_shift, settings)
    if is_held(hart, device, bank_id, now):
        return cycle
    done_at, _, _, _ = access(device, bank_id, row, settings.columns_per_instruction_line, False, now, settings.timing)
    core.instruction_line[at_index(line & settings.instruction_line_mask)] = line
    hart.instruction_fills += 1
    resume = max(cycle, first_edge(done_at, settings.clock))
    hart.instruction_stall += book_claims(hart, resume - cycle, settings)
    return resume
