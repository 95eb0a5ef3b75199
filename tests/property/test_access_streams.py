"""The cores' path to the DRAM against two judges: the reference model, and the rule checker on the commands it plans.

Requests come as cores of a group make them: one under way each, in the order of (clock, core). The commands are read
off the state that each access leaves behind.
"""

import random

import pytest

from pim.config import load_system, with_overrides
from pim.dram import RowOutcome, access
from pim.system.levels import make_level_device, port_timing
from tests.reference.dram_rules import broken_rules
from tests.reference.dram_timing import Dram
from tests.support.channels import reference_clocks
from tests.support.timing_bridge import dram_rules

MACHINES = {
    "bank": {},
    "bank, row port": {"port": "row"},
    "bank, closed page": {"controller.page": "closed"},
    "bank, tight tFAW": {"timing.tfaw_ns": 90.0},
    "bank, two bursts": {"column_bursts": 2},
    "bank, row port, one burst": {"port": "row", "column_bursts": 1, "obey_tfaw": False},
    "bank, one burst, in order": {"column_bursts": 1, "controller.scheduling": "fcfs"},
    "bank, no tFAW, in order": {"obey_tfaw": False, "controller.scheduling": "fcfs"},
    "chip": {},
    "chip, in order": {"controller.scheduling": "fcfs"},
    "chip, closed page": {"controller.page": "closed"},
    "rank": {},
    "rank, ddr4-3200": {"device": "ddr4-3200-16gb-x8"},
    "rank, x16": {"device": "ddr4-2133-4gb-x16"},
    "rank, fine refresh": {"timing.fine_refresh": 4},
}
OUTCOMES = {"hit": RowOutcome.HIT, "miss": RowOutcome.MISS, "conflict": RowOutcome.CONFLICT}


def machine(name):
    return with_overrides(load_system(name.split(",")[0]), {"timing.trefi_ns": 1000.0} | MACHINES[name])


class Recorder:
    """Calls `access`, and keeps the commands: (clock, command, rank, bank group, bank, row)."""

    def __init__(self, system):
        self.system, self.timing, self.device = system, port_timing(system), make_level_device(system)
        self.groups = system.geometry.bank_groups
        self.stream = []

    def place(self, bank_id):
        return 0, bank_id % self.groups, bank_id // self.groups

    def access(self, bank_id, row, n_columns, is_write, now):
        banks, timing = self.device.banks, self.timing
        before = banks.copy()
        done_at, outcome, *waits = access(self.device, bank_id, row, n_columns, is_write, now, timing)
        refreshed = [i for i in range(len(banks)) if banks[i].refreshed > before[i].refreshed]
        bank, old = banks[bank_id], before[bank_id]
        act_at = bank.column_ready_at - timing.nrcd
        for i in refreshed:
            if before[i].open_row >= 0:
                first_due = (before[i].refreshed + 1) * timing.nrefi
                self.stream.append((max(first_due, before[i].pre_ready_at), "PRE", *self.place(i), -1))
            at = banks[i].refresh_until - timing.nrfc
            self.stream.append((at, "REF", *self.place(i), -1))
        if outcome == RowOutcome.CONFLICT:
            self.stream.append((max(now, old.pre_ready_at), "PRE", *self.place(bank_id), -1))
        if outcome != RowOutcome.HIT:
            self.stream.append((act_at, "ACT", *self.place(bank_id), row))
        last = done_at - timing.nbl - (timing.ncwl if is_write else timing.ncl)
        for i in range(n_columns):
            self.stream.append((last - i * timing.nccd_l, "WR" if is_write else "RD", *self.place(bank_id), row))
        if self.device.closed_page:
            self.stream.append((bank.pre_ready_at, "PRE", *self.place(bank_id), -1))
        return done_at, outcome, *waits


