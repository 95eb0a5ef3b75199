"""Activates of one device, at the rules between banks: tRRD and tFAW."""

from typing import Annotated, Any, Protocol

import numpy as np

from pim.config import ClockTiming
from pim.dram.constraints import LONG_AGO
from pim.jit import inlined_kernel, record_dtype


class ActBudget(Protocol):
    """Activates of one device (or of a rank's devices in lockstep); instants in DRAM clocks."""

    last_act_at: int
    recent: Annotated[Any, "i8", (4,)]  # clocks of the last four ACTs, a ring
    group_act_at: Annotated[Any, "i8", (4,)]  # clock of the last ACT of each bank group
    oldest: int  # index of the oldest entry of `recent`


ACT_BUDGET = record_dtype(ActBudget)


def make_act_budget() -> Any:
    """Return one idle activate budget, shape ``(1,)``."""
    budget = np.zeros(1, ACT_BUDGET).view(np.recarray)
    budget.last_act_at = LONG_AGO
    budget.recent = LONG_AGO
    budget.group_act_at = LONG_AGO
    return budget


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
