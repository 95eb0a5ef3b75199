"""The host's claims on the cores' path, against two judges: the reference model, and the rule checker.

Claims are random, within what a host keeps to. The rule checker gets the commands of host and cores together: neither
knows the other's, and no rule of DDR4 is broken between them.
"""

import random

import pytest

from pim.config import load_system, with_overrides
from pim.dram import access, free_from, with_claims
from pim.dram.claims import settle
from pim.system.levels import make_level_device, port_timing
from tests.property.test_access_streams import OUTCOMES, Recorder, assert_no_rule_broken
from tests.reference.dram_timing import Dram
from tests.support.random_claims import random_host
from tests.support.timing_bridge import dram_rules

MACHINES = {
    "bank": {},
    "bank, in order": {"controller.scheduling": "fcfs"},
    "bank, row port": {"port": "row"},
    "bank, closed page": {"controller.page": "closed", "controller.scheduling": "fcfs"},
    "bank, tight tFAW": {"timing.tfaw_ns": 90.0, "controller.scheduling": "fcfs", "core.line_bytes": 256},
    "bank, no tFAW": {"obey_tfaw": False},
    "chip": {},
    "chip, 4 cores": {"cores_per_location": 4, "core.line_bytes": 256, "core.scratchpad_bytes": 256},
    "chip, in order": {"controller.scheduling": "fcfs"},
    "rank": {},
    "rank, in order": {"controller.scheduling": "fcfs"},
    "rank, closed page": {"controller.page": "closed"},
}
LONGEST = {"bank": 128, "chip": 32, "rank": 1}
"""Columns of the longest request: a line's."""


def machine(name):
    return with_overrides(load_system(name.split(",")[0]), {"timing.trefi_ns": 3900.0} | MACHINES[name])


def longest_request(system):
    core = system.core
    longest = max(core.line_bytes, core.instruction_line_bytes, core.scratchpad_bytes)  # no row is shorter
    return 1 if system.port == "row" else longest // system.column_bytes


def drive(system, seed, free, serve, until):
    """Make requests of cores, each of its own banks, in the order of the clocks at which they are made."""
    rng, one_bus = random.Random(seed), system.level != "bank"
    n_cores, n_banks = system.cores_per_group, system.geometry.banks_per_chip
    longest = longest_request(system)

    def wanted(core):
        return rng.randrange(n_banks // n_cores) * n_cores + core if one_bus else core

    asks = [(rng.randrange(50), core, wanted(core)) for core in range(n_cores)]
    waited = 0
    while True:
        now, core, bank_id = min(asks)
        if now > until:
            return waited
        later = free(bank_id, now)
        if later > now:
            asks[core] = later, core, bank_id
            waited += 1
            continue
        n_columns = rng.choice((1, longest, rng.randint(1, longest)))
        done_at = serve(bank_id, rng.randrange(3), n_columns, rng.random() < 0.4, now)
        asks[core] = done_at + rng.choice((0, 1, 6, 40, rng.randrange(1, 3000))), core, wanted(core)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", MACHINES)
def test_requests_beside_claims_take_what_the_reference_says(name, seed):
    system, until = machine(name), 60_000
    timing = port_timing(system)
    host = random_host(system, random.Random(100 + seed), until, rate=0.7)
    device = with_claims(make_level_device(system), host.use, host.rules, timing)
    dram = Dram(dram_rules(system, 2), host.reference)

    def free(bank_id, now):
        assert free_from(device, bank_id, now) == dram.free_from(bank_id, now)
        return free_from(device, bank_id, now)

    def serve(bank_id, row, n_columns, is_write, now):
        done_at, outcome, *waits = dram.access(bank_id, row, n_columns, "WR" if is_write else "RD", now)
        assert access(device, bank_id, row, n_columns, is_write, now, timing) == (done_at, OUTCOMES[outcome], *waits)
        return done_at

    assert drive(system, seed, free, serve, until) > 0
    assert device.commands.tolist() == [dram.commands[name] for name in ("ACT", "PRE", "RD", "WR")]


class BesideHost(Recorder):
    """Records a core's commands; the row that a claim finds open is closed before the bank is the host's."""

    def __init__(self, system, host):
        super().__init__(system)
        self.device = with_claims(self.device, host.use, host.rules, self.timing)

    def access(self, bank_id, row, n_columns, is_write, now):
        self.settle(bank_id, now)
        return super().access(bank_id, row, n_columns, is_write, now)[0]

    def settle(self, bank_id, now):
        """Apply claims and refreshes one by one, and note the commands that come with them."""
        device, timing = self.device, self.timing
        alone = len(device.buses) > 1
        while True:
            dues = [(bank.refreshed + 1) * timing.nrefi for bank in device.banks]
            comes = [(int(due), 0, i) for i, due in enumerate(dues) if i == bank_id or not alone]
            comes += [(int(bank.claimed_from), 1, i) for i, bank in enumerate(device.banks) if i == bank_id]
            if not alone:
                comes += [(int(bank.claimed_from), 1, i) for i, bank in enumerate(device.banks)
                          if bank.claimed_from < min(dues) <= now]  # fmt: skip
            at, _, which = min(comes)
            if at > now:
                return
            before = device.banks.copy()
            settle(device.banks, which, device.claims, alone, at, at, timing)
            for i, bank in enumerate(device.banks):
                if before[i].open_row >= 0 > bank.open_row:
                    closed_at = max(at, before[i].pre_ready_at)
                    self.stream.append((closed_at, "PRE", *self.place(i), -1))
                if bank.refreshed > before[i].refreshed:
                    self.stream.append((int(bank.refresh_until) - timing.nrfc, "REF", *self.place(i), -1))


@pytest.mark.parametrize("seed", range(20, 23))
@pytest.mark.parametrize("name", MACHINES)
def test_commands_of_host_and_cores_together_break_no_rule(name, seed):
    system, until = machine(name), 60_000
    host = random_host(system, random.Random(200 + seed), until, rate=0.7)
    recorder = BesideHost(system, host)
    drive(system, seed, lambda bank_id, now: free_from(recorder.device, bank_id, now), recorder.access, until)
    for bank_id in range(len(recorder.device.banks)):  # up to where the host ends
        recorder.settle(bank_id, until + 2 * host.rules.nclaim)
    of_host = [(at, command, *recorder.place(bank), row) for at, command, bank, row in host.stream]
    stream = recorder.stream + of_host
    assert len(of_host) > 30
    assert_no_rule_broken(recorder, stream)
    drains = recorder.device.banks.drain
    assert 0 < drains.max() <= host.rules.nclaim
