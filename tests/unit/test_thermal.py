"""Temperatures against closed forms, and the edges of the thermal package's inputs."""

import math

import numpy as np
import pytest
from scipy.fft import dctn, idctn

from pim.area.silicon import DIE_8GBIT_MM2
from pim.errors import ConfigError
from thermal import (
    AirStream,
    Block,
    BlockKind,
    CorePlace,
    Floorplan,
    Layer,
    Material,
    Stack,
    bare_dimm_package,
    block_power,
    buffer_die,
    core_heat,
    dram_die,
    solve_die,
    spread,
)
from thermal.materials import MOULD, PCB, SILICON
from thermal.network import Array, Network, build_network
from thermal.solve import Method, heat_out_w, steady_rise
from thermal.stack import annular_fin_efficiency, flat_plate_w_m2k
from thermal.transient import transient_rise

DIE_M2 = DIE_8GBIT_MM2 * 1e-6
SIDE_M = 0.008
SLAB = Stack(
    (
        Layer("mould", 3e-4, MOULD),
        Layer("silicon", 1e-4, SILICON, is_source=True),
        Layer("board", 1.4e-3, PCB),
    ),
    top_w_m2k=50.0,
    bottom_w_m2k=700.0,
)
WHOLE = Floorplan("slab", SIDE_M, SIDE_M, (Block("all", BlockKind.PERIPHERY, 0.0, 0.0, SIDE_M, SIDE_M),))


def test_uniform_slab_matches_two_resistances_in_parallel() -> None:
    up = 1e-4 / (2 * 130.0) + 3e-4 / 0.8 + 1 / 50.0
    down = 1e-4 / (2 * 130.0) + 1.4e-3 / 8.0 + 1 / 700.0
    rise_k = 1.5 / SIDE_M**2 / (1 / up + 1 / down)
    solved = solve_die(WHOLE, SLAB, {"all": 1.5}, ambient_k=300.0, grid=(5, 7))
    assert solved.temperature_k == pytest.approx(300.0 + rise_k, rel=1e-12)
    assert solved.heat_top_w == pytest.approx(rise_k / up * SIDE_M**2, rel=1e-9)
    assert solved.rise_k == pytest.approx(rise_k, rel=1e-9)


def test_one_sided_slab_with_adiabatic_top() -> None:
    one_sided = Stack(SLAB.layers, top_w_m2k=0.0, bottom_w_m2k=700.0)
    solved = solve_die(WHOLE, one_sided, {"all": 1.0}, ambient_k=300.0, grid=(3, 3))
    down = 1e-4 / (2 * 130.0) + 1.4e-3 / 8.0 + 1 / 700.0
    assert solved.rise_k == pytest.approx(down / SIDE_M**2, rel=1e-9)
    assert solved.layers_k[0] == pytest.approx(solved.temperature_k, rel=1e-12), "no heat flows into the mould"
    assert solved.heat_top_w == 0.0


def cosine_error_k(n: int) -> float:
    """Greatest error for cos(pi x / L) heating of one layer, whose exact answer is a cosine too."""
    layer = Layer("silicon", 2e-4, SILICON, is_source=True)
    stack = Stack((layer,), top_w_m2k=5000.0, bottom_w_m2k=0.0)
    network = build_network(stack, SIDE_M, SIDE_M / 4, 2, n)
    edges = np.linspace(0.0, math.pi, n + 1)
    flux_w_m2 = 1e4
    in_cells_w = flux_w_m2 * np.diff(np.sin(edges)) * SIDE_M / math.pi * SIDE_M / 4 / 2
    rise = steady_rise(network, np.tile(in_cells_w, (2, 1)))[0, 0]
    to_air = 1 / (2e-4 / (2 * 130.0) + 1 / 5000.0)
    centres = (edges[1:] + edges[:-1]) / 2
    exact = flux_w_m2 / (to_air + 130.0 * 2e-4 * (math.pi / SIDE_M) ** 2) * np.cos(centres)
    return float(np.abs(rise - exact).max())


