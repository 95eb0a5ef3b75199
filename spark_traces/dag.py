"""Which stages of a job group wait for which, as observed in the log, and how long their tasks held a core.

A stage waits for its parents and for every job that had ended when its own job was submitted: the driver starts
those jobs one after another. Jobs that overlapped in the log stay free to overlap.
"""

from dataclasses import dataclass

from spark_traces.core_time import core_times_ms
from spark_traces.schema import App, Job, Stage


@dataclass(frozen=True, slots=True)
class StageNode:
    """All attempts of one stage as one node; the tasks' times on a core in ms, in the order of launch."""

    job_id: int
    stage_id: int
    attempts: tuple[Stage, ...]
    durations_ms: tuple[int, ...]
    waits_for: tuple[int, ...]


def stage_nodes(app: App, group: str) -> tuple[StageNode, ...]:
    """Return the stages that ran in a job group, ordered by (job id, stage id); parents come before children."""
    jobs = app.jobs_of_group(group)
    ran = {job.job_id: _by_stage_id(app.stages_of_job(job)) for job in jobs}
    times = core_times_ms(app)
    nodes = []
    seen: set[int] = set()  # Spark numbers parents before children; skipped parents never ran
    for job in jobs:
        ended = {stage_id for other in jobs if _ended_before(other, job) for stage_id in ran[other.job_id]}
        for stage_id, attempts in sorted(ran[job.job_id].items()):
            parents = {parent for stage in attempts for parent in stage.parent_ids} & seen
            seen.add(stage_id)
            tasks = sorted(
                (task for stage in attempts for task in stage.tasks),
                key=lambda task: (task.launch_time_ms, task.task_id),
            )
            durations = tuple(times[task.task_id] for task in tasks)
            waits = tuple(sorted((parents | ended) - {stage_id}))
            nodes.append(StageNode(job.job_id, stage_id, attempts, durations, waits))
    return tuple(nodes)


def _by_stage_id(stages: tuple[Stage, ...]) -> dict[int, tuple[Stage, ...]]:
    by_id: dict[int, tuple[Stage, ...]] = {}
    for stage in stages:
        by_id[stage.stage_id] = (*by_id.get(stage.stage_id, ()), stage)
    return by_id


def _ended_before(other: Job, job: Job) -> bool:
    end = other.completion_time_ms
    return other.job_id < job.job_id and end is not None and end <= job.submission_time_ms
