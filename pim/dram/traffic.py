"""Requests through a controller, as arrays in and arrays out: when each was accepted, served and done."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pim.config import ClockTiming, ControllerConfig
from pim.dram.bank import RowOutcome
from pim.dram.channel import Channel, make_channel
from pim.dram.choice import BANK_BITS, DESK, Refreshes
from pim.dram.command import Command
from pim.dram.controller import Results, serve
from pim.dram.queues import NEVER, Requests, make_queues

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Served:
    """What became of requests to one channel; clocks are DRAM clocks.

    Attributes
    ----------
    accepted_at, column_at, done_at : array of int64
        Clock at which the controller took each request, of its RD or WR, and of its last beat. A read answered from a
        held write has neither.
    outcome : array of int64
        A RowOutcome each.
    n_forwarded : int
        Reads answered from a held write.
    stream : array of int64, shape (n, 4)
        The first commands: clock, Command, bank, row.
    channel : Channel
        The channel's state at the end, with its counters.
    """

    accepted_at: Ints
    column_at: Ints
    done_at: Ints
    outcome: Ints
    n_forwarded: int
    stream: Ints
    channel: Channel

    @property
    def end(self) -> int:
        """Clock at which the last request was done."""
        return int(self.done_at.max(initial=0))

    @property
    def commands(self) -> dict[str, int]:
        """Commands by name, over all ranks."""
        counts = self.channel.activity.commands.sum(axis=0)
        return {command.name: int(counts[command]) for command in Command}

    @property
    def outcomes(self) -> dict[str, int]:
        """Requests by row outcome; reads answered from a held write count as hits."""
        return {outcome.name: int(np.count_nonzero(self.outcome == outcome)) for outcome in RowOutcome}


def requests_of(bank: Any, row: Any, column: Any, kind: Any, offered_at: Any = 0) -> Requests:
    """Return requests from arrays or numbers; banks are counted over ranks, kinds are 0 to read and 1 to write."""
    arrays = np.broadcast_arrays(offered_at, bank, row, column, kind)
    return Requests(*(np.array(array, np.int64) for array in arrays))


def serve_requests(
    requests: Requests,
    timing: ClockTiming,
    controller: ControllerConfig,
    *,
    n_ranks: int = 1,
    bank_groups: int = 4,
    banks_per_group: int = 4,
    window: int = 0,
    log_commands: int = 0,
) -> Served:
    """Serve requests on an idle channel.

    Parameters
    ----------
    requests : Requests
        In the order in which they are offered; each is accepted when it is offered, one a clock, if there is room.
    window : int
        Requests under way at once; 0: as many as the controller holds.
    log_commands : int
        Commands to keep.
    """
    n_requests, n_banks = len(requests.kind), bank_groups * banks_per_group
    if n_ranks * n_banks > 1 << BANK_BITS:
        raise ValueError(f"n_ranks: at most {1 << BANK_BITS} banks a channel, got {n_ranks * n_banks}")
    _check(requests, n_ranks * n_banks)
    channel = make_channel(timing, n_ranks, bank_groups, banks_per_group)
    desk = np.zeros(1, DESK).view(np.recarray)
    desk.accepted_at = -1
    results = Results(
        np.full(n_requests, NEVER),
        np.full(n_requests, NEVER),
        np.full(n_requests, NEVER),
        np.zeros(n_requests, np.int64),
        np.zeros((log_commands, 4), np.int64),
    )
    staggered = timing.nrefi + np.arange(n_ranks) * (timing.nrefi // n_ranks)  # ranks refresh one after the other
    refreshes = Refreshes(staggered, staggered.copy())
    queues = make_queues(n_ranks, n_ranks * n_banks, n_requests)
    serve(channel, queues, requests, results, desk[0], controller.to_kernel(), refreshes, window)
    return Served(
        results.accepted_at,
        results.column_at,
        results.done_at,
        results.outcome,
        int(desk.n_forwarded[0]),
        results.log[: int(desk.n_logged[0])],
        channel,
    )


def _check(requests: Requests, n_banks: int) -> None:
    """Raise ValueError if a request is for no bank, or of no kind."""
    for name, limit in (("bank", n_banks), ("kind", 2)):
        values = getattr(requests, name)
        if len(values) and not 0 <= values.min() <= values.max() < limit:
            raise ValueError(f"{name}: must be 0 to {limit - 1}, got {values.min()} to {values.max()}")
