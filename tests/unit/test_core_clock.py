"""The core's edges on the DRAM's time base, and division by what stays the same."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pim.core.clock import core_clock, core_cycles, divide, divisor, edge, first_edge

pytestmark = pytest.mark.plain

RATIOS = [(1, 6), (5, 6), (1, 1), (8, 5), (3, 1), (7, 64), (64, 7), (25, 30012)]


@pytest.mark.parametrize(("p", "q"), RATIOS)
def test_edges_fall_at_the_next_clock(p: int, q: int) -> None:
    for cycle in range(300):
        assert edge(cycle, core_clock(p, q)) == ceil(Fraction(cycle * q, p))


@pytest.mark.parametrize(("p", "q"), RATIOS)
def test_first_edge_is_the_first(p: int, q: int) -> None:
    clock = core_clock(p, q)
    edges = [edge(cycle, clock) for cycle in range(300)]
    for at in range(min(edges[-1], 5000)):
        assert first_edge(at, clock) == next(cycle for cycle, start in enumerate(edges) if start >= at)


@pytest.mark.parametrize(("p", "q"), RATIOS)
def test_core_cycles_are_whole(p: int, q: int) -> None:
    for clocks in range(300):
        assert core_cycles(clocks, core_clock(p, q)) == clocks * p // q


@given(number=st.integers(0, (1 << 62) - 1), value=st.integers(1, 1 << 20))
def test_division_is_exact(number: int, value: int) -> None:
    assert divide(number, divisor(value)) == number // value


@given(quotient=st.integers(1, 1 << 41), value=st.integers(1, 1 << 20))
def test_division_is_exact_next_to_multiples(quotient: int, value: int) -> None:
    by = divisor(value)
    assert divide(quotient * value, by) == quotient
    assert divide(quotient * value - 1, by) == quotient - 1
