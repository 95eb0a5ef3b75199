"""The host's claims of banks that cores have (ownership ``concurrent``): when a bank is the host's, and what follows.

A claim of a bank is in force in [claimed_at, released_at). A request that came before goes on to its last column, a
refresh that fell due by then goes next; then the row is closed and the bank is the host's. A request that comes
meanwhile is made when the claim ends, after a refresh that fell due meanwhile. The host's commands are given: it keeps
the rules among them, and `check_claims` says what it must leave to the cores. How cores' ACTs and columns are planned
beside the host's is in `pim.dram.beside`.
"""

from typing import Any, NamedTuple, Protocol

import numpy as np

from pim.config import ClockTiming
from pim.dram.bank import CLOSED, NO_CLAIM, Bank, note_closing
from pim.dram.beside import quiet_clocks
from pim.dram.bus import longest_gap
from pim.dram.refresh import catch_up, refresh_all
from pim.jit import inlined_kernel, kernel, record_dtype

BURST = 4
"""Clocks of a host's burst at double data rate (BL8)."""


class Claim(Protocol):
    """One claim of one bank; DRAM clocks."""

    claimed_at: int
    released_at: int


class HostCommand(Protocol):
    """An ACT of the host, or neighbouring columns of one kind to one row; DRAM clocks."""

    first: int
    last: int
    group: int  # bank group
    is_write: int


CLAIM = record_dtype(Claim)
HOST_COMMAND = record_dtype(HostCommand)


def no_claims() -> Any:
    """Return what a device has whose banks nobody claims."""
    return np.zeros(0, CLAIM).view(np.recarray)


def no_commands() -> Any:
    """Return what a device has that the host sends no commands."""
    return np.zeros(0, HOST_COMMAND).view(np.recarray)


class ClaimRules(NamedTuple):
    """What a claiming host keeps to, in DRAM clocks; docs/timing.md, "Claims", has the formulas."""

    nclaim: int  # tClaim: from a claim to the host's ACT
    act_spacing: int  # least distance of its ACTs to one device
    hold: int  # from the first column that a claim's ACT allows to its last one, at most
    tail: int  # from that to the end of the claim, at most


