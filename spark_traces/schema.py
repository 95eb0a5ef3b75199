"""What an application's event log says, in Spark's own names plus the unit.

Times are milliseconds since 1970 on the driver's clock unless the name says ``ns``; Spark writes CPU times and
shuffle write times in ns, all other durations in ms.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TaskMetrics:
    """Spark's *Task Metrics* of one task attempt; 0 where the Spark version does not write a field.

    ``executor_run_time_ms`` is the wall time of the body: it includes garbage collection, shuffle waits and the time
    of a Python worker, whose CPU time is *not* in ``executor_cpu_time_ns``.
    """

    executor_run_time_ms: int
    executor_cpu_time_ns: int
    executor_deserialize_time_ms: int
    executor_deserialize_cpu_time_ns: int
    result_serialization_time_ms: int
    jvm_gc_time_ms: int
    result_size_bytes: int
    memory_bytes_spilled: int
    disk_bytes_spilled: int
    input_bytes: int
    input_records: int
    shuffle_read_bytes: int
    shuffle_read_records: int
    shuffle_fetch_wait_time_ms: int
    shuffle_write_bytes: int
    shuffle_write_records: int
    shuffle_write_time_ns: int


@dataclass(frozen=True, slots=True)
class Task:
    """One attempt of one task, from its *TaskEnd* event; ``metrics`` is None for tasks of lost executors."""

    task_id: int
    stage_id: int
    stage_attempt_id: int
    index: int
    attempt: int
    task_type: str
    executor_id: str
    launch_time_ms: int
    finish_time_ms: int
    end_reason: str
    is_speculative: bool
    metrics: TaskMetrics | None

    @property
    def is_successful(self) -> bool:
        """Whether the attempt's result was used."""
        return self.end_reason == "Success"

    @property
    def duration_ms(self) -> int:
        """Time on an executor core, launch to finish; at least 0 (two machines' clocks)."""
        return max(0, self.finish_time_ms - self.launch_time_ms)


@dataclass(frozen=True, slots=True)
class Stage:
    """One attempt of a stage that was submitted; ``rdd_names`` from the stage's output back along its lineage."""

    stage_id: int
    attempt_id: int
    name: str
    n_tasks: int
    parent_ids: tuple[int, ...]
    rdd_names: tuple[str, ...]
    submission_time_ms: int | None
    completion_time_ms: int | None
    failure_reason: str | None
    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """One job; ``stage_ids`` lists all stages it depends on, also those skipped because their output was there."""

    job_id: int
    submission_time_ms: int
    completion_time_ms: int | None
    result: str | None
    stage_ids: tuple[int, ...]
    group: str | None
    description: str | None
    sql_execution_id: int | None


@dataclass(frozen=True, slots=True)
class SqlExecution:
    """One SQL execution with the last plan that Spark announced (adaptive execution replaces plans)."""

    execution_id: int
    description: str
    start_time_ms: int
    end_time_ms: int | None
    plan: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Executor:
    """One executor; in local mode a single one named ``driver``."""

    executor_id: str
    host: str
    total_cores: int
    added_time_ms: int


@dataclass(frozen=True, slots=True)
class ReadReport:
    """What the reader met: events by kind it does not know, and whether the end of the log is missing."""

    n_events: int
    unknown_events: Mapping[str, int]
    is_truncated: bool
    n_unfinished_tasks: int


@dataclass(frozen=True, slots=True)
class App:
    """One application's event log."""

    app_id: str | None
    name: str
    spark_version: str | None
    start_time_ms: int | None
    end_time_ms: int | None
    executors: tuple[Executor, ...]
    jobs: tuple[Job, ...]
    stages: tuple[Stage, ...]
    sql_executions: tuple[SqlExecution, ...]
    spark_properties: Mapping[str, str]
    report: ReadReport

    def jobs_of_group(self, group: str) -> tuple[Job, ...]:
        """Return the jobs of a job group in the order of submission."""
        return tuple(sorted((job for job in self.jobs if job.group == group), key=lambda job: job.job_id))

    def stages_of_job(self, job: Job) -> tuple[Stage, ...]:
        """Return the stage attempts that ran for ``job``; a stage reused from an earlier job belongs to that one."""
        earlier = {stage_id for other in self.jobs if other.job_id < job.job_id for stage_id in other.stage_ids}
        own = set(job.stage_ids) - earlier
        return tuple(stage for stage in self.stages if stage.stage_id in own)
