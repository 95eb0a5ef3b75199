"""The scratchpad's DMA engine: stores to its registers, and the transfer that the core waits for.

A store to START does what a fence does to the line buffers, then moves whole columns between memory and scratchpad past
them, by one request for each row that the transfer touches. Registers and rules: docs/timing.md.
"""

from typing import Any

from pim.core.atomic import end_reservations
from pim.core.buffers import book_wait, flush, is_held, locate, write_run
from pim.core.clock import edge, first_edge
from pim.core.code import Code, forget
from pim.core.settings import DMA_BASE, MEMORY_BASE, SCRATCHPAD_BASE, CoreSettings
from pim.core.sharing import note_access, note_fence
from pim.core.state import NO_LINE, NO_SLOT, Core, Group
from pim.core.turn import Outcome, is_later, park
from pim.dram import access_apart
from pim.jit import kernel

SOURCE_AT, DESTINATION_AT, START_AT = DMA_BASE, DMA_BASE + 8, DMA_BASE + 16
"""Addresses of the registers; the value stored to START is the transfer's length in bytes."""


@kernel
def dma_store(
    core: Core,
    group: Group,
    code: Code,
    index: Any,
    address: int,
    value: int,
    cycle: int,
    other: int,
    other_at: int,
    settings: CoreSettings,
) -> tuple[int, int]:
    """Store to a register of the engine, or make one request of a transfer; return the Outcome and the core cycle.

    Updates all but ``settings``.

    Parameters
    ----------
    index : uint64
        The instruction's parcel.
    address : int
        Where, at or after `DMA_BASE`.
    """
    value &= settings.address_mask
    if address == SOURCE_AT:
        core.hart.dma_source = value
    elif address == DESTINATION_AT:
        core.hart.dma_destination = value
    elif address != START_AT or not may_move(core, group, value, settings):
        return Outcome.TRAP.value, cycle
    else:
        return transfer(core, group, code, index, value, cycle, other, other_at, settings)
    return Outcome.DONE.value, cycle


@kernel
def transfer(
    core: Core,
    group: Group,
    code: Code,
    index: Any,
    length: int,
    cycle: int,
    other: int,
    other_at: int,
    settings: CoreSettings,
) -> tuple[int, int]:
    """Make one request of a transfer of ``length`` bytes: a write-back if one is left to do, or its next piece.

    Returns the Outcome and the core cycle. Updates all but ``settings``.
    """
    at = max(edge(cycle, settings.clock), core.hart.written_at)
    if is_later(core, at, other, other_at):
        park(core, at)
        return Outcome.PARKED.value, cycle
    if length == 0:
        flushed, cycle = flush(core, group.device, cycle, at, settings)
        return Outcome.DONE.value if flushed else Outcome.AGAIN.value, cycle
    for slot in range(len(core.line)):
        if core.dirty[slot]:
            write_run(core, group.device, slot, at, settings)
            return Outcome.AGAIN.value, cycle
    return move_piece(core, group, code, index, length, cycle, at, settings)


@kernel
def may_move(core: Core, group: Group, length: int, settings: CoreSettings) -> bool:
    """Tell whether ``length`` bytes can move: one side is memory, the other the scratchpad, all in whole columns."""
    source, destination = core.hart.dma_source, core.hart.dma_destination
    to_memory = destination >= MEMORY_BASE
    offset = (destination if to_memory else source) - MEMORY_BASE
    place = (source if to_memory else destination) - SCRATCHPAD_BASE
    column = (1 << settings.sector_shift) // settings.columns_per_sector
    if (offset | place | length) & (column - 1) or not 0 <= length <= settings.scratchpad_bytes:
        return False
    if not 0 <= place < settings.scratchpad_bytes or place + length > settings.scratchpad_bytes:
        return False
    if to_memory and settings.protects_text and offset < group.checked[0]:
        return False
    return bool(0 <= offset < settings.mapped_bytes and offset + length <= settings.mapped_bytes)


@kernel
def move_piece(
    core: Core, group: Group, code: Code, index: Any, length: int, cycle: int, at: int, settings: CoreSettings
) -> tuple[int, int]:
    """Make the request for the next piece, which is in one row, at clock ``at``; return the Outcome and the core cycle.

    The wait is booked by the last request's row outcome. Updates all but ``settings``.
    """
    hart, memory, scratchpad = core.hart, group.memory, group.scratchpad
    to_memory = hart.dma_destination >= MEMORY_BASE
    moved = hart.dma_moved
    offset = (hart.dma_destination if to_memory else hart.dma_source) - MEMORY_BASE + moved
    place = (hart.dma_source if to_memory else hart.dma_destination) - SCRATCHPAD_BASE + moved
    place += core.hart_id * settings.scratchpad_bytes
    row_bytes = 1 << settings.row_shift
    n_bytes = min(length - moved, row_bytes - (offset & (row_bytes - 1)))
    n_columns = n_bytes * settings.columns_per_sector >> settings.sector_shift
    bank_id, row = locate(core.hart_id, offset, settings)
    if is_held(hart, group.device, bank_id, at):
        return Outcome.AGAIN.value, cycle
    if moved == 0:
        core.line[:] = NO_LINE
        core.valid[:] = 0
        hart.data_slot = NO_SLOT
        if settings.shares_memory:
            note_fence(group.races, core.hart_id)
    done_at, row_outcome, refresh_wait, shared_wait = access_apart(
        group.device, bank_id, row, n_columns, to_memory, at, at, settings.timing
    )
    window = core.hart_id * settings.stride_bytes + offset
    for i in range(0, n_bytes, 8):
        if to_memory:
            memory.i64[(window + i) >> 3] = scratchpad.i64[(place + i) >> 3]
        else:
            scratchpad.i64[(place + i) >> 3] = memory.i64[(window + i) >> 3]
        if settings.shares_memory:
            note_access(group.races, core.hart_id, int(index), offset + i, to_memory, False)
            if to_memory:
                end_reservations(core, group, MEMORY_BASE + offset + i)
    if to_memory and offset < group.checked[0]:
        forget(code, offset, n_bytes)
    hart.dma_moved = moved + n_bytes
    if hart.dma_moved < length:
        hart.written_at = done_at
        return Outcome.AGAIN.value, cycle
    hart.dma_moved = 0
    if to_memory:
        hart.written_at = done_at
    resume = max(cycle, first_edge(done_at, settings.clock))
    book_wait(hart, resume - cycle, row_outcome, refresh_wait, shared_wait, settings)
    return Outcome.DONE.value, resume
