"""The shuffle, through the host: records and partial sums to the reduce call that owns their key.

Owners are ranges: of the hash for records, of the cluster for sums. Record layouts are those of ``mapreduce.kernels``.
"""

from collections.abc import Sequence

import numpy as np

from mapreduce.call import Array
from mapreduce.kernels.wordcount import record_items
from pim import jit

HASH_BITS = 31


@jit.kernel
def _count(records: Array, sizes: Array) -> None:
    """Add to ``sizes`` the items that each owner gets."""
    at = 0
    while at < len(records):
        meta = records[at + 1]
        n_items = record_items(meta)
        sizes[((meta >> 32) * len(sizes)) >> HASH_BITS] += n_items
        at += n_items


@jit.kernel
def _scatter(records: Array, ends: Array, shuffled: Array) -> None:
    """Copy records to their owners' ranges of ``shuffled``. Updates ``ends``, up to where each range is filled."""
    at = 0
    while at < len(records):
        meta = records[at + 1]
        n_items = record_items(meta)
        owner = ((meta >> 32) * len(ends)) >> HASH_BITS
        end = ends[owner]
        for item in range(n_items):
            shuffled[end + item] = records[at + item]
        ends[owner] = end + n_items
        at += n_items


def partition_records(outputs: Sequence[Array], n: int) -> list[Array]:
    """Return the records (int64 arrays of packed records) of each of ``n`` hash ranges.

    Within a range they keep the order of the outputs. The upper bits of the hash choose the owner, the lower ones
    the slot in its table.
    """
    sizes = np.zeros(n, np.int64)
    for records in outputs:
        _count(records, sizes)
    ends = np.cumsum(sizes) - sizes
    starts = ends.copy()
    shuffled = np.empty(int(sizes.sum()), np.int64)
    for records in outputs:
        _scatter(records, ends, shuffled)
    return [shuffled[start:end] for start, end in zip(starts, ends, strict=True)]


def range_bounds(n_keys: int, n: int) -> list[int]:
    """Return ``n + 1`` bounds: owner ``i`` of ``n`` has the keys from ``bounds[i]`` up to ``bounds[i + 1]``.

    Key ``c`` belongs to owner ``c * n // n_keys``: few keys are spread evenly over many owners.
    """
    return [-(-i * n_keys // n) for i in range(n + 1)]
