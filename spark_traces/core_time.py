"""How long each task held its executor core.

Spark records a task's end when its result has reached the driver; the core is free, and often at work on the next
task, before that. Where the log has more tasks running on an executor than it has cores, the one that ends first must
have given up its core by then, and its time is cut there.
"""

import heapq
from collections.abc import Mapping

from spark_traces.schema import App, Task


def core_times_ms(app: App) -> Mapping[int, int]:
    """Return the time in ms that each task (by task id) held a core; at most its launch-to-finish time."""
    task_cpus = _positive(app.spark_properties.get("spark.task.cpus"), 1)
    slots = {executor.executor_id: max(1, executor.total_cores // task_cpus) for executor in app.executors}
    by_executor: dict[str, list[Task]] = {}
    times = {}
    for stage in app.stages:
        for task in stage.tasks:
            times[task.task_id] = task.duration_ms
            by_executor.setdefault(task.executor_id, []).append(task)
    for executor_id, tasks in by_executor.items():
        if executor_id in slots:  # else its cores are unknown: nothing to cut
            _cut(tasks, slots[executor_id], times)
    return times


def _cut(tasks: list[Task], n_slots: int, times: dict[int, int]) -> None:
    """Shorten ``times`` so that at most ``n_slots`` of an executor's tasks overlap."""
    running: list[tuple[int, int, int]] = []  # (finish, task id, launch)
    for task in sorted(tasks, key=lambda task: (task.launch_time_ms, task.task_id)):
        launch = task.launch_time_ms
        while running and running[0][0] <= launch:
            heapq.heappop(running)
        if len(running) == n_slots:
            _, task_id, start = heapq.heappop(running)
            times[task_id] = launch - start
        heapq.heappush(running, (launch + task.duration_ms, task.task_id, launch))


def _positive(text: str | None, default: int) -> int:
    if text and text.isdecimal() and len(text) < 10:  # a Java int
        return int(text) or default
    return default
