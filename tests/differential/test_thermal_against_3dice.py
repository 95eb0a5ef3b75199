"""Our steady solutions against those of 3D-ICE, an independent cell-centred finite-volume solver."""

import csv
from pathlib import Path

import numpy as np
import pytest
import yaml

from thermal import Block, BlockKind, Floorplan, Layer, Material, Stack, solve_die
from thermal.map import BlockGrid
from thermal.network import build_network
from thermal.solve import Method
from thermal.transient import transient_rise

CASES = Path(__file__).parent.parent / "data" / "thermal"
TOLERANCE_K = 1e-4


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def case_inputs(folder: Path) -> tuple[Floorplan, Stack, float, tuple[int, int]]:
    case = yaml.safe_load((folder / "case.yaml").read_text())
    blocks = tuple(
        Block(
            row["name"],
            BlockKind.PERIPHERY,
            float(row["left_x_m"]),
            float(row["bottom_y_m"]),
            float(row["width_m"]),
            float(row["height_m"]),
        )
        for row in rows_of(folder / "floorplan_die.csv")
    )
    layers = tuple(
        Layer(
            layer["name"],
            layer["thickness_m"],
            Material(layer["name"], layer["k_W_mK"], layer["cv_J_m3K"], "case"),
            layer["power"],
        )
        for layer in case["layers"]
    )
    return (
        Floorplan("case", case["die"]["width_m"], case["die"]["height_m"], blocks),
        Stack(layers, case["boundary"]["top"]["h_W_m2K"], case["boundary"]["bottom"]["h_W_m2K"]),
        case["boundary_ambient_K"],
        (case["grid"]["rows"], case["grid"]["cols"]),
    )


@pytest.mark.parametrize("method", [Method.DIRECT, Method.CG])
@pytest.mark.parametrize("name", ["i01_1d_two_sided", "i02_bare_dimm"])
def test_steady_temperatures_equal_those_of_3dice(name: str, method: Method) -> None:
    folder = CASES / name
    floorplan, stack, ambient_k, grid = case_inputs(folder)
    power_w = {row["block"]: float(row["power_W"]) for row in rows_of(folder / "power.csv")}
    solved = solve_die(floorplan, stack, power_w, ambient_k=ambient_k, grid=grid, method=method)
    expected = rows_of(folder / "expected_steady_blocks.csv")
    assert {row["block"] for row in expected} == set(solved.block_mean_k)
    for row in expected:
        assert solved.block_mean_k[row["block"]] == pytest.approx(float(row["T_K"]), abs=TOLERANCE_K)
    grid_file = folder / f"expected_steady_grid_{stack.source_index}_silicon_src.csv"
    north_first = np.loadtxt(grid_file, delimiter=",")
    np.testing.assert_allclose(solved.temperature_k, north_first[::-1], rtol=0, atol=TOLERANCE_K)


def test_pulsed_cores_follow_those_of_3dice() -> None:
    """40 slots of 1 ms, cores on for five and off for five, five backward-Euler steps a slot."""
    folder = CASES / "i03_transient_bare_dimm"
    floorplan, stack, ambient_k, grid = case_inputs(folder)
    timing = yaml.safe_load((folder / "case.yaml").read_text())["transient"]
    blocks = BlockGrid(floorplan, *grid)
    network = build_network(stack, floorplan.width_m, floorplan.height_m, *grid)
    steps = round(timing["slot_s"] / timing["step_s"])
    names = blocks.names
    slots_w = [blocks.cell_power_w({name: float(row[name]) for name in names}) for row in rows_of(folder / "power.csv")]
    start_k = np.full(network.shape, timing["T0_K"] - ambient_k)
    rises = transient_rise(network, (power_w for power_w in slots_w for _ in range(steps)), timing["step_s"], start_k)
    ends = [rise[network.source_index] for i, rise in enumerate(rises) if i % steps == steps - 1]
    expected = rows_of(folder / "expected_trace.csv")
    assert len(ends) == len(expected) == timing["samples"]
    for end_k, row in zip(ends, expected, strict=True):
        means = blocks.block_mean(ambient_k + end_k)
        assert [means[name] for name in names] == pytest.approx([float(row[name]) for name in names], abs=TOLERANCE_K)
