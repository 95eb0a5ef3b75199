"""What a host may do beside the cores: random claims of banks that keep its rules, and the commands it gives."""

import random
from typing import NamedTuple

import numpy as np

from pim.config import ClockTiming, Level, SystemConfig
from pim.dram import ClaimRules, HostUse
from pim.system.levels import concurrent_rules, port_timing
from tests.reference import dram_timing

Command = tuple[int, str, int, int]
"""Clock, name, bank, row."""


class RandomHost(NamedTuple):
    """Claims, and the host's commands to the device by clock."""

    use: HostUse
    rules: ClaimRules
    stream: list[Command]
    n_groups: int

    @property
    def reference(self) -> dram_timing.HostUse:
        """The same for the reference model."""
        use = self.use
        claims = list(zip(use.bank.tolist(), use.claimed_at.tolist(), use.released_at.tolist(), strict=True))
        acts = [(at, bank % self.n_groups) for at, name, bank, _ in self.stream if name == "ACT"]
        columns = [(at, bank % self.n_groups, name) for at, name, bank, _ in self.stream if name in ("RD", "WR")]
        return dram_timing.HostUse(claims, acts, columns)


def random_host(system: SystemConfig, rng: random.Random, until: int, *, rate: float = 1.0) -> RandomHost:
    """Return a host that claims random banks up to clock ``until``, ``rate`` times as often as it may."""
    rules, timing = concurrent_rules(system), port_timing(system)
    one_bus, n_banks = system.level is not Level.BANK, system.geometry.banks_per_chip
    free_at = [-1] * n_banks
    claims: list[tuple[int, int, int, int]] = []
    columns: list[tuple[int, int, bool]] = []
    stream: list[Command] = []
    act_at = rules.nclaim + rng.randrange(200)
    while act_at < until:
        claimed_at = act_at - rules.nclaim
        banks = [bank for bank in range(n_banks) if free_at[bank] < claimed_at]
        if banks:
            bank = rng.choice(banks)
            own = random_columns(rng, timing, rules, act_at)
            is_write = any(write for _, write in own)
            tail = timing.ncwl + timing.nbl + timing.nwr if is_write else timing.nrtp
            closed_at = max(act_at + timing.nras, own[-1][0] + tail) + rng.choice((0, 0, 7))
            released_at = closed_at + timing.nrp + rng.choice((0, 0, 1, 50))
            if released_at <= latest_release(claimed_at, timing, one_bus=one_bus):
                free_at[bank] = released_at
                claims.append((bank, claimed_at, released_at, act_at))
                row = rng.randrange(4)
                stream.append((act_at, "ACT", bank, row))
                stream += [(at, "WR" if write else "RD", bank, row) for at, write in own]
                stream.append((closed_at, "PRE", bank, -1))
                columns += [(at, bank % system.geometry.bank_groups, write) for at, write in own]
        pause = 0 if rng.random() < rate else rng.randrange(3 * rules.nclaim)
        act_at += rules.act_spacing + rng.choice((0, 0, 1, 5, pause))
    use = HostUse(*(np.array(values, np.int64) for values in (*zip(*claims, strict=True), *zip(*columns, strict=True))))
    return RandomHost(use, rules, sorted(stream), system.geometry.bank_groups)


def latest_release(claimed_at: int, timing: ClockTiming, *, one_bus: bool) -> int:
    """Return the last clock at which a claim may end."""
    due = (claimed_at // timing.nrefi + 1) * timing.nrefi
    return due if one_bus else due + timing.nrefi - timing.nrfc


def random_columns(rng: random.Random, timing: ClockTiming, rules: ClaimRules, act_at: int) -> list[tuple[int, bool]]:
    """Return clocks of a claim's columns, and whether each writes; tCCD_L and turnarounds are kept."""
    first = act_at + timing.nrcd
    columns = [(first + rng.choice((0, 0, 3)), rng.random() < 0.4)]
    while rng.random() < 0.6:
        at, write = columns[-1][0], rng.random() < 0.4
        apart = timing.nccd_l
        if columns[-1][1] and not write:
            apart = max(apart, timing.ncwl + timing.nbl + timing.nwtr_l)
        if write and not columns[-1][1]:
            apart = max(apart, timing.ncl + timing.nbl + 2 - timing.ncwl)
        at += apart + rng.choice((0, 0, 1, 9))
        if at > first + rules.hold:
            break
        columns.append((at, write))
    return columns
