"""Turns at what the cores of a group share: who is first in (clock, core) goes on, others park."""

from enum import IntEnum
from typing import Any

from pim.core.buffers import fill_sector, find_slot, flush, is_buffered, is_own_row
from pim.core.clock import core_cycles, edge
from pim.core.settings import CoreSettings
from pim.core.state import Core, Group, Stop
from pim.dram import Device
from pim.jit import inlined_kernel, kernel

NEVER = 1 << 50
"""Clock of a request that never comes, far past all others."""

LEAD = 1000
"""Core cycles that a core may run ahead of others in shared memory: it spins until another one ends the run."""


class Outcome(IntEnum):
    """What became of an instruction that needs the DRAM; it has done nothing to the registers unless it is DONE."""

    DONE = 0
    AGAIN = 1  # a request is served, the instruction needs another one
    PARKED = 2  # another core is first
    TRAP = 3


@kernel
def next_turn(group: Group) -> tuple[int, int, int]:
    """Return the core whose turn it is, or -1, and the one after it with the clock of its request."""
    harts = group.harts
    turn, turn_at, other, other_at = -1, NEVER, -1, NEVER
    for hart_id in range(len(harts)):
        hart = harts[hart_id]
        if hart.stop > Stop.PARKED:
            continue
        if hart.request_at < turn_at:
            other, other_at = turn, turn_at
            turn, turn_at = hart_id, hart.request_at
        elif hart.request_at < other_at:
            other, other_at = hart_id, hart.request_at
    return turn, other, other_at


@inlined_kernel
def is_later(core: Core, at: int, other: int, other_at: int) -> bool:
    """Tell whether a core's request at clock ``at`` comes after ``(other_at, other)``."""
    return at > other_at or (at == other_at and core.hart_id > other)


@inlined_kernel
def park(core: Core, at: int) -> None:
    """Let a core wait for its turn at a request at clock ``at``. Updates ``core``."""
    core.hart.request_at = at
    core.hart.stop = Stop.PARKED


@inlined_kernel
def reach(
    core: Core, device: Device, site: Any, offset: int, cycle: int, other: int, other_at: int, settings: CoreSettings
) -> tuple[int, int]:
    """Get ``offset`` into a line buffer, or make one request for it; return the Outcome and the core cycle.

    Only a fill in the core's own bank, of a line that it has, need not wait for its turn. Updates ``core``, ``device``.
    """
    if is_buffered(core, site, offset, settings):
        return Outcome.DONE.value, cycle
    at = max(edge(cycle, settings.clock), core.hart.written_at)
    if is_later(core, at, other, other_at) and not (
        is_own_row(core, device, offset, at, settings) and find_slot(core, offset >> settings.line_shift, settings) >= 0
    ):
        park(core, at)
        return Outcome.PARKED.value, cycle
    filled, cycle = fill_sector(core, device, site, offset, cycle, at, settings)
    return Outcome.DONE.value if filled else Outcome.AGAIN.value, cycle


@kernel
def horizon(other_at: int, settings: CoreSettings) -> int:
    """Return the core cycle up to which a core may run ahead of the next one in turn, at clock ``other_at``.

    Without shared memory nothing another core does can end it: it may run up to the limit, or the pause.
    """
    limit = min(settings.cycle_limit, settings.pause_cycle)
    if not settings.shares_memory:
        return limit
    return min(limit, core_cycles(other_at, settings.clock) + LEAD)


@kernel
def pause(core: Core, cycle: int, settings: CoreSettings) -> None:
    """Stop a core at the cycle limit, or else let the others catch up. Updates ``core``."""
    if cycle > settings.cycle_limit:
        core.hart.stop = Stop.CYCLE_LIMIT
    else:
        park(core, edge(cycle, settings.clock))


@kernel
def drain(core: Core, device: Device, cycle: int, other: int, other_at: int, settings: CoreSettings) -> tuple[int, int]:
    """Make one request of a fence; return the Outcome and the core cycle. Updates ``core`` and ``device``."""
    at = max(edge(cycle, settings.clock), core.hart.written_at)
    if is_later(core, at, other, other_at):
        park(core, at)
        return Outcome.PARKED.value, cycle
    flushed, cycle = flush(core, device, cycle, at, settings)
    return Outcome.DONE.value if flushed else Outcome.AGAIN.value, cycle


@kernel
def end_run(core: Core, group: Group, stop: int) -> None:
    """Stop a core, and halt all others of its group, which share its program. Updates ``group``."""
    for other in range(len(group.harts)):
        if group.harts[other].stop <= Stop.PARKED:
            group.harts[other].stop = Stop.HALTED
    core.hart.stop = stop
