"""Checks that a well-formed manifest fits this program and the bundle's own event log."""

from pathlib import Path

from pim.errors import LoadError
from spark_traces import workloads
from spark_traces.manifest import END_OF_TIME_MS, FILE_NAMES, Manifest
from spark_traces.schema import App
from spark_traces.workloads.workload import Workload

MAX_ITERATIONS = 1000  # assumption: programs stop before; each costs a pass over the input


def check_names(manifest: Manifest, where: Path) -> Workload:
    """Return the workload; `LoadError` if it, its parameters, kernels or files are not as this program has them."""
    workload = workloads.WORKLOADS.get(manifest.workload)
    if workload is None:
        known = ", ".join(workloads.WORKLOADS)
        raise LoadError(f"{where}: unknown workload {manifest.workload!r}; known: {known}")
    if manifest.input.generator != workload.generator:
        raise LoadError(
            f"{where}: {workload.name} needs input from generator {workload.generator!r}, "
            f"got {manifest.input.generator!r}"
        )
    if sorted(manifest.files) != sorted(FILE_NAMES):
        raise LoadError(f"{where}: 'files' must list {sorted(FILE_NAMES)}, got {sorted(manifest.files)}")
    try:
        expected = workload.parameters(manifest.input.parameters)
    except KeyError as error:
        raise LoadError(f"{where}: generator {workload.generator!r} needs parameter {error}") from error
    if sorted(manifest.parameters) != sorted(expected):
        raise LoadError(
            f"{where}: {workload.name} has parameters {sorted(expected)}, got {sorted(manifest.parameters)}"
        )
    for name, value in manifest.input.parameters.items():
        if manifest.parameters.get(name, value) != value:
            raise LoadError(f"{where}: parameter {name} is {manifest.parameters[name]}, but {value} for the generator")
    roles = (workload.map_kernel, workload.reduce_kernel)
    for binding in manifest.bindings:
        if binding.kernel not in roles:
            raise LoadError(f"{where}: {workload.name} has no kernel {binding.kernel!r}; it has {', '.join(roles)}")
    iterations = manifest.parameters.get("iterations", 1)
    if not 1 <= iterations <= MAX_ITERATIONS:
        raise LoadError(f"{where}: parameter iterations must be 1 to {MAX_ITERATIONS}, got {iterations}")
    return workload


def check_tasks(app: App, where: Path) -> None:
    """Check that the event log has each task once, with times that can be."""
    seen = set()
    for stage in app.stages:
        for task in stage.tasks:
            name = f"{where}: task {task.task_id} of stage {stage.stage_id}"
            if task.task_id in seen:
                raise LoadError(f"{name}: ended twice")
            seen.add(task.task_id)
            times = [("Launch Time", task.launch_time_ms), ("Finish Time", task.finish_time_ms)]
            if task.metrics:
                times.append(("Executor Run Time", task.metrics.executor_run_time_ms))
                times.append(("Executor CPU Time", task.metrics.executor_cpu_time_ns // 1_000_000))
            for field, ms in times:
                if not 0 <= ms < END_OF_TIME_MS:
                    raise LoadError(f"{name}: {field!r} must be a time from 0 to the year 2109, got {ms} ms")


def check_groups(manifest: Manifest, app: App, where: Path) -> None:
    """Check that bindings and windows name job groups and stages that the event log has."""
    stages = {(job.group, stage.stage_id) for job in app.jobs for stage in app.stages_of_job(job) if job.group}
    bound = set()
    for binding in manifest.bindings:
        stage = (binding.job_group, binding.stage_id)
        if stage in bound:
            raise LoadError(f"{where}: stage {binding.stage_id} in job group {binding.job_group!r} is bound twice")
        bound.add(stage)
        if stage not in stages:
            raise LoadError(
                f"{where}: binding of {binding.kernel!r}: event log has no stage {binding.stage_id} "
                f"in job group {binding.job_group!r}"
            )
    groups = {group for group, _ in stages}
    for group, window in manifest.windows.items():
        if group not in groups or window.end_ms < window.start_ms:
            raise LoadError(f"{where}: window of {group!r}: no such job group, or it ends before it starts")
