"""Capture's edges that need no Spark: what is absent is named with its remedy."""

import os
import time

import pytest

from pim.errors import LoadError
from spark_traces import capture as capture_module
from spark_traces.capture import bind_stages, capture
from spark_traces.cpu_time import machine_seconds, session_seconds
from spark_traces.eventlog import read_event_log
from spark_traces.workloads import get
from tests.unit.traces.spark_log_lines import app_start, job, write_log


def test_missing_pyspark_is_named_with_the_command(monkeypatch, tmp_path):
    monkeypatch.setattr(capture_module.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(LoadError, match=r"pip install 'scalein\[spark\]'"):
        capture("wordcount", tmp_path / "b", n_bytes=1000)


def test_missing_java_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(capture_module.importlib.util, "find_spec", lambda name: object())
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LoadError, match="needs Java 17 or newer: no 'java' in PATH"):
        capture("wordcount", tmp_path / "b", n_bytes=1000)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(LoadError, match="has no bin/java"):
        capture("wordcount", tmp_path / "b", n_bytes=1000)


def test_unknown_workload(tmp_path, monkeypatch):
    monkeypatch.setattr(capture_module, "_require_spark", lambda: tmp_path)
    with pytest.raises(LoadError, match="workload 'sort' is unknown; known: wordcount, kmeans, q6"):
        capture("sort", tmp_path / "b", n_bytes=1000)


def test_a_folder_that_is_no_bundle_is_refused_before_the_long_run(tmp_path):
    with pytest.raises(LoadError, match="exists and is not a bundle"):
        capture("wordcount", tmp_path, n_bytes=1000)


@pytest.mark.spark
def test_sparks_own_words_are_in_the_error(tmp_path, monkeypatch):
    monkeypatch.setattr(capture_module, "_require_spark", lambda: tmp_path)  # no Java there: the run must fail
    with pytest.raises(LoadError, match=r"Spark ended with exit code 1; what it said:\n(.*\n)*.*java"):
        capture("q6", tmp_path / "b", n_bytes=1000, n_partitions=1)
    assert not (tmp_path / "b").exists()


def test_stages_that_write_a_shuffle_are_bound_to_the_map_kernel(tmp_path):
    events = app_start() + job(0, "load", 0, 9, [(0, [], [(1, 2)])]) + job(1, "warmup", 9, 12, [(1, [], [(10, 11)])])
    events += job(2, "repeat-0", 20, 40, [(2, [], [(21, 22)]), (3, [2], [(30, 31)])])
    for event in events:
        if event.get("Stage ID") == 2:
            event["Task Type"] = "ShuffleMapTask"
    app = read_event_log(write_log(tmp_path / "log", events))
    assert bind_stages(app, get("q6")) == [
        {"job_group": "repeat-0", "stage_id": 2, "kernel": "q6.map"},
        {"job_group": "repeat-0", "stage_id": 3, "kernel": "q6.reduce"},
    ]


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="counters are Linux's")  # noqa: PTH110
def test_cpu_time_counts_work_done_in_this_session():
    own, machine = session_seconds(), machine_seconds()
    start = time.process_time()
    while time.process_time() - start < 0.2:
        pass
    assert session_seconds() - own >= 0.15  # a tick is 10 ms, and both counters are cut to ticks
    assert machine_seconds() - machine >= 0.15
