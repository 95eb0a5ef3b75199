"""One access to a DRAM device: the commands it needs, when they go out, and when its data is there.

The device keeps no clock: the caller passes ``now``. Requests are served one at a time, in the order of the calls; the
page stays open until a conflict or a refresh closes it. Timings come in DRAM clocks from ``ClockTiming``; which of them
bind (external burst or not, tFAW or not) is the caller's choice (pim.system.levels).
"""

from typing import Any, NamedTuple

import numpy as np

from pim.config import ClockTiming
from pim.dram.bank import RowOutcome, make_banks, row_outcome
from pim.dram.budget import activate, make_act_budget
from pim.dram.bus import first_column, make_buses
from pim.dram.command import COUNTED, Command
from pim.dram.refresh import catch_up
from pim.jit import inlined_kernel


class Device(NamedTuple):
    """State of one chip, or of a rank's chips in lockstep."""

    banks: Any  # BANK, (n_banks,)
    budget: Any  # ACT_BUDGET, (1,)
    buses: Any  # COLUMN_BUS, (1,) shared, or (n_banks,) if each bank has its own port
    commands: Any  # int64, (len(COUNTED),), commands issued
    group_mask: int  # bank groups - 1; bank b is of group b & group_mask


def make_device(n_banks: int, n_buses: int, n_groups: int = 4) -> Device:
    """Return an idle device of ``n_groups`` bank groups; ``n_buses`` is 1, or ``n_banks`` if each has its own port."""
    if n_buses not in (1, n_banks):
        raise ValueError(f"n_buses must be 1 or n_banks ({n_banks}), got {n_buses}")
    return Device(
        make_banks(n_banks), make_act_budget(), make_buses(n_buses), np.zeros(len(COUNTED), np.int64), n_groups - 1
    )


@inlined_kernel
def is_open(device: Device, bank_id: int, row: int, now: int, timing: ClockTiming) -> bool:
    """Tell whether ``row`` is in its row buffer at clock ``now``, no refresh being due; ``device`` is unchanged."""
    bank = device.banks[bank_id]
    return bool(bank.open_row == row and now < (bank.refreshed + 1) * timing.nrefi)


@inlined_kernel
def access(
    device: Device, bank_id: int, row: int, n_columns: int, is_write: bool, now: int, timing: ClockTiming
) -> tuple[int, int, int]:
    """Move ``n_columns`` columns of one row at or after clock ``now``. Updates ``device``.

    Returns
    -------
    done_at : int
        Clock at which the last column's data has arrived (read) or left (write).
    outcome : int
        A RowOutcome.
    refresh_wait : int
        Clocks from ``now`` until the bank's refresh is over, 0 if none is under way.
    """
    bank = device.banks[bank_id]
    group = bank_id & device.group_mask
    refresh_wait = catch_up(bank, now, timing)
    outcome = row_outcome(bank, row)
    if outcome == RowOutcome.CONFLICT:
        precharge_at = max(now, bank.pre_ready_at)
        bank.act_ready_at = max(bank.act_ready_at, precharge_at + timing.nrp)
        device.commands[Command.PRE] += 1
    if outcome != RowOutcome.HIT:
        act_at = activate(device.budget[0], group, max(now, bank.act_ready_at), timing)
        bank.open_row = row
        bank.column_ready_at = act_at + timing.nrcd
        bank.pre_ready_at = act_at + timing.nras
        device.commands[Command.ACT] += 1
    bus = device.buses[bank_id if len(device.buses) > 1 else 0]
    first = first_column(bus, group, is_write, max(now, bank.column_ready_at), timing)
    last = first + (n_columns - 1) * timing.nccd_l
    bus.last_at = last
    bus.last_group = group
    if is_write:
        done_at = last + timing.ncwl + timing.nbl
        bus.read_ready_at = done_at + timing.nwtr_l
        bank.pre_ready_at = max(bank.pre_ready_at, done_at + timing.nwr)
        device.commands[Command.WR] += n_columns
    else:
        done_at = last + timing.ncl + timing.nbl
        bus.write_ready_at = done_at + 2 - timing.ncwl
        bank.pre_ready_at = max(bank.pre_ready_at, last + timing.nrtp)
        device.commands[Command.RD] += n_columns
    return done_at, outcome, refresh_wait
