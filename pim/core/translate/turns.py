"""Whose turn it is: the cores that wait, in a ring in the order of their requests.

The order is that of `pim.core.turn.next_turn`. One that has been served mostly comes behind nearly all others: it is
put in from the end. What changes hands at every turn is in a few lines of the host's caches.
"""

from enum import IntEnum
from typing import Any

import numpy as np

from pim.core.turn import NEVER
from pim.jit import inlined_kernel

HART_SHIFT = 10
"""Bits for the number of a core of a group."""


class TurnWord(IntEnum):
    """Words of the array of turns. A request is its clock << HART_SHIFT | its core."""

    MAIN = 0  # stack pointer of the loop over cores, while native code is on a stack of its own
    AT_HAND = 1  # core whose turn it is
    NEXT = 2  # first request of those that wait
    FIRST = 3  # its number in the ring, modulo the ring's size
    END = 4  # number behind the last one
    MASK = 5  # the ring's size - 1
    RING = 8  # requests; then each core's stack pointer while it waits in native code, else 0


def make_turns(n_harts: int) -> Any:
    """Return the turns of so many cores, none of which waits."""
    size = 1 << n_harts.bit_length()
    turns = np.zeros(TurnWord.RING + size + n_harts, np.int64)
    turns[TurnWord.MASK] = size - 1
    return turns


@inlined_kernel
def place_of(turns: Any, number: int) -> Any:
    """Return where the ring has a number."""
    return np.uint64(TurnWord.RING + (number & turns[TurnWord.MASK]))


@inlined_kernel
def stack_place(turns: Any, hart_id: int) -> Any:
    """Return where a core's stack pointer is."""
    return np.uint64(TurnWord.RING + 1 + turns[TurnWord.MASK] + hart_id)


@inlined_kernel
def add_turn(turns: Any, request: int) -> None:
    """Let a core wait for its turn. Updates ``turns``."""
    first, place = turns[TurnWord.FIRST], turns[TurnWord.END]
    turns[TurnWord.END] = place + 1
    while place > first:
        before = turns[place_of(turns, place - 1)]
        if before < request:
            break
        turns[place_of(turns, place)] = before
        place -= 1
    turns[place_of(turns, place)] = request


@inlined_kernel
def take_turn(turns: Any) -> int:
    """Return the core whose turn it is, or -1. Updates ``turns``."""
    first, end = turns[TurnWord.FIRST], turns[TurnWord.END]
    if first == end:
        return -1
    turn = turns[place_of(turns, first)] & ((1 << HART_SHIFT) - 1)
    first += 1
    turns[TurnWord.FIRST], turns[TurnWord.AT_HAND] = first, turn
    turns[TurnWord.NEXT] = turns[place_of(turns, first)] if first < end else NEVER << HART_SHIFT
    return int(turn)


@inlined_kernel
def next_in_turn(turns: Any) -> tuple[int, int]:
    """Return the first core of those that wait, and the clock of its request."""
    request = turns[TurnWord.NEXT]
    return request & ((1 << HART_SHIFT) - 1), request >> HART_SHIFT
