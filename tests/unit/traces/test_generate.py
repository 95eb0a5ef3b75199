"""The generators against plain-Python arithmetic, and frozen by digest."""

from collections import Counter

import numpy as np
import pytest

from pim.errors import LoadError
from spark_traces.generate import (
    N_WORDS,
    VERSION,
    generate,
    input_digest,
    vocabulary,
    word_slots,
)
from spark_traces.streams import draw, stream_key

MASK = (1 << 64) - 1
PARAMETERS = {
    "text": {"n_bytes": 300_000},
    "points": {"n": 5_000, "d": 8, "k": 8},
    "lineitem": {"n": 5_000},
}
# sha256 of the arrays for seed 1; a change here needs a new VERSION, old bundles can't be opened after it
GOLDEN = {
    "text": "1811c96372cae55e9c8eefaf8ff3416813c7c6560bd9e30d6923e84eccdf726a",
    "points": "a72eef3b1435fe4b0934476ecab8d42dd2fb6e4d7b18a48677bf8a77f67069c2",
    "lineitem": "f4f01eb9638696bf902906466bb590389c791fc91c22b36c4843c5d0a63862c3",
}


def splitmix64(state: int, n: int) -> list[int]:
    """The published loop (Vigna's splitmix64.c): add the golden gamma, then finalise."""
    out = []
    for _ in range(n):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        out.append(z ^ (z >> 31))
    return out


def number(key: int, counter: int) -> int:
    return splitmix64((key + (counter - 1) * 0x9E3779B97F4A7C15) & MASK, 1)[0]


def test_draw_is_the_published_splitmix64():
    # first outputs of splitmix64 with seed 1234567, as listed in public test vectors of the algorithm
    known = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert splitmix64(1234567, 5) == known
    assert draw(1234567, 1, 5).tolist() == known


@pytest.mark.parametrize("name", GOLDEN)
def test_bytes_are_frozen(name):
    assert VERSION == 1
    assert input_digest(generate(name, 1, 1, PARAMETERS[name])) == GOLDEN[name]


@pytest.mark.parametrize("name", GOLDEN)
def test_another_seed_gives_other_bytes(name):
    assert input_digest(generate(name, 1, 2, PARAMETERS[name])) != GOLDEN[name]


def test_any_part_of_a_stream_can_be_drawn_alone():
    whole = draw(stream_key(7, "x"), 0, 1000)
    assert np.array_equal(draw(stream_key(7, "x"), 400, 100), whole[400:500])


