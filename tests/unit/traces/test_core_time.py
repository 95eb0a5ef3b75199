"""A core that has begun the next task is done with the one before, whenever its result arrives."""

from spark_traces.core_time import core_times_ms
from spark_traces.eventlog import read_event_log
from tests.unit.traces.spark_log_lines import app_start, job, write_log


def times(tmp_path, tasks, n_cores, properties=None):
    events = app_start()
    if properties:
        events.append({"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": properties})
    if n_cores:
        info = {"Host": "h", "Total Cores": n_cores}
        events.append({"Event": "SparkListenerExecutorAdded", "Executor ID": "driver", "Executor Info": info})
    events += job(0, "g", 0, 100, [(0, [], tasks)])
    return list(core_times_ms(read_event_log(write_log(tmp_path / "log", events))).values())


OVERLAPPING = [(0, 12), (0, 25), (10, 21), (20, 31)]


def test_a_late_end_is_cut_at_the_next_launch(tmp_path):
    assert times(tmp_path, OVERLAPPING, 2) == [10, 25, 10, 11]


def test_enough_cores_leave_times_as_recorded(tmp_path):
    assert times(tmp_path, OVERLAPPING, 3) == [12, 25, 11, 11]


def test_unknown_cores_leave_times_as_recorded(tmp_path):
    assert times(tmp_path, OVERLAPPING, 0) == [12, 25, 11, 11]


def test_tasks_of_two_cores_halve_the_slots(tmp_path):
    assert times(tmp_path, OVERLAPPING, 4, {"spark.task.cpus": "2"}) == [10, 25, 10, 11]


def test_one_core_never_runs_two_tasks(tmp_path):
    assert times(tmp_path, [(0, 30), (5, 30), (9, 30)], 1) == [5, 4, 21]
