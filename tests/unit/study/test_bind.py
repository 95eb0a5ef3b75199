from types import SimpleNamespace
from typing import Any

import pytest

from study.bind import _labels, other_load


def bundle(*windows: tuple[int, float | None, float | None], cores: int = 2) -> Any:
    """A bundle with measured windows: (milliseconds, CPU seconds of Spark, CPU seconds of the machine)."""
    named = {
        f"repeat-{i}": SimpleNamespace(start_ms=1000, end_ms=1000 + ms, spark_cpu_seconds=own, machine_cpu_seconds=all_)
        for i, (ms, own, all_) in enumerate(windows)
    }
    named["warmup"] = SimpleNamespace(start_ms=0, end_ms=1000, spark_cpu_seconds=0.0, machine_cpu_seconds=2.0)
    return SimpleNamespace(manifest=SimpleNamespace(windows=named, machine=SimpleNamespace(n_cores=cores)))


def test_other_load_is_the_share_of_all_cores_time_while_measuring() -> None:
    assert other_load(bundle((1000, 1.0, 1.5), (3000, 2.0, 2.5))) == pytest.approx(1.0 / 8.0)


def test_rounding_of_counters_is_no_negative_load() -> None:
    assert other_load(bundle((1000, 1.51, 1.50))) == 0.0


def test_disturbed_capture_is_a_warning_and_an_unknown_one_a_note() -> None:
    (warning,) = _labels(bundle((1000, 0.4, 2.0)))
    assert (warning.kind, "80 %" in warning.text) == ("warning", True)
    (note,) = _labels(bundle((1000, None, None)))
    assert note.kind == "note"
    assert _labels(bundle((1000, 1.9, 1.95))) == ()
