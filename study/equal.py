"""Machines compared at equal core area and at equal power, from what each replay took, occupies and draws.

A machine of a level is scaled by having more or fewer of it (modules with their cores), as a buyer would, so that its
rate of work is in proportion: at equal area the rates go as 1 / (time x core area), at equal power as 1 / (time x
power). How fast a level with more cores in each place is, is another question: a sweep over ``cores_per_location``
answers it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from study.results import Result


@dataclass(frozen=True)
class EqualRow:
    """One machine among those that ran the same trace.

    Attributes
    ----------
    result : Result
        With area and power.
    at_equal_area, at_equal_power : float
        Rate of work, as a share of the best of the compared machines.
    """

    result: Result
    at_equal_area: float
    at_equal_power: float


def compare(workloads: Mapping[str, Sequence[Result]]) -> dict[str, list[EqualRow]]:
    """Return the rows of each trace that has two machines or more with area and power."""
    return {
        workload: _rows(complete)
        for workload, results in workloads.items()
        if len(complete := [r for r in results if r.area and r.power]) > 1
    }


def _rows(results: Sequence[Result]) -> list[EqualRow]:
    by_area = [1 / (r.scale_in_seconds * r.area.total_mm2) for r in results if r.area]
    by_power = [1 / (r.scale_in_seconds * r.power.total_w) for r in results if r.power]
    return [
        EqualRow(result, area / max(by_area), power / max(by_power))
        for result, area, power in zip(results, by_area, by_power, strict=True)
    ]