def drive(system, seed, serve, n_requests=400):
    """Make requests of several cores; `serve` answers one and returns when it is over, and more to compare."""
    rng = random.Random(seed)
    n_cores = min(system.cores_per_group, 16) if system.level == "bank" else 4
    n_banks = system.geometry.banks_per_chip
    at, answers = [rng.randrange(50) for _ in range(n_cores)], []
    for _ in range(n_requests):
        now, core = min((clock, core) for core, clock in enumerate(at))
        bank_id = core if system.level == "bank" else rng.randrange(n_banks)
        n_columns = 1 if system.port == "row" else rng.choice((1, 2, 8))
        answer = serve(bank_id, rng.randrange(3), n_columns, rng.random() < 0.4, now)
        answers.append((now, *answer))
        at[core] = answer[0] + rng.choice((0, 1, 6, 40, rng.randrange(1, 3000) if rng.random() < 0.05 else 3))
    return answers


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", MACHINES)
def test_access_takes_what_the_reference_says(name, seed):
    system = machine(name)
    timing, device, dram = port_timing(system), make_level_device(system, 2), Dram(dram_rules(system, 2))

    def serve(bank_id, row, n_columns, is_write, now):
        done_at, outcome, *waits = dram.access(bank_id, row, n_columns, "WR" if is_write else "RD", now)
        assert access(device, bank_id, row, n_columns, is_write, now, timing) == (done_at, OUTCOMES[outcome], *waits)
        return done_at, outcome, *waits

    answers = drive(system, seed, serve)
    assert {outcome for _, _, outcome, *_ in answers} >= {"miss"} | (set() if "closed" in name else {"hit", "conflict"})
    assert any(wait for *_, wait in answers)
    assert device.commands.tolist() == [dram.commands[name] for name in ("ACT", "PRE", "RD", "WR")]


def judged(stream, timing, *, one_bus):
    """Return what the stream breaks; inside a chip, and in the buffer, commands do not share one command bus."""
    clocks = reference_clocks(timing)
    found = broken_rules(sorted(stream), clocks, one_bus=one_bus)
    return [broken for broken in found if broken.rule != "one command a clock"]


def assert_no_rule_broken(recorder, stream):
    """Judge the commands to a device; with cores at the bank each bank by itself, and the ACTs of all."""
    system = recorder.system
    if system.level == "bank":
        for bank_id in range(len(recorder.device.banks)):  # its controller refreshes it alone
            own = [command for command in stream if command[2:5] == recorder.place(bank_id)]
            assert judged(own, recorder.timing, one_bus=False) == []
        acts = [command for command in stream if command[1] == "ACT"]
        between_banks = {"tRRD_S", "tRRD_L", "tFAW"}
        assert [broken for broken in judged(acts, recorder.timing, one_bus=False) if broken.rule in between_banks] == []
    else:
        refreshes = {(at, name): (at, name, *rest) for at, name, *rest in stream if name == "REF"}
        stream = [command for command in stream if command[1] != "REF"] + list(refreshes.values())
        assert judged(stream, recorder.timing, one_bus=system.level == "rank") == []


@pytest.mark.parametrize("seed", range(10, 13))
@pytest.mark.parametrize("name", MACHINES)
def test_planned_commands_break_no_rule(name, seed):
    system = machine(name)
    recorder = Recorder(system)
    drive(system, seed, recorder.access)
    assert_no_rule_broken(recorder, recorder.stream)
    assert any(command == "REF" for _, command, *_ in recorder.stream)
    if system.level == "bank":
        most, bank_bound = most_banks_in_flight(recorder), system.column_bursts or len(recorder.device.banks)
        assert most <= bank_bound
        assert system.column_bursts is None or most == bank_bound


def most_banks_in_flight(recorder):
    """Return how many banks at most have a column command less than tCCD_L ago."""
    columns = [(at, tuple(place)) for at, name, *place, _ in recorder.stream if name in ("RD", "WR")]
    spacing = recorder.timing.nccd_l
    return max(len({place for at, place in columns if now - spacing < at <= now}) for now, _ in columns)
