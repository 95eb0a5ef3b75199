"""Compare a job's output with Spark's: exactly, except for floating-point sums, whose bound is derived here.

Both outputs are the bundle's canonical JSON values (lists, objects, strings, integers); floats are hex strings
(``float.hex``), so that nothing is lost on the way. Which leaves of a workload's output are floating-point sums, of
how many terms and of which magnitude, is known per workload (`FLOAT_RULES`); every other leaf must be equal.
"""

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pim.errors import ResultMismatchError
from study.parts import Check

UNIT_ROUNDOFF = sys.float_info.epsilon / 2
"""u = 2**-53, IEEE 754 binary64, round to nearest."""

Path = tuple[str | int, ...]
"""Keys and indices from the top of an output to one of its leaves."""

BoundRule = Callable[[Path], float | None]
"""Largest allowed difference at a leaf; None: the leaf must be equal."""

_MISSING = object()


def sum_bound(n_terms: int, magnitude: float) -> float:
    """Return how far two floating-point sums of the same terms may lie apart when their orders differ.

    A sum of n terms in any order, computed with rounding to nearest, obeys ``|computed - exact| <= gamma S`` with
    ``gamma = (n-1) u / (1 - (n-1) u)``, ``S = sum |x_i|`` and ``u = eps / 2 = 2**-53``. Two computed sums therefore
    differ by at most ``2 gamma S``, which is below ``n eps S`` for all n of this project (n**2 u <= 1).

    Parameters
    ----------
    n_terms : int
        Number of terms, >= 0.
    magnitude : float
        ``S``, the sum of the terms' absolute values (or an upper bound of it), in the terms' unit.

    References
    ----------
    N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2, equation (4.4).
    """
    if n_terms <= 1:
        return 0.0
    relative = (n_terms - 1) * UNIT_ROUNDOFF
    if relative >= 1:
        return math.inf
    return 2 * relative / (1 - relative) * magnitude


def mean_bound(n_terms: int, largest: float) -> float:
    """Return how far two means of the same ``n_terms`` values, ``|x| <= largest``, may lie apart.

    ``sum_bound`` with ``S <= n * largest``, divided by n, plus the rounding of each of the two divisions
    (``u |mean|`` each, ``|mean| <= largest (1 + gamma)``; the factor 4 covers both with the second-order term).
    """
    if n_terms < 1:
        return 0.0
    return sum_bound(n_terms, largest * n_terms) / n_terms + 4 * UNIT_ROUNDOFF * largest


def _kmeans_rule(inputs: Mapping[str, np.ndarray[Any, Any]], expected: Any) -> BoundRule:
    """Return the bounds of k-means: a centroid is a mean of the points assigned to it in the last iteration.

    The counts are integers and must be equal. Earlier iterations do not add to the bound: they act only through
    which cluster a point is assigned to, and a point assigned elsewhere moves a count or a mean by more than rounding.
    """
    counts = expected["counts"]
    points = inputs["points"]
    largest = float(max(-np.min(points, initial=0.0), np.max(points, initial=0.0)))

    def bound(path: Path) -> float | None:
        if path[0] != "centroids":
            return None
        return mean_bound(int(counts[int(path[1])]), largest)

    return bound


FLOAT_RULES: Mapping[str, Callable[[Mapping[str, np.ndarray[Any, Any]], Any], BoundRule]] = {
    "kmeans": _kmeans_rule,
}
"""Workload -> the bounds of its floating-point leaves; a workload not listed has none."""


@dataclass
class _Tally:
    n_values: int = 0
    n_floats: int = 0
    largest_error: float = 0.0
    bound_at_largest: float = 0.0


def compare(
    *,
    workload: str,
    level: str,
    expected: Any,
    got: Any,
    inputs: Mapping[str, np.ndarray[Any, Any]],
) -> Check:
    """Compare a job's output with Spark's and return what was compared.

    Parameters
    ----------
    workload, level : str
        Named in the error.
    expected, got : JSON value
        Spark's output and the job's, both canonical.
    inputs : mapping of str to ndarray
        The job's inputs; bounds need their magnitude.

    Raises
    ------
    ResultMismatchError
        At the first leaf that differs (by more than its bound, for a floating-point sum).
    """
    make_rule = FLOAT_RULES.get(workload)
    rule: BoundRule = make_rule(inputs, expected) if make_rule else (lambda _path: None)
    job, tally = f"{workload} at {level} level", _Tally()
    for path, want, have in _leaves((), expected, got):
        bound = rule(path)
        tally.n_values += 1
        if bound is None:
            if type(want) is not type(have) or want != have:
                raise _mismatch(job, path, want, have, "must be equal")
            continue
        tally.n_floats += 1
        error = _distance(want, have)
        if not error <= bound:
            rule_text = f"may differ by at most {bound:.3e}, differs by {error:.3e}"
            raise _mismatch(job, path, want, have, rule_text)
        if error > tally.largest_error:
            tally.largest_error, tally.bound_at_largest = error, bound
    return Check(
        outcome="within bound" if tally.largest_error else "equal",
        n_values=tally.n_values,
        n_floats=tally.n_floats,
        largest_error=tally.largest_error,
        bound_at_largest=tally.bound_at_largest,
    )


def _leaves(path: Path, want: Any, have: Any) -> Iterator[tuple[Path, Any, Any]]:
    """Yield the leaves of two outputs side by side; where shapes differ, the shapes are the leaf."""
    if isinstance(want, Mapping) and isinstance(have, Mapping):
        for key in sorted(want.keys() | have.keys()):
            yield from _leaves((*path, key), want.get(key, _MISSING), have.get(key, _MISSING))
    elif _is_list(want) and _is_list(have):
        for index, (left, right) in enumerate(zip(want, have, strict=False)):
            yield from _leaves((*path, index), left, right)
        shorter = min(len(want), len(have))
        if len(want) != len(have):
            yield (
                (*path, shorter),
                want[shorter] if len(want) > shorter else _MISSING,
                have[shorter] if len(have) > shorter else _MISSING,
            )
    else:
        yield path, want, have


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _distance(want: Any, have: Any) -> float:
    """Return ``|want - have|`` of two hex floats; infinite when either is not one, or is not finite."""
    try:
        difference = abs(float.fromhex(want) - float.fromhex(have))
    except (TypeError, ValueError):
        return math.inf
    return difference if math.isfinite(difference) else math.inf


def _mismatch(job: str, path: Path, want: Any, have: Any, rule: str) -> ResultMismatchError:
    where = "".join(f"[{part!r}]" for part in path)
    return ResultMismatchError(f"{job}: output{where}: Spark has {_shown(want)}, scale-in has {_shown(have)}; {rule}")


def _shown(value: Any) -> str:
    return "nothing" if value is _MISSING else repr(value)
