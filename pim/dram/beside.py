"""Cores' ACTs and columns beside those of the host, which are given: what `pim.dram.budget` and `bus` do, with both.

A core's ACT never goes out within a quiet zone before one of the host, as long as tFAW, tRRD_S and tRRD_L: so the
host's is never too early for the die, whatever it knows of the cores. After it the usual distances hold.
"""

from typing import Any

from pim.config import ClockTiming
from pim.dram.budget import ActBudget, after_earlier, insert_act
from pim.dram.bus import (
    ColumnBus,
    after_earlier_runs,
    fits_before_later_runs,
    gap,
    gap_after,
    insert_run,
    longest_gap,
)
from pim.dram.constraints import LONG_AGO
from pim.jit import inlined_kernel, kernel


@inlined_kernel
def quiet_clocks(timing: ClockTiming) -> int:
    """Return the clocks before the host's ACT in which cores have none."""
    return max(timing.nfaw, timing.nrrd_s, timing.nrrd_l)


@inlined_kernel
def n_until(commands: Any, at: int) -> int:
    """Return how many of the host's commands begin at or before a clock."""
    low, high = 0, len(commands)
    while low < high:
        middle = (low + high) // 2
        if commands[middle].first <= at:
            low = middle + 1
        else:
            high = middle
    return low


@inlined_kernel
def nth_last(budget: ActBudget, index: int, acts: Any, host: int, n: int) -> int:
    """Return the clock of the ``n``-th last of the cores' ACTs before ``index`` and the host's before ``host``."""
    at = LONG_AGO
    for _ in range(n):
        if index > 0 and (host == 0 or budget.at[index - 1] >= acts[host - 1].first):
            index -= 1
            at = budget.at[index]
        elif host > 0:
            host -= 1
            at = acts[host].first
        else:
            return LONG_AGO
    return at


@kernel
def activate_beside(
    budget: ActBudget, acts: Any, group: int, earliest: int, timing: ClockTiming, in_order: bool
) -> int:
    """Return the first clock from ``earliest`` on at which a core's ACT may go out, and take it. Updates ``budget``."""
    index, at = budget.n, earliest
    while not in_order and index > 0 and budget.at[index - 1] > earliest:
        index -= 1
    while True:
        at = after_both(budget, index, acts, group, at, timing)
        if fits_before_planned(budget, index, acts, group, at, timing):
            insert_act(budget, index, group, at)
            return at
        index += 1


@inlined_kernel
def after_both(budget: ActBudget, index: int, acts: Any, group: int, at: int, timing: ClockTiming) -> int:
    """Return the first clock from ``at`` on that the cores' ACTs before ``index`` and all of the host's allow."""
    quiet = quiet_clocks(timing)
    while True:
        start = at
        at = after_earlier(budget, index, group, at, timing.nrrd_s, timing.nrrd_l, timing.nfaw)
        host = n_until(acts, at)
        if host < len(acts) and acts[host].first < at + quiet:
            at = acts[host].first
            host += 1
        if host > 0:
            at = max(at, acts[host - 1].first + timing.nrrd_s)
        other = host - 1
        while other >= 0 and acts[other].first + timing.nrrd_l > at:
            if acts[other].group == group:
                at = acts[other].first + timing.nrrd_l
            other -= 1
        at = max(at, nth_last(budget, index, acts, host, 4) + timing.nfaw)
        if at == start:
            return at


@inlined_kernel
def fits_before_planned(budget: ActBudget, index: int, acts: Any, group: int, at: int, timing: ClockTiming) -> bool:
    """Tell whether an ACT at ``at`` leaves the cores' planned ones from ``index`` on where they are."""
    n = budget.n
    if index < n and budget.at[index] < at + timing.nrrd_s:
        return False
    other = index
    while other < n and budget.at[other] < at + timing.nrrd_l:
        if budget.group[other] == group:
            return False
        other += 1
    host = n_until(acts, at)
    for later in range(index, min(index + 3, n)):  # windows that begin before it and end after it
        if budget.at[later] - nth_last(budget, index, acts, host, 3 - later + index) < timing.nfaw:
            return False
    return not (index + 3 < n and budget.at[index + 3] - at < timing.nfaw)


@kernel
def take_bus_beside(
    bus: ColumnBus,
    runs: Any,
    group: int,
    is_write: bool,
    earliest: int,
    length: int,
    timing: ClockTiming,
    in_order: bool,
) -> int:
    """Return the clock of the first column of a core's run, from ``earliest`` on, and take it. Updates ``bus``."""
    kind = int(is_write)
    index, first = bus.n, earliest
    while not in_order and index > 0 and bus.first[index - 1] > earliest:
        index -= 1
    while True:
        start = first
        first = after_earlier_runs(bus, index, group, kind, first, timing)
        first = clear_of_host(runs, group, kind, first, length, timing)
        if first != start:
            continue
        if fits_before_later_runs(bus, index, group, kind, first, length, timing):
            insert_run(bus, index, group, kind, first, length)
            bus.quiet_at = max(bus.quiet_at, first + length + gap_after(is_write, timing))
            return first
        index += 1


@inlined_kernel
def clear_of_host(runs: Any, group: int, is_write: int, first: int, length: int, timing: ClockTiming) -> int:
    """Return the first clock from ``first`` on at which a run keeps all distances from the host's columns."""
    longest = longest_gap(timing)
    while True:
        start = first
        host = n_until(runs, first)
        other = host - 1
        while other >= 0 and runs[other].last + longest > first:
            apart = gap(runs[other].group == group, runs[other].is_write, is_write, timing)
            first = max(first, runs[other].last + apart)
            other -= 1
        other = host
        while other < len(runs) and runs[other].first < first + length + longest:
            if runs[other].first < first + length + gap(
                runs[other].group == group, is_write, runs[other].is_write, timing
            ):
                first = runs[other].last + gap(runs[other].group == group, runs[other].is_write, is_write, timing)
                break
            other += 1
        if first == start:
            return first
