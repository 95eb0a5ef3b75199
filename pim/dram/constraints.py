"""The timing rules of DDR4 as one table: which command holds back which, where, and for how many clocks.

The table is the only place that knows the rules; kernels read it in the form that `compile_rules` makes of it. Two
rules are not in it, but in `pim.dram.channel`: the command bus takes one command a clock, and a command must suit the
banks' state. ``docs/timing.md`` prints the table, and a test compares the two.

References
----------
JESD79-4, timing parameters by speed grade, "Read Operation", "Write Operation", "Refresh Command", "Self-Refresh
Operation", "Power-Down Mode".
"""

from collections.abc import Callable
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from pim.config import ClockTiming
from pim.dram.command import N_READY, Command

ACT, PRE, RD, WR, PREA, REF, PDE, PDX, RDA, WRA, SRE, SRX = Command
LONG_AGO = -(1 << 40)
"""Clock of a command that never was."""

NO_RULE = LONG_AGO
"""Clocks between two commands that do not hold each other back."""

TURNAROUND = 2
"""Clocks the bus needs from a read's last beat to a write's first (JESD79-4: write preamble, and one to turn)."""


class Scope(IntEnum):
    """What of the commands' addresses must be the same for a rule to bind."""

    BANK = 0
    GROUP = 1  # bank group
    RANK = 2
    OTHER_RANK = 3  # the commands go to two ranks of one channel


class Rule(NamedTuple):
    """``after`` goes out at least ``clocks`` after ``before``, or after the ``window``-th last ``before``.

    RD, WR, REF and PDX in ``after`` stand for RDA, WRA, SRE and SRX too.
    """

    scope: Scope
    before: tuple[Command, ...]
    after: tuple[Command, ...]
    clocks: Callable[[ClockTiming], int]
    window: int = 1


_READS, _WRITES, _COLUMNS = (RD, RDA), (WR, WRA), (RD, RDA, WR, WRA)
_BANK, _GROUP, _RANK, _OTHER = Scope

RULES = (
    # One bank: its row opens, is used, is closed.
    Rule(_BANK, (ACT,), (RD, WR), lambda t: t.nrcd),
    Rule(_BANK, (ACT,), (PRE,), lambda t: t.nras),
    Rule(_BANK, (ACT,), (ACT,), lambda t: t.nras + t.nrp),
    Rule(_BANK, (PRE,), (ACT,), lambda t: t.nrp),
    Rule(_BANK, (RD,), (PRE,), lambda t: t.nrtp),
    Rule(_BANK, (WR,), (PRE,), lambda t: t.ncwl + t.nbl + t.nwr),
    Rule(_BANK, (RDA,), (ACT,), lambda t: t.nrtp + t.nrp),
    Rule(_BANK, (WRA,), (ACT,), lambda t: t.ncwl + t.nbl + t.nwr + t.nrp),
    # Between rows of several banks: supply of the charge pumps.
    Rule(_GROUP, (ACT,), (ACT,), lambda t: t.nrrd_l),
    Rule(_RANK, (ACT,), (ACT,), lambda t: t.nrrd_s),
    Rule(_RANK, (ACT,), (ACT,), lambda t: t.nfaw, window=4),
    # Columns: array access within a group, data bus within a rank.
    Rule(_GROUP, _COLUMNS, (RD, WR), lambda t: t.nccd_l),
    Rule(_RANK, _COLUMNS, (RD, WR), lambda t: t.nccd_s),
    Rule(_RANK, _READS, (WR,), lambda t: t.ncl + t.nbl + TURNAROUND - t.ncwl),
    Rule(_GROUP, _WRITES, (RD,), lambda t: t.ncwl + t.nbl + t.nwtr_l),
    Rule(_RANK, _WRITES, (RD,), lambda t: t.ncwl + t.nbl + t.nwtr_s),
    # Columns of two ranks: bursts must not meet on the bus, and its driver changes.
    Rule(_OTHER, _READS, (RD,), lambda t: t.nbl + t.nrtrs),
    Rule(_OTHER, _READS, (WR,), lambda t: t.ncl + t.nbl + t.nrtrs - t.ncwl),
    Rule(_OTHER, _WRITES, (RD,), lambda t: t.ncwl + t.nbl + t.nrtrs - t.ncl),
    Rule(_OTHER, _WRITES, (WR,), lambda t: t.nbl),
    # All banks of a rank at once.
    Rule(_RANK, (ACT,), (PREA,), lambda t: t.nras),
    Rule(_RANK, (RD,), (PREA,), lambda t: t.nrtp),
    Rule(_RANK, (WR,), (PREA,), lambda t: t.ncwl + t.nbl + t.nwr),
    Rule(_RANK, (PREA,), (ACT,), lambda t: t.nrp),
    Rule(_RANK, (ACT,), (REF,), lambda t: t.nras + t.nrp),
    Rule(_RANK, (PRE, PREA), (REF,), lambda t: t.nrp),
    Rule(_RANK, (RDA,), (REF,), lambda t: t.nrtp + t.nrp),
    Rule(_RANK, (WRA,), (REF,), lambda t: t.ncwl + t.nbl + t.nwr + t.nrp),
    Rule(_RANK, (REF,), (ACT, PRE, PREA, REF), lambda t: t.nrfc),
    # Self-refresh: the clock may stop, so that the DLL must lock again before columns.
    Rule(_RANK, (SRE,), (PDX,), lambda t: t.nckesr),
    Rule(_RANK, (SRX,), (ACT, PRE, PREA, REF, PDE), lambda t: t.nxs),
    Rule(_RANK, (SRX,), (RD, WR), lambda t: t.nxsdll),
    # Power-down.
    Rule(_RANK, (ACT, PRE, PREA, REF), (PDE,), lambda _: 2),
    Rule(_RANK, _READS, (PDE,), lambda t: t.ncl + t.nbl + 1),
    Rule(_RANK, (WR,), (PDE,), lambda t: t.ncwl + t.nbl + t.nwr),
    Rule(_RANK, (WRA,), (PDE,), lambda t: t.ncwl + t.nbl + t.nwr + 1),
    Rule(_RANK, (PDE,), (PDX,), lambda t: t.ncke),
    Rule(_RANK, (PDX,), (PDE,), lambda t: t.ncke),
    Rule(_RANK, (PDX,), (ACT, PRE, RD, WR, PREA, REF), lambda t: t.nxp),
)


class RuleTable(NamedTuple):
    """The rules under one timing, as kernels read them."""

    gaps: Any  # int64, (len(Command), len(Scope), N_READY): clocks from command to command held back, or NO_RULE
    nfaw: int


def compile_rules(timing: ClockTiming) -> RuleTable:
    """Return the table under a timing; of rules that differ in their clocks only, the longest."""
    gaps = np.full((len(Command), len(Scope), N_READY), NO_RULE, np.int64)
    window = 0
    for rule in RULES:
        clocks = rule.clocks(timing)
        if rule.window > 1:
            assert (rule.scope, rule.before, rule.after, rule.window) == (_RANK, (ACT,), (ACT,), 4), rule
            window = clocks
            continue
        for before in rule.before:
            for after in rule.after:
                gaps[before, rule.scope, after] = max(clocks, gaps[before, rule.scope, after])
    return RuleTable(gaps, window)
