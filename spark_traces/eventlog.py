"""Reads a Spark event log, one JSON event per line, into `spark_traces.schema.App`.

Streaming: tasks are kept as small records, nothing else of a line survives it. Events of unknown kinds are counted
and skipped; a cut last line is tolerated and reported; anything else that is wrong is a `LoadError` with file and
line. Compression is left to `spark_traces.codecs`.

References
----------
Apache Spark, core/src/main/scala/org/apache/spark/util/JsonProtocol.scala (event and field names).
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from pim.errors import LoadError
from spark_traces import codecs
from spark_traces.fields import Fields
from spark_traces.schema import App, Executor, Job, ReadReport, SqlExecution, Stage, Task, TaskMetrics

_IGNORED = frozenset(
    {
        "SparkListenerTaskGettingResult",
        "SparkListenerBlockManagerAdded",
        "SparkListenerBlockManagerRemoved",
        "SparkListenerBlockUpdated",
        "SparkListenerExecutorRemoved",
        "SparkListenerResourceProfileAdded",
        "SparkListenerUnpersistRDD",
        "SparkListenerStageExecutorMetrics",
        "SparkListenerDriverAccumUpdates",
        "SparkListenerSQLAdaptiveSQLMetricUpdates",
    }
)
"""Known kinds that hold nothing the replay needs."""

_ID_DIGITS = 20  # ids are Java longs


def read_event_log(path: Path | str, max_bytes: int = codecs.MAX_LOG_BYTES) -> App:
    """Return the application recorded in the event log ``path`` (plain, gzip or zstd).

    Raises
    ------
    LoadError
        If the file is missing, empty, corrupt, not JSON or not an event log; the message has file and line.
    """
    path = Path(path)
    if path.is_dir():
        raise LoadError(f"event log {path}: is a folder; pass the event log file")
    reader = _Reader(str(path))
    try:
        for line in codecs.read_lines(path, max_bytes):
            reader.line(line)
    except OSError as error:
        raise LoadError(f"event log {path}: can't be read: {error.strerror}") from error
    return reader.finish()


class _Reader:
    """State of one pass over a log: a handler per event kind, everything keyed by Spark's ids."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.number = self.n_events = 0
        self.unknown: Counter[str] = Counter()
        self.broken: str | None = None  # message of a line that is not JSON; fatal unless it is the last one
        self.started: set[int] = set()
        self.application = Fields({}, path)
        self.app_end: int | None = None
        self.version: str | None = None
        self.properties: dict[str, str] = {}
        self.executors: list[Executor] = []
        self.jobs: dict[int, Job] = {}
        self.stages: dict[tuple[int, int], Fields] = {}
        self.tasks: dict[tuple[int, int], list[Task]] = {}
        self.sql: dict[int, SqlExecution] = {}
        self.handlers = {
            "SparkListenerLogStart": self.log_start,
            "SparkListenerApplicationStart": self.application_start,
            "SparkListenerApplicationEnd": self.application_end,
            "SparkListenerEnvironmentUpdate": self.environment_update,
            "SparkListenerExecutorAdded": self.executor_added,
            "SparkListenerJobStart": self.job_start,
            "SparkListenerJobEnd": self.job_end,
            "SparkListenerStageSubmitted": self.stage_info,
            "SparkListenerStageCompleted": self.stage_info,
            "SparkListenerTaskStart": self.task_start,
            "SparkListenerTaskEnd": self.task_end,
            "SparkListenerSQLExecutionStart": self.sql_start,
            "SparkListenerSQLExecutionEnd": self.sql_end,
            "SparkListenerSQLAdaptiveExecutionUpdate": self.sql_update,
        }

    def line(self, line: bytes) -> None:
        """Take the next line."""
        if self.broken:
            raise LoadError(self.broken)
        self.number += 1
        where = f"event log {self.path}, line {self.number}"
        if not line.strip():
            return
        try:
            event = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            self.broken = f"{where}: not JSON: {error}"
            return
        if not isinstance(event, dict) or not isinstance(event.get("Event"), str):
            raise LoadError(f"{where}: not a Spark event: expected an object with a string 'Event'")
        self.n_events += 1
        kind = event["Event"].rpartition(".")[2]
        handler = self.handlers.get(kind)
        if handler:
            handler(Fields(event, where))
        elif kind not in _IGNORED:
            self.unknown[kind] += 1

    def finish(self) -> App:
        """Return the application after the last line."""
        if not self.n_events:
            raise LoadError(self.broken or f"event log {self.path}: holds no event")
        start = self.application
        return App(
            app_id=start.text_or_none("App ID"),
            name=start.text_or_none("App Name") or "",
            spark_version=self.version,
            start_time_ms=start.integer_or_none("Timestamp"),
            end_time_ms=self.app_end,
            executors=tuple(self.executors),
            jobs=tuple(self.jobs.values()),
            stages=tuple(self.stage(key) for key in sorted(self.stages)),
            sql_executions=tuple(self.sql.values()),
            spark_properties=self.properties,
            report=ReadReport(self.n_events, dict(self.unknown), self.broken is not None, len(self.started)),
        )

    def stage(self, key: tuple[int, int]) -> Stage:
        """Return a stage attempt from the last *Stage Info* seen and its tasks."""
        info = self.stages[key]
        return Stage(
            stage_id=key[0],
            attempt_id=key[1],
            name=info.text_or_none("Stage Name") or "",
            n_tasks=info.integer("Number of Tasks", 0),
            parent_ids=info.integers("Parent IDs"),
            rdd_names=tuple(rdd.text_or_none("Name") or "" for rdd in info.children("RDD Info")),
            submission_time_ms=info.integer_or_none("Submission Time"),
            completion_time_ms=info.integer_or_none("Completion Time"),
            failure_reason=info.text_or_none("Failure Reason"),
            tasks=tuple(self.tasks.get(key, ())),
        )

    def log_start(self, event: Fields) -> None:
        self.version = event.text_or_none("Spark Version")

    def application_start(self, event: Fields) -> None:
        self.application = event

    def application_end(self, event: Fields) -> None:
        self.app_end = event.integer_or_none("Timestamp")

    def environment_update(self, event: Fields) -> None:
        self.properties = event.child("Spark Properties").texts()

    def executor_added(self, event: Fields) -> None:
        info = event.child("Executor Info")
        self.executors.append(
            Executor(
                executor_id=event.text("Executor ID"),
                host=info.text_or_none("Host") or "",
                total_cores=info.integer("Total Cores", 0),
                added_time_ms=event.integer("Timestamp", 0),
            )
        )

    def job_start(self, event: Fields) -> None:
        properties = event.child("Properties").texts()
        execution = properties.get("spark.sql.execution.id", "")
        job_id = event.integer("Job ID")
        self.jobs[job_id] = Job(
            job_id=job_id,
            submission_time_ms=event.integer("Submission Time", 0),
            completion_time_ms=None,
            result=None,
            stage_ids=event.integers("Stage IDs"),
            group=properties.get("spark.jobGroup.id"),
            description=properties.get("spark.job.description"),
            sql_execution_id=int(execution) if execution.isdecimal() and len(execution) < _ID_DIGITS else None,
        )

    def job_end(self, event: Fields) -> None:
        job = self.jobs.get(event.integer("Job ID"))
        if job:  # the start may be in another part of the log
            self.jobs[job.job_id] = replace(
                job,
                completion_time_ms=event.integer_or_none("Completion Time"),
                result=event.child("Job Result").text_or_none("Result"),
            )

    def stage_info(self, event: Fields) -> None:
        info = event.child("Stage Info")
        self.stages[info.integer("Stage ID"), info.integer("Stage Attempt ID", 0)] = info

    def task_start(self, event: Fields) -> None:
        self.started.add(event.child("Task Info").integer("Task ID"))

    def task_end(self, event: Fields) -> None:
        info = event.child("Task Info")
        key = event.integer("Stage ID"), event.integer("Stage Attempt ID", 0)
        task = Task(
            task_id=info.integer("Task ID"),
            stage_id=key[0],
            stage_attempt_id=key[1],
            index=info.integer("Index", 0),
            attempt=info.integer("Attempt", 0),
            task_type=event.text_or_none("Task Type") or "",
            executor_id=info.text_or_none("Executor ID") or "",
            launch_time_ms=info.integer("Launch Time"),
            finish_time_ms=info.integer("Finish Time"),
            end_reason=event.child("Task End Reason").text_or_none("Reason") or "",
            is_speculative=info.get("Speculative") is True,
            metrics=_metrics(event.child("Task Metrics")),
        )
        self.started.discard(task.task_id)
        self.tasks.setdefault(key, []).append(task)

    def sql_start(self, event: Fields) -> None:
        execution_id = event.integer("executionId")
        self.sql[execution_id] = SqlExecution(
            execution_id=execution_id,
            description=event.text_or_none("description") or "",
            start_time_ms=event.integer("time", 0),
            end_time_ms=None,
            plan=event.child("sparkPlanInfo").values,
        )

    def sql_end(self, event: Fields) -> None:
        self._replace_sql(event, end_time_ms=event.integer_or_none("time"))

    def sql_update(self, event: Fields) -> None:
        self._replace_sql(event, plan=event.child("sparkPlanInfo").values)

    def _replace_sql(self, event: Fields, **changes: Any) -> None:
        old = self.sql.get(event.integer("executionId"))
        if old:  # the start may be in another part of the log
            self.sql[old.execution_id] = replace(old, **changes)