def claim_rules(
    timing: ClockTiming,
    *,
    n_cores: int,
    n_columns: int,
    one_bus: bool,
    in_order: bool,
    most_bursts: int,
    has_atomics: bool,
    hold: int,
) -> ClaimRules:
    """Return how long a claim waits at worst, and what the host leaves to the cores so that it is not longer.

    Parameters
    ----------
    timing : ClockTiming
        Timings that bind for the cores.
    n_cores : int
        Cores of the device, one request at a time and a bank of its own each.
    n_columns : int
        Columns of the longest request.
    one_bus : bool
        Whether banks share a bus, on which cores and host take turns.
    in_order : bool
        Whether ACTs go out in the order of the requests.
    most_bursts : int
        Banks that may have column bursts at once; 0: no limit.
    has_atomics : bool
        Whether cores have AMOs, which read and write.
    hold : int
        Clocks in which the host may have a claim's columns.
    """
    quiet, length = quiet_clocks(timing), (n_columns - 1) * timing.nccd_l
    gap = longest_gap(timing)
    spacing = max(2 * quiet, hold + length + 2 * gap if one_bus else 0)
    acts_between = max(1, min(3, quiet // max(timing.nrrd_s, timing.nrrd_l))) if in_order else 1
    budget = (-(-n_cores // acts_between) + 1) * 2 * quiet
    bus = 0
    if one_bus:
        bus = (n_cores + 1) * spacing
    elif most_bursts:
        bus = (-(-n_cores // most_bursts) if in_order else n_cores) * (length + timing.nccd_l)
    last = timing.nrcd + length + max(timing.nrtp, timing.ncl + timing.nbl, timing.ncwl + timing.nbl + timing.nwr)
    request = max(timing.nras, timing.nwr) + timing.nrp + budget + bus + max(timing.nras, last)
    nclaim = timing.nrfc + (2 if has_atomics else 1) * request + timing.nrp
    tail = timing.ncwl + BURST + timing.nwr + timing.nrp + timing.nrcd + timing.ncwl + BURST + 8 * quiet
    return ClaimRules(nclaim, spacing, hold, tail)


class HostUse(NamedTuple):
    """What the host does to one device while cores run: int64 arrays, clocks are DRAM clocks.

    A claim of bank ``bank[i]`` is in force in [claimed_at[i], released_at[i]), and opens one row at act_at[i].
    ``column_at`` are all its columns, to bank groups ``column_group``; needed where banks share a bus.
    """

    bank: Any
    claimed_at: Any
    released_at: Any
    act_at: Any
    column_at: Any = ()
    column_group: Any = ()
    column_is_write: Any = ()


def put_claims(banks: Any, bank_id: Any, claimed_at: Any, released_at: Any) -> Any:
    """Return claims as kernels need them: by bank, then by clock, one that never comes after each bank's last.

    Updates ``banks``, which must not have been used.
    """
    order = np.lexsort((claimed_at, bank_id))
    counts = np.bincount(bank_id, minlength=len(banks))
    starts = np.concatenate(([0], np.cumsum(counts + 1)))
    claims: Any = np.zeros(starts[-1], CLAIM).view(np.recarray)
    claims.claimed_at = claims.released_at = NO_CLAIM
    places = np.arange(len(order)) + np.asarray(bank_id)[order]  # one more for each bank before
    claims.claimed_at[places] = np.asarray(claimed_at)[order]
    claims.released_at[places] = np.asarray(released_at)[order]
    banks.next_claim = starts[:-1]
    banks.claimed_from = claims.claimed_at[starts[:-1]]
    return claims


@kernel
def released_at(bank: Bank, claims: Any, now: int) -> int:
    """Return the clock at which a claim in force at ``now`` ends, else ``now``; nothing is updated."""
    number = bank.next_claim
    while claims[number].claimed_at <= now:
        if now < claims[number].released_at:
            return int(claims[number].released_at)
        number += 1
    return now


@inlined_kernel
def give_away(bank: Bank, claims: Any, timing: ClockTiming) -> None:
    """Close a bank's row for its next claim; it accepts no ACT before that ends. Updates ``bank``."""
    claim = claims[bank.next_claim]
    idle_at = bank.act_ready_at
    if bank.open_row != CLOSED:
        precharge_at = max(claim.claimed_at, bank.pre_ready_at)
        note_closing(bank, precharge_at, timing)
        idle_at = precharge_at + timing.nrp
        bank.open_row = CLOSED
    bank.drain = max(bank.drain, idle_at - claim.claimed_at)
    bank.act_ready_at = max(idle_at, claim.released_at)
    bank.next_claim += 1
    bank.claimed_from = claims[bank.next_claim].claimed_at


@kernel
def refresh_beside(banks: Any, bank_id: int, claims: Any, alone: bool, now: int, timing: ClockTiming) -> None:
    """Apply the refreshes due by ``now``, and what other banks' claims do before a common one. Updates ``banks``."""
    if alone:
        catch_up(banks, bank_id, alone, now, timing)
        return
    while now >= (banks[bank_id].refreshed + 1) * timing.nrefi:
        due = banks[bank_id].refreshed + 1
        for other in range(len(banks)):
            while banks[other].claimed_from < due * timing.nrefi:
                give_away(banks[other], claims, timing)
        refresh_all(banks, due, timing)


@kernel
def settle(
    banks: Any, bank_id: int, claims: Any, alone: bool, came_at: int, now: int, timing: ClockTiming
) -> tuple[int, int]:
    """Apply claims of a bank up to ``came_at`` and refreshes up to ``now``. Updates ``banks``.

    Returns
    -------
    now : int
        Clock at which a request of then is made: when the claim in force ends, if there is one.
    refresh_wait : int
        Clocks from there until its refresh is over, 0 if none is under way.
    """
    bank = banks[bank_id]
    while bank.claimed_from <= came_at:
        came_at = max(came_at, claims[bank.next_claim].released_at)
        now = max(now, came_at)
        refresh_beside(banks, bank_id, claims, alone, bank.claimed_from, timing)
        give_away(bank, claims, timing)
    refresh_beside(banks, bank_id, claims, alone, now, timing)
    return now, int(max(0, bank.refresh_until - now))
