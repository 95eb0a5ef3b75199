"""``scalein map``: what it prints, and what it refuses."""

import pytest

from pim.config import load_system, with_overrides
from pim.system.levels import window_place
from study.cli import run_command


def printed(capsys, *arguments):
    assert run_command(["map", *arguments]) == 0
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def test_one_map_of_one_address(capsys):
    one = ("--set", "geometry.channels=1", "--set", "geometry.ranks_per_channel=1")
    rows = printed(capsys, "0x1234_5678", "--map", "RoBaRaCoCh", *one)
    address = 0x1234_5678
    expected = [0, 0, address >> 13 & 3, address >> 15 & 3, address >> 17, address >> 6 & 127, address & 63]
    assert rows[1] == ["RoBaRaCoCh", *map(str, expected)]


def test_all_maps_are_shown(capsys):
    rows = printed(capsys, "4096")
    assert len(rows) == 9
    assert {row[0] for row in rows[1:]} >= {"RoBaRaCoCh", "RoRaBaCoBgCh-xor"}


def test_a_core_of_the_rank_has_banks_of_its_own(capsys):
    rows = printed(capsys, "0x8000_2040", "--machine", "rank", "--core", "3")
    assert rows[1] == ["3", "3", "1", "0", "1", "0"]  # the second row of its window: group 3, its second bank


@pytest.mark.parametrize("cores", [2, 4, 8, 16])
@pytest.mark.parametrize("level", ["chip", "rank"])
def test_cores_share_no_bank_and_use_all(level, cores):
    system = with_overrides(load_system(level), {"cores_per_location": cores})
    rows = [window_place(system, core, row * system.row_bytes)[:2] for core in range(cores) for row in range(64)]
    assert len(set(rows)) == cores * 64
    owners = {}
    for (bank, _), core in zip(rows, [core for core in range(cores) for _ in range(64)], strict=True):
        owners.setdefault(bank, set()).add(core)
    assert sorted(owners) == list(range(16))
    assert all(len(cores_there) == 1 for cores_there in owners.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x"], "address: must be a number"),
        (["-1"], "No such option"),
        (["0x10_0000_0000"], "address: the memory of 'bank' ends at 0x800000000"),
        (["0", "--map", "RoBa"], "unknown map 'RoBa'"),
        (["0", "--core", "16"], "--core: 'bank' has 0 to 15 in a group, got 16"),
        (["0", "--core", "1"], "address: a core's memory is 0x80000000 to 0x84000000, got 0x0"),
    ],
)
def test_wrong_input_is_refused(arguments, message, capsys):
    assert run_command(["map", *arguments]) == 2
    assert message in capsys.readouterr().err
