"""The path that columns take: a bank's own port, a die's global bus or a rank's data bus.

A request takes it for a run of columns, tCCD_L apart. As with activates, a run that fits before those of earlier
requests, without pushing them back, goes there; with ``in_order`` it does not.
"""

from typing import Annotated, Any, Protocol

import numpy as np

from pim.config import ClockTiming
from pim.dram.budget import KEPT, ROOM
from pim.dram.constraints import LONG_AGO, TURNAROUND
from pim.jit import at_index, inlined_kernel, kernel, rarely, record_dtype


class ColumnBus(Protocol):
    """The latest runs of columns, by clock."""

    n: int
    quiet_at: int  # clock from which no run so far holds back another
    first: Annotated[Any, "i8", (ROOM,)]  # DRAM clocks of the first and last column, ascending
    last: Annotated[Any, "i8", (ROOM,)]
    group: Annotated[Any, "i8", (ROOM,)]  # bank groups
    is_write: Annotated[Any, "i8", (ROOM,)]


COLUMN_BUS = record_dtype(ColumnBus)


def make_buses(n_buses: int) -> Any:
    """Return ``n_buses`` idle column buses, shape ``(n_buses,)``."""
    buses = np.zeros(n_buses, COLUMN_BUS).view(np.recarray)
    buses.quiet_at = LONG_AGO
    return buses


@inlined_kernel
def gap_after(is_write: bool, timing: ClockTiming) -> int:
    """Return the most clocks from a run's last column to another one's first."""
    if is_write:
        return max(timing.nccd_s, timing.nccd_l, timing.ncwl + timing.nbl + max(timing.nwtr_s, timing.nwtr_l))
    return max(timing.nccd_s, timing.nccd_l, timing.ncl + timing.nbl + TURNAROUND - timing.ncwl)


@inlined_kernel
def longest_gap(timing: ClockTiming) -> int:
    """Return the most clocks by which one run of columns holds back another."""
    return max(gap_after(True, timing), gap_after(False, timing))


@inlined_kernel
def gap(same_group: bool, was_write: int, is_write: int, timing: ClockTiming) -> int:
    """Return the least distance from one run's last column to the next one's first."""
    spacing = timing.nccd_l if same_group else timing.nccd_s
    if was_write and not is_write:
        return max(spacing, timing.ncwl + timing.nbl + (timing.nwtr_l if same_group else timing.nwtr_s))
    if is_write and not was_write:
        return max(spacing, timing.ncl + timing.nbl + TURNAROUND - timing.ncwl)
    return spacing


@inlined_kernel
def take_bus(
    bus: ColumnBus,
    group: int,
    is_write: bool,
    came_at: int,
    earliest: int,
    length: int,
    timing: ClockTiming,
    in_order: bool,
) -> int:
    """Return the clock of the first column of a run ``length`` clocks long, from ``earliest`` on. Updates ``bus``.

    ``came_at`` is the clock of its request: no later request, and so no later run, comes before.
    """
    if earliest < bus.quiet_at:
        return plan_run(bus, group, int(is_write), earliest, length, timing, in_order)
    if came_at >= bus.quiet_at:
        bus.n = 0  # none so far concerns any other
    elif rarely(bus.n == ROOM):
        forget_runs(bus)
    put_run(bus, bus.n, group, int(is_write), earliest, length)
    bus.quiet_at = earliest + length + gap_after(is_write, timing)
    return earliest


@kernel
def plan_run(
    bus: ColumnBus, group: int, is_write: int, earliest: int, length: int, timing: ClockTiming, in_order: bool
) -> int:
    """Return the first clock from ``earliest`` on that keeps all distances, and take it. Updates ``bus``."""
    index, first = bus.n, earliest
    while not in_order and index > 0 and bus.first[index - 1] > earliest:
        index -= 1
    while True:
        first = after_earlier_runs(bus, index, group, is_write, first, timing)
        if fits_before_later_runs(bus, index, group, is_write, first, length, timing):
            insert_run(bus, index, group, is_write, first, length)
            bus.quiet_at = max(bus.quiet_at, first + length + gap_after(is_write != 0, timing))
            return first
        index += 1


@inlined_kernel
def after_earlier_runs(bus: ColumnBus, index: int, group: int, is_write: int, first: int, timing: ClockTiming) -> int:
    """Return the first clock from ``first`` on that the runs before ``index`` allow."""
    longest = longest_gap(timing)
    other = index - 1
    while other >= 0 and bus.last[other] + longest > first:
        first = max(first, bus.last[other] + gap(bus.group[other] == group, bus.is_write[other], is_write, timing))
        other -= 1
    return first


@inlined_kernel
def fits_before_later_runs(
    bus: ColumnBus, index: int, group: int, is_write: int, first: int, length: int, timing: ClockTiming
) -> bool:
    """Tell whether a run leaves the planned ones from ``index`` on where they are."""
    end, longest = first + length, longest_gap(timing)
    other = index
    while other < bus.n and bus.first[other] < end + longest:
        if bus.first[other] < end + gap(bus.group[other] == group, is_write, bus.is_write[other], timing):
            return False
        other += 1
    return True


@inlined_kernel
def insert_run(bus: ColumnBus, index: int, group: int, is_write: int, first: int, length: int) -> None:
    """Remember a run as number ``index`` by clock. Updates ``bus``."""
    if bus.n == ROOM:
        index -= ROOM - forget_runs(bus)
    for later in range(bus.n, index, -1):
        move_run(bus, later - 1, later)
    put_run(bus, index, group, is_write, first, length)


@inlined_kernel
def put_run(bus: ColumnBus, index: int, group: int, is_write: int, first: int, length: int) -> None:
    """Write one remembered run, one more than before. Updates ``bus``."""
    place = at_index(index)
    bus.first[place] = first
    bus.last[place] = first + length
    bus.group[place] = group
    bus.is_write[place] = is_write
    bus.n += 1


@kernel
def forget_runs(bus: ColumnBus) -> int:
    """Keep the latest runs only; return how many. Updates ``bus``."""
    for kept in range(KEPT):
        move_run(bus, kept + ROOM - KEPT, kept)
    bus.n = KEPT
    return KEPT


@inlined_kernel
def move_run(bus: ColumnBus, source: int, target: int) -> None:
    """Copy one remembered run. Updates ``bus``."""
    bus.first[target] = bus.first[source]
    bus.last[target] = bus.last[source]
    bus.group[target] = bus.group[source]
    bus.is_write[target] = bus.is_write[source]
