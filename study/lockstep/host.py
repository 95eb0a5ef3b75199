"""A host that claims banks beside the cores: its commands by clock, the same for model and RTL.

The host's timeline does not depend on the cores: it gives its ACT tClaim after a claim, whatever the bank does until
then. Here it draws banks, columns and pauses from a seed; what it must keep to is in `pim.dram.claims`.
"""

import random
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pim.config import ClockTiming, SystemConfig
from pim.dram import ClaimRules, HostUse
from pim.system.levels import concurrent_rules, port_timing

PATTERN = 0xC1A1_5ED0_0DDC_0DE5
"""What it writes, a word at a time."""


class HostCommand(NamedTuple):
    """One step of the host: a DRAM command to a bank, CLAIM or RELEASE; the row is always the memory's last one."""

    clock: int
    bank: int
    what: str
    column: int


@dataclass(frozen=True)
class HostTrace:
    """All that the host does in a run, by clock, and the same as the model takes it."""

    commands: tuple[HostCommand, ...]
    use: HostUse
    rules: ClaimRules


def claiming_host(system: SystemConfig, n_banks: int, seed: int, until: int, *, pause: int = 0) -> HostTrace:
    """Return a host that claims random ones of ``n_banks`` banks until about clock ``until``.

    Parameters
    ----------
    system : SystemConfig
        Cores at the bank.
    pause : int
        Most clocks between its ACTs beyond what the rules ask for.
    """
    rng = random.Random(seed)
    rules, timing = concurrent_rules(system), port_timing(system)
    n_columns = max(1, system.row_bytes // system.column_bytes) if system.port == "column" else 1
    free_at = [-1] * n_banks
    claims: list[tuple[int, int, int, int]] = []
    commands: list[HostCommand] = []
    act_at = rules.nclaim + rng.randrange(200)
    while act_at < until:
        claimed_at = act_at - rules.nclaim
        free = [bank for bank in range(n_banks) if free_at[bank] < claimed_at]
        if free:
            bank = rng.choice(free)
            columns = _columns(rng, timing, rules, act_at)
            written = [at for at, what in columns if what == "WR"]
            over = max(at + timing.ncwl + timing.nbl + timing.nwr for at in written) if written else 0
            closed_at = max(act_at + timing.nras, over, columns[-1][0] + timing.nrtp) + rng.choice((0, 0, 7))
            released_at = closed_at + timing.nrp + rng.choice((0, 0, 1, 50))
            if released_at <= (claimed_at // timing.nrefi + 2) * timing.nrefi - timing.nrfc:
                free_at[bank] = released_at
                claims.append((bank, claimed_at, released_at, act_at))
                commands.append(HostCommand(claimed_at, bank, "CLAIM", 0))
                commands.append(HostCommand(act_at, bank, "ACT", 0))
                commands += [HostCommand(at, bank, what, rng.randrange(n_columns)) for at, what in columns]
                commands.append(HostCommand(closed_at, bank, "PRE", 0))
                commands.append(HostCommand(released_at, bank, "RELEASE", 0))
        act_at += rules.act_spacing + rng.randrange(pause + 1)
    bank_id, claimed, released, act = np.array(claims, np.int64).reshape(-1, 4).T
    return HostTrace(tuple(sorted(commands)), HostUse(bank_id, claimed, released, act), rules)


def _columns(rng: random.Random, timing: ClockTiming, rules: ClaimRules, act_at: int) -> list[tuple[int, str]]:
    """Return a claim's RDs and WRs, tCCD_L and the turnarounds kept."""
    first = act_at + timing.nrcd
    columns = [(first + rng.choice((0, 0, 3)), rng.choice(("RD", "WR")))]
    while rng.random() < 0.7:
        at, before = columns[-1]
        what = rng.choice(("RD", "WR"))
        apart = timing.nccd_l
        if (before, what) == ("WR", "RD"):
            apart = max(apart, timing.ncwl + timing.nbl + timing.nwtr_l)
        if (before, what) == ("RD", "WR"):
            apart = max(apart, timing.ncl + timing.nbl + 2 - timing.ncwl)
        at += apart + rng.choice((0, 0, 1, 9))
        if at > first + rules.hold:
            break
        columns.append((at, what))
    return columns