def test_lateral_error_falls_with_the_square_of_the_cell() -> None:
    errors = [cosine_error_k(n) for n in (16, 32, 64)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.02)


def vertical_error_k(n: int) -> float:
    """Error at the heated lower face, for a slab cut into n layers of one material."""
    thickness_m, k, h, flux_w_m2 = 1e-3, 1.0, 500.0, 1e4
    material = Material("test", k, 1e6, "hand")
    layers = tuple(Layer(f"l{i}", thickness_m / n, material, i == n - 1) for i in range(n))
    network = build_network(Stack(layers, top_w_m2k=h, bottom_w_m2k=0.0), SIDE_M, SIDE_M, 1, 1)
    rise = steady_rise(network, np.full((1, 1), flux_w_m2 * SIDE_M**2))
    surface = flux_w_m2 * (1 / h + thickness_m / k)
    return abs(float(rise[-1, 0, 0]) - surface)


def test_vertical_profile_converges_to_the_heated_face() -> None:
    assert vertical_error_k(1) / vertical_error_k(8) == pytest.approx(8.0, rel=1e-6), "half a cell's resistance"


def reference_rise(stack: Stack, width_m: float, height_m: float, power_w: Array) -> Array:
    """Solve the same finite volumes without a matrix: cosine modes laterally, one small system per mode."""
    rows, columns = power_w.shape
    dx_m, dy_m = width_m / columns, height_m / rows
    t = np.array([layer.thickness_m for layer in stack.layers])
    k = np.array([layer.material.conductivity_w_mk for layer in stack.layers])
    modes_x = 2 - 2 * np.cos(math.pi * np.arange(columns) / columns)
    modes_y = 2 - 2 * np.cos(math.pi * np.arange(rows) / rows)
    n = len(t)
    systems = np.zeros((rows, columns, n, n))
    area = dx_m * dy_m
    for i in range(n):
        systems[:, :, i, i] += k[i] * t[i] * (modes_x[None, :] * dy_m / dx_m + modes_y[:, None] * dx_m / dy_m)
    for i in range(n - 1):
        link = area / (t[i] / k[i] / 2 + t[i + 1] / k[i + 1] / 2)
        systems[:, :, i, i] += link
        systems[:, :, i + 1, i + 1] += link
        systems[:, :, i, i + 1] -= link
        systems[:, :, i + 1, i] -= link
    systems[:, :, 0, 0] += area / (t[0] / k[0] / 2 + 1 / stack.top_w_m2k)
    systems[:, :, -1, -1] += area / (t[-1] / k[-1] / 2 + 1 / stack.bottom_w_m2k)
    right = np.zeros((rows, columns, n))
    right[:, :, stack.source_index] = dctn(power_w, norm="ortho")
    modes = np.linalg.solve(systems, right[..., None])[..., 0]
    return np.stack([idctn(modes[:, :, i], norm="ortho") for i in range(n)])


@pytest.mark.parametrize("method", [Method.DIRECT, Method.CG])
def test_sparse_solution_equals_cosine_mode_solution(method: Method) -> None:
    power_w = np.random.default_rng(7).uniform(0.0, 1e-3, (12, 20))
    stack = bare_dimm_package(SIDE_M * 0.006)
    network = build_network(stack, SIDE_M, 0.006, 12, 20)
    rise = steady_rise(network, power_w, method)
    np.testing.assert_allclose(rise, reference_rise(stack, SIDE_M, 0.006, power_w), rtol=1e-8)


def test_heat_leaves_as_it_enters() -> None:
    floorplan = dram_die(die_m2=DIE_M2, place=CorePlace.BANK, n_cores=16, core_m2=0.14e-6)
    solved = solve_die(floorplan, bare_dimm_package(floorplan.area_m2), {"core3": 0.02, "bank9": 0.03})
    assert solved.heat_top_w + solved.heat_bottom_w == pytest.approx(0.05, rel=1e-9)


