"""What holds for every floorplan, power and grid."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pim.area.silicon import DIE_8GBIT_MM2
from thermal import Block, BlockKind, Floorplan, bare_dimm_package, dram_die, solve_die
from thermal.map import BlockGrid

DIE_M2 = DIE_8GBIT_MM2 * 1e-6

grids = st.tuples(st.integers(1, 9), st.integers(1, 9))
watts = st.lists(st.floats(0.0, 2.0), min_size=16, max_size=16)


@settings(max_examples=30, deadline=None)
@given(grids, watts)
def test_power_is_conserved_and_no_cell_is_below_ambient(grid: tuple[int, int], banks_w: list[float]) -> None:
    floorplan = dram_die(die_m2=DIE_M2)
    power_w = {f"bank{i}": w for i, w in enumerate(banks_w)}
    solved = solve_die(floorplan, bare_dimm_package(floorplan.area_m2), power_w, grid=grid)
    assert solved.heat_top_w + solved.heat_bottom_w == pytest.approx(sum(banks_w), rel=1e-9, abs=1e-15)
    assert solved.layers_k.min() >= solved.ambient_k - 1e-9
    for name, mean_k in solved.block_mean_k.items():
        assert mean_k <= solved.block_max_k[name] + 1e-9
    assert max(solved.block_max_k.values()) == pytest.approx(solved.peak_k)


@settings(max_examples=30, deadline=None)
@given(grids, watts, watts)
def test_rises_add_up(grid: tuple[int, int], first_w: list[float], second_w: list[float]) -> None:
    floorplan = dram_die(die_m2=DIE_M2)
    stack = bare_dimm_package(floorplan.area_m2)

    def rise(powers: list[float]) -> np.ndarray:
        solved = solve_die(floorplan, stack, {f"bank{i}": w for i, w in enumerate(powers)}, grid=grid)
        return solved.layers_k - solved.ambient_k

    both = rise([a + b for a, b in zip(first_w, second_w, strict=True)])
    np.testing.assert_allclose(both, rise(first_w) + rise(second_w), rtol=1e-9, atol=1e-9)


@settings(max_examples=50, deadline=None)
@given(
    grids,
    st.floats(0.0, 0.7),
    st.floats(0.0, 0.7),
    st.floats(0.01, 0.3),
    st.floats(0.01, 0.3),
)
def test_block_and_cells_share_exactly_the_blocks_area(
    grid: tuple[int, int], left: float, bottom: float, width: float, height: float
) -> None:
    block = Block("b", BlockKind.CORE, left, bottom, width, height)
    blocks = BlockGrid(Floorplan("unit", 1.0, 1.0, (block,)), *grid)
    assert blocks.shared_m2.sum() == pytest.approx(block.area_m2)
    assert blocks.cell_power_w({"b": 3.0}).sum() == pytest.approx(3.0)
    assert blocks.block_mean(np.full(grid, 5.0))["b"] == pytest.approx(5.0)
