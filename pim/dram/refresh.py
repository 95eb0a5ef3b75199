"""Refresh on the cores' path: one REF every tREFI, on time, which closes rows and blocks banks for tRFC.

Where banks share a bus REF goes to all of them, as DDR4 has it, once the last one is precharged; where each bank has
its own core, the bank's controller in the die refreshes it alone. What is under way at the due clock finishes first.
Postponing is for controllers that hold several requests (`pim.dram.controller`).
"""

from typing import Any

from pim.config import ClockTiming
from pim.dram.bank import CLOSED, Bank, note_closing
from pim.jit import at_index, inlined_kernel, kernel, rarely


@inlined_kernel
def closes_at(bank: Bank, timing: ClockTiming) -> int:
    """Return the clock at which the first refresh that is due closes an open row."""
    return int(max((bank.refreshed + 1) * timing.nrefi, bank.pre_ready_at))


@inlined_kernel
def quiet_from(bank: Bank, timing: ClockTiming) -> int:
    """Return the clock from which a bank is precharged."""
    return int(bank.act_ready_at if bank.open_row == CLOSED else closes_at(bank, timing) + timing.nrp)


@inlined_kernel
def block(bank: Bank, due: int, at: int, timing: ClockTiming) -> None:
    """Refresh a bank for the ``due``-th time, by a REF at clock ``at``. Updates ``bank``."""
    if bank.open_row != CLOSED:
        note_closing(bank, closes_at(bank, timing), timing)
    bank.act_ready_at = at + timing.nrfc
    bank.refresh_until = at + timing.nrfc
    bank.open_row = CLOSED
    bank.refreshed = due


@kernel
def refresh_all(banks: Any, due: int, timing: ClockTiming) -> None:
    """Refresh all banks by one REF. Updates ``banks``."""
    at = due * timing.nrefi
    for bank_id in range(len(banks)):
        at = max(at, quiet_from(banks[bank_id], timing))
    for bank_id in range(len(banks)):
        block(banks[bank_id], due, at, timing)


@kernel
def refresh_up_to(banks: Any, bank_id: int, alone: bool, last: int, timing: ClockTiming) -> None:
    """Refresh up to the ``last``-th time, each time after the one before is over. Updates ``banks``."""
    bank = banks[bank_id]
    due = bank.refreshed + 1
    while due <= last:
        if alone:
            block(bank, due, int(max(due * timing.nrefi, quiet_from(bank, timing))), timing)
        else:
            refresh_all(banks, due, timing)
        # once one is over when the next falls due, so are all but the last
        due = last if due < last and bank.refresh_until <= (due + 1) * timing.nrefi else due + 1


@inlined_kernel
def catch_up(banks: Any, bank_id: int, alone: bool, now: int, timing: ClockTiming) -> int:
    """Apply the refreshes due by ``now``; return the clocks from ``now`` until the last is over. Updates ``banks``."""
    bank = banks[at_index(bank_id)]
    if rarely(now >= (bank.refreshed + 1) * timing.nrefi):  # a product, since a division takes as long as all the rest
        refresh_up_to(banks, bank_id, alone, now // timing.nrefi, timing)
    return int(max(0, bank.refresh_until - now))


def open_clocks(banks: Any, end: int, timing: ClockTiming) -> tuple[int, ...]:
    """Return the clocks from 0 to ``end`` in which each bank had a row open or was refreshed; no bank is updated.

    A refresh under way at the end counts in full.
    """
    refreshing = end // timing.nrefi * timing.nrfc
    counted = []
    for bank in banks:
        still_open = 0
        if bank.open_row != CLOSED:
            opened_at = int(bank.column_ready_at) - timing.nrcd
            closes = max((int(bank.refreshed) + 1) * timing.nrefi, int(bank.pre_ready_at))
            still_open = max(0, min(closes, end) - opened_at)
        counted.append(max(0, min(end, int(bank.open_clocks) + still_open + refreshing)))
    return tuple(counted)
