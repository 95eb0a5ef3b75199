"""Kernels that measure simulators: histogram, join, sort and three-array streams, as a user would write them."""

from typing import Any

import numpy as np

from mapreduce.kernel import index, kernel

Array = np.ndarray[tuple[int], np.dtype[Any]]

MULTIPLIER = 0x61C88647
"""2**32 times (1 - 1 / golden ratio), odd: multiplicative hashing (Knuth, TAOCP 3, section 6.4)."""


@kernel("int64(uint8[::1], int64[::1])")
def byte_histogram(text: Array, counts: Array) -> int:
    """Add the number of times that each byte occurs to the 256 ``counts``."""
    for i in range(len(text)):
        counts[index(text[index(i)])] += 1
    return 0


@kernel("int64(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])")
def hash_join(keys: Array, payloads: Array, probes: Array, slots: Array, answer: Array) -> int:
    """Set ``answer`` to how many ``probes`` have a key, and the sum of their payloads.

    Parameters
    ----------
    keys, payloads : int64 array
        The smaller table; its keys differ.
    probes : int64 array
        Keys of the larger table.
    slots : int64 array
        Zeros; a power of two, more than there are keys. Open addressing, each holds a row number + 1.
    answer : int64 array
        Two items.
    """
    mask = len(slots) - 1
    for row in range(len(keys)):
        slot = (keys[index(row)] * MULTIPLIER >> 16) & mask
        while slots[index(slot)] != 0:
            slot = (slot + 1) & mask
        slots[index(slot)] = row + 1
    n_found, total = 0, 0
    for row in range(len(probes)):
        probe = probes[index(row)]
        slot = (probe * MULTIPLIER >> 16) & mask
        while slots[index(slot)] != 0:
            found = slots[index(slot)] - 1
            if keys[index(found)] == probe:
                n_found += 1
                total += payloads[index(found)]
                break
            slot = (slot + 1) & mask
    answer[0] = n_found
    answer[1] = total
    return 0


@kernel("int64(int64[::1], int64[::1])")
def merge_sort(values: Array, room: Array) -> int:
    """Sort ``values`` from the bottom up; ``room`` is as long."""
    n = len(values)
    width = 1
    while width < n:
        start = 0
        while start < n:
            middle, end = min(start + width, n), min(start + 2 * width, n)
            left, right = start, middle
            for place in range(start, end):
                if right >= end or (left < middle and values[index(left)] <= values[index(right)]):
                    room[index(place)] = values[index(left)]
                    left += 1
                else:
                    room[index(place)] = values[index(right)]
                    right += 1
            start = end
        for place in range(n):
            values[index(place)] = room[index(place)]
        width *= 2
    return 0


@kernel("int64(int64[::1], int64[::1], int64[::1], int64, int64)")
def stream(a: Array, b: Array, c: Array, stride: int, n_rounds: int) -> int:
    """Set every ``stride``-th item of ``a`` to that of ``b`` plus three times that of ``c``, ``n_rounds`` times."""
    for _ in range(n_rounds):
        i = 0
        while i < len(a):
            a[index(i)] = b[index(i)] + 3 * c[index(i)]
            i += stride
    return 0