def test_no_power_is_ambient_everywhere() -> None:
    solved = solve_die(dram_die(die_m2=DIE_M2), bare_dimm_package(60e-6), {}, ambient_k=310.0, grid=(4, 6))
    assert (solved.layers_k == 310.0).all()


def test_mirrored_floorplan_gives_mirrored_temperatures() -> None:
    floorplan = dram_die(die_m2=DIE_M2, place=CorePlace.BANK, n_cores=16, core_m2=0.14e-6)
    stack = bare_dimm_package(floorplan.area_m2)
    west = solve_die(floorplan, stack, {"core0": 0.02})
    east = solve_die(floorplan, stack, {"core7": 0.02})
    north = solve_die(floorplan, stack, {"core8": 0.02})
    np.testing.assert_allclose(west.temperature_k, east.temperature_k[:, ::-1], rtol=1e-12)
    np.testing.assert_allclose(west.temperature_k, north.temperature_k[::-1, :], rtol=1e-12)


def test_conductances_without_faces_sum_to_zero() -> None:
    network = build_network(SLAB, SIDE_M, SIDE_M, 4, 5)
    row_sums = (network.conductance_w_k @ np.ones(3 * 20)).reshape(3, 4, 5)
    assert row_sums[0] == pytest.approx(network.top_w_k)
    assert row_sums[1] == pytest.approx(0.0, abs=1e-12)
    assert row_sums[2] == pytest.approx(network.bottom_w_k)
    assert (abs(network.conductance_w_k - network.conductance_w_k.T)).max() == 0.0


def test_heat_out_counts_both_faces() -> None:
    network = build_network(SLAB, SIDE_M, SIDE_M, 2, 2)
    top_w, bottom_w = heat_out_w(network, np.ones(network.shape))
    assert (top_w, bottom_w) == pytest.approx((4 * network.top_w_k, 4 * network.bottom_w_k))


def test_grid_is_fine_enough_for_the_peak() -> None:
    floorplan = dram_die(die_m2=DIE_M2, place=CorePlace.SPINE, n_cores=4, core_m2=0.14e-6)
    stack = bare_dimm_package(floorplan.area_m2)
    power_w = spread(0.1, floorplan.of_kind(BlockKind.CORE))
    coarse = solve_die(floorplan, stack, power_w)
    fine = solve_die(floorplan, stack, power_w, grid=(64, 96))
    assert coarse.rise_k == pytest.approx(fine.rise_k, rel=0.01)


def test_single_sided_package_lies_in_the_published_band() -> None:
    """At 1 m/s 46.6 (4-layer board) to 57.3 K/W (2-layer): Micron 54-ball VFBGA SDRAM sheet, table 13."""
    floorplan = dram_die(die_m2=DIE_M2)
    stack = bare_dimm_package(floorplan.area_m2, air_m_s=1.0, faces_populated=1)
    theta_k_w = solve_die(floorplan, stack, spread(1.0, floorplan.blocks)).rise_k
    assert 46.6 <= theta_k_w <= 57.3


def test_package_behind_halves_the_board() -> None:
    single, double = (bare_dimm_package(60e-6, faces_populated=n) for n in (1, 2))
    assert double.top_w_m2k == single.top_w_m2k
    assert 0.4 * single.bottom_w_m2k < double.bottom_w_m2k < 0.5 * single.bottom_w_m2k


def test_flat_plate_follows_hand_values() -> None:
    """44, 36, 22 W/m2K for 8, 12, 31 mm at 1 m/s, plus 5 for radiation."""
    assert flat_plate_w_m2k(1.0, 0.008) == pytest.approx(44 + 5, abs=0.5)
    assert flat_plate_w_m2k(1.0, 0.012) == pytest.approx(36 + 5, abs=0.5)
    assert flat_plate_w_m2k(1.0, 0.031) == pytest.approx(22 + 5, abs=0.5)
    assert flat_plate_w_m2k(4.0, 0.012) - 5 == pytest.approx(2 * (flat_plate_w_m2k(1.0, 0.012) - 5))


