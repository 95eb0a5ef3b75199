"""Replays an application's measured tasks on a given number of executor cores.

Task times are those measured (`spark_traces.core_time`), put on the cores by `spark_traces.list_schedule`; time in
which the driver had no task running is kept as measured. What the stages would cost elsewhere is decided in `study`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pim.errors import LoadError
from spark_traces.dag import StageNode, stage_nodes
from spark_traces.list_schedule import Interval, list_schedule, union_length
from spark_traces.schema import App

LOAD_GROUP = "load"
REPEAT_PREFIX = "repeat-"
BASELINE_CORES = 16  # the Spark baseline's executor cores unless the user says otherwise


@dataclass(frozen=True, slots=True)
class StageRow:
    """One stage in the replay; ``kernel`` is the role it is bound to, None for work that stays on the host.

    ``scheduled_seconds`` is the wall time with at least one task of the stage running; stages may overlap.
    """

    job_group: str
    job_id: int
    stage_id: int
    name: str
    kernel: str | None
    n_tasks: int
    task_seconds: float
    scheduled_seconds: float
    jvm_cpu_seconds: float
    input_bytes: int
    shuffle_read_bytes: int
    shuffle_write_bytes: int


@dataclass(frozen=True, slots=True)
class GroupReplay:
    """One job group on N cores; ``seconds`` = ``offloadable_seconds`` + ``host_seconds`` + ``driver_seconds``."""

    group: str
    seconds: float
    offloadable_seconds: float
    host_seconds: float
    driver_seconds: float
    jvm_cpu_seconds: float
    stages: tuple[StageRow, ...]


@dataclass(frozen=True, slots=True)
class ApplicationReplay:
    """An application = its load stages + the median repeat, driver gaps included.

    Attributes
    ----------
    n_cores : int
        Executor cores the tasks are scheduled on.
    seconds, offloadable_seconds, host_remainder_seconds : float
        Whole application; time in which only stages bound to a kernel run; the rest (load, unbound stages, driver).
    driver_seconds : float
        Part of the remainder with no task running.
    jvm_cpu_seconds : float
        CPU time of the offloadable stages' JVM threads, summed over tasks (core seconds). Python workers' CPU time is
        not in it.
    load, repeat : GroupReplay
        The two parts.
    repeat_seconds : dict
        Seconds of every repeat, by group; ``repeat`` is their median.
    """

    n_cores: int
    seconds: float
    offloadable_seconds: float
    host_remainder_seconds: float
    driver_seconds: float
    jvm_cpu_seconds: float
    load: GroupReplay
    repeat: GroupReplay
    repeat_seconds: Mapping[str, float]

    @property
    def stages(self) -> tuple[StageRow, ...]:
        """Rows of the load and of the median repeat."""
        return (*self.load.stages, *self.repeat.stages)


def replay_group(
    app: App,
    group: str,
    bindings: Mapping[tuple[str, int], str],
    n_cores: int,
    window_ms: Interval | None = None,
) -> GroupReplay:
    """Return one job group's replay.

    Parameters
    ----------
    app : App
        The application's event log.
    group : str
        Job group (``spark.jobGroup.id``).
    bindings : mapping
        (job group, stage id) -> kernel role.
    n_cores : int
        Executor cores.
    window_ms : (int, int), optional
        When the driver began and ended this part; without it, from the first job's submission to the last one's end.

    Raises
    ------
    LoadError
        If the group has no finished task.
    """
    nodes = stage_nodes(app, group)
    if not any(node.durations_ms for node in nodes):
        known = sorted({job.group for job in app.jobs if job.group})
        raise LoadError(f"event log: job group {group!r} has no finished task; groups in the log: {known}")
    position = {node.stage_id: i for i, node in enumerate(nodes)}
    intervals = list_schedule(
        [node.durations_ms for node in nodes],
        [[position[stage] for stage in node.waits_for] for node in nodes],
        n_cores,
    )
    kernels = [bindings.get((group, node.stage_id)) for node in nodes]
    busy = union_length(span for spans in intervals for span in spans)
    host = union_length(span for spans, kernel in zip(intervals, kernels, strict=True) if not kernel for span in spans)
    driver = _driver_ms(app, group, nodes, window_ms)
    rows = tuple(
        _row(group, node, kernel, union_length(spans) / 1e3)
        for node, kernel, spans in zip(nodes, kernels, intervals, strict=True)
    )
    return GroupReplay(
        group=group,
        seconds=(busy + driver) / 1e3,
        offloadable_seconds=(busy - host) / 1e3,
        host_seconds=host / 1e3,
        driver_seconds=driver / 1e3,
        jvm_cpu_seconds=sum(row.jvm_cpu_seconds for row in rows if row.kernel),
        stages=rows,
    )


def _driver_ms(app: App, group: str, nodes: Sequence[StageNode], window_ms: Interval | None) -> int:
    """Return the measured time of the group with no task running."""
    spans = [
        (task.launch_time_ms, task.launch_time_ms + task.duration_ms)
        for node in nodes
        for stage in node.attempts
        for task in stage.tasks
    ]
    jobs = app.jobs_of_group(group)
    ends = [job.completion_time_ms for job in jobs if job.completion_time_ms is not None]
    start, end = window_ms or (min(job.submission_time_ms for job in jobs), max(ends, default=0))
    spans.append((start, start))
    inside = [(max(a, start), min(b, end)) for a, b in spans if b > start and a < end]
    return max(0, end - start - union_length(inside))


def _row(group: str, node: StageNode, kernel: str | None, scheduled_seconds: float) -> StageRow:
    tasks = [task for stage in node.attempts for task in stage.tasks]
    metrics = [task.metrics for task in tasks if task.metrics]
    return StageRow(
        job_group=group,
        job_id=node.job_id,
        stage_id=node.stage_id,
        name=node.attempts[-1].name,
        kernel=kernel,
        n_tasks=len(tasks),
        task_seconds=sum(node.durations_ms) / 1e3,
        scheduled_seconds=scheduled_seconds,
        jvm_cpu_seconds=sum(m.executor_cpu_time_ns for m in metrics) / 1e9,
        input_bytes=sum(m.input_bytes for m in metrics),
        shuffle_read_bytes=sum(m.shuffle_read_bytes for m in metrics),
        shuffle_write_bytes=sum(m.shuffle_write_bytes for m in metrics),
    )


def replay_application(
    app: App,
    bindings: Mapping[tuple[str, int], str],
    n_cores: int = BASELINE_CORES,
    windows_ms: Mapping[str, Interval] | None = None,
) -> ApplicationReplay:
    """Return the application (job group ``load`` + the median of ``repeat-*``) on ``n_cores`` executor cores.

    Raises
    ------
    LoadError
        If the log has no ``load`` or no ``repeat-*`` group with finished tasks.
    """
    windows = windows_ms or {}
    names = sorted({job.group for job in app.jobs if job.group and job.group.startswith(REPEAT_PREFIX)})
    if not names:
        raise LoadError(f"event log: no job group starts with {REPEAT_PREFIX!r}")
    load = replay_group(app, LOAD_GROUP, bindings, n_cores, windows.get(LOAD_GROUP))
    repeats = [replay_group(app, name, bindings, n_cores, windows.get(name)) for name in names]
    repeat = sorted(repeats, key=lambda replay: replay.seconds)[(len(repeats) - 1) // 2]
    seconds = load.seconds + repeat.seconds
    offloadable = load.offloadable_seconds + repeat.offloadable_seconds
    return ApplicationReplay(
        n_cores=n_cores,
        seconds=seconds,
        offloadable_seconds=offloadable,
        host_remainder_seconds=seconds - offloadable,
        driver_seconds=load.driver_seconds + repeat.driver_seconds,
        jvm_cpu_seconds=load.jvm_cpu_seconds + repeat.jvm_cpu_seconds,
        load=load,
        repeat=repeat,
        repeat_seconds={replay.group: replay.seconds for replay in repeats},
    )
