from hypothesis import given
from hypothesis import strategies as st

from study.pareto import front

POINT = st.tuples(st.integers(0, 6), st.integers(0, 6))


def test_dominated_points_are_left_out() -> None:
    assert front([3, 1, 2, 2], [9, 5, 4, 7]) == [1, 3, 0]
    assert front([], []) == []


@given(st.lists(POINT, max_size=20))
def test_front_is_exactly_what_nothing_dominates(points: list[tuple[int, int]]) -> None:
    def dominated(point: tuple[int, int]) -> bool:
        return any(c <= point[0] and g >= point[1] and (c, g) != point for c, g in points)

    best = [points[i] for i in front([p[0] for p in points], [p[1] for p in points])]
    assert sorted(best) == sorted({p for p in points if not dominated(p)})
