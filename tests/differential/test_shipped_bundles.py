"""The committed bundles: complete, small, anonymous, large enough in work, and right."""

import re

import pytest

from spark_traces import open_bundle, shipped_bundles
from spark_traces.codecs import read_bytes
from spark_traces.schedule import BASELINE_CORES, replay_application
from tests.reference.traced_workloads import EXPECTED

ABSOLUTE_PATH = re.compile(rb"(?<![\w.<>/)])/(?:root|home|tmp|usr|opt|var|work|mnt|data|Users)/")


@pytest.fixture(scope="module", params=sorted(EXPECTED))
def bundle(request):
    return open_bundle(shipped_bundles()[request.param])


def test_result_equals_plain_python(bundle):
    assert bundle.result == EXPECTED[bundle.workload](bundle)


def test_folder_is_small_and_input_is_not(bundle):
    assert sum(path.stat().st_size for path in bundle.path.iterdir()) < 1 << 20
    assert sum(array.nbytes for array in bundle.inputs().values()) >= 100_000_000


def test_log_names_neither_machine_nor_user(bundle):
    for name in ("eventlog.zst", "plans.json.zst"):
        text = read_bytes(bundle.path / name, 1 << 30)
        assert ABSOLUTE_PATH.findall(text) == []
        assert set(re.findall(rb'"(?:User|user.name)":"([^"]*)"', text)) <= {b"<user>"}
        assert set(re.findall(rb'"Host":"([^"]*)"', text)) <= {b"<host>"}
        assert set(re.findall(rb"\b(?:\d{1,3}\.){3}\d{1,3}\b", text)) <= {b"127.0.0.1"}


def test_log_is_whole_and_every_stage_succeeded(bundle):
    report = bundle.app.report
    assert (report.is_truncated, report.n_unfinished_tasks, dict(report.unknown_events)) == (False, 0, {})
    assert {job.result for job in bundle.app.jobs} == {"JobSucceeded"}
    assert all(task.is_successful for stage in bundle.app.stages for task in stage.tasks)


def test_stages_are_cut_finely_enough_for_the_baselines_cores(bundle):
    replay = replay_application(bundle.app, bundle.bindings, BASELINE_CORES, bundle.windows_ms)
    n_maps = [row.n_tasks for row in replay.stages if row.kernel == f"{bundle.workload}.map"]
    assert min(n_maps) >= 3 * BASELINE_CORES
    assert len(replay.repeat_seconds) == 3


def test_replay_on_the_measured_cores_gives_the_measured_time(bundle):
    """The same tasks in the same order on the same cores, without the gaps between one and the next."""
    n_cores = bundle.manifest.measurement.n_cores
    replay = replay_application(bundle.app, bundle.bindings, n_cores, bundle.windows_ms)
    for part in (replay.load, replay.repeat):
        start, end = bundle.windows_ms[part.group]
        assert 0.9 * (end - start) <= part.seconds * 1e3 <= end - start
