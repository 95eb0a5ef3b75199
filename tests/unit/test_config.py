import pytest

from pim.config import TimingSpec, load_system, preset_names, round_up_nck, with_overrides
from pim.errors import ConfigError

# DDR4-2400 in clocks as two public DRAM simulators have them (DRAMsim3 DDR4_8Gb_x8_2400, Ramulator 2 DDR4-2400)
PUBLISHED_NCK = {
    "nrcd": 17, "nrp": 17, "nras": 39, "ncl": 17, "ncwl": 12, "nccd_s": 4, "nccd_l": 6, "nrrd_s": 4, "nrrd_l": 6,
    "nfaw": 26, "nwr": 18, "nrtp": 9, "nwtr_l": 9,
}  # fmt: skip


def test_clocks_match_public_simulators():
    assert {k: v for k, v in TimingSpec().to_kernel()._asdict().items() if k in PUBLISHED_NCK} == PUBLISHED_NCK


def test_rounding_forgives_less_than_three_percent_of_a_clock():
    assert round_up_nck(16.026, 1.0) == 17
    assert round_up_nck(16.025, 1.0) == 16


@pytest.mark.parametrize(("name", "cores"), [("bank", 512), ("chip", 32), ("rank", 16)])
def test_presets_have_the_cores_they_say(name, cores):
    system = load_system(name)
    assert system.n_cores == cores
    assert system.n_groups * system.cores_per_group == cores
    assert system.window_bytes * cores == 4 * 8 * 2**30  # the whole of 2 x 2 ranks of 8 chips of 1 GiB


def test_every_preset_loads():
    assert {load_system(name).name for name in preset_names()} == set(preset_names())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("level: bank\ncore: {clock_mzh: 3}", r"line 2: core.clock_mzh: unknown key, did you mean 'clock_mhz'"),
        ("level: bnak", r"level: .*'bank', 'chip' or 'rank', got 'bnak'"),
        ("level: [", r"line 1: not valid YAML"),
        ("level: bank\nlevel: chip", r"line 2: level: given twice, first in line 1"),
        ("level: bank\nzebra: 1", r"line 2: zebra: unknown key; allowed are .*, cores_per_location, .*, window_map$"),
        ("- 1", r"must hold keys and values, got list"),
        ("level: chip\nport: row", r"port: 'row' needs cores at the bank"),
        ("level: bank\ncore: {clock_mhz: 0}", r"core.clock_mhz: .*greater than or equal to 1, got 0"),
        ("port: column", r"level: Field required"),
        (
            "level: bank\ncore: {instruction_buffer_bytes: 64}",
            r"core: instruction_line_bytes must be between 16 and half of instruction_buffer_bytes \(64; .* got 64",
        ),
        ("level: chip\ncores_per_location: 3", r"cores_per_location: must be a power of two, got 3"),
        ("level: bank\ngeometry: {row_bytes: 1000}", r"geometry.row_bytes: must be a power of two, got 1000"),
        ("level: rank\ngeometry: {chips_per_rank: 9}", r"chips_per_rank: .* need a power of two.*, got 9"),
        ("level: bank\ntiming: {trefi_ns: 300}", r"timing: trefi_ns must be longer than trfc_ns \(350.0 ns\), got 300"),
    ],
)
def test_bad_machine_file_says_where_what_got_and_allowed(tmp_path, text, message):
    path = tmp_path / "machine.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message) as caught:
        load_system(path)
    assert str(path) in str(caught.value)


def test_unknown_preset_lists_the_known():
    with pytest.raises(ConfigError, match="bank, chip, rank"):
        load_system("banc")


def test_overrides_run_all_checks():
    assert with_overrides(load_system("bank"), {"core.clock_mhz": 400}).core.clock_mhz == 400
    with pytest.raises(ConfigError, match="one core a bank"):
        with_overrides(load_system("bank"), {"cores_per_location": 2})


@pytest.mark.parametrize(
    ("preset", "changes", "checked"),
    [
        ("bank", {}, True),
        ("bank", {"core.clock_mhz": 1200}, True),
        ("bank", {"core.extensions": "rv32imc"}, True),
        ("bank", {"port": "row", "core.sector_bytes": 1024}, True),
        ("bank", {"timing.trefi_ns": 3900.0}, True),
        ("bank", {"core.clock_mhz": 1201}, False),
        ("bank", {"core.extensions": "rv64imac"}, False),
        ("bank", {"core.extensions": "rv64imafdc"}, False),
        ("bank", {"core.line_buffers": 4}, False),
        ("bank", {"core.sector_bytes": 128}, False),
        ("bank", {"core.cycles.mul": 4}, False),
        ("bank", {"core.taken_branch_penalty": 1}, False),
        ("bank", {"controller.scheduling": "fr-fcfs"}, False),
        ("bank", {"controller.page": "closed"}, False),
        ("bank", {"column_bursts": 4}, False),
        ("chip", {}, False),
        ("rank", {}, False),
    ],
)
def test_rtl_checked_is_what_the_lockstep_covers(preset, changes, checked):
    assert with_overrides(load_system(preset), changes).rtl_checked is checked
