"""Frozen inputs: every array is a function of (generator, version, seed, parameters) and of nothing else.

Counter-based and integer-only: number ``i`` of a stream is SplitMix64's finaliser of a key and ``i``, so the
bytes are the same on every platform and NumPy version, and any part can be made alone. A change that moves one
byte needs a new `VERSION`; golden digests in the tests hold this. Which program reads the arrays is decided in
`spark_traces.workloads`, whether they are the right ones in `spark_traces.bundle`.

References
----------
Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014, figure 16 (SplitMix64).
TPC-H specification 3.0.1, clause 4.2.3 (columns of LINEITEM and PART).
"""

import hashlib
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from pim.errors import LoadError

Arrays = dict[str, npt.NDArray[np.generic]]
UInts = npt.NDArray[np.uint64]

VERSION = 1
"""Version of all generators in this file."""

MAX_INPUT_BYTES = 8 << 30  # assumption: a bundle that asks for more than 8 GiB of input is damaged or hostile

N_WORDS = 20_000  # assumption: vocabulary of a long book
_TABLE_BITS = 20  # probabilities are multiples of 2**-20; the rarest word has about 2**-18
_WORDS_PER_LINE = 10  # mean; a line has 1 to 19 words
_LETTERS = 12  # longest word

FIXED_POINT_BITS = 20  # coordinates are multiples of 2**-20, so sums of up to 2**27 of them are exact in float64
_CENTRE_RANGE = 32  # cluster centres lie in [-16, 16); with a spread below 3, |x| < 32

_FIRST_ORDER_DAY = 8035  # 1992-01-01 in days since 1970-01-01; TPC-H STARTDATE
_ORDER_DAYS = 2406  # 1992-01-01 .. 1998-08-02; TPC-H ENDDATE - 151 days
_PARTS = 200_000  # TPC-H scale factor 1

_GAMMA = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_MASK = (1 << 64) - 1


def mix64(value: int) -> int:
    """Return SplitMix64's finaliser of a 64-bit unsigned ``value``."""
    value = ((value ^ (value >> 30)) * _MIX_1) & _MASK
    value = ((value ^ (value >> 27)) * _MIX_2) & _MASK
    return value ^ (value >> 31)


def stream_key(seed: int, stream: str) -> int:
    """Return the 64-bit key of the named ``stream`` under ``seed``."""
    name = int.from_bytes(hashlib.sha256(stream.encode()).digest()[:8], "little")
    return mix64(mix64(seed & _MASK) ^ name)


def draw(key: int, start: int, count: int) -> UInts:
    """Return numbers ``start .. start + count - 1`` of the stream ``key``: uint64, all 64 bits uniform."""
    value: UInts = np.arange(start, start + count, dtype=np.uint64)
    value *= np.uint64(_GAMMA)
    value += np.uint64(key)
    value ^= value >> np.uint64(30)
    value *= np.uint64(_MIX_1)
    value ^= value >> np.uint64(27)
    value *= np.uint64(_MIX_2)
    value ^= value >> np.uint64(31)
    return value


def draw_one(key: int, counter: int) -> int:
    """Return number ``counter`` of the stream ``key`` as an int; equals ``draw(key, counter, 1)[0]``."""
    return mix64((key + counter * _GAMMA) & _MASK)


