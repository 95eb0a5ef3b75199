"""The published results of Q6, replayed again: did a number move?

If that is right, ``make golden`` publishes all results anew, and CHANGELOG.md says why they moved.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pim.config import load_system
from spark_traces.bundle import shipped_bundles
from study import replay
from study.readme import RESULTS
from study.store import load_result, result_path

ROOT = Path(__file__).parents[2]
MADE_BY = {"provenance"}
"""What tells of the program and machine that made a result, not of the machine modelled."""


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, value) of all that is no list or object."""
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, f"{path}.{key}")
    else:
        yield path, value


def is_new_setting(path: str) -> bool:
    """Return whether a leaf is a setting of the machine: one that came after the results is at its default."""
    return ".config." in path


def is_new_part(path: str, value: Any) -> bool:
    """Return whether a leaf is a part of the CPI stack that came after the results, and nothing is booked there."""
    return ".cpi_stack." in path and value == 0


def is_same(old: Any, new: Any) -> bool:
    """Return whether two leaves are equal, floats to nine digits: libraries on other machines round differently."""
    return math.isclose(old, new, rel_tol=1e-9) if isinstance(old, float) and isinstance(new, float) else old == new


@pytest.mark.parametrize("level", ["bank", "chip", "rank"])
def test_published_figures_of_q6_have_not_moved(level: str) -> None:
    published = load_result(result_path(ROOT / RESULTS, "q6", level))
    options = replay.Options(delivery=bool(published.delivery))
    again = replay.replay_one(shipped_bundles()["q6"], load_system(level), options)
    old, new = (dict(leaves(result.model_dump(mode="json", exclude=MADE_BY))) for result in (published, again))
    assert old.keys() <= new.keys()
    assert all(is_new_setting(path) or is_new_part(path, new[path]) for path in new.keys() - old.keys())
    moved = {path: (old[path], new[path]) for path in old if not is_same(old[path], new[path])}
    assert moved == {}