def test_thin_ring_is_a_perfect_fin_and_a_long_one_a_straight_fin() -> None:
    assert annular_fin_efficiency(0.004, 0.0041, 50.0) == pytest.approx(1.0, abs=1e-3)
    reach_m, decay = 0.002, 800.0
    straight = math.tanh(decay * reach_m) / (decay * reach_m)
    assert annular_fin_efficiency(1.0 / 2, 1.0 / 2 + reach_m, decay) == pytest.approx(straight, rel=5e-3)


@pytest.mark.parametrize(("place", "n_cores"), [(CorePlace.BANK, 16), (CorePlace.BANK, 32), (CorePlace.SPINE, 5)])
def test_cores_grow_the_die_by_their_area(place: CorePlace, n_cores: int) -> None:
    floorplan = dram_die(die_m2=DIE_M2, place=place, n_cores=n_cores, core_m2=0.2e-6)
    cores = floorplan.of_kind(BlockKind.CORE)
    assert [block.name for block in cores] == [f"core{i}" for i in range(n_cores)]
    assert [block.area_m2 for block in cores] == pytest.approx([0.2e-6] * n_cores)
    assert floorplan.area_m2 == pytest.approx(58.48e-6 + n_cores * 0.2e-6)
    assert sum(block.area_m2 for block in floorplan.blocks) == pytest.approx(floorplan.area_m2)
    assert len(floorplan.of_kind(BlockKind.BANK)) == 16


def test_a_bank_core_sits_under_its_bank() -> None:
    floorplan = dram_die(die_m2=DIE_M2, place=CorePlace.BANK, n_cores=16, core_m2=0.14e-6)
    blocks = {block.name: block for block in floorplan.blocks}
    for i in range(16):
        core, bank = blocks[f"core{i}"], blocks[f"bank{i}"]
        assert (core.left_m, core.width_m) == pytest.approx((bank.left_m, bank.width_m))
        touching = (
            bank.bottom_m + bank.height_m - core.bottom_m if i < 8 else core.bottom_m + core.height_m - bank.bottom_m
        )
        assert touching == pytest.approx(0.0, abs=1e-12)


def test_buffer_die_holds_its_cores() -> None:
    floorplan = buffer_die(periphery_m2=8e-6, n_cores=4, core_m2=0.5e-6)
    assert floorplan.area_m2 == pytest.approx(10e-6)
    assert len(floorplan.of_kind(BlockKind.CORE)) == 4


def test_air_warms_by_its_heat_balance() -> None:
    """16 x 0.25 W into 1.11 kg/m3 x 1007 J/kgK x 1 m/s x 9.5 mm x 31.25 mm = 0.3318 W/K: 12.05 K, 15/16 at the last."""
    assert AirStream().warming_k(0.25) == pytest.approx(4.0 / 0.3318 * 15 / 16, rel=1e-3)
    assert AirStream(speed_m_s=2.0).warming_k(0.25) == pytest.approx(AirStream().warming_k(0.25) / 2)
    assert AirStream(columns=1, packages=1).warming_k(0.25) == pytest.approx(0.25 / 0.3318 / 2, rel=1e-3)


def test_warm_air_adds_to_the_rise() -> None:
    floorplan = dram_die(die_m2=DIE_M2, place=CorePlace.BANK, n_cores=16, core_m2=0.06e-6)
    stack, stream = bare_dimm_package(floorplan.area_m2), AirStream()
    idle_w = block_power(floorplan, background_w=0.06, banks_w=0.0, core_w=0.0)
    computing_w = block_power(floorplan, background_w=0.06, banks_w=0.1, core_w=0.005)
    alone = core_heat(floorplan, stack, idle_w, computing_w)
    in_stream = core_heat(floorplan, stack, idle_w, computing_w, air=stream)
    assert in_stream.rise_over_air_k == pytest.approx(alone.rise_k)
    assert in_stream.rise_k == pytest.approx(alone.rise_k + stream.warming_k(0.1 + 16 * 0.005))
    assert in_stream.peak_c == pytest.approx(alone.peak_c + stream.warming_k(0.06 + 0.1 + 16 * 0.005))


