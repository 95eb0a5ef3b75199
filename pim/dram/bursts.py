"""Column bursts that the banks of one die have in flight at once, where its power delivery allows only so many.

A bank's burst is what one request moves: in flight from its first column command until tCCD_L after its last one. As
with activates, a burst that fits before those of earlier requests, without pushing them back, goes there; with
``in_order`` it does not.
"""

from typing import Annotated, Any, Protocol

import numpy as np

from pim.config import ClockTiming
from pim.dram.budget import KEPT, ROOM
from pim.dram.bus import ColumnBus, gap, take_bus
from pim.jit import inlined_kernel, kernel, record_dtype


class Bursts(Protocol):
    """The latest bursts of one die, by the clock of their first column."""

    n: int
    first: Annotated[Any, "i8", (ROOM,)]  # DRAM clocks, ascending
    end: Annotated[Any, "i8", (ROOM,)]  # clocks from which they are in flight no more


BURSTS = record_dtype(Bursts)


def make_bursts() -> Any:
    """Return the bursts of one idle die, shape ``(1,)``."""
    return np.zeros(1, BURSTS).view(np.recarray)


@kernel
def take_limited_bus(
    bus: ColumnBus,
    bursts: Bursts,
    most: int,
    group: int,
    is_write: bool,
    came_at: int,
    earliest: int,
    length: int,
    timing: ClockTiming,
    in_order: bool,
) -> tuple[int, int]:
    """Give a bank's burst a place on its own bus and among those of the die. Updates ``bus`` and ``bursts``.

    Parameters
    ----------
    most : int
        Bursts that may be in flight at once.
    came_at : int
        DRAM clock of the request.
    earliest : int
        DRAM clock from which the row allows the first column.
    length : int
        Clocks from the first to the last column.

    Returns
    -------
    first : int
        Clock of the first column.
    alone : int
        The same had no other bank a burst.
    """
    alone = earliest
    if bus.n > 0:
        last = bus.n - 1
        apart = gap(bus.group[last] == group, bus.is_write[last], int(is_write), timing)
        alone = max(earliest, bus.last[last] + apart)
    first = plan_burst(bursts, most, alone, length + timing.nccd_l, in_order)
    return take_bus(bus, group, is_write, came_at, first, length, timing, in_order), alone


@kernel
def plan_burst(bursts: Bursts, most: int, earliest: int, duration: int, in_order: bool) -> int:
    """Return the first clock from ``earliest`` on with room for a burst, and take it. Updates ``bursts``."""
    first = earliest
    if in_order and bursts.n > 0:
        first = max(first, bursts.first[bursts.n - 1])
    while True:
        again_at = full_until(bursts, most, first, first + duration)
        if again_at <= first:
            break
        first = again_at
    insert_burst(bursts, first, first + duration)
    return first


@inlined_kernel
def full_until(bursts: Bursts, most: int, first: int, end: int) -> int:
    """Return the clock at which the first of ``most`` bursts ends that are in flight together within [first, end).

    ``first`` if there are never as many. How many there are only grows where one begins.
    """
    for index in range(-1, bursts.n):
        at = first if index < 0 else bursts.first[index]
        if at < first or at >= end:
            continue
        n, until = 0, 0
        for other in range(bursts.n):
            if bursts.first[other] <= at < bursts.end[other]:
                n += 1
                until = bursts.end[other] if n == 1 else min(until, bursts.end[other])
        if n >= most:
            return int(until)
    return first


@inlined_kernel
def insert_burst(bursts: Bursts, first: int, end: int) -> None:
    """Remember a burst. Updates ``bursts``."""
    if bursts.n == ROOM:
        for kept in range(KEPT):
            bursts.first[kept] = bursts.first[kept + ROOM - KEPT]
            bursts.end[kept] = bursts.end[kept + ROOM - KEPT]
        bursts.n = KEPT
    index = bursts.n
    while index > 0 and bursts.first[index - 1] > first:
        bursts.first[index] = bursts.first[index - 1]
        bursts.end[index] = bursts.end[index - 1]
        index -= 1
    bursts.first[index] = first
    bursts.end[index] = end
    bursts.n += 1
