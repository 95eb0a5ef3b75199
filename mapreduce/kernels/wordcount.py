"""Word count: words hashed and counted on the core (map with combine), and counts of equal words added (reduce).

Words are separated by spaces and newlines; empty words don't count. Both kernels emit packed *records* of int64
items: count, ``hash << 32 | length``, then the word's bytes, eight per item, little-endian, zero-padded. The hash
has 31 bits, the length (bytes) 32.

A record is found through ``slots``, an open-addressing table of record positions + 1 (0 is free). It starts small
and doubles when half full, so that its cost follows the number of distinct words, not the size of its buffer.
"""

from typing import Any

import numpy as np

from mapreduce.kernel import helper, index, kernel

Array = np.ndarray[tuple[int], np.dtype[Any]]

OVERFLOW = -1
"""Returned instead of the number of items when a buffer is too small; nothing was written beyond it."""
HEADER = 2
"""Items of a record before its word."""
SPACE = 0x20
NEWLINE = 0x0A
FIRST_CAPACITY = 64
"""Slots a table starts with."""
MULTIPLIER = 0x61C88647
"""2**32 times (1 - 1 / golden ratio), odd: multiplicative hashing (Knuth, TAOCP 3, section 6.4)."""
LOW_32 = 0xFFFFFFFF


@helper
def mix(state: np.int64, chunk: np.int64) -> np.int64:
    """Return the hash state after eight more bytes.

    The factor is ``MULTIPLIER * (2**32 + 1)``, which takes no load from memory: four instructions make it.
    """
    product = (state ^ chunk) * np.int64(MULTIPLIER)
    return product + (product << 32)


@helper
def header(state: np.int64, length: int) -> np.int64:
    """Return the second item of a record: the upper 31 bits of the hash state, and the length."""
    return (((state >> 33) & 0x7FFFFFFF) << 32) | length


@helper
def record_items(meta: Any) -> Any:
    """Return the number of items of a record whose second item is ``meta``."""
    return HEADER + (((meta & LOW_32) + 7) >> 3)


@helper
def clear(slots: Array, capacity: int) -> None:
    """Free the first ``capacity`` slots."""
    for slot in range(capacity):
        slots[slot] = 0


@helper
def find(slots: Array, capacity: int, entries: Array, used: int) -> Any:
    """Return the slot of the record that equals the one at ``used``, or the free slot where it belongs."""
    meta = entries[index(used + 1)]
    n_items = record_items(meta)
    slot = (meta >> 32) & (capacity - 1)
    while slots[index(slot)] != 0:
        at = np.int64(slots[index(slot)]) - 1
        same = 1
        while same < n_items and entries[index(at + same)] == entries[index(used + same)]:
            same += 1
        if same == n_items:
            break
        slot = (slot + 1) & (capacity - 1)
    return slot


@helper
def double(slots: Array, capacity: int, entries: Array, used: int) -> int:
    """Rebuild the table of the records before ``used`` with twice the slots; return the new capacity."""
    doubled = capacity * 2
    clear(slots, doubled)
    at = 0
    while at < used:
        meta = entries[index(at + 1)]
        slot = (meta >> 32) & (doubled - 1)
        while slots[index(slot)] != 0:
            slot = (slot + 1) & (doubled - 1)
        slots[index(slot)] = at + 1
        at += record_items(meta)
    return doubled


@kernel("int64(uint8[::1], int32[::1], int64[::1])")
def wordcount_map(text: Array, slots: Array, entries: Array) -> int:
    """Count the words of ``text``.

    Parameters
    ----------
    text : uint8 array
        Part of the input, cut at white space.
    slots : int32 array
        Table; its length is a power of two, 64 or more.
    entries : int64 array
        Updated: the records, in the order of their words' first appearance.

    Returns
    -------
    int
        Items of ``entries`` in use, or ``OVERFLOW``.
    """
    capacity = FIRST_CAPACITY
    clear(slots, capacity)
    n_records = 0
    used = 0
    i = 0
    while i < len(text):
        write = used + HEADER
        start = i
        state = np.int64(0)
        ended = False
        while not ended:
            chunk = np.int64(0)
            shift = 0
            while shift < 64:
                if i >= len(text):
                    ended = True
                    break
                byte = np.int64(text[index(i)])
                if byte <= SPACE and byte in (SPACE, NEWLINE):
                    ended = True
                    break
                chunk |= byte << shift
                shift += 8
                i += 1
            if shift > 0:
                if write >= len(entries):
                    return OVERFLOW
                entries[index(write)] = chunk
                write += 1
                state = mix(state, chunk)
        length = i - start
        i += 1
        if length > 0:
            entries[index(used + 1)] = header(state, length)
            slot = find(slots, capacity, entries, used)
            if slots[index(slot)] != 0:
                entries[index(np.int64(slots[index(slot)]) - 1)] += 1
            else:
                entries[index(used)] = 1
                slots[index(slot)] = used + 1
                used = write
                n_records += 1
                if 2 * n_records > capacity:
                    if 2 * capacity > len(slots):
                        return OVERFLOW
                    capacity = double(slots, capacity, entries, used)
    return used


@kernel("int64(int64[::1], int32[::1], int64[::1])")
def wordcount_reduce(records: Array, slots: Array, entries: Array) -> int:
    """Merge records of equal words.

    Parameters
    ----------
    records : int64 array
        Records from any number of map outputs, one after the other.
    slots : int32 array
        Table; its length is a power of two, 64 or more.
    entries : int64 array
        Updated: one record per word, in the order of first appearance.

    Returns
    -------
    int
        Items of ``entries`` in use, or ``OVERFLOW``.
    """
    capacity = FIRST_CAPACITY
    clear(slots, capacity)
    n_records = 0
    used = 0
    at = 0
    while at < len(records):
        n_items = record_items(records[index(at + 1)])
        if used + n_items > len(entries):
            return OVERFLOW
        for item in range(n_items):
            entries[index(used + item)] = records[index(at + item)]
        slot = find(slots, capacity, entries, used)
        if slots[index(slot)] != 0:
            entries[index(np.int64(slots[index(slot)]) - 1)] += records[index(at)]
        else:
            slots[index(slot)] = used + 1
            used += n_items
            n_records += 1
            if 2 * n_records > capacity:
                if 2 * capacity > len(slots):
                    return OVERFLOW
                capacity = double(slots, capacity, entries, used)
        at += n_items
    return used