@pytest.mark.parametrize("place", list(CorePlace))
def test_block_power_shares_out_all_of_it(place: CorePlace) -> None:
    floorplan = dram_die(die_m2=DIE_M2, place=place, n_cores=16, core_m2=0.06e-6)
    power_w = block_power(floorplan, background_w=0.06, banks_w=0.1, core_w=0.005)
    assert set(power_w) == {block.name for block in floorplan.blocks}
    assert sum(power_w.values()) == pytest.approx(0.06 + 0.1 + 16 * 0.005)
    assert power_w["core5"] == 0.005
    assert power_w["bank5"] - power_w["bank6"] == pytest.approx(0.0, abs=1e-12)


def test_place_of_the_background_hardly_moves_the_peak() -> None:
    floorplan = dram_die(die_m2=DIE_M2)
    stack = bare_dimm_package(floorplan.area_m2)
    spread_out = solve_die(floorplan, stack, block_power(floorplan, background_w=0.1, banks_w=0.0, core_w=0.0))
    in_spine = solve_die(floorplan, stack, {"spine": 0.1})
    assert 0 < in_spine.peak_k - spread_out.peak_k < 1.0


def single_cell() -> "tuple[Network, float, float]":
    """One cell between two faces: network, its heat path in W/K and its capacity in J/K."""
    stack = Stack((Layer("silicon", 2e-4, SILICON, is_source=True),), 100.0, 300.0)
    network = build_network(stack, SIDE_M, SIDE_M, 1, 1)
    path_w_k = SIDE_M**2 * (1 / (1e-4 / 130.0 + 1 / 100.0) + 1 / (1e-4 / 130.0 + 1 / 300.0))
    return network, path_w_k, 1.63e6 * SIDE_M**2 * 2e-4


def test_one_cell_charges_like_backward_euler_says() -> None:
    network, path_w_k, capacity_j_k = single_cell()
    step_s = 0.1
    power_w = np.full((1, 1), 0.5)
    rises = list(transient_rise(network, iter([power_w] * 3), step_s, np.zeros(network.shape)))
    final_k, decay = 0.5 / path_w_k, 1 / (1 + path_w_k * step_s / capacity_j_k)
    assert [float(rise.item()) for rise in rises] == pytest.approx([final_k * (1 - decay**n) for n in (1, 2, 3)])


def test_transient_error_falls_with_the_step() -> None:
    network, path_w_k, capacity_j_k = single_cell()
    span_s = capacity_j_k / path_w_k
    exact_k = 0.5 / path_w_k * (1 - math.exp(-1.0))

    def error_k(n: int) -> float:
        powers = iter([np.full((1, 1), 0.5)] * n)
        *_, last = transient_rise(network, powers, span_s / n, np.zeros(network.shape))
        return abs(float(last.item()) - exact_k)

    assert error_k(40) / error_k(80) == pytest.approx(2.0, rel=0.05)


def test_steady_state_does_not_move() -> None:
    network = build_network(SLAB, SIDE_M, SIDE_M, 3, 4)
    power_w = np.linspace(0.0, 0.1, 12).reshape(3, 4)
    steady = steady_rise(network, power_w)
    (after,) = transient_rise(network, iter([power_w]), 0.5, steady)
    np.testing.assert_allclose(after, steady, rtol=1e-9)


