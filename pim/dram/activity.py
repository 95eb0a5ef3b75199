"""What a rank does besides answering: its commands, and the clocks its banks are open or it is powered down.

Energy comes from these counters (`pim.power.dram`). A rank is active from the first bank's ACT until the last one is
closed, and during a refresh; a bank that precharges by itself is open until it starts to.
"""

from typing import Annotated, Any, Protocol

import numpy as np

from pim.dram.command import Command
from pim.dram.constraints import LONG_AGO
from pim.jit import inlined_kernel, record_dtype


class RankActivity(Protocol):
    """Counters of one rank; instants and durations in DRAM clocks."""

    commands: Annotated[Any, "i8", (len(Command),)]  # commands it got
    closings: int  # banks that went from open to closed, by whatever command
    n_open: int  # banks that no command has closed
    active_from: int  # start of the present active time
    quiet_from: int  # its end, once no bank is open
    active_clocks: int  # of active times that are over, power-down left out
    open_clocks: int  # of banks that are closed, summed over banks
    down_from: int  # clock of the last PDE
    down_active_clocks: int  # powered down with open banks
    down_precharged_clocks: int  # powered down with all banks closed


RANK_ACTIVITY = record_dtype(RankActivity)


def make_activity(n_ranks: int) -> Any:
    """Return the counters of ``n_ranks`` idle ranks, shape ``(n_ranks,)``."""
    ranks = np.zeros(n_ranks, RANK_ACTIVITY).view(np.recarray)
    ranks.active_from = LONG_AGO
    ranks.quiet_from = LONG_AGO
    return ranks


@inlined_kernel
def note_active(rank: RankActivity, at: int, until: int) -> None:
    """Note that something in the rank is active from ``at``, at least until ``until``. Updates ``rank``."""
    if rank.n_open == 0 and at > rank.quiet_from:
        rank.active_clocks += rank.quiet_from - rank.active_from
        rank.active_from = at
        rank.quiet_from = at
    rank.quiet_from = max(rank.quiet_from, until)


@inlined_kernel
def note_closed(rank: RankActivity, opened_at: int, at: int) -> None:
    """Note that a bank open since ``opened_at`` closes at ``at``. Updates ``rank``."""
    rank.n_open -= 1
    rank.closings += 1
    rank.open_clocks += at - opened_at
    rank.quiet_from = max(rank.quiet_from, at)


@inlined_kernel
def note_power(rank: RankActivity, goes_down: bool, at: int) -> None:
    """Note that the rank enters or leaves power-down at ``at``. Updates ``rank``."""
    if goes_down:
        rank.down_from = at
    elif rank.n_open > 0:
        rank.down_active_clocks += at - rank.down_from
    else:
        rank.down_precharged_clocks += at - rank.down_from


def active_clocks(rank: Any, end: int) -> int:
    """Return the clocks before ``end`` in which the rank was active and not powered down."""
    quiet = end if rank.n_open else min(end, int(rank.quiet_from))
    return int(rank.active_clocks) + max(0, quiet - int(rank.active_from)) - int(rank.down_active_clocks)
