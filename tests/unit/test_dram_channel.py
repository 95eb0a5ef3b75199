"""The rules between two commands, one at a time: blocked at n - 1, ready at n; and what banks' states allow."""

import pytest

from pim.config import TimingSpec
from pim.dram.channel import state_clocks
from pim.dram.command import Command
from pim.dram.constraints import RULES
from tests.support.channels import CommandBus

pytestmark = pytest.mark.plain

T = TimingSpec().to_kernel()
HERE, SAME_GROUP, SAME_RANK, OTHER_RANK = (0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 0, 0)
WRITTEN = T.ncwl + T.nbl  # from WR to the end of its data
READ_TO_WRITE = T.ncl + T.nbl + 2 - T.ncwl

PAIRS = [
    ("ACT", "RD", HERE, T.nrcd),
    ("ACT", "WRA", HERE, T.nrcd),
    ("ACT", "PRE", HERE, T.nras),
    ("ACT", "ACT", HERE, T.nras + T.nrp),
    ("PRE", "ACT", HERE, T.nrp),
    ("RD", "PRE", HERE, T.nrtp),
    ("WR", "PRE", HERE, WRITTEN + T.nwr),
    ("RDA", "ACT", HERE, T.nrtp + T.nrp),
    ("WRA", "ACT", HERE, WRITTEN + T.nwr + T.nrp),
    ("ACT", "ACT", SAME_GROUP, T.nrrd_l),
    ("ACT", "ACT", SAME_RANK, T.nrrd_s),
    ("ACT", "ACT", OTHER_RANK, 1),
    ("RD", "RD", HERE, T.nccd_l),
    ("RD", "RDA", SAME_GROUP, T.nccd_l),
    ("RDA", "RD", SAME_RANK, T.nccd_s),
    ("WR", "WR", SAME_GROUP, T.nccd_l),
    ("WR", "WRA", SAME_RANK, T.nccd_s),
    ("RD", "WR", HERE, READ_TO_WRITE),
    ("RD", "WR", SAME_RANK, READ_TO_WRITE),
    ("WR", "RD", HERE, WRITTEN + T.nwtr_l),
    ("WRA", "RD", SAME_GROUP, WRITTEN + T.nwtr_l),
    ("WR", "RDA", SAME_RANK, WRITTEN + T.nwtr_s),
    ("RD", "RD", OTHER_RANK, T.nbl + T.nrtrs),
    ("RD", "WR", OTHER_RANK, T.ncl + T.nbl + T.nrtrs - T.ncwl),
    ("WR", "RD", OTHER_RANK, T.ncwl + T.nbl + T.nrtrs - T.ncl),
    ("WR", "WR", OTHER_RANK, T.nbl),
    ("ACT", "PREA", SAME_RANK, T.nras),
    ("RD", "PREA", SAME_RANK, T.nrtp),
    ("WR", "PREA", SAME_RANK, WRITTEN + T.nwr),
    ("PREA", "ACT", SAME_RANK, T.nrp),
    ("ACT", "REF", SAME_RANK, T.nras + T.nrp),
    ("PRE", "REF", SAME_RANK, T.nrp),
    ("PREA", "REF", SAME_RANK, T.nrp),
    ("RDA", "REF", SAME_RANK, T.nrtp + T.nrp),
    ("WRA", "REF", SAME_RANK, WRITTEN + T.nwr + T.nrp),
    ("REF", "ACT", SAME_RANK, T.nrfc),
    ("REF", "REF", SAME_RANK, T.nrfc),
    ("REF", "PRE", SAME_RANK, T.nrfc),
    ("REF", "PREA", SAME_RANK, T.nrfc),
    ("REF", "ACT", OTHER_RANK, 1),
    ("ACT", "PDE", SAME_RANK, 2),
    ("REF", "PDE", SAME_RANK, 2),
    ("RD", "PDE", SAME_RANK, T.ncl + T.nbl + 1),
    ("WR", "PDE", SAME_RANK, WRITTEN + T.nwr),
    ("WRA", "PDE", SAME_RANK, WRITTEN + T.nwr + 1),
    ("PDE", "PDX", SAME_RANK, T.ncke),
    ("PDX", "PDE", SAME_RANK, T.ncke),
    ("PDX", "ACT", SAME_RANK, T.nxp),
    ("PDX", "RD", SAME_RANK, T.nxp),
    ("PDX", "REF", SAME_RANK, T.nxp),
    ("SRE", "SRX", SAME_RANK, T.ncke + 1),
    ("SRX", "ACT", SAME_RANK, T.nrfc + 12),
    ("SRX", "SRE", SAME_RANK, T.nrfc + 12),
    ("SRX", "PDE", SAME_RANK, T.nrfc + 12),
    ("SRX", "RD", SAME_RANK, 768),
    ("SRX", "WRA", SAME_RANK, 768),
    ("PRE", "SRE", SAME_RANK, T.nrp),
    ("REF", "SRE", SAME_RANK, T.nrfc),
    ("PDX", "SRE", SAME_RANK, T.nxp),
]


