"""What a rank does besides answering: its commands, and the clocks its banks are open or it is powered down.

Energy comes from these counters (`pim.power.channel`). A rank is active from the first bank's ACT until the last one is
closed, and during a refresh; a bank that precharges by itself is open until it starts to. A self-refresh begins with a
refresh, and counts as such once that is over.
"""

from enum import IntEnum
from typing import Annotated, Any, NamedTuple, Protocol

import numpy as np

from pim.dram.command import Command
from pim.dram.constraints import LONG_AGO
from pim.jit import inlined_kernel, record_dtype


class Power(IntEnum):
    """What a rank does with its clock."""

    UP = 0
    DOWN = 1  # from PDE to PDX
    SELF_REFRESH = 2  # from SRE to SRX


class BankActivity(Protocol):
    """Counters of one bank; durations in DRAM clocks."""

    acts: int
    closings: int  # times it went from open to closed, by whatever command
    reads: int
    writes: int
    open_clocks: int  # of rows that are closed again, power-down and refresh left out


class RankActivity(Protocol):
    """Counters of one rank; instants and durations in DRAM clocks."""

    commands: Annotated[Any, "i8", (len(Command),)]  # commands it got
    n_open: int  # banks that no command has closed
    active_from: int  # start of the present active time
    quiet_from: int  # its end, once no bank is open
    active_clocks: int  # of active times that are over
    down_from: int  # clock of the last PDE, or at which the refresh that begins a self-refresh is over
    down_active_clocks: int  # powered down with open banks
    down_precharged_clocks: int  # powered down with all banks closed
    self_refresh_clocks: int


BANK_ACTIVITY = record_dtype(BankActivity)
RANK_ACTIVITY = record_dtype(RankActivity)


class StateClocks(NamedTuple):
    """DRAM clocks that a rank spent in each state; they sum to the time looked at but for ``bank_open``."""

    active: int  # some bank open, or refreshing
    precharged: int
    down_active: int
    down_precharged: int
    self_refresh: int
    bank_open: tuple[int, ...]  # of each bank, refreshes included


def make_activity(n_ranks: int, n_banks: int) -> tuple[Any, Any]:
    """Return the counters of ``n_ranks`` idle ranks and of ``n_banks`` banks, counted over them."""
    ranks = np.zeros(n_ranks, RANK_ACTIVITY).view(np.recarray)
    ranks.active_from = LONG_AGO
    ranks.quiet_from = LONG_AGO
    return ranks, np.zeros(n_banks, BANK_ACTIVITY).view(np.recarray)


@inlined_kernel
def note_active(rank: RankActivity, at: int, until: int) -> None:
    """Note that something in the rank is active from ``at``, at least until ``until``. Updates ``rank``."""
    if rank.n_open == 0 and at > rank.quiet_from:
        rank.active_clocks += rank.quiet_from - rank.active_from
        rank.active_from = at
        rank.quiet_from = at
    rank.quiet_from = max(rank.quiet_from, until)


@inlined_kernel
def note_closed(rank: RankActivity, bank: BankActivity, opened_at: int, at: int) -> None:
    """Note that a bank open since ``opened_at`` closes at ``at``. Updates ``rank`` and ``bank``."""
    rank.n_open -= 1
    rank.quiet_from = max(rank.quiet_from, at)
    bank.closings += 1
    bank.open_clocks += at - opened_at


@inlined_kernel
def note_power(rank: RankActivity, power: int, until: int) -> None:
    """Note that the rank was in a state of low power, a Power, up to clock ``until``. Updates ``rank``."""
    if power == Power.SELF_REFRESH:
        rank.self_refresh_clocks += max(0, until - rank.down_from)
    elif rank.n_open > 0:
        rank.down_active_clocks += until - rank.down_from
    else:
        rank.down_precharged_clocks += until - rank.down_from
