"""Activates of one device, kept apart by the rules between banks: tRRD and tFAW.

Requests are served one after the other, but their ACTs are planned: one that can go out before those of earlier
requests, without pushing them back, does. With ``in_order`` it does not.
"""

from typing import Annotated, Any, Protocol

import numpy as np

from pim.config import ClockTiming
from pim.jit import at_index, inlined_kernel, kernel, rarely, record_dtype

ROOM = 64
"""ACTs that are remembered."""

KEPT = 40
"""The latest of them, kept when there is no room. Assumption: more than 16 cores plan ahead, and than a tFAW holds."""


class ActBudget(Protocol):
    """The latest ACTs of one device, or of a rank's devices in lockstep, by clock."""

    n: int
    at: Annotated[Any, "i8", (ROOM,)]  # DRAM clocks, ascending
    group: Annotated[Any, "i8", (ROOM,)]  # bank groups


ACT_BUDGET = record_dtype(ActBudget)


def make_act_budget() -> Any:
    """Return one idle activate budget, shape ``(1,)``."""
    return np.zeros(1, ACT_BUDGET).view(np.recarray)


@inlined_kernel
def activate(budget: ActBudget, group: int, came_at: int, earliest: int, timing: ClockTiming, in_order: bool) -> int:
    """Return the clock of an ACT to bank group ``group`` at or after ``earliest``. Updates ``budget``.

    ``came_at`` is the clock of its request: no later request, and so no later ACT, comes before.
    """
    n = budget.n
    if n > 0:
        quiet_at = budget.at[at_index(n - 1)] + max(timing.nrrd_l, timing.nrrd_s, timing.nfaw)
        if earliest < quiet_at:
            return plan_act(budget, group, earliest, timing.nrrd_s, timing.nrrd_l, timing.nfaw, in_order)
        if came_at >= quiet_at:
            n = 0  # none so far concerns any other
        elif rarely(n == ROOM):
            n = forget_acts(budget)
    budget.at[at_index(n)] = earliest
    budget.group[at_index(n)] = group
    budget.n = n + 1
    return earliest


@kernel
def plan_act(budget: ActBudget, group: int, earliest: int, nrrd_s: int, nrrd_l: int, nfaw: int, in_order: bool) -> int:
    """Return the first clock from ``earliest`` on that keeps all distances, and take it. Updates ``budget``."""
    n = budget.n
    index, at = n, earliest
    while not in_order and index > 0 and budget.at[index - 1] > earliest:
        index -= 1
    while True:
        at = after_earlier(budget, index, group, at, nrrd_s, nrrd_l, nfaw)
        if fits_before_later(budget, index, group, at, nrrd_s, nrrd_l, nfaw):
            insert_act(budget, index, group, at)
            return at
        index += 1


@inlined_kernel
def after_earlier(budget: ActBudget, index: int, group: int, at: int, nrrd_s: int, nrrd_l: int, nfaw: int) -> int:
    """Return the first clock from ``at`` on that the ACTs before ``index`` allow."""
    if index > 0:
        at = max(at, budget.at[index - 1] + nrrd_s)
    if index > 3:
        at = max(at, budget.at[index - 4] + nfaw)
    other = index - 1
    while other >= 0 and budget.at[other] + nrrd_l > at:
        if budget.group[other] == group:
            at = budget.at[other] + nrrd_l
        other -= 1
    return at


@inlined_kernel
def fits_before_later(budget: ActBudget, index: int, group: int, at: int, nrrd_s: int, nrrd_l: int, nfaw: int) -> bool:
    """Tell whether an ACT at ``at`` leaves the planned ones from ``index`` on where they are."""
    n = budget.n
    if index < n and budget.at[index] < at + nrrd_s:
        return False
    other = index
    while other < n and budget.at[other] < at + nrrd_l:
        if budget.group[other] == group:
            return False
        other += 1
    for later in range(index, min(index + 3, n)):  # windows that begin before it and end after it
        first = later - 3
        if first >= 0 and budget.at[later] - budget.at[first] < nfaw:
            return False
    return not (index + 3 < n and budget.at[index + 3] - at < nfaw)


@kernel
def forget_acts(budget: ActBudget) -> int:
    """Keep the latest ACTs only; return how many. Updates ``budget``."""
    for kept in range(KEPT):
        budget.at[kept] = budget.at[kept + ROOM - KEPT]
        budget.group[kept] = budget.group[kept + ROOM - KEPT]
    budget.n = KEPT
    return KEPT


@inlined_kernel
def insert_act(budget: ActBudget, index: int, group: int, at: int) -> None:
    """Remember an ACT as number ``index`` by clock. Updates ``budget``."""
    if budget.n == ROOM:
        index -= ROOM - forget_acts(budget)
    for later in range(budget.n, index, -1):
        budget.at[later] = budget.at[later - 1]
        budget.group[later] = budget.group[later - 1]
    budget.at[index] = at
    budget.group[index] = group
    budget.n += 1
