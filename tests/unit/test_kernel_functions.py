"""Kernels as plain Python and compiled for the host, against the reference."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mapreduce.kernel import Kernel
from mapreduce.kernels import kmeans, q6, wordcount
from tests.reference import workloads

pytestmark = pytest.mark.plain

USES = {"plain": lambda kernel: kernel.function, "native": lambda kernel: kernel.native()}


@pytest.fixture(params=sorted(USES))
def use(request: pytest.FixtureRequest) -> Callable[[Kernel], Callable[..., int]]:
    """Run the kernel as plain Python or compiled."""

    def run(kernel: Kernel) -> Callable[..., int]:
        def call(*arguments: Any) -> int:
            with np.errstate(over="ignore"):
                return int(USES[request.param](kernel)(*arguments))

        return call

    return run


def count_words(use: Any, text: bytes, n_slots: int = 1024, n_items: int = 4096) -> tuple[int, np.ndarray]:
    entries = np.full(n_items, -7, dtype=np.int64)
    slots = np.full(n_slots, -7, dtype=np.int32)
    used = use(wordcount.wordcount_map)(np.frombuffer(text, dtype=np.uint8), slots, entries)
    return used, entries


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b" ",
        b"\n\n \n",
        b"one",
        b"one ",
        b" one",
        b"a bb a\nbb  a",
        b"exactly8 exactly8x exactly exactly8",
        b"tab\tis no\rseparator tab\tis",
        "Grüße Grüße \xff\xfe".encode("latin-1"),
        b"x" * 1000 + b" " + b"x" * 999 + b" " + b"x" * 1000,
        b"zero\0byte zero\0byte zero",
    ],
)
def test_words_are_counted(use: Any, text: bytes) -> None:
    used, entries = count_words(use, text)
    found = workloads.records(entries[:used].tolist())
    assert len(found) == len(dict(found)), "one record per word"
    assert dict(found) == workloads.word_counts(text)
    assert [word for word, _ in found] == list(workloads.word_counts(text)), "order of first appearance"
    # A word is tried out beyond the records before it is found to be known; nothing past that.
    assert (entries[used + max(map(len, [*text.replace(b"\n", b" ").split(b" ")])) // 8 + 3 :] == -7).all()


def test_table_grows_through_many_words(use: Any) -> None:
    words = [f"w{i}" for i in range(700)]
    text = " ".join(words * 2).encode()
    used, entries = count_words(use, text, n_slots=2048)
    assert dict(workloads.records(entries[:used].tolist())) == {word.encode(): 2 for word in words}


def test_too_few_slots_are_reported(use: Any) -> None:
    text = " ".join(f"w{i}" for i in range(65)).encode()
    assert count_words(use, text, n_slots=128)[0] == wordcount.OVERFLOW
    assert count_words(use, text, n_slots=256)[0] == 65 * 3


@pytest.mark.parametrize("n_items", range(12))
def test_too_few_items_are_reported_and_nothing_is_written_beyond(use: Any, n_items: int) -> None:
    text = b"a bcdefghij a klm"  # 3 + 4 + 3 items, and 3 to try out the second "a"
    room = np.full(n_items + 8, -7, dtype=np.int64)
    slots = np.zeros(64, dtype=np.int32)
    used = use(wordcount.wordcount_map)(np.frombuffer(text, dtype=np.uint8), slots, room[:n_items])
    assert used == (10 if n_items >= 10 else wordcount.OVERFLOW)
    assert (room[n_items:] == -7).all()


def test_records_of_equal_words_are_merged(use: Any) -> None:
    texts = [b"b a b", b"", b"a longer-than-eight c", b"longer-than-eight b"]
    outputs = [entries[:used] for used, entries in (count_words(use, text) for text in texts)]
    merged = np.full(64, -7, dtype=np.int64)
    used = use(wordcount.wordcount_reduce)(np.concatenate(outputs), np.zeros(64, dtype=np.int32), merged)
    found = workloads.records(merged[:used].tolist())
    assert found == [(b"b", 3), (b"a", 2), (b"longer-than-eight", 2), (b"c", 1)]


def test_reduce_reports_too_few_items_and_slots(use: Any) -> None:
    used, entries = count_words(use, " ".join(f"w{i}" for i in range(40)).encode())
    reduce = use(wordcount.wordcount_reduce)
    room = np.full(used + 4, -7, dtype=np.int64)
    assert reduce(entries[:used], np.zeros(128, dtype=np.int32), room[: used - 1]) == wordcount.OVERFLOW
    assert (room[used - 1 :] == -7).all()
    assert reduce(entries[:used], np.zeros(64, dtype=np.int32), room) == wordcount.OVERFLOW
    assert reduce(entries[:used], np.zeros(128, dtype=np.int32), room) == used


def kmeans_inputs(n: int, d: int, k: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(-(2**25), 2**25, (n, d)) / 2**20, rng.integers(-(2**25), 2**25, (k, d)) / 2**20


@pytest.mark.parametrize(("n", "d", "k"), [(0, 2, 3), (1, 1, 1), (2, 3, 4), (50, 8, 8)])
def test_points_are_summed_by_nearest_centroid(use: Any, n: int, d: int, k: int) -> None:
    points, centroids = kmeans_inputs(n, d, k, seed=n)
    sums, counts = np.full(k * d, np.nan), np.full(k, -7)
    assert use(kmeans.kmeans_map)(points.ravel(), centroids.ravel(), d, sums, counts) == n
    expected = np.zeros((k, d))
    owner = [workloads.nearest(p, centroids.tolist()) for p in points.tolist()]
    for point, cluster in zip(points, owner, strict=True):
        expected[cluster] += point
    assert sums.reshape(k, d).tolist() == expected.tolist()
    assert counts.tolist() == [owner.count(cluster) for cluster in range(k)]


def test_first_of_equally_near_centroids_wins(use: Any) -> None:
    counts = np.zeros(3, dtype=np.int64)
    use(kmeans.kmeans_map)(np.array([0.0]), np.array([2.0, 1.0, -1.0]), 1, np.zeros(3), counts)
    assert counts.tolist() == [0, 1, 0]


@pytest.mark.parametrize("owned", [0, 1, 3])
def test_partial_sums_of_owned_clusters_are_added(use: Any, owned: int) -> None:
    d, parts = 2, 4
    partial = np.arange(parts * owned * d, dtype=np.float64)
    partial_counts = np.arange(parts * owned)
    sums, counts = np.full(owned * d, np.nan), np.full(owned, -7)
    assert use(kmeans.kmeans_reduce)(partial, partial_counts, sums, counts) == owned
    assert sums.tolist() == partial.reshape(parts, owned * d).sum(axis=0).tolist()
    assert counts.tolist() == partial_counts.reshape(parts, owned).sum(axis=0).tolist()


SELECTION = (8766, 9131, 5, 7, 2400)  # 1994-01-01 and 1995-01-01 in days since 1970-01-01


def test_rows_at_the_bounds_of_the_selection(use: Any) -> None:
    rows = [
        (day, discount, quantity, 10**9 + i)
        for i, (day, discount, quantity) in enumerate(
            (day, discount, quantity)
            for day in (8765, 8766, 9130, 9131)
            for discount in (4, 5, 7, 8)
            for quantity in (2399, 2400)
        )
    ]
    columns = [np.array(c, dtype=t) for c, t in zip(zip(*rows, strict=True), ("i4", "i8", "i8", "i8"), strict=True)]
    revenue = np.full(1, -7)
    assert use(q6.q6_map)(*columns, *SELECTION, revenue) == 4
    assert revenue[0] == workloads.q6_revenue(rows)


def test_revenue_of_no_rows_is_zero(use: Any) -> None:
    none, revenue = np.zeros(0, dtype=np.int64), np.full(1, -7)
    assert use(q6.q6_map)(none.astype(np.int32), none, none, none, *SELECTION, revenue) == 0
    assert revenue[0] == 0
    revenue[0] = -7
    assert use(q6.q6_reduce)(none, revenue) == 0
    assert revenue[0] == 0


def test_partial_revenues_are_added(use: Any) -> None:
    revenue = np.full(1, -7)
    assert use(q6.q6_reduce)(np.array([5, -3, 2**62], dtype=np.int64), revenue) == 3
    assert revenue[0] == 2**62 + 2
