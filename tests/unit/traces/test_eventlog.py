"""The reader's contract: what is skipped, what is reported, what is an error and with which words."""

import gzip
import json
from collections import Counter

import pytest
import zstandard

from pim.errors import LoadError
from spark_traces.codecs import read_lines
from spark_traces.eventlog import read_event_log
from tests.unit.traces.spark_log_lines import app_start, job, write_log

EVENTS = app_start() + job(0, "g", 10, 100, [(0, [], [(20, 50, 5), (20, 60, 6)]), (1, [0], [(60, 90, 7)])])


@pytest.fixture
def log(tmp_path):
    return write_log(tmp_path / "log", EVENTS)


def test_jobs_stages_and_tasks_are_read(log):
    app = read_event_log(log)
    assert (app.app_id, app.spark_version, app.report.n_events) == ("local-1", "4.3.0", len(EVENTS))
    (only,) = app.jobs
    assert (only.group, only.submission_time_ms, only.completion_time_ms) == ("g", 10, 100)
    assert [stage.parent_ids for stage in app.stages] == [(), (0,)]
    assert [[task.duration_ms for task in stage.tasks] for stage in app.stages] == [[30, 40], [30]]
    metrics = app.stages[1].tasks[0].metrics
    assert (metrics.executor_cpu_time_ns, metrics.shuffle_read_bytes, metrics.shuffle_read_records) == (7, 3, 3)
    assert (metrics.shuffle_write_bytes, metrics.input_bytes, metrics.input_records) == (4, 6, 7)


def test_unknown_events_are_counted_and_skipped(tmp_path):
    events = [*EVENTS, {"Event": "com.vendor.SparkListenerNew"}, {"Event": "com.vendor.SparkListenerNew", "x": []}]
    app = read_event_log(write_log(tmp_path / "log", events))
    assert app.report.unknown_events == {"SparkListenerNew": 2}
    assert len(app.stages) == 2


@pytest.mark.parametrize("cut", [1, 10, 100])
def test_a_cut_last_line_is_reported_not_fatal(log, cut):
    log.write_bytes(log.read_bytes()[: -cut - 1])
    app = read_event_log(log)
    assert app.report.is_truncated
    assert app.report.n_events == len(EVENTS) - 1
    assert app.jobs[0].completion_time_ms is None


def test_tasks_still_running_at_the_end_are_counted(tmp_path):
    start = {"Event": "SparkListenerTaskStart", "Stage ID": 0, "Task Info": {"Task ID": 77}}
    assert read_event_log(write_log(tmp_path / "log", [*EVENTS, start])).report.n_unfinished_tasks == 1


def test_frames_of_zstd_are_read_across_and_an_open_one_to_its_end(log, tmp_path):
    data = log.read_bytes()
    frames = b"".join(zstandard.compress(data[i : i + 300]) for i in range(0, len(data), 300))
    (tmp_path / "log.zstd").write_bytes(frames)
    assert read_event_log(tmp_path / "log.zstd").report.n_events == len(EVENTS)
    compressor = zstandard.ZstdCompressor().compressobj()
    flushed = compressor.compress(data) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    (tmp_path / "open.zstd").write_bytes(flushed)
    assert read_event_log(tmp_path / "open.zstd").report.n_events == len(EVENTS)


