from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pim.errors import ResultMismatchError
from study.check import compare, mean_bound, sum_bound

POINTS = {"points": np.array([1.0, 2.0, 3.0, -31.5])}


def check(workload: str, expected: Any, got: Any, inputs: Any = POINTS) -> Any:
    return compare(workload=workload, level="bank", expected=expected, got=got, inputs=inputs)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60), st.randoms(use_true_random=False))
def test_sums_in_two_orders_stay_within_the_bound(terms: list[float], random: Any) -> None:
    shuffled = random.sample(terms, len(terms))
    forward = backward = 0.0
    for x, y in zip(terms, shuffled, strict=True):
        forward += x
        backward += y
    magnitude = float(sum(Fraction(abs(x)) for x in terms))
    assert abs(Fraction(forward) - Fraction(backward)) <= sum_bound(len(terms), magnitude)


def test_sum_bound_is_below_n_eps_s_and_zero_for_one_term() -> None:
    n, magnitude = 10_000_000, 3.5
    assert 0 < sum_bound(n, magnitude) < n * np.finfo(np.float64).eps * magnitude
    assert sum_bound(1, magnitude) == sum_bound(0, magnitude) == 0.0


def kmeans(value: float, count: int = 1000) -> dict[str, Any]:
    return {"centroids": [[value.hex()]], "counts": [count]}


def test_float_within_the_bound_is_accepted_and_reported() -> None:
    outcome = check("kmeans", kmeans(1.0), kmeans(1.0 + 2**-52))
    assert (outcome.outcome, outcome.n_values, outcome.n_floats) == ("within bound", 2, 1)
    assert 0 < outcome.largest_error == 2**-52 <= outcome.bound_at_largest


def test_float_beyond_the_bound_is_a_mismatch() -> None:
    bound = mean_bound(1000, 31.5)
    check("kmeans", kmeans(0.0), kmeans(bound))
    with pytest.raises(ResultMismatchError, match=r"kmeans at bank level: output\['centroids'\]\[0\]\[0\].*at most"):
        check("kmeans", kmeans(0.0), kmeans(bound * 1.001))


@pytest.mark.parametrize("wrong", ["nan", "inf", "-inf", "zebra", 1.0, None])
def test_what_is_no_finite_number_is_never_within_a_bound(wrong: Any) -> None:
    with pytest.raises(ResultMismatchError):
        check("kmeans", kmeans(1.0), {"centroids": [[wrong]], "counts": [1000]})


def test_counts_of_kmeans_must_be_equal() -> None:
    with pytest.raises(ResultMismatchError, match=r"\['counts'\]\[0\]: Spark has 1000, scale-in has 1001; must be eq"):
        check("kmeans", kmeans(1.0), kmeans(1.0, 1001))


@pytest.mark.parametrize(
    ("expected", "got", "where"),
    [
        ([["a", 1], ["b", 2]], [["a", 1], ["b", 3]], r"output\[1\]\[1\]: Spark has 2, scale-in has 3"),
        ([["a", 1], ["b", 2]], [["a", 1]], r"output\[1\]: Spark has \['b', 2\], scale-in has nothing"),
        ([], [["a", 1]], r"output\[0\]: Spark has nothing, scale-in has \['a', 1\]"),
        ([["a", 1]], [["a", 1.0]], r"output\[0\]\[1\]"),
        ([["a", 1]], [["a", True]], r"output\[0\]\[1\]"),
        ({"revenue": "1.0000"}, {"revenue": "1.00"}, r"output\['revenue'\]"),
        ({"revenue": "1"}, {"income": "1"}, r"output\['income'\]: Spark has nothing"),
        ("1", ["1"], r"output: Spark has '1'"),
    ],
)
def test_first_difference_is_named_with_both_values(expected: Any, got: Any, where: str) -> None:
    with pytest.raises(ResultMismatchError, match=where):
        check("wordcount", expected, got, {})


def test_equal_outputs_are_counted() -> None:
    words = [["a", 1], ["b", 2]]
    outcome = check("wordcount", words, [["a", 1], ["b", 2]], {})
    assert (outcome.outcome, outcome.n_values, outcome.n_floats) == ("equal", 4, 0)
