"""Cuts an input into balanced parts, in order, losing nothing: static blocks."""

import numpy as np

from mapreduce.call import Array

WHITE_SPACE = np.frombuffer(b" \n", np.uint8)
_WINDOW = 4096
"""Bytes looked at together in search of white space."""


def block_bounds(n_records: int, n_parts: int) -> list[int]:
    """Return ``n_parts + 1`` bounds of blocks that differ by one record at most.

    Block ``i`` is ``bounds[i]`` up to ``bounds[i + 1]``.
    """
    return [n_records * i // n_parts for i in range(n_parts + 1)]


def text_bounds(text: Array, n_parts: int) -> list[int]:
    """Return ``n_parts + 1`` bounds of blocks of ``text`` (uint8) that cut no word.

    Each bound is moved up from its balanced place to the next white space, which stays with the following block.
    """
    return [0, *(_next_white_space(text, bound) for bound in block_bounds(len(text), n_parts)[1:-1]), len(text)]


def _next_white_space(text: Array, start: int) -> int:
    for at in range(start, len(text), _WINDOW):
        found = np.flatnonzero(np.isin(text[at : at + _WINDOW], WHITE_SPACE))
        if found.size:
            return at + int(found[0])
    return len(text)
