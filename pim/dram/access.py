"""One access to a DRAM device: the commands it needs, when they go out, and when its data is there.

The device keeps no clock: the caller passes ``now``, which never falls from one request at a device to the next, but
for an AMO's write. Requests are served in the order of the calls, each completely; where that leaves room for
commands of later ones before its own, they go there (FR-FCFS) or not (FCFS). Timings come in DRAM clocks from
``ClockTiming``; which of them bind at a level is the caller's choice (pim.system.levels). The table of rules is
`pim.dram.constraints`; this path has the same ones, specialised, and tests compare the two.
"""

from typing import Any, NamedTuple

import numpy as np

from pim.config import ClockTiming
from pim.dram.bank import CLOSED, RowOutcome, make_banks, note_closing, row_outcome
from pim.dram.beside import activate_beside, take_bus_beside
from pim.dram.budget import activate, make_act_budget
from pim.dram.bursts import make_bursts, take_limited_bus
from pim.dram.bus import make_buses, take_bus
from pim.dram.claims import no_claims, no_commands, released_at, settle
from pim.dram.command import COUNTED, Command
from pim.dram.refresh import catch_up
from pim.jit import at_index, inlined_kernel, kernel, rarely


class Device(NamedTuple):
    """State of one chip, or of a rank's chips in lockstep."""

    banks: Any  # BANK, (n_banks,)
    budget: Any  # ACT_BUDGET, (1,)
    buses: Any  # COLUMN_BUS, (1,) shared, or (n_banks,) if each bank has its own port
    commands: Any  # int64, (len(COUNTED),), commands issued
    group_mask: int  # bank groups - 1; bank b is of group b & group_mask
    in_order: bool  # no command goes out before one of its kind that an earlier request gave
    closed_page: bool  # every access closes its row
    is_shared: bool  # several cores, or cores and the host, use it
    bursts: Any  # BURSTS, (1,)
    most_bursts: int  # banks that may have column bursts in flight at once; 0: no limit
    claims: Any  # CLAIM: what the host has of the cores' banks, see `pim.dram.claims`
    host_acts: Any  # HOST_COMMAND, by clock: its ACTs to this device
    host_runs: Any  # HOST_COMMAND, by clock: its columns on the shared bus


def make_device(
    n_banks: int,
    n_buses: int,
    n_groups: int = 4,
    *,
    in_order: bool = False,
    closed_page: bool = False,
    is_shared: bool = False,
    most_bursts: int = 0,
) -> Device:
    """Return an idle device of ``n_groups`` bank groups; ``n_buses`` is 1, or ``n_banks`` if each has its own port.

    ``most_bursts`` limits the banks that have column bursts in flight at once, if each has its own port; 0: no limit.
    """
    if n_buses not in (1, n_banks):
        raise ValueError(f"n_buses must be 1 or n_banks ({n_banks}), got {n_buses}")
    return Device(
        make_banks(n_banks),
        make_act_budget(),
        make_buses(n_buses),
        np.zeros(len(COUNTED), np.int64),
        n_groups - 1,
        in_order,
        closed_page,
        is_shared,
        make_bursts(),
        most_bursts if n_buses > 1 else 0,
        no_claims(),
        no_commands(),
        no_commands(),
    )


@inlined_kernel
def is_open(device: Device, bank_id: int, row: int, now: int, timing: ClockTiming) -> bool:
    """Tell whether ``row`` is in its row buffer at clock ``now``, no refresh or claim due; ``device`` is unchanged."""
    bank = device.banks[at_index(bank_id)]
    return bool(bank.open_row == row and now < (bank.refreshed + 1) * timing.nrefi and now < bank.claimed_from)


@inlined_kernel
def free_from(device: Device, bank_id: int, now: int) -> int:
    """Return the first clock from ``now`` on at which the host does not claim the bank; ``device`` is unchanged."""
    bank = device.banks[at_index(bank_id)]
    return now if now < bank.claimed_from else released_at(bank, device.claims, now)


@inlined_kernel
def take_act(device: Device, group: int, came_at: int, earliest: int, timing: ClockTiming) -> int:
    """Return the clock of an ACT to a bank group, from ``earliest`` on. Updates ``device``."""
    if rarely(len(device.host_acts) > 0):
        return int(activate_beside(device.budget[0], device.host_acts, group, earliest, timing, device.in_order))
    return int(activate(device.budget[0], group, came_at, earliest, timing, device.in_order))


