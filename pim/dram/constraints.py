"""Rules between banks: ACT to ACT (tRRD, tFAW) of one device, and column to column (tCCD, turnaround) of one bus."""

from typing import Annotated, Any, Protocol

import numpy as np

from pim.config import ClockTiming
from pim.jit import inlined_kernel, record_dtype

LONG_AGO = -(1 << 40)
"""Clock of a command that never was."""


class ActBudget(Protocol):
    """Activates of one device (or of a rank's devices in lockstep); instants in DRAM clocks."""

    last_act_at: int
    recent: Annotated[Any, "i8", (4,)]  # clocks of the last four ACTs, a ring
    group_act_at: Annotated[Any, "i8", (4,)]  # clock of the last ACT of each bank group
    oldest: int  # index of the oldest entry of `recent`


class ColumnBus(Protocol):
    """The path that column data takes: a bank's own port, a die's global bus or a rank's data bus."""

    last_at: int  # clock of the last RD or WR
    last_group: int
    read_ready_at: int  # first clock for a RD after a WR (turnaround)
    write_ready_at: int  # first clock for a WR after a RD


ACT_BUDGET = record_dtype(ActBudget)
COLUMN_BUS = record_dtype(ColumnBus)


def make_act_budget() -> Any:
    """Return one idle activate budget, shape ``(1,)``."""
    budget = np.zeros(1, ACT_BUDGET).view(np.recarray)
    budget.last_act_at = LONG_AGO
    budget.recent = LONG_AGO
    budget.group_act_at = LONG_AGO
    return budget


def make_buses(n_buses: int) -> Any:
    """Return ``n_buses`` idle column buses, shape ``(n_buses,)``."""
    buses = np.zeros(n_buses, COLUMN_BUS).view(np.recarray)
    buses.last_at = LONG_AGO
    return buses


@inlined_kernel
def activate(budget: ActBudget, group: int, earliest: int, timing: ClockTiming) -> int:
    """Return the clock of an ACT to bank group ``group`` at or after ``earliest``. Updates ``budget``.

    Requests are served in the order of the calls, so an ACT is never earlier than the one served before it.
    """
    at = max(earliest, budget.last_act_at + timing.nrrd_s)
    at = max(at, budget.group_act_at[group] + timing.nrrd_l)
    at = int(max(at, budget.recent[budget.oldest] + timing.nfaw))
    budget.recent[budget.oldest] = at
    budget.oldest = (budget.oldest + 1) & 3
    budget.group_act_at[group] = at
    budget.last_act_at = at
    return at


@inlined_kernel
def first_column(bus: ColumnBus, group: int, is_write: bool, earliest: int, timing: ClockTiming) -> int:
    """Return the first clock from ``earliest`` on at which the bus takes a RD or WR of ``group``; ``bus`` unchanged."""
    spacing = timing.nccd_l if bus.last_group == group else timing.nccd_s
    ready_at = bus.write_ready_at if is_write else bus.read_ready_at
    return int(max(earliest, bus.last_at + spacing, ready_at))
