"""Fields of instruction words, for whole arrays at once; words are int64, zero above the instruction."""

import numpy as np
import numpy.typing as npt

from pim.isa.formats import Format

Words = npt.NDArray[np.int64]

Pieces = tuple[tuple[int, int, int], ...]
"""Immediate: (high bit, low bit, place in the value) of each run of bits, as the manual draws it."""

_SCATTERED: dict[Format, tuple[Pieces, int]] = {  # format: (runs of bits, width of a signed value or 0)
    Format.I: (((31, 20, 0),), 12),
    Format.SHIFT: (((25, 20, 0),), 0),
    Format.S: (((31, 25, 5), (11, 7, 0)), 12),
    Format.B: (((31, 31, 12), (30, 25, 5), (11, 8, 1), (7, 7, 11)), 13),
    Format.U: (((31, 12, 12),), 32),
    Format.J: (((31, 31, 20), (30, 21, 1), (20, 20, 11), (19, 12, 12)), 21),
    Format.AMO: (((26, 25, 0),), 0),
    Format.CSR: (((31, 20, 0),), 0),
    Format.FENCE: (((31, 20, 0),), 0),
}


def piece_table() -> tuple[Words, Words, Words]:
    """Return the same as arrays by Format: pieces ``(n_formats, 4, 3)``, how many there are, signed width."""
    pieces = np.zeros((len(Format), 4, 3), np.int64)
    count, signed_width = np.zeros(len(Format), np.int64), np.zeros(len(Format), np.int64)
    for layout, (runs, width) in _SCATTERED.items():
        pieces[layout, : len(runs)] = runs
        count[layout], signed_width[layout] = len(runs), width
    return pieces, count, signed_width


def bits(words: Words, high: int, low: int) -> Words:
    """Return bits ``high`` to ``low`` of each word, both included."""
    return (words >> low) & ((1 << (high - low + 1)) - 1)


def gather(words: Words, pieces: Pieces, signed_width: int) -> Words:
    """Return the immediate made of ``pieces``; sign-extended from ``signed_width`` bits unless that is 0."""
    value = np.zeros_like(words)
    for high, low, place in pieces:
        value |= bits(words, high, low) << place
    if signed_width:
        sign = 1 << (signed_width - 1)
        value = (value ^ sign) - sign
    return value


def immediates(words: Words, formats: npt.NDArray[np.uint8]) -> Words:
    """Return the immediate of each word according to its format; 0 where it has none."""
    value = np.zeros_like(words)
    for layout, (pieces, signed_width) in _SCATTERED.items():
        chosen = np.flatnonzero(formats == layout)
        value[chosen] = gather(words[chosen], pieces, signed_width)
    return value