@inlined_kernel
def take_columns(
    device: Device, bus: Any, group: int, is_write: bool, came_at: int, earliest: int, length: int, timing: ClockTiming
) -> int:
    """Return the clock of the first column of a run ``length`` clocks long, from ``earliest`` on. Updates ``bus``."""
    if rarely(len(device.host_runs) > 0):
        return int(take_bus_beside(bus, device.host_runs, group, is_write, earliest, length, timing, device.in_order))
    return int(take_bus(bus, group, is_write, came_at, earliest, length, timing, device.in_order))


@inlined_kernel
def access(
    device: Device, bank_id: int, row: int, n_columns: int, is_write: bool, now: int, timing: ClockTiming
) -> tuple[int, int, int, int]:
    """Move ``n_columns`` columns of one row at or after clock ``now``. Updates ``device``.

    While the host claims the bank, the request is made when the claim ends: callers that order requests by clock ask
    `free_from` first. What is returned says `access_after`.
    """
    return access_after(device, bank_id, row, n_columns, is_write, now, now, timing)


@inlined_kernel
def access_after(
    device: Device, bank_id: int, row: int, n_columns: int, is_write: bool, came_at: int, now: int, timing: ClockTiming
) -> tuple[int, int, int, int]:
    """Do at or after ``now`` what belongs to a request of clock ``came_at``; later claims wait for it.

    Returns
    -------
    done_at : int
        Clock at which the last column's data has arrived (read) or left (write).
    outcome : int
        A RowOutcome.
    refresh_wait : int
        Clocks from when the request is made until the bank's refresh is over, 0 if none is under way.
    shared_wait : int
        Clocks by which what cores share, with each other or the host, activate budget, bus and bursts, holds back its
        ACT and first column.
    """
    bank = device.banks[at_index(bank_id)]
    group = bank_id & device.group_mask
    if rarely(len(device.claims) > 0):
        now, refresh_wait = settle(device.banks, bank_id, device.claims, len(device.buses) > 1, came_at, now, timing)
    else:
        refresh_wait = catch_up(device.banks, bank_id, len(device.buses) > 1, now, timing)
    outcome = row_outcome(bank, row)
    if outcome == RowOutcome.CONFLICT:
        precharge_at = max(now, bank.pre_ready_at)
        note_closing(bank, precharge_at, timing)
        bank.act_ready_at = max(bank.act_ready_at, precharge_at + timing.nrp)
        device.commands[Command.PRE] += 1
    shared_wait = 0
    if outcome != RowOutcome.HIT:
        earliest = max(now, bank.act_ready_at)
        act_at = take_act(device, group, came_at, earliest, timing)
        if device.is_shared:
            shared_wait = act_at - earliest
        bank.open_row = row
        bank.column_ready_at = act_at + timing.nrcd
        bank.pre_ready_at = act_at + timing.nras
        device.commands[Command.ACT] += 1
    bus = device.buses[at_index(bank_id if len(device.buses) > 1 else 0)]
    length = (n_columns - 1) * timing.nccd_l
    earliest = max(now, bank.column_ready_at)
    if rarely(device.most_bursts > 0):
        first, alone = take_limited_bus(
            bus,
            device.bursts[0],
            device.most_bursts,
            group,
            is_write,
            came_at,
            earliest,
            length,
            timing,
            device.in_order,
        )
        if device.is_shared:
            shared_wait += first - alone
    else:
        first = take_columns(device, bus, group, is_write, came_at, earliest, length, timing)
        if device.is_shared and len(device.buses) == 1:
            shared_wait += first - earliest
    last = first + length
    if is_write:
        done_at = last + timing.ncwl + timing.nbl
        bank.pre_ready_at = max(bank.pre_ready_at, done_at + timing.nwr)
        device.commands[Command.WR] += n_columns
    else:
        done_at = last + timing.ncl + timing.nbl
        bank.pre_ready_at = max(bank.pre_ready_at, last + timing.nrtp)
        device.commands[Command.RD] += n_columns
    if rarely(device.closed_page):
        note_closing(bank, bank.pre_ready_at, timing)
        bank.act_ready_at = bank.pre_ready_at + timing.nrp
        bank.open_row = CLOSED
        device.commands[Command.PRE] += 1
    return done_at, outcome, refresh_wait, shared_wait


@kernel
def access_apart(
    device: Device, bank_id: int, row: int, n_columns: int, is_write: bool, came_at: int, now: int, timing: ClockTiming
) -> tuple[int, int, int, int]:
    """Do what `access_after` does, as a function of its own: what is rare takes less time to compile."""
    return access_after(device, bank_id, row, n_columns, is_write, came_at, now, timing)
