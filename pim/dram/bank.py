"""Row-buffer state of a bank, and what it has to do for an access to a row."""

from enum import IntEnum
from typing import Any, Protocol

import numpy as np

from pim.config import ClockTiming
from pim.jit import inlined_kernel, record_dtype

CLOSED = -1
"""Value of ``open_row`` when no row is open."""

NO_CLAIM = 1 << 62
"""Clock of a claim that never comes."""


class Bank(Protocol):
    """State of one bank; instants in DRAM clocks."""

    open_row: int  # row in the row buffer, or CLOSED
    act_ready_at: int  # first clock that accepts ACT: tRP after PRE, tRFC after REF
    column_ready_at: int  # first clock that accepts RD or WR: tRCD after ACT
    pre_ready_at: int  # first clock that accepts PRE: tRAS, tRTP, tWR
    refreshed: int  # refresh intervals this bank has been refreshed for
    refresh_until: int  # clock at which its last refresh is over
    claimed_from: int  # clock from which the host's next claim is in force, or NO_CLAIM
    next_claim: int  # its number (`pim.dram.claims`)
    drain: int  # most clocks that a claim so far had to wait for the bank
    open_clocks: int  # from ACT to closing, of rows that are closed again


BANK = record_dtype(Bank)


class RowOutcome(IntEnum):
    """Row-buffer outcome of one access, with the commands it needs."""

    HIT = 0  # RD/WR
    MISS = 1  # ACT, RD/WR
    CONFLICT = 2  # PRE, ACT, RD/WR


def make_banks(n_banks: int) -> Any:
    """Return ``n_banks`` closed banks, shape ``(n_banks,)``, dtype ``BANK``."""
    banks = np.zeros(n_banks, BANK).view(np.recarray)
    banks.open_row = CLOSED
    banks.claimed_from = NO_CLAIM
    return banks


@inlined_kernel
def note_closing(bank: Bank, at: int, timing: ClockTiming) -> None:
    """Count the time for which the open row was, closing at clock ``at``. Updates ``bank``."""
    bank.open_clocks += at - (bank.column_ready_at - timing.nrcd)


@inlined_kernel
def row_outcome(bank: Bank, row: int) -> int:
    """Classify an access to ``row`` as a RowOutcome; ``bank`` is unchanged."""
    if bank.open_row == row:
        return RowOutcome.HIT
    if bank.open_row == CLOSED:
        return RowOutcome.MISS
    return RowOutcome.CONFLICT