@pytest.mark.parametrize("n_bytes", [1, 7, 5_000, 100_000, 600_000])
def test_text_equals_a_word_by_word_reference(n_bytes):
    words, slots = vocabulary(3), word_slots()
    word_key, line_key = stream_key(3, "text.word"), stream_key(3, "text.line")
    expected, i = bytearray(), 0
    while len(expected) < n_bytes or expected[-1] != ord("\n"):
        expected += words[slots[number(word_key, i) >> 44]]
        expected += b"\n" if number(line_key, i // 10) % 10 == i % 10 else b" "
        i += 1
    text = generate("text", 1, 3, {"n_bytes": n_bytes})["text"]
    # the reference appends whole words, so it stops at the first line end at or after n_bytes
    assert text.tobytes() == bytes(expected)


def test_vocabulary_is_distinct_words_of_2_to_12_letters():
    words = vocabulary(1)
    assert len(set(words)) == N_WORDS
    assert {len(word) for word in words} == set(range(2, 13))
    assert all(word.isalpha() and word.islower() for word in words)


def test_word_frequencies_follow_zipf():
    text = generate("text", 1, 1, {"n_bytes": 2_000_000})["text"].tobytes()
    counts = Counter(text.split())
    total, harmonic = sum(counts.values()), sum(1 / r for r in range(1, N_WORDS + 1))
    for rank, word in enumerate(vocabulary(1)[:20], start=1):
        p = 1 / (rank * harmonic)
        assert abs(counts[word] / total - p) < 5 * (p * (1 - p) / total) ** 0.5 + 2**-20  # 5 standard errors


def test_points_equal_a_coordinate_by_coordinate_reference():
    n, d, k, seed = 300, 3, 4, 9
    centre, member, spread = (stream_key(seed, f"points.{s}") for s in ("centre", "member", "spread"))
    got = generate("points", 1, seed, {"n": n, "d": d, "k": k})
    for i in range(n):
        for j in range(d):
            c = number(member, i) % k
            low = number(centre, c * d + j) & 0xFFFFFFFF
            x = (low * (32 << 20) >> 32) - (16 << 20)
            bits = number(spread, i * d + j)
            x += sum(bits >> s & (2**21 - 1) for s in (0, 21, 42)) - (3 << 20)
            assert got["points"][i * d + j] == x / 2**20
    assert np.array_equal(got["initial"], got["points"][: k * d])


def test_points_are_small_multiples_of_two_to_the_minus_20():
    points = generate("points", 1, 1, {"n": 20_000, "d": 8, "k": 8})["points"]
    scaled = points * 2**20
    assert np.array_equal(scaled, np.rint(scaled))
    assert np.abs(points).max() < 32


def test_lineitem_equals_a_row_by_row_reference():
    n, seed = 500, 4
    date, amount, part = (stream_key(seed, f"lineitem.{s}") for s in ("date", "amount", "part"))
    got = generate("lineitem", 1, seed, {"n": n})
    for i in range(n):
        low, high = number(date, i) & 0xFFFFFFFF, number(date, i) >> 32
        assert got["shipdate"][i] == 8035 + (low * 2406 >> 32) + 1 + (high * 121 >> 32)
        low, high = number(amount, i) & 0xFFFFFFFF, number(amount, i) >> 32
        quantity = 1 + (low * 50 >> 32)
        assert (got["quantity"][i], got["discount"][i]) == (quantity * 100, high * 11 >> 32)
        key = 1 + ((number(part, i) & 0xFFFFFFFF) * 200_000 >> 32)
        assert got["extendedprice"][i] == quantity * (90_000 + key // 10 % 20_001 + 100 * (key % 1000))


def test_lineitem_has_the_ranges_and_selectivity_of_tpch():
    rows = generate("lineitem", 1, 1, {"n": 200_000})
    assert rows["shipdate"].min() >= np.datetime64("1992-01-02").astype(int)
    assert rows["shipdate"].max() <= np.datetime64("1998-12-01").astype(int)
    assert set(rows["discount"]) == set(range(11))
    assert set(rows["quantity"]) == {100 * q for q in range(1, 51)}
    first, end = (np.datetime64(day).astype(int) for day in ("1994-01-01", "1995-01-01"))
    keep = (rows["shipdate"] >= first) & (rows["shipdate"] < end) & (rows["quantity"] < 2400)
    keep &= (rows["discount"] >= 5) & (rows["discount"] <= 7)
    expected = 365 / 2406 * 3 / 11 * 23 / 50  # about 1.9 %, as TPC-H's Q6
    assert abs(keep.mean() - expected) < 5 * (expected / 200_000) ** 0.5 + 0.0005  # ramps at both ends of the dates


@pytest.mark.parametrize(
    ("name", "version", "parameters", "message"),
    [
        ("texts", 1, {"n_bytes": 10}, "unknown name 'texts'; known: text, points, lineitem"),
        ("text", 2, {"n_bytes": 10}, "unknown version 2; this program has version 1"),
        ("text", 1, {"bytes": 10}, r"needs parameters \['n_bytes'\], got \['bytes'\]"),
        ("text", 1, {"n_bytes": 0}, "n_bytes must be >= 1, got 0"),
        ("text", 1, {"n_bytes": 1 << 40}, "1099511627776 bytes asked for, at most"),
        ("points", 1, {"n": 2, "d": 1, "k": 3}, "k must be at most n = 2, got 3"),
    ],
)
def test_wrong_request_is_a_load_error(name, version, parameters, message):
    with pytest.raises(LoadError, match=message):
        generate(name, version, 1, parameters)