@pytest.mark.parametrize(("first", "second", "place", "clocks"), PAIRS)
def test_second_command_waits_for_the_first(first, second, place, clocks):
    bus = CommandBus(T, n_ranks=2)
    bus.issue(first, HERE, 5, 1000)
    assert bus.earliest(second, place) == 1000 + max(1, clocks)


def test_every_rule_between_two_commands_has_a_pair():
    scopes = {HERE: "BANK", SAME_GROUP: "GROUP", SAME_RANK: "RANK", OTHER_RANK: "OTHER_RANK"}
    tested = {(scopes[place], first.rstrip("A") if first in ("RDA", "WRA") else first) for first, _, place, _ in PAIRS}
    named = {(rule.scope.name, command.name) for rule in RULES for command in rule.before}
    folded = {(scope, name.rstrip("A") if name in ("RDA", "WRA") else name) for scope, name in named}
    assert folded <= tested | {("GROUP", "RD")}


def opened(*places, row=5):
    bus = CommandBus(T, n_ranks=2)
    for place in places:
        bus.issue_first("ACT", place, row)
    return bus


def assert_earliest_ready_at(bus, command, place, row, at):
    assert not bus.probe(command, place, row, at - 1)
    assert bus.probe(command, place, row, at)


def test_row_can_be_read_after_trcd():
    assert_earliest_ready_at(opened(HERE), "RD", HERE, 5, bus_start() + T.nrcd)


def bus_start():
    return CommandBus(T).issue_first("ACT", HERE, 5)


def test_fifth_act_within_tfaw_is_blocked():
    bus = opened((0, 0, 0), (0, 1, 0), (0, 2, 0), (0, 3, 0))
    assert_earliest_ready_at(bus, "ACT", (0, 0, 1), 5, bus_start() + T.nfaw)


def test_fifth_act_long_after_is_not_held_by_tfaw():
    bus = opened((0, 0, 0), (0, 1, 0), (0, 2, 0))
    at = bus.issue_first("ACT", (0, 3, 0), 5, 100)
    assert_earliest_ready_at(bus, "ACT", (0, 0, 1), 5, at + T.nrrd_s)


@pytest.mark.parametrize("command", ["RD", "RDA", "WR", "WRA"])
def test_column_needs_its_open_row(command):
    bus = opened(HERE)
    assert bus.probe(command, HERE, 5, 500)
    assert not bus.probe(command, HERE, 6, 500)
    assert not bus.probe(command, SAME_GROUP, 5, 500)


def test_open_bank_takes_no_act():
    bus = opened(HERE)
    assert not bus.probe("ACT", HERE, 6, 500)
    assert bus.probe("ACT", SAME_GROUP, 6, 500)


def test_refresh_needs_all_banks_of_the_rank_closed():
    bus = opened(HERE)
    assert not bus.probe("REF", HERE, -1, 500)
    bus.issue("RDA", HERE, 5, 500)
    assert bus.probe("REF", HERE, -1, 1000)
    other = opened(OTHER_RANK)
    assert other.probe("REF", HERE, -1, 1000)


