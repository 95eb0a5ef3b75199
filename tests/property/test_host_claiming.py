"""The host's controller that claims banks: its commands obey DDR4, alone and together with those of the cores."""

import random

import numpy as np
import pytest

from pim.config import load_system, with_overrides
from pim.dram import Command, free_from, make_device, with_claims
from pim.dram.claiming import NEVER
from pim.system.host import Requests, claim_banks, host_rules
from pim.system.levels import port_timing
from tests.property.test_access_streams import assert_no_rule_broken
from tests.property.test_claims import BesideHost, drive
from tests.reference.dram_rules import broken_rules
from tests.support.channels import reference_clocks
from tests.support.random_claims import RandomHost

MACHINES = {
    "bank": {},
    "bank, one rank": {"geometry.ranks_per_channel": 1, "geometry.channels": 1},
    "bank, long hold": {"interface.claim_hold_nck": 900},
    "bank, aged": {"interface.claim_age_nck": 3000},
    "bank, no tFAW": {"obey_tfaw": False},
    "bank, hot": {"timing.trefi_ns": 3900.0, "core.line_bytes": 256},
    "chip": {},
    "chip, 4 cores": {"cores_per_location": 4, "core.line_bytes": 256},
    "rank": {},
    "rank, ddr4-3200": {"device": "ddr4-3200-16gb-x8"},
}


def machine(name):
    return with_overrides(load_system(name.split(",")[0]), MACHINES[name])


def random_requests(system, seed, n=400, gap=300):
    """Return requests for few rows of all banks, some in bursts at one clock."""
    rng, geometry = np.random.default_rng(seed), system.geometry
    at = np.cumsum(rng.integers(0, 2 * gap, n) * (rng.random(n) < 0.7))
    return Requests(
        rng.integers(0, geometry.channels, n),
        rng.integers(0, geometry.ranks_per_channel, n),
        rng.integers(0, geometry.banks_per_chip, n),
        rng.integers(0, 3, n),
        rng.integers(0, 128, n),
        rng.random(n) < 0.4,
        at,
    )


def stream_of(commands, system):
    """Return a channel's commands as the rule checker takes them; banks are counted over ranks."""
    groups, n_banks = system.geometry.bank_groups, system.geometry.banks_per_chip
    return [
        (at, Command(command).name, bank // n_banks, bank % n_banks % groups, bank % n_banks // groups, row)
        for at, command, bank, row in commands.tolist()
    ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", MACHINES)
def test_commands_break_no_rule_and_all_is_served(name, seed):
    system = machine(name)
    requests, rules, timing = random_requests(system, seed), host_rules(system, drains=True), port_timing(system)
    claimed = claim_banks(system, requests, rules, log_commands=True)
    assert (claimed.column_at < NEVER).all()
    assert (claimed.column_at > requests.offered_at + rules.nclaim).any()
    for commands in claimed.commands.values():
        assert broken_rules(stream_of(commands, system), reference_clocks(system.timing.to_kernel())) == []
    for use in claimed.by_rank.values():  # what cores can expect, or this raises
        with_claims(make_device(16, 16 if system.level == "bank" else 1), use, rules, timing)
        assert (use.column_at - np.repeat(use.act_at.min(), len(use.column_at)) >= timing.nrcd).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", MACHINES)
def test_commands_of_host_and_cores_together_break_no_rule(name, seed):
    system, until = machine(name), 60_000
    requests, rules = random_requests(system, 50 + seed, 800, 150), host_rules(system, drains=True)
    claimed = claim_banks(system, requests, rules, log_commands=True)
    use, groups = claimed.by_rank[0, 0], system.geometry.bank_groups
    register_row, rows, own = system.geometry.rows_per_bank - 1, {}, []
    for at, command, bank, row in claimed.commands[0].tolist():
        if command == Command.ACT:
            rows[bank] = row
        if bank < system.geometry.banks_per_chip and rows[bank] != register_row:  # it never reaches the array
            own.append((at, Command(command).name, bank, row))
    recorder = BesideHost(system, RandomHost(use, rules, own, groups))
    rng = random.Random(seed)
    drive(system, rng.random(), lambda bank, now: free_from(recorder.device, bank, now), recorder.access, until)
    for bank in range(len(recorder.device.banks)):
        recorder.settle(bank, int(use.released_at.max()) + 1)
    of_host = [(at, command, *recorder.place(bank), row) for at, command, bank, row in own]
    stream = recorder.stream + of_host
    assert sum(command == "ACT" for _, command, *_ in of_host) > 30
    assert_no_rule_broken(recorder, stream)
    assert recorder.device.banks.drain.max() <= rules.nclaim


def one(system, **fields):
    values = {"channel": 0, "rank": 0, "bank": 3, "row": 7, "column": 5, "is_write": False, "offered_at": 100} | fields
    n = max(np.size(value) for value in values.values())
    return Requests(**{name: np.broadcast_to(value, n).copy() for name, value in values.items()})


def test_one_request_takes_claim_tclaim_and_row():
    system = load_system("bank")
    timing, rules = system.timing.to_kernel(), host_rules(system, drains=True)
    claimed = claim_banks(system, one(system), rules)
    written = 100 + timing.nrcd
    in_force = written + timing.ncwl + timing.nbl + 1
    assert claimed.column_at.tolist() == [in_force + rules.nclaim + timing.nrcd]
    use = claimed.by_rank[0, 0]
    assert use.claimed_at.tolist() == [in_force]
    closed = max(use.act_at[0] + timing.nras, claimed.column_at[0] + timing.nrtp)
    assert use.released_at.tolist() == [closed + timing.nrp + timing.nrcd + timing.ncwl + timing.nbl + 1]


def test_age_delays_the_claim_and_gathers_requests():
    system = load_system("bank")
    later = with_overrides(system, {"interface.claim_age_nck": 500})
    requests = one(system, offered_at=[100, 500], column=[5, 6])
    for machine_, n_claims in ((system, 1), (later, 1)):
        claimed = claim_banks(machine_, requests, host_rules(machine_, drains=True))
        assert len(claimed.by_rank[0, 0].bank) == n_claims
    first = claim_banks(system, one(system), host_rules(system, drains=True)).column_at[0]
    assert claim_banks(later, one(system), host_rules(later, drains=True)).column_at[0] == first + 500


def test_hold_ends_a_claim_although_requests_are_left():
    system = load_system("bank")
    requests = one(system, offered_at=np.full(60, 100), column=np.arange(60))
    longer = with_overrides(system, {"interface.claim_hold_nck": 500})
    claims = [len(claim_banks(s, requests, host_rules(s, drains=True)).by_rank[0, 0].bank) for s in (system, longer)]
    per_claim = 1 + 64 // system.timing.to_kernel().nccd_l
    assert claims == [-(-60 // per_claim), 1]


def test_kept_banks_wait_for_the_quiet_zone_only():
    system = load_system("bank")
    timing = system.timing.to_kernel()
    column_at = claim_banks(system, one(system), host_rules(system, drains=False)).column_at[0]
    in_force = 100 + timing.nrcd + timing.ncwl + timing.nbl + 1
    assert column_at == in_force + timing.nwr + timing.nrp + 16 + timing.nrcd
