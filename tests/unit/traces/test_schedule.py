"""Replay of an application: closed forms on small logs."""

import pytest

from pim.errors import LoadError
from spark_traces.dag import stage_nodes
from spark_traces.eventlog import read_event_log
from spark_traces.schedule import replay_application, replay_group
from tests.unit.traces.spark_log_lines import app_start, job, write_log

MAP, REDUCE = "w.map", "w.reduce"


@pytest.fixture
def app(tmp_path):
    """Two cores: load 4 x 10 ms; three repeats of a map stage (4 x d ms) and a reduce stage (2 x 5 ms)."""
    events = app_start() + job(
        0, "load", 1000, 1030, [(0, [], [(1002, 1012), (1002, 1012), (1012, 1022), (1012, 1022)])]
    )
    for i, (start, d) in enumerate([(2000, 20), (3000, 40), (4000, 30)]):
        a, b, c = start + 3, start + 3 + d, start + 3 + 2 * d
        mapped = [(a, b, 10**6), (a, b, 10**6), (b, c, 10**6), (b, c, 10**6)]
        reduced = [(c + 4, c + 9, 10**5), (c + 4, c + 9, 10**5)]
        ids = 10 * i + 1, 10 * i + 2
        events += job(i + 1, f"repeat-{i}", start, c + 11, [(ids[0], [], mapped), (ids[1], [ids[0]], reduced)])
    return read_event_log(write_log(tmp_path / "log", events))


BINDINGS = {(f"repeat-{i}", 10 * i + s): kernel for i in range(3) for s, kernel in ((1, MAP), (2, REDUCE))}


def test_the_measured_cores_give_the_measured_time(app):
    replay = replay_application(app, BINDINGS, n_cores=2)
    assert replay.load.seconds == pytest.approx(0.030)
    assert replay.repeat_seconds == pytest.approx({"repeat-0": 0.054, "repeat-1": 0.094, "repeat-2": 0.074})
    assert replay.repeat.group == "repeat-2"  # the median
    assert replay.seconds == pytest.approx(0.030 + 0.074)


def test_one_core_adds_all_task_times_to_the_drivers_gaps(app):
    replay = replay_application(app, BINDINGS, n_cores=1)
    assert replay.load.seconds == pytest.approx(0.040 + 0.010)
    assert replay.repeat.seconds == pytest.approx(4 * 0.030 + 2 * 0.005 + 0.009)
    assert replay.offloadable_seconds == pytest.approx(0.130)


def test_many_cores_leave_the_critical_path_and_the_drivers_gaps(app):
    replay = replay_application(app, BINDINGS, n_cores=16)
    assert replay.load.seconds == pytest.approx(0.010 + 0.010)
    assert replay.repeat.seconds == pytest.approx(0.030 + 0.005 + 0.009)
    assert replay.driver_seconds == pytest.approx(0.010 + 0.009)


def test_parts_add_up_and_unbound_stages_stay_on_the_host(app):
    bindings = {key: kernel for key, kernel in BINDINGS.items() if kernel == MAP}
    replay = replay_application(app, bindings, n_cores=4)
    assert replay.offloadable_seconds == pytest.approx(0.030)
    assert replay.host_remainder_seconds == pytest.approx(replay.seconds - 0.030)
    repeat = replay.repeat
    assert repeat.seconds == pytest.approx(repeat.offloadable_seconds + repeat.host_seconds + repeat.driver_seconds)
    assert [row.kernel for row in replay.stages] == [None, MAP, None]


def test_jvm_cpu_seconds_count_bound_stages_only(app):
    assert replay_application(app, BINDINGS, 4).jvm_cpu_seconds == pytest.approx(4e-3 + 2e-4)
    only_map = {key: kernel for key, kernel in BINDINGS.items() if kernel == MAP}
    assert replay_application(app, only_map, 4).jvm_cpu_seconds == pytest.approx(4e-3)


def test_rows_hold_each_stages_own_figures(app):
    _, mapped, reduced = replay_application(app, BINDINGS, n_cores=3).stages
    assert (mapped.n_tasks, mapped.task_seconds, mapped.scheduled_seconds) == pytest.approx((4, 0.120, 0.060))
    assert (reduced.n_tasks, reduced.shuffle_read_bytes, reduced.shuffle_write_bytes) == (2, 6, 8)


def test_a_window_adds_what_the_driver_did_around_the_jobs(app):
    assert replay_application(app, BINDINGS, 2, windows_ms={"load": (900, 1100)}).load.seconds == pytest.approx(0.200)
    replay = replay_group(app, "repeat-2", BINDINGS, 2, window_ms=(3990, 4100))
    assert (replay.seconds, replay.offloadable_seconds) == pytest.approx((0.110, 0.065))


def test_jobs_one_after_another_do_not_overlap_on_many_cores(tmp_path):
    events = app_start()
    events += job(0, "g", 0, 12, [(0, [], [(1, 11)])]) + job(1, "g", 12, 30, [(1, [], [(13, 28)])])
    app = read_event_log(write_log(tmp_path / "log", events))
    assert [node.waits_for for node in stage_nodes(app, "g")] == [(), (0,)]
    assert replay_group(app, "g", {}, 8).seconds == pytest.approx(0.030)


def test_jobs_that_overlapped_share_the_cores(tmp_path):
    events = app_start()
    events += job(0, "g", 0, 12, [(0, [], [(1, 11)])]) + job(1, "g", 2, 30, [(1, [], [(13, 28)])])
    app = read_event_log(write_log(tmp_path / "log", events))
    assert replay_group(app, "g", {}, 1).seconds == pytest.approx((10 + 15 + 1 + 2 + 2) / 1e3)
    assert replay_group(app, "g", {}, 2).seconds == pytest.approx((15 + 5) / 1e3)


def test_time_shared_with_an_unbound_stage_is_the_hosts(tmp_path):
    events = app_start() + job(0, "g", 0, 20, [(0, [], [(0, 20)]), (1, [], [(0, 15)])])
    app = read_event_log(write_log(tmp_path / "log", events))
    replay = replay_group(app, "g", {("g", 0): MAP}, 2)
    assert (replay.offloadable_seconds, replay.host_seconds) == pytest.approx((0.005, 0.015))


def test_a_skipped_stage_is_not_run_again(tmp_path):
    events = app_start() + job(0, "g", 0, 20, [(0, [], [(0, 20)])])
    events += job(1, "g", 20, 40, [(1, [], []), (2, [1], [(20, 40)])])
    app = read_event_log(write_log(tmp_path / "log", events))
    assert [node.stage_id for node in stage_nodes(app, "g")] == [0, 2]


def test_missing_groups_are_load_errors(app, tmp_path):
    with pytest.raises(LoadError, match=r"job group 'x' has no finished task; groups in the log: .*'load'"):
        replay_group(app, "x", {}, 1)
    other = read_event_log(write_log(tmp_path / "o", app_start() + job(0, "load", 0, 9, [(0, [], [(0, 9)])])))
    with pytest.raises(LoadError, match="no job group starts with 'repeat-'"):
        replay_application(other, {}, 1)
