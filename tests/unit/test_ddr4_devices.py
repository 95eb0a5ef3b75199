"""Devices by name, rounding to clocks, overrides in clocks and fine-granularity refresh."""

import pytest

from pim.config import ClockOverrides, ClockTiming, TimingSpec, device_names, load_system, round_up_nck, with_overrides
from pim.errors import ConfigError

pytestmark = pytest.mark.plain

SIMULATED = {  # Ramulator 2.1: nCL, nRCD, nRP, nRAS, nWR, nRTP, nCWL, nCCDL, nWTRS, nWTRL, nRRDL, nFAW
    "ddr4-2133-8gb-x8": (15, 15, 15, 36, 16, 8, 11, 6, 3, 8, 6, 23),
    "ddr4-2400-8gb-x8": (17, 17, 17, 39, 18, 9, 12, 6, 3, 9, 6, 26),
    "ddr4-3200-8gb-x8": (22, 22, 22, 52, 24, 12, 16, 8, 4, 12, 8, 34),
}
NAMES = ("ncl", "nrcd", "nrp", "nras", "nwr", "nrtp", "ncwl", "nccd_l", "nwtr_s", "nwtr_l", "nrrd_l", "nfaw")


def device(name, level="rank"):
    return with_overrides(load_system(level), {"device": name})


@pytest.mark.parametrize("name", SIMULATED)
def test_clocks_of_a_grade_are_those_of_another_simulator(name):
    clocks = device(name).timing.to_kernel()
    assert tuple(getattr(clocks, field) for field in NAMES) == SIMULATED[name]


def test_the_default_machine_has_the_named_default_device():
    for level in ("bank", "chip", "rank"):
        assert device("ddr4-2400-8gb-x8", level) == load_system(level)


@pytest.mark.parametrize("name", device_names())
def test_every_device_fits_a_rank_of_64_bits(name):
    system = device(name)
    geometry = system.geometry
    assert geometry.chips_per_rank * geometry.device_width == 64
    assert system.column_bytes == 64
    assert geometry.row_bytes * 8 == 1024 * geometry.device_width
    assert geometry.banks_per_chip == (8 if geometry.device_width == 16 else 16)
    assert geometry.rows_per_bank * geometry.banks_per_chip * geometry.row_bytes == geometry.chip_bytes


def test_wider_devices_hold_activates_back_longer():
    clocks = {width: device(f"ddr4-2400-8gb-x{width}").timing.to_kernel() for width in (4, 8, 16)}
    assert [clocks[width].nfaw for width in (4, 8, 16)] == [16, 26, 36]
    assert (clocks[16].nrrd_s, clocks[16].nrrd_l) == (7, 8)


def test_own_settings_of_a_machine_file_come_before_the_devices(tmp_path):
    path = tmp_path / "machine.yaml"
    path.write_text("level: rank\ndevice: ddr4-3200-16gb-x8\ntiming: {trcd_ns: 20.0}\ncore: {line_bytes: 64}\n")
    system = load_system(path)
    assert (system.timing.trcd_ns, system.timing.tck_ns, system.geometry.device_gbit) == (20.0, 0.625, 16)


def test_unknown_device_is_refused_with_a_near_one():
    with pytest.raises(ConfigError, match=r"unknown device 'ddr4-2400-8gb-x9', did you mean 'ddr4-2400-8gb-x[48]'"):
        device("ddr4-2400-8gb-x9")


@pytest.mark.parametrize(("clocks", "expected"), [(16.0, 16), (16.025, 16), (16.026, 17), (16.5, 17)])
def test_rounding_forgives_two_and_a_half_percent_of_a_clock(clocks, expected):
    assert round_up_nck(clocks, 1.0) == expected


def test_every_timing_can_be_given_in_clocks():
    assert tuple(ClockOverrides.model_fields) == ClockTiming._fields
    given = {name: 50 + i for i, name in enumerate(ClockTiming._fields)} | {"nrefi": 5000}
    assert TimingSpec(nck=ClockOverrides(**given)).to_kernel()._asdict() == given


@pytest.mark.parametrize(("mode", "trfc_ns"), [(1, 350.0), (2, 260.0), (4, 160.0)])
def test_fine_refresh_comes_more_often_and_is_shorter(mode, trfc_ns):
    clocks = TimingSpec(fine_refresh=mode).to_kernel()
    assert clocks.nrefi == int(7800 / mode / 0.833)
    assert clocks.nrfc == round_up_nck(trfc_ns, 0.833)


def test_refresh_that_leaves_no_time_is_refused():
    with pytest.raises(ConfigError, match="must leave time"):
        with_overrides(load_system("bank"), {"timing.nck.nrefi": 400})
