"""Calibration files and the native baseline's arithmetic."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mapreduce import jobs
from mapreduce.functional import Work
from mapreduce.host import (
    DEFAULT_CALIBRATION,
    STEPS,
    Calibration,
    calibrate,
    calibrate_job,
    load_calibration,
    native_seconds,
    native_work,
)
from mapreduce.jobs.q6 import Q6
from pim.errors import ConfigError


def calibration(**times: float) -> Calibration:
    machine = load_calibration().machine
    return Calibration(machine=machine, memory_bandwidth_gb_s=10.0, ns_per_unit=times)


def test_committed_calibration_has_every_step_of_every_job() -> None:
    assert set(load_calibration().ns_per_unit) == {f"{job}_{step}" for job in jobs.names() for step in STEPS}


def test_native_time_is_work_over_threads_or_bytes_over_bandwidth() -> None:
    made = calibration(a_map=2.0, a_reduce=1.0)
    # 10^6 units at 2 ns on 4 threads: 0.5 ms; 10^6 bytes at 10 GB/s: 0.1 ms; 10^8 bytes: 10 ms
    assert native_seconds(made, [Work("a_map", 10**6, 10**6)], 4) == pytest.approx(0.5e-3)
    assert native_seconds(made, [Work("a_map", 10**6, 10**8)], 4) == pytest.approx(10e-3)
    both = [Work("a_map", 10**6, 0), Work("a_reduce", 4 * 10**6, 0)]
    assert native_seconds(made, both, 4) == pytest.approx(1.5e-3)


def test_unknown_work_and_no_threads_are_refused() -> None:
    with pytest.raises(ConfigError, match="no time for 'b_map'; it has a_map"):
        native_seconds(calibration(a_map=1.0), [Work("b_map", 1, 1)], 1)
    with pytest.raises(ConfigError, match="threads must be 1 or more, got 0"):
        native_seconds(calibration(a_map=1.0), [], 0)


def test_work_counts_units_and_bytes_of_every_step() -> None:
    text = np.frombuffer(b"a b a b\nc a", np.uint8)
    steps = native_work(jobs.get("wordcount"), {"text": text}, {}, threads=2)
    # cut after 5 of 11 bytes: a, b and b, c, a: 5 records of 3 items, 3 of them left
    assert steps == [
        Work("wordcount_map", 11, 11),
        Work("wordcount_shuffle", 15, 2 * 120),
        Work("wordcount_reduce", 15, 120),
        Work("wordcount_update", 9, 72),
    ]


def test_work_of_kmeans_grows_with_points_clusters_dimensions_and_iterations() -> None:
    inputs = {"points": np.arange(40.0), "initial": np.arange(6.0)}
    steps = native_work(jobs.get("kmeans"), inputs, {"d": 2, "k": 3, "iterations": 4}, threads=2)
    maps = [step for step in steps if step.kind == "kmeans_map"]
    assert [step.units for step in maps] == [20 * 3 * 2] * 4
    assert maps[0].n_bytes == 40 * 8 + 2 * 6 * 8


def change(path: tuple[str, ...], value: Any) -> str:
    content = json.loads(DEFAULT_CALIBRATION.read_text())
    at = content
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not JSON"),
        ("[]", "should be a valid dictionary"),
        (change(("memory_bandwidth_gb_s",), -1.0), "memory_bandwidth_gb_s: .* than or equal to 0.000001, got -1.0"),
        (change(("memory_bandwidth_gb_s",), "fast"), "memory_bandwidth_gb_s: .* valid number, got 'fast'"),
        (change(("ns_per_unit", "q6_map"), 0), "ns_per_unit.q6_map: .* greater than or equal to 0.000001, got 0"),
        (change(("machine", "core"), 2), "machine.core: unknown key, did you mean 'cores'"),
        (change(("version",), 2), "version: Input should be 1, got 2"),
    ],
)
def test_wrong_calibration_says_file_field_got_and_allowed(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "own.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match=rf"(?s)calibration .*own\.json: .*{message}"):
        load_calibration(path)


def test_missing_calibration_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"calibration .*none\.json: can't be read"):
        load_calibration(tmp_path / "none.json")


def test_another_job_is_added_to_a_calibration() -> None:
    base = load_calibration()
    rows = {name: np.ones(2000, dtype) for name, dtype in Q6.inputs.items()}
    selection = dict.fromkeys(("first_day", "end_day", "least_discount", "most_discount", "quantity_limit"), 1)

    class Other(Q6):
        name = "other"

    made = calibrate_job(Other(), rows, selection, base, repeats=1)
    assert made.ns_per_unit.items() >= base.ns_per_unit.items()
    added = made.ns_per_unit.keys() - base.ns_per_unit.keys()
    assert added == {f"other_{step}" for step in STEPS}
    assert all(made.ns_per_unit[kind] > 0 for kind in added)


def test_calibrating_measures_every_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mapreduce.host.BANDWIDTH_BYTES", 1 << 20)
    rng = np.random.default_rng(1)
    text = rng.choice(np.frombuffer(b"ab \n", np.uint8), 10_000)
    points = rng.integers(0, 100, 2000).astype(float)
    seen: list[str] = []
    made = calibrate(
        {
            "wordcount": ({"text": text}, {}),
            "kmeans": ({"points": points, "initial": points[:6]}, {"d": 2, "k": 3, "iterations": 1}),
        },
        repeats=1,
        progress=seen.append,
    )
    assert seen == ["wordcount", "kmeans", "memory bandwidth"]
    assert set(made.ns_per_unit) == {f"{job}_{step}" for job in ("wordcount", "kmeans") for step in STEPS}
    path = tmp_path / "made.json"
    path.write_text(made.model_dump_json())
    assert load_calibration(path) == made
