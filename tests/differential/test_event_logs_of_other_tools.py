"""Logs of many Spark versions and vendors: each gives an application or a clear error, never a traceback.

The folder's index holds totals that were counted by another program.
"""

import csv

from pim.errors import LoadError
from spark_traces.eventlog import read_event_log


def totals(app):
    tasks = [task for stage in app.stages for task in stage.tasks]
    metrics = [task.metrics for task in tasks if task.metrics]
    return {
        "jobs": len(app.jobs),
        "tasks": len(tasks),
        "sum_run_ms": sum(m.executor_run_time_ms for m in metrics),
        "sum_cpu_ms": round(sum(m.executor_cpu_time_ns for m in metrics) / 1e6),
        "sum_gc_ms": sum(m.jvm_gc_time_ms for m in metrics),
        "shuffle_read_bytes": sum(m.shuffle_read_bytes for m in metrics),
        "shuffle_write_bytes": sum(m.shuffle_write_bytes for m in metrics),
        "input_bytes": sum(m.input_bytes for m in metrics),
    }


def test_every_collected_log_gives_an_app_or_a_load_error(shared_data):
    n_apps = 0
    for path in sorted(shared_data("eventlogs").rglob("*")):
        try:
            app = read_event_log(path)
        except LoadError as error:
            message = str(error)
            assert str(path) in message
            continue
        n_apps += 1
        assert all(task.duration_ms >= 0 for stage in app.stages for task in stage.tasks)
    assert n_apps > 50


def test_totals_are_those_of_the_index(shared_data):
    folder = shared_data("eventlogs")
    n_compared, wrong = 0, []
    with (folder / "index.csv").open() as file:
        for row in csv.DictReader(file):
            path = folder / row["file"]
            if not path.is_file() or not int(row["tasks"]):
                continue
            got = totals(read_event_log(path))
            n_compared += 1
            wrong += [(row["file"], key, row[key], value) for key, value in got.items() if int(row[key]) != value]
    assert n_compared > 40
    assert wrong == []
