"""Memory that several cores share: a checker for races, in the order in which the simulation serves the cores.

Line buffers are not coherent. What a core stores is at the bank after its next FENCE, and it sees what others stored
after a FENCE of its own. Two accesses of different cores to the same 8 bytes, at least one of them a store, are a race
unless the first core made a FENCE after its access and then the second core one before its own. Atomic operations act
at the bank: one that comes second needs no FENCE before it, one that comes first none after it; with aq or rl they are
FENCEs too. Of the reads since the last store to the 8 bytes, those of two cores are remembered.

The model keeps one copy of memory, so that a race shows in this report, not in the values.
"""

from typing import Any, NamedTuple

import numpy as np

from pim.jit import kernel

MOST_RACES = 64
"""Races that are reported, one for each 8 bytes."""

_ATOMIC, _HART_SHIFT, _HART, _PARCEL_SHIFT, _PARCEL, _EPOCH_SHIFT = 2, 2, 0x1F, 7, (1 << 28) - 1, 35
"""Layout of a remembered access: bit 0 is 1; its core; the instruction's parcel; FENCEs made before it."""


class Races(NamedTuple):
    """What is remembered of accesses to shared memory; arrays of int64, by 8 bytes or by core."""

    last_store: Any
    last_read: Any
    earlier_read: Any  # of another core than last_read
    fences: Any  # by core: FENCEs it has made
    seen: Any  # (n_harts, n_harts): FENCEs that each other core had made at a core's last one
    fenced_at: Any  # by core: number of its last FENCE among those of all cores
    total_fences: Any  # (1,)
    found: Any  # (MOST_RACES, 7): offset, then core, parcel and whether it stores of the first and the second access
    n_found: Any  # (1,)


def make_races(n_harts: int, memory_bytes: int) -> Races:
    """Return an empty record of ``memory_bytes`` shared by ``n_harts`` cores."""
    store, read, earlier_read = (np.zeros((memory_bytes + 7) // 8, np.int64) for _ in range(3))
    return Races(
        store,
        read,
        earlier_read,
        np.zeros(n_harts, np.int64),
        np.zeros((n_harts, n_harts), np.int64),
        np.zeros(n_harts, np.int64),
        np.zeros(1, np.int64),
        np.zeros((MOST_RACES, 7), np.int64),
        np.zeros(1, np.int64),
    )


@kernel
def note_fence(races: Races, hart_id: int) -> None:
    """Remember a FENCE of a core. Updates ``races``."""
    races.total_fences[0] += 1
    races.fenced_at[hart_id] = races.total_fences[0]
    races.fences[hart_id] += 1
    for other in range(len(races.fences)):
        races.seen[hart_id, other] = races.fences[other]


@kernel
def note_access(races: Races, hart_id: int, parcel: int, offset: int, is_store: bool, is_atomic: bool) -> None:
    """Check an access to shared memory against what is remembered, and remember it. Updates ``races``."""
    word = offset >> 3
    store = races.last_store[word]
    if not is_ordered(races, store, hart_id, is_atomic):
        report(races, offset, store, True, hart_id, parcel, is_store)
    epoch = races.total_fences[0] if is_atomic else races.fences[hart_id]
    record = 1 | (_ATOMIC if is_atomic else 0) | hart_id << _HART_SHIFT | parcel << _PARCEL_SHIFT
    record |= epoch << _EPOCH_SHIFT
    if is_store:
        for read in (races.last_read[word], races.earlier_read[word]):
            if not is_ordered(races, read, hart_id, is_atomic):
                report(races, offset, read, False, hart_id, parcel, True)
        races.last_store[word] = record
        races.last_read[word] = races.earlier_read[word] = 0
    else:
        if (races.last_read[word] >> _HART_SHIFT) & _HART != hart_id:
            races.earlier_read[word] = races.last_read[word]
        races.last_read[word] = record


@kernel
def note_atomic(races: Races, hart_id: int, parcel: int, offset: int, is_fence: bool, is_store: bool) -> None:
    """Remember an atomic operation, with aq or rl a FENCE before it; see `note_access`. Updates ``races``."""
    if is_fence:
        note_fence(races, hart_id)
    note_access(races, hart_id, parcel, offset, is_store, True)


@kernel
def is_ordered(races: Races, record: int, hart_id: int, is_atomic: bool) -> bool:
    """Tell whether a remembered access is ordered before one that a core makes now."""
    first = (record >> _HART_SHIFT) & _HART
    if record == 0 or first == hart_id:
        return True
    epoch = record >> _EPOCH_SHIFT
    if record & _ATOMIC:
        return is_atomic or bool(races.fenced_at[hart_id] > epoch)
    return bool(races.fences[first] > epoch if is_atomic else races.seen[hart_id, first] > epoch)


@kernel
def report(races: Races, offset: int, record: int, was_store: bool, hart_id: int, parcel: int, is_store: bool) -> None:
    """Keep a race, unless one on the same 8 bytes is there already. Updates ``races``."""
    n_found = races.n_found[0]
    for i in range(n_found):
        if races.found[i, 0] >> 3 == offset >> 3:
            return
    if n_found == MOST_RACES:
        return
    races.n_found[0] = n_found + 1
    race = races.found[n_found]
    race[0] = offset
    race[1], race[2], race[3] = (record >> _HART_SHIFT) & _HART, (record >> _PARCEL_SHIFT) & _PARCEL, was_store
    race[4], race[5], race[6] = hart_id, parcel, is_store