def _metrics(values: Fields) -> TaskMetrics | None:
    """Return the metrics of a *TaskEnd*, None where Spark wrote none."""
    if not values:
        return None
    read, write = values.child("Shuffle Read Metrics"), values.child("Shuffle Write Metrics")
    return TaskMetrics(
        executor_run_time_ms=values.integer("Executor Run Time", 0),
        executor_cpu_time_ns=values.integer("Executor CPU Time", 0),
        executor_deserialize_time_ms=values.integer("Executor Deserialize Time", 0),
        executor_deserialize_cpu_time_ns=values.integer("Executor Deserialize CPU Time", 0),
        result_serialization_time_ms=values.integer("Result Serialization Time", 0),
        jvm_gc_time_ms=values.integer("JVM GC Time", 0),
        result_size_bytes=values.integer("Result Size", 0),
        memory_bytes_spilled=values.integer("Memory Bytes Spilled", 0),
        disk_bytes_spilled=values.integer("Disk Bytes Spilled", 0),
        input_bytes=values.child("Input Metrics").integer("Bytes Read", 0),
        input_records=values.child("Input Metrics").integer("Records Read", 0),
        shuffle_read_bytes=read.integer("Remote Bytes Read", 0) + read.integer("Local Bytes Read", 0),
        shuffle_read_records=read.integer("Total Records Read", 0),
        shuffle_fetch_wait_time_ms=read.integer("Fetch Wait Time", 0),
        shuffle_write_bytes=write.integer("Shuffle Bytes Written", 0),
        shuffle_write_records=write.integer("Shuffle Records Written", 0),
        shuffle_write_time_ns=write.integer("Shuffle Write Time", 0),
    )