def _below(bits: UInts, limit: int) -> UInts:
    """Return the low 32 bits of each number scaled to ``0 .. limit - 1`` (limit at most 2**32)."""
    return ((bits & np.uint64(0xFFFFFFFF)) * np.uint64(limit)) >> np.uint64(32)


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
    letters = np.frombuffer(b"".join(word.ljust(_LETTERS + 1) for word in words), np.uint8)
    letters = letters.reshape(N_WORDS, _LETTERS + 1)
    is_used = np.arange(_LETTERS + 1) <= lengths[:, None]  # the word and one separator
    slots = word_slots()
    word_key, line_key = stream_key(seed, "text.word"), stream_key(seed, "text.line")

    n_lines = 4096  # per chunk; a chunk fits the second-level cache
    text = np.empty(n_bytes + (n_lines + 2) * _WORDS_PER_LINE * (_LETTERS + 1), np.uint8)
    filled = line = 0
    last = -1  # position of the newline that ends the text
    while last < 0:
        ids = slots[draw(word_key, line * _WORDS_PER_LINE, n_lines * _WORDS_PER_LINE) >> np.uint64(64 - _TABLE_BITS)]
        ends = np.arange(n_lines) * _WORDS_PER_LINE
        ends += (draw(line_key, line, n_lines) % np.uint64(_WORDS_PER_LINE)).astype(np.int64)
        rows = letters[ids]
        rows[ends, lengths[ids[ends]]] = ord("\n")
        chunk = rows[is_used[ids]]
        text[filled : filled + chunk.size] = chunk
        if filled + chunk.size >= n_bytes:
            after = np.flatnonzero(chunk[max(n_bytes - 1 - filled, 0) :] == ord("\n"))
            if after.size:
                last = max(n_bytes - 1, filled) + int(after[0])
        filled += chunk.size
        line += n_lines
    return {"text": text[: last + 1].copy()}


def make_points(seed: int, n: int, d: int, k: int) -> Arrays:
    """Return ``points`` (float64, n * d, row-major) around k centres and ``initial``, the first k of them.

    Coordinates are multiples of 2**-20 with magnitude below 32: a centre uniform in [-16, 16) plus the sum of
    three uniform numbers (standard deviation 1, magnitude at most 3).
    """
    centres = _below(draw(stream_key(seed, "points.centre"), 0, k * d), _CENTRE_RANGE << FIXED_POINT_BITS)
    origins = centres.astype(np.int64).reshape(k, d) - ((_CENTRE_RANGE // 2 + 3) << FIXED_POINT_BITS)
    member_key, spread_key = stream_key(seed, "points.member"), stream_key(seed, "points.spread")
    points = np.empty((n, d))
    chunk = max(1, (1 << 18) // d)
    field = np.uint64((1 << (FIXED_POINT_BITS + 1)) - 1)
    for start in range(0, n, chunk):
        count = min(chunk, n - start)
        bits = draw(spread_key, start * d, count * d)
        spread = (bits & field) + ((bits >> np.uint64(21)) & field) + ((bits >> np.uint64(42)) & field)
        member = (draw(member_key, start, count) % np.uint64(k)).astype(np.int64)
        points[start : start + count] = origins[member] + spread.astype(np.int64).reshape(count, d)
    points /= 1 << FIXED_POINT_BITS  # exact: a power of two
    return {"points": points.reshape(-1), "initial": points[:k].reshape(-1).copy()}


def make_lineitem(seed: int, n: int) -> Arrays:
    """Return four columns of TPC-H's LINEITEM, ``n`` rows, values distributed as its clause 4.2.3 says.

    ``shipdate`` int32 (days since 1970-01-01); ``discount``, ``quantity``, ``extendedprice`` int64, unscaled
    decimals with two places.
    """
    dates = draw(stream_key(seed, "lineitem.date"), 0, n)
    amounts = draw(stream_key(seed, "lineitem.amount"), 0, n)
    parts = draw(stream_key(seed, "lineitem.part"), 0, n)
    shipdate = _FIRST_ORDER_DAY + _below(dates, _ORDER_DAYS) + 1 + _below(dates >> np.uint64(32), 121)
    quantity = 1 + _below(amounts, 50)
    part = 1 + _below(parts, _PARTS)
    hundred = np.uint64(100)
    cents = np.uint64(90_000) + (part // np.uint64(10)) % np.uint64(20_001) + hundred * (part % np.uint64(1_000))
    return {
        "shipdate": shipdate.astype(np.int32),
        "discount": _below(amounts >> np.uint64(32), 11).astype(np.int64),
        "quantity": (quantity * hundred).astype(np.int64),
        "extendedprice": (quantity * cents).astype(np.int64),
    }


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
