"""List scheduling against closed forms and Graham's bounds, which hold for every input."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pim.errors import ConfigError
from spark_traces.list_schedule import list_schedule, union_length


@st.composite
def stage_graphs(draw):
    n = draw(st.integers(1, 6))
    durations = [draw(st.lists(st.integers(0, 50), max_size=8)) for _ in range(n)]
    waits_for = [draw(st.lists(st.integers(0, i - 1), max_size=3)) if i else [] for i in range(n)]
    return durations, waits_for


def makespan(durations, waits_for, n_cores):
    return max((end for stage in list_schedule(durations, waits_for, n_cores) for _, end in stage), default=0)


def critical_path(durations, waits_for):
    finish = []
    for tasks, parents in zip(durations, waits_for, strict=True):
        finish.append(max((finish[p] for p in parents), default=0) + max(tasks, default=0))
    return max(finish)


@given(stage_graphs())
def test_one_core_takes_the_sum_of_all_task_times(graph):
    assert makespan(*graph, 1) == sum(map(sum, graph[0]))


@given(stage_graphs())
def test_a_core_per_task_takes_the_critical_path(graph):
    n_tasks = sum(map(len, graph[0]))
    assert makespan(*graph, max(1, n_tasks)) == critical_path(*graph)


@given(stage_graphs(), st.integers(1, 9))
def test_makespan_is_within_grahams_bounds(graph, n_cores):
    total, path = sum(map(sum, graph[0])), critical_path(*graph)
    got = makespan(*graph, n_cores)
    assert max(Fraction(total, n_cores), path) <= got
    assert got <= Fraction(total, n_cores) + (1 - Fraction(1, n_cores)) * path


@given(stage_graphs(), st.integers(1, 4))
def test_every_task_runs_once_after_its_parents_on_a_free_core(graph, n_cores):
    durations, waits_for = graph
    schedule = list_schedule(durations, waits_for, n_cores)
    assert [[end - start for start, end in stage] for stage in schedule] == durations
    for i, parents in enumerate(waits_for):
        for parent in parents:
            done = max((end for _, end in schedule[parent]), default=0)
            assert all(start >= done for start, _ in schedule[i])
    spans = [span for stage in schedule for span in stage if span[0] < span[1]]
    for instant, _ in spans:
        assert sum(start <= instant < end for start, end in spans) <= n_cores


def test_more_cores_can_take_longer():
    # Graham's anomaly: the third core starts the short chain earlier, which delays the long one
    durations = [[3], [2], [2], [2], [4], [4], [4], [4], [9]]
    waits_for = [[], [], [], [], [3], [3], [3], [3], [0]]
    assert makespan(durations, waits_for, 3) == 12
    assert makespan(durations, waits_for, 4) == 15


def test_equal_tasks_run_in_waves():
    assert makespan([[10] * 48], [[]], 16) == 30
    assert makespan([[10] * 49], [[]], 16) == 40


def test_zero_cores_is_an_error():
    with pytest.raises(ConfigError, match="executor cores must be >= 1, got 0"):
        list_schedule([[1]], [[]], 0)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda p: (min(p), max(p)))))
def test_union_length_counts_covered_units(spans):
    assert union_length(spans) == len({x for start, end in spans for x in range(start, end)})
