"""Refresh on the cores' path: one REF every tREFI, on time, which closes rows and blocks banks for tRFC.

Where banks share a bus REF goes to all of them, as DDR4 has it, once the last one is precharged; where each bank has
its own core, the bank's controller in the die refreshes it alone. What is under way at the due clock finishes first.
Postponing is for controllers that hold several requests (`pim.dram.controller`).
"""

from typing import Any

from pim.config import ClockTiming
from pim.dram.bank import CLOSED, Bank
from pim.jit import inlined_kernel, kernel


@inlined_kernel
def quiet_from(bank: Bank, timing: ClockTiming) -> int:
    """Return the clock from which a bank is precharged; the first refresh that is due closes its row."""
    if bank.open_row == CLOSED:
        return bank.act_ready_at
    return int(max((bank.refreshed + 1) * timing.nrefi, bank.pre_ready_at)) + timing.nrp


@inlined_kernel
def block(bank: Bank, due: int, at: int, timing: ClockTiming) -> None:
    """Refresh a bank for the ``due``-th time, by a REF at clock ``at``. Updates ``bank``."""
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


@inlined_kernel
def catch_up(banks: Any, bank_id: int, alone: bool, now: int, timing: ClockTiming) -> int:
    """Apply the last refresh due by ``now``; return the clocks from ``now`` until it is over. Updates ``banks``."""
    bank = banks[bank_id]
    if now >= (bank.refreshed + 1) * timing.nrefi:  # a product, since a division takes as long as all the rest
        due = now // timing.nrefi
        if alone:
            block(bank, due, max(due * timing.nrefi, quiet_from(bank, timing)), timing)
        else:
            refresh_all(banks, due, timing)
    return int(max(0, bank.refresh_until - now))
