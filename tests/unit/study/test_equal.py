"""Levels compared at equal area and equal power."""

import pytest

from study import equal
from study.results import Result
from tests.unit.study.factory import make_result


def machine(level: str, scale: float, total_mm2: float, total_w: float) -> Result:
    result = make_result("q6", level, scale)
    assert result.area
    assert result.power
    area = result.area.model_copy(update={"total_mm2": total_mm2})
    return result.model_copy(update={"area": area, "power": result.power.model_copy(update={"total_w": total_w})})


def test_rates_are_those_of_as_many_machines_as_the_budget_buys() -> None:
    bank, rank = machine("bank", 1, 30.0, 12.0), machine("rank", 4, 3.0, 4.0)
    rows = equal.compare({"q6": [bank, rank]})["q6"]
    n_jobs_of_60_mm2 = [60 / 30 / bank.scale_in_seconds, 60 / 3 / rank.scale_in_seconds]
    n_jobs_of_24_w = [24 / 12 / bank.scale_in_seconds, 24 / 4 / rank.scale_in_seconds]
    assert [row.at_equal_area for row in rows] == pytest.approx([n / max(n_jobs_of_60_mm2) for n in n_jobs_of_60_mm2])
    assert [row.at_equal_power for row in rows] == pytest.approx([n / max(n_jobs_of_24_w) for n in n_jobs_of_24_w])
    assert [row.at_equal_area for row in rows] == pytest.approx([0.4, 1.0])  # a tenth of the area, four times the time
    assert [row.at_equal_power for row in rows] == pytest.approx([1.0, 0.75])  # a third of the power


def test_what_has_no_area_or_nothing_to_compare_with_is_left_out() -> None:
    bank, rank = make_result("q6", "bank"), make_result("q6", "rank")
    assert not equal.compare({"q6": [bank]})
    assert not equal.compare({"q6": [bank, rank.model_copy(update={"area": None})]})
    assert not equal.compare({"q6": [bank, rank.model_copy(update={"power": None})]})