def test_precharge_all_closes_every_bank():
    bus = opened(HERE, SAME_GROUP, SAME_RANK, OTHER_RANK)
    bus.issue_first("PREA", HERE, -1, 200)
    assert [bus.open_row(place) for place in (HERE, SAME_GROUP, SAME_RANK, OTHER_RANK)] == [-1, -1, -1, 5]


def test_powered_down_rank_takes_only_the_exit():
    bus = CommandBus(T, n_ranks=2)
    assert not bus.probe("PDX", HERE, -1, 50)
    bus.issue("PDE", HERE, -1, 100)
    assert [c.name for c in Command if bus.probe(c.name, HERE, 5, 500)] == ["PDX"]
    assert bus.probe("ACT", OTHER_RANK, 5, 500)
    bus.issue("PDX", HERE, -1, 500)
    assert_earliest_ready_at(bus, "ACT", HERE, 5, 500 + T.nxp)


def test_command_bus_takes_one_command_a_clock():
    bus = CommandBus(T, n_ranks=2)
    bus.issue("ACT", HERE, 5, 100)
    assert not bus.probe("ACT", OTHER_RANK, 5, 100)
    assert bus.probe("ACT", OTHER_RANK, 5, 101)


def test_rank_in_self_refresh_takes_only_the_exit():
    bus = CommandBus(T, n_ranks=2)
    assert not bus.probe("SRX", HERE, -1, 50)
    bus.issue("SRE", HERE, -1, 100)
    assert [c.name for c in Command if bus.probe(c.name, HERE, 5, 5000)] == ["SRX"]
    assert bus.probe("ACT", OTHER_RANK, 5, 5000)
    assert_earliest_ready_at(bus, "SRX", HERE, -1, 100 + T.ncke + 1)
    bus.issue("SRX", HERE, -1, 5000)
    assert_earliest_ready_at(bus, "ACT", HERE, 5, 5000 + T.nxs)
    at = bus.issue_first("ACT", HERE, 5)
    assert T.nxsdll > at - 5000 + T.nrcd
    assert_earliest_ready_at(bus, "RD", HERE, 5, 5000 + T.nxsdll)


def test_self_refresh_needs_all_banks_of_the_rank_closed():
    bus = opened(HERE)
    assert not bus.probe("SRE", HERE, -1, 500)
    bus.issue("PRE", HERE, -1, 500)
    assert_earliest_ready_at(bus, "SRE", HERE, -1, 500 + T.nrp)


@pytest.mark.parametrize(("enter", "leave"), [("PDE", "PDX"), ("SRE", "SRX")])
def test_states_are_counted_while_a_rank_is_in_low_power_as_after_it(enter, leave):
    bus = CommandBus(T)
    bus.issue("ACT", HERE, 5, 100)
    bus.issue("PRE", HERE, -1, 200)
    bus.issue(enter, HERE, -1, 1000)
    during = state_clocks(bus.channel, 0, 3000)
    bus.issue(leave, HERE, -1, 3000)
    assert state_clocks(bus.channel, 0, 3000) == during
    refresh = T.nrfc if enter == "SRE" else 0
    assert during.active == 100 + refresh
    assert (during.down_precharged, during.self_refresh) == ((0, 2000 - refresh) if refresh else (2000, 0))
    assert during.precharged == 3000 - 100 - 2000
    assert during.bank_open == tuple(100 * (bank_id == 0) + refresh for bank_id in range(16))


def test_open_bank_in_power_down_counts_as_such_until_now():
    bus = CommandBus(T)
    bus.issue("ACT", HERE, 5, 100)
    bus.issue("PDE", HERE, -1, 300)
    states = state_clocks(bus.channel, 0, 1000)
    assert (states.active, states.down_active, states.precharged, states.bank_open[0]) == (200, 700, 100, 200)
