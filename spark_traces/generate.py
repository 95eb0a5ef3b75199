"""Frozen inputs: every array is a function of (generator, version, seed, parameters) and of nothing else.

All of it is integer arithmetic on counter-based numbers (`spark_traces.streams`), so the bytes are the same on every
platform. A change that moves one byte needs a new `VERSION`; golden digests in the tests hold this. Which program
reads the arrays is decided in `spark_traces.workloads`, whether they are the right ones in `spark_traces.bundle`.

References
----------
TPC-H specification 3.0.1, clause 4.2.3 (columns of LINEITEM and PART).
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from pim.errors import LoadError
from pim.jit import kernel
from spark_traces.streams import below, draw, draw_one, number, stream_key

Arrays = dict[str, npt.NDArray[np.generic]]

VERSION = 1
"""Version of all generators in this file."""

MAX_INPUT_BYTES = 8 << 30  # assumption: a bundle that asks for more than 8 GiB of input is damaged or hostile

N_WORDS = 20_000  # assumption: vocabulary of a long book
_TABLE_BITS = 20  # probabilities are multiples of 2**-20; the rarest word has about 2**-18
_SPACE, _NEWLINE = 0x20, 0x0A
_WORDS_PER_LINE = 10  # mean; a line has 1 to 19 words
_LETTERS = 12  # longest word

FIXED_POINT_BITS = 20  # coordinates are multiples of 2**-20, so sums of up to 2**27 of them are exact in float64
_CENTRE_RANGE = 32  # cluster centres lie in [-16, 16); with a spread below 3, |x| < 32

_FIRST_ORDER_DAY = 8035  # 1992-01-01 in days since 1970-01-01; TPC-H STARTDATE
_ORDER_DAYS = 2406  # 1992-01-01 .. 1998-08-02; TPC-H ENDDATE - 151 days
_PARTS = 200_000  # TPC-H scale factor 1


def vocabulary(seed: int) -> list[bytes]:
    """Return `N_WORDS` different words of 2 to 12 lower-case letters, frequent and short ones first."""
    lengths, letters = stream_key(seed, "text.length"), stream_key(seed, "text.letters")
    words: dict[bytes, None] = {}
    for rank in range(1, N_WORDS + 1):
        spread = 1 + rank.bit_length() * (_LETTERS - 2) // N_WORDS.bit_length()
        for attempt in range(rank << 16, (rank + 1) << 16):
            digits = draw_one(letters, attempt)
            word = bytearray()
            for _ in range(2 + draw_one(lengths, attempt) % spread):
                digits, letter = divmod(digits, 26)
                word.append(ord("a") + letter)
            if bytes(word) not in words:
                words[bytes(word)] = None
                break
    return list(words)


def word_slots() -> npt.NDArray[np.uint16]:
    """Return the word of each of 2**20 equal slots: word of rank r (from 1) has a share near 1 / (r H)."""
    weights = np.uint64(1 << 32) // np.arange(1, N_WORDS + 1, dtype=np.uint64)
    cumulative = np.cumsum(weights, dtype=np.uint64)
    bounds = (cumulative << np.uint64(_TABLE_BITS)) // cumulative[-1]
    counts = np.diff(bounds, prepend=np.uint64(0)).astype(np.int64)
    return np.repeat(np.arange(N_WORDS, dtype=np.uint16), counts)


def make_text(seed: int, n_bytes: int) -> Arrays:
    """Return ``text`` (uint8): whole lines of Zipf-distributed words, the fewest that reach ``n_bytes``.

    Words are separated by one space, each line ends in a newline. Exactly one of every ten words ends a line.
    """
    words = vocabulary(seed)
    lengths = np.array([len(word) for word in words])
    letters = np.frombuffer(b"".join(word.ljust(_LETTERS) for word in words), np.uint8).reshape(N_WORDS, _LETTERS)
    slots = word_slots()
    word_key, line_key = np.uint64(stream_key(seed, "text.word")), np.uint64(stream_key(seed, "text.line"))

    n_lines = 4096  # per chunk
    text = np.empty(n_bytes + (n_lines + 2) * _WORDS_PER_LINE * (_LETTERS + 1), np.uint8)
    filled = line = 0
    last = -1  # position of the newline that ends the text
    while last < 0:
        start, filled = filled, write_lines(text, filled, line, n_lines, word_key, line_key, slots, letters, lengths)
        if filled >= n_bytes:
            first = max(n_bytes - 1, start)
            after = np.flatnonzero(text[first:filled] == _NEWLINE)
            if after.size:
                last = first + int(after[0])
        line += n_lines
    return {"text": text[: last + 1].copy()}


@kernel
def write_lines(
    text: Any,
    at: int,
    first: int,
    n_lines: int,
    word_key: Any,
    line_key: Any,
    slots: Any,
    letters: Any,
    lengths: Any,
) -> int:
    """Write lines from number ``first`` on to ``text`` from ``at`` on; return where the next one begins."""
    for line in range(first, first + n_lines):
        end = number(line_key, line) % np.uint64(_WORDS_PER_LINE)
        for place in range(_WORDS_PER_LINE):
            word = slots[number(word_key, line * _WORDS_PER_LINE + place) >> np.uint64(64 - _TABLE_BITS)]
            for i in range(lengths[word]):
                text[at + i] = letters[word, i]
            at += lengths[word]
            text[at] = _NEWLINE if np.uint64(place) == end else _SPACE
            at += 1
    return at


def make_points(seed: int, n: int, d: int, k: int) -> Arrays:
    """Return ``points`` (float64, n * d, row-major) around k centres and ``initial``, the first k of them.

    Coordinates are multiples of 2**-20 with magnitude below 32: a centre uniform in [-16, 16) plus the sum of
    three uniform numbers (standard deviation 1, magnitude at most 3).
    """
    points = np.empty((n, d))
    centres = draw(stream_key(seed, "points.centre"), 0, k * d).reshape(k, d)
    write_points(
        points, centres, np.uint64(stream_key(seed, "points.member")), np.uint64(stream_key(seed, "points.spread"))
    )
    return {"points": points.reshape(-1), "initial": points[:k].reshape(-1).copy()}


@kernel
def write_points(points: Any, centres: Any, member_key: Any, spread_key: Any) -> None:
    """Write all points, shape (n, d), around the centres of which (k, d) random numbers say where they are."""
    n, d = points.shape
    k = len(centres)
    field = np.uint64((1 << (FIXED_POINT_BITS + 1)) - 1)
    for i in range(n):
        member = np.int64(number(member_key, i) % np.uint64(k))
        for j in range(d):
            centre = np.int64(below(centres[member, j], _CENTRE_RANGE << FIXED_POINT_BITS))
            bits = number(spread_key, i * d + j)
            spread = (bits & field) + ((bits >> np.uint64(21)) & field) + ((bits >> np.uint64(42)) & field)
            steps = centre - ((_CENTRE_RANGE // 2 + 3) << FIXED_POINT_BITS) + np.int64(spread)
            points[i, j] = steps / (1 << FIXED_POINT_BITS)  # exact: a power of two


def make_lineitem(seed: int, n: int) -> Arrays:
    """Return four columns of TPC-H's LINEITEM, ``n`` rows, values distributed as its clause 4.2.3 says.

    ``shipdate`` int32 (days since 1970-01-01); ``discount``, ``quantity``, ``extendedprice`` int64, unscaled
    decimals with two places.
    """
    shipdate = np.empty(n, np.int32)
    discount, quantity, extendedprice = np.empty((3, n), np.int64)
    keys = [np.uint64(stream_key(seed, f"lineitem.{name}")) for name in ("date", "amount", "part")]
    write_lineitem(shipdate, discount, quantity, extendedprice, *keys)
    return {"shipdate": shipdate, "discount": discount, "quantity": quantity, "extendedprice": extendedprice}


@kernel
def write_lineitem(
    shipdate: Any, discount: Any, quantity: Any, extendedprice: Any, date_key: Any, amount_key: Any, part_key: Any
) -> None:
    """Write all rows of the four columns."""
    half = np.uint64(32)
    for i in range(len(shipdate)):
        dates, amounts = number(date_key, i), number(amount_key, i)
        shipdate[i] = _FIRST_ORDER_DAY + 1 + np.int64(below(dates, _ORDER_DAYS)) + np.int64(below(dates >> half, 121))
        units = 1 + np.int64(below(amounts, 50))
        part = 1 + np.int64(below(number(part_key, i), _PARTS))
        discount[i] = np.int64(below(amounts >> half, 11))
        quantity[i] = 100 * units
        extendedprice[i] = units * (90_000 + part // 10 % 20_001 + 100 * (part % 1_000))


_GENERATORS: dict[str, tuple[Callable[..., Arrays], tuple[str, ...], Callable[[Mapping[str, int]], int]]] = {
    "text": (make_text, ("n_bytes",), lambda p: p["n_bytes"]),
    "points": (make_points, ("n", "d", "k"), lambda p: 8 * p["d"] * max(p["n"], p["k"])),
    "lineitem": (make_lineitem, ("n",), lambda p: 28 * p["n"]),
}


def generate(name: str, version: int, seed: int, parameters: Mapping[str, int]) -> Arrays:
    """Return the arrays of generator ``name``.

    Raises
    ------
    LoadError
        If the generator, its version or a parameter is unknown, or the input would be empty or above
        `MAX_INPUT_BYTES`.
    """
    if name not in _GENERATORS:
        raise LoadError(f"input generator: unknown name {name!r}; known: {', '.join(_GENERATORS)}")
    if version != VERSION:
        raise LoadError(f"input generator {name!r}: unknown version {version}; this program has version {VERSION}")
    make, names, size = _GENERATORS[name]
    if sorted(parameters) != sorted(names):
        raise LoadError(f"input generator {name!r}: needs parameters {sorted(names)}, got {sorted(parameters)}")
    for key, value in parameters.items():
        if value < 1:
            raise LoadError(f"input generator {name!r}: {key} must be >= 1, got {value}")
    if parameters.get("k", 1) > parameters.get("n", parameters.get("k", 1)):
        raise LoadError(f"input generator {name!r}: k must be at most n = {parameters['n']}, got {parameters['k']}")
    if size(parameters) > MAX_INPUT_BYTES:
        raise LoadError(
            f"input generator {name!r}: {size(parameters)} bytes asked for, at most {MAX_INPUT_BYTES} allowed"
        )
    return make(seed, **parameters)


def input_digest(arrays: Mapping[str, npt.NDArray[np.generic]]) -> str:
    """Return the SHA-256 (hex) over name, dtype, length and little-endian bytes of each array, by name."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{name} {array.dtype.str} {array.size}\n".encode())
        digest.update(array.data)
    return digest.hexdigest()
