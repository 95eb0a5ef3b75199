"""The channel's earliest clocks against the rule checker, on streams that no controller would issue."""

import random

import pytest

from pim.config import TimingSpec, load_system, with_overrides
from pim.dram import Command
from tests.reference.dram_rules import broken_rules
from tests.support.channels import CommandBus, reference_clocks

DEVICES = ("ddr4-2133-4gb-x16", "ddr4-2400-8gb-x8", "ddr4-3200-16gb-x4")
N_COMMANDS = 250
DRAWN = [command.name for command in Command] + ["ACT", "RD", "WR"]


def random_timing(rng):
    if rng.random() < 0.5:
        return with_overrides(load_system("rank"), {"device": rng.choice(DEVICES)}).timing.to_kernel()
    base = TimingSpec().to_kernel()._asdict()
    drawn = {name: rng.randrange(2, 40) for name in base if name not in ("nrefi", "nrfc", "nbl")}
    drawn["nccd_s"] = max(drawn["nccd_s"], base["nbl"])  # as in every device: bursts of one rank follow on the bus
    return TimingSpec().to_kernel()._replace(**drawn, nrfc=rng.randrange(50, 300))


@pytest.mark.parametrize("seed", range(12))
def test_command_is_allowed_from_its_earliest_clock_on_and_not_before(seed):
    rng = random.Random(seed)
    timing = random_timing(rng)
    clocks = reference_clocks(timing)
    bus = CommandBus(timing, n_ranks=2)
    rows = {}
    held_back = 0
    while len(bus.stream) < N_COMMANDS:
        name = rng.choice(DRAWN)
        place = (rng.randrange(2), rng.randrange(4), rng.randrange(2))
        row = rng.randrange(3) if name == "ACT" else rows.get(place, -1)
        at = max(bus.earliest(name, place), 0)
        if not bus.probe(name, place, row, at):
            continue
        previous = bus.stream[-1][0] if bus.stream else -1
        if at - 1 > previous:
            held_back += 1
            assert not bus.probe(name, place, row, at - 1)
            assert broken_rules([*bus.stream, (at - 1, name, *place, row)], clocks)
        at += rng.choice((0, 0, 0, 3, 60))
        bus.issue(name, place, row, at)
        if name == "ACT":
            rows[place] = row
    assert broken_rules(bus.stream, clocks) == []
    assert held_back > N_COMMANDS // 4
    assert {name for _, name, *_ in bus.stream} == {command.name for command in Command}