def test_core_heat_is_the_difference_of_peaks_and_warns_above_85_c() -> None:
    floorplan = dram_die(die_m2=DIE_M2, place=CorePlace.BANK, n_cores=16, core_m2=0.14e-6)
    stack = bare_dimm_package(floorplan.area_m2)
    background_w = spread(0.05, floorplan.blocks)

    def heat(core_w: float) -> "tuple[float, str, float]":
        cores_w = {block.name: core_w for block in floorplan.of_kind(BlockKind.CORE)}
        both = {name: background_w[name] + cores_w.get(name, 0.0) for name in background_w}
        result = core_heat(floorplan, stack, background_w, both)
        assert result.rise_k == pytest.approx(result.computing.peak_k - result.idle.peak_k)
        return result.rise_k, result.warning, result.refresh_window_ms

    cool_k, cool_warning, cool_ms = heat(0.005)
    warm_k, warm_warning, warm_ms = heat(0.03)
    assert 6.0 * cool_k == pytest.approx(warm_k, rel=0.05), "conduction is linear; only the peak's place moves"
    assert (cool_warning, cool_ms) == ("", 64.0)
    assert warm_ms == 32.0
    assert "above 85 C" in warm_warning


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Stack(SLAB.layers, 0.0, 0.0), "heat must leave"),
        (lambda: Stack((SLAB.layers[0],), 1.0, 1.0), "exactly one layer must be the source"),
        (lambda: Stack((Layer("thin", 0.0, SILICON, True),), 1.0, 1.0), "layer 'thin': thickness_m"),
        (lambda: Material("void", 0.0, 1.0, "none"), "material 'void': conductivity_w_mk"),
        (lambda: Floorplan("x", 1.0, 1.0, (*WHOLE.blocks, *WHOLE.blocks)), "got twice: \\['all'\\]"),
        (lambda: Floorplan("x", 0.004, 1.0, WHOLE.blocks), "lie on the die"),
        (
            lambda: Floorplan("x", 1.0, 1.0, (*WHOLE.blocks, Block("b", BlockKind.BANK, 0.004, 0.0, 0.1, 0.1))),
            "'all' and 'b' overlap",
        ),
        (lambda: solve_die(WHOLE, SLAB, {"al": 1.0}), "no blocks named \\['al'\\]"),
        (lambda: solve_die(WHOLE, SLAB, {"all": -1.0}), "finite and >= 0 W"),
        (lambda: solve_die(WHOLE, SLAB, {"all": math.nan}), "finite and >= 0 W"),
        (lambda: solve_die(WHOLE, SLAB, {}, ambient_k=0.0), "ambient_k must be > 0 K"),
        (lambda: solve_die(WHOLE, SLAB, {}, grid=(0, 4)), "rows and columns"),
        (lambda: dram_die(die_m2=DIE_M2, place=CorePlace.BANK, n_cores=4, core_m2=1e-7), "multiple of 16, got 4"),
        (lambda: dram_die(die_m2=DIE_M2, n_cores=16, core_m2=1e-7), "go together"),
        (lambda: bare_dimm_package(60e-6, faces_populated=3), "faces_populated must be 1 or 2"),
        (lambda: bare_dimm_package(1e-3), "die must fit the 96 mm2 package"),
        (lambda: flat_plate_w_m2k(0.0, 0.01), "must be > 0"),
        (lambda: spread(1.0, ()), "over no blocks"),
        (lambda: AirStream(speed_m_s=0.0), "speed must be > 0"),
        (lambda: AirStream(columns=8, packages=4), "columns <= packages"),
        (lambda: next(transient_rise(single_cell()[0], iter([]), 0.0, np.zeros((1, 1, 1)))), "step must be > 0 s"),
        (
            lambda: next(transient_rise(single_cell()[0], iter([np.zeros((2, 2))]), 1.0, np.zeros((1, 1, 1)))),
            "shape \\(1, 1\\), got \\(2, 2\\)",
        ),
    ],
)
def test_wrong_input_is_named(make, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ConfigError, match=message):
        make()
