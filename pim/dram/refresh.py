"""All-bank refresh: one REF every tREFI, on time, which closes the row and blocks the bank for tRFC.

A command sequence that is under way at the due clock finishes first. Postponing refreshes is not modelled.
"""

from pim.config import ClockTiming
from pim.dram.bank import CLOSED, Bank
from pim.jit import inlined_kernel


@inlined_kernel
def catch_up(bank: Bank, now: int, timing: ClockTiming) -> int:
    """Apply the last refresh due by ``now``; return the clocks from ``now`` until it is over. Updates ``bank``."""
    if now >= (bank.refreshed + 1) * timing.nrefi:  # a product, since a division takes as long as all the rest
        due = now // timing.nrefi
        quiet_at = bank.act_ready_at
        if bank.open_row != CLOSED:  # the first one due closes the row
            quiet_at = max((bank.refreshed + 1) * timing.nrefi, bank.pre_ready_at) + timing.nrp
        bank.act_ready_at = max(due * timing.nrefi, quiet_at) + timing.nrfc
        bank.refresh_until = bank.act_ready_at
        bank.open_row = CLOSED
        bank.refreshed = due
    return max(0, bank.refresh_until - now)
