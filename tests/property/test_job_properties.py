"""Splitting loses nothing, shuffling is a partition, placed arrays don't overlap, the parts don't matter."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mapreduce import functional, jobs
from mapreduce.call import Call, Input, Output, Scratch
from mapreduce.kernels.wordcount import wordcount_map
from mapreduce.place import place
from mapreduce.shuffle import partition_records, range_bounds
from mapreduce.split import block_bounds, text_bounds
from pim.config import load_system
from tests.reference import workloads

texts = st.text(alphabet="ab \n", max_size=300).map(str.encode)
counts = st.integers(1, 40)


@given(st.integers(0, 10**6), counts)
def test_blocks_cover_all_records_and_are_balanced(n_records: int, n_parts: int) -> None:
    bounds = block_bounds(n_records, n_parts)
    sizes = [b - a for a, b in pairwise(bounds)]
    assert (bounds[0], bounds[-1], len(sizes)) == (0, n_records, n_parts)
    assert max(sizes) - min(sizes) <= 1


@given(texts, counts)
def test_text_parts_are_the_text_and_cut_no_word(text: bytes, n_parts: int) -> None:
    bounds = text_bounds(np.frombuffer(text, np.uint8), n_parts)
    assert bounds == sorted(bounds)
    assert (bounds[0], bounds[-1], len(bounds)) == (0, len(text), n_parts + 1)
    assert all(b == len(text) or b == 0 or text[b : b + 1] in b" \n" for b in bounds[1:])


def map_outputs(parts: list[bytes]) -> list[np.ndarray]:
    job = jobs.get("wordcount")
    calls = [job.map_call({"text": np.frombuffer(part, np.uint8)}, {}, {}) for part in parts]
    return [call.run_native().outputs[0] for call in calls]


@given(st.lists(texts, min_size=1, max_size=5), counts)
def test_shuffle_is_a_partition_by_word(parts: list[bytes], n: int) -> None:
    outputs = map_outputs(parts)
    shuffled = [workloads.records(part.tolist()) for part in partition_records(outputs, n)]
    assert len(shuffled) == n
    sent = [record for output in outputs for record in workloads.records(output.tolist())]
    assert sorted(record for part in shuffled for record in part) == sorted(sent)
    owners: dict[bytes, set[int]] = {}
    for owner, part in enumerate(shuffled):
        for word, _ in part:
            owners.setdefault(word, set()).add(owner)
    assert all(len(of_word) == 1 for of_word in owners.values())


def test_words_are_spread_evenly_over_owners() -> None:
    words = b" ".join(b"%x" % i for i in range(4096))
    sizes = [len(workloads.records(p.tolist())) for p in partition_records(map_outputs([words]), 64)]
    # 64 owners of 64 words each on average; a Poisson count beyond 64 +- 40 has a probability under 1e-5
    assert min(sizes) > 24
    assert max(sizes) < 104


@given(st.integers(1, 1000), counts)
def test_key_ranges_cover_all_keys_once(n_keys: int, n: int) -> None:
    bounds = range_bounds(n_keys, n)
    owner = {key: i for i, (a, b) in enumerate(pairwise(bounds)) for key in range(a, b)}
    assert owner == {key: key * n // n_keys for key in range(n_keys)}


@given(st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 4096))
def test_placed_arrays_do_not_overlap(n_text: int, n_slots: int, n_items: int, start: int) -> None:
    text = Input(np.zeros(n_text, np.uint8), resident=True)
    call = Call(wordcount_map, (text, Scratch("i4", n_slots), Output("i8", n_items, returned=True)))
    placed = place(call, load_system("bank"), 0x8000_0000 + start, core=0)
    spans = sorted(zip(placed.addresses, (n_text, 4 * n_slots, 8 * n_items), strict=True))
    assert spans[0][0] >= 0x8000_0000 + start
    assert all(a + size <= b for (a, size), (b, _) in pairwise(spans))
    assert spans[-1][0] + spans[-1][1] <= placed.end


@given(texts, counts)
@settings(max_examples=50)
def test_word_counts_do_not_depend_on_the_number_of_parts(text: bytes, n: int) -> None:
    counted = functional.result(jobs.get("wordcount"), {"text": np.frombuffer(text, np.uint8)}, {}, n)
    assert counted == sorted([word.decode(), count] for word, count in workloads.word_counts(text).items())


@given(st.integers(1, 60), counts, st.integers(0, 2**32))
@settings(max_examples=25)
def test_kmeans_is_exact_for_any_number_of_parts(n_points: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.integers(-(2**25), 2**25, (n_points, 2)) / 2**20
    initial = rng.integers(-(2**25), 2**25, (3, 2)) / 2**20
    parameters = {"d": 2, "k": 3, "iterations": 2}
    got = functional.result(jobs.get("kmeans"), {"points": points.ravel(), "initial": initial.ravel()}, parameters, n)
    centroids, sizes = workloads.kmeans(points.tolist(), initial.tolist(), 2)
    assert got == {"centroids": [[x.hex() for x in row] for row in centroids], "counts": sizes}


@given(st.lists(st.tuples(st.integers(8700, 9200), st.integers(3, 9), st.integers(2390, 2410), st.integers(0, 10**8)),
                max_size=40), counts)  # fmt: skip
@settings(max_examples=50)
def test_revenue_does_not_depend_on_the_number_of_parts(rows: list[tuple[int, int, int, int]], n: int) -> None:
    table = np.array(rows, np.int64).reshape(-1, 4)
    columns = {name: np.ascontiguousarray(table[:, i]) for i, name in enumerate(("shipdate", "discount", "quantity"))}
    inputs = {**columns, "shipdate": columns["shipdate"].astype(np.int32), "extendedprice": table[:, 3].copy()}
    selection = {
        "first_day": 8766, "end_day": 9131, "least_discount": 5, "most_discount": 7, "quantity_limit": 2400
    }  # fmt: skip
    revenue = workloads.q6_revenue(rows)
    got = functional.result(jobs.get("q6"), inputs, selection, n)
    assert got == {"revenue": f"{revenue // 10_000}.{revenue % 10_000:04}"}