def test_gzip_is_read_and_its_missing_end_reported(log, tmp_path):
    data = log.read_bytes()
    packed = gzip.compress(data[:100]) + gzip.compress(data[100:])  # two members, as `cat a.gz b.gz` makes
    (tmp_path / "a").write_bytes(packed)
    assert read_event_log(tmp_path / "a").report.n_events == len(EVENTS)
    (tmp_path / "b").write_bytes(packed[: len(packed) * 3 // 4])
    assert read_event_log(tmp_path / "b").report.is_truncated


def test_decompression_is_bounded(tmp_path):
    bomb = tmp_path / "bomb"
    bomb.write_bytes(zstandard.compress(b"\n" * (8 << 20)))
    assert bomb.stat().st_size < 2000
    with pytest.raises(LoadError, match="decompresses to more than the 4194304 bytes allowed"):
        read_event_log(bomb, max_bytes=4 << 20)


def test_line_length_is_bounded(tmp_path):
    (tmp_path / "long").write_bytes(b"\n" + b"x" * (3 << 20))
    with pytest.raises(LoadError, match="line 2: longer than the 1048576 bytes allowed"):
        list(read_lines(tmp_path / "long", max_line=1 << 20))


def test_lines_are_those_of_the_file_whatever_the_chunks(tmp_path):
    lines = [b"x" * n for n in (0, 5, (1 << 20) - 3, 1, 3 << 20, 0, 7)]
    (tmp_path / "f").write_bytes(b"\n".join(lines))
    assert list(read_lines(tmp_path / "f")) == lines


def corrupt(events, index, **fields):
    return [*events[:index], {**events[index], **fields}, *events[index + 1 :]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no event"),
        (b"\n\n", "holds no event"),
        (b"hello\nworld\n", "line 1: not JSON"),
        (b'{"a": 1}\n', "line 1: not a Spark event: expected an object with a string 'Event'"),
        (b"[1, 2]\n", "line 1: not a Spark event"),
        (b'{"Event": "x"}\n{"Event": \n{"Event": "x"}\n', "line 2: not JSON"),
        (b"\xff\xfe\x00", "line 1: not JSON"),
        (b"PK\x03\x04....", "compressed as zip; this reader knows plain, gzip and zstd"),
        (b"LZ4Block....", "compressed as lz4"),
        (b"\x28\xb5\x2f\xfd\x24\x05\xff" + b"\xff" * 40, "corrupt compressed data after 0 bytes"),
        (b"\x1f\x8b\x08\x00" + b"\xff" * 40, "corrupt compressed data after 0 bytes"),
    ],
)
def test_what_is_no_event_log_is_a_load_error(tmp_path, content, message):
    (tmp_path / "log").write_bytes(content)
    with pytest.raises(LoadError, match=message) as caught:
        read_event_log(tmp_path / "log")
    assert str(tmp_path / "log") in str(caught.value)


@pytest.mark.parametrize(
    ("index", "fields", "message"),
    [
        (2, {"Job ID": "0"}, "line 3: field 'Job ID' must be an integer, got '0'"),
        (2, {"Stage IDs": [1, None]}, "line 3: field 'Stage IDs' must be a list of integers"),
        (3, {"Stage Info": 5}, "line 4: field 'Stage Info' must be an object, got 5"),
        (4, {"Task Info": {"Task ID": 1, "Launch Time": 3}}, "line 5: field 'Finish Time' is missing"),
    ],
)
def test_a_wrong_field_is_named_with_its_line(tmp_path, index, fields, message):
    with pytest.raises(LoadError, match=message):
        read_event_log(write_log(tmp_path / "log", corrupt(EVENTS, index, **fields)))


def test_missing_file_and_folder_are_load_errors(tmp_path):
    with pytest.raises(LoadError, match="can't be read: No such file"):
        read_event_log(tmp_path / "none")
    with pytest.raises(LoadError, match="is a folder"):
        read_event_log(tmp_path)


def test_any_single_changed_byte_gives_an_app_or_a_load_error(log):
    data = log.read_bytes()
    outcomes = Counter()
    for position in range(0, len(data), 23):
        for byte in (0, ord('"'), ord("9"), 0xFF):
            log.write_bytes(data[:position] + bytes([byte]) + data[position + 1 :])
            try:
                read_event_log(log)
                outcomes["app"] += 1
            except LoadError:
                outcomes["error"] += 1
    assert outcomes["app"] > 0
    assert outcomes["error"] > outcomes["app"]


def test_adaptive_execution_replaces_the_plan(tmp_path):
    sql = "org.apache.spark.sql.execution.ui."
    events = [
        {
            "Event": sql + "SparkListenerSQLExecutionStart",
            "executionId": 1,
            "time": 5,
            "sparkPlanInfo": {"nodeName": "a"},
        },
        {
            "Event": sql + "SparkListenerSQLAdaptiveExecutionUpdate",
            "executionId": 1,
            "sparkPlanInfo": {"nodeName": "b"},
        },
        {"Event": sql + "SparkListenerSQLExecutionEnd", "executionId": 1, "time": 9},
    ]
    (execution,) = read_event_log(write_log(tmp_path / "log", app_start() + events)).sql_executions
    assert (execution.plan["nodeName"], execution.start_time_ms, execution.end_time_ms) == ("b", 5, 9)


def test_a_task_of_a_lost_executor_has_no_metrics(tmp_path):
    events = json.loads(json.dumps(EVENTS))
    del events[4]["Task Metrics"]
    assert read_event_log(write_log(tmp_path / "log", events)).stages[0].tasks[0].metrics is None
