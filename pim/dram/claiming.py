"""The host's controller of one channel whose banks cores have: each row it needs is claimed, used and given back.

It does not see the cores: it waits tClaim after each claim, so that what it does depends on its own requests alone. A
claim and its end are writes to the OWNER register, in the register row of the bank. Commands obey `pim.dram.channel`,
register rows' ACTs like any other. Who has which banks, and what becomes of the results, is for `pim.system.host`.
"""

from enum import IntEnum
from typing import Any, NamedTuple, Protocol

import numpy as np

from pim.config import ClockTiming
from pim.dram.bank import CLOSED
from pim.dram.channel import Channel, issue, ready_at
from pim.dram.command import Command
from pim.jit import inlined_kernel, kernel, record_dtype

NEVER = 1 << 60
"""Clock of a command that is not wanted."""

RANKING = 4
"""Commands that could go out at one clock are ranked by this many urgencies."""


class Phase(IntEnum):
    """What a bank waits for."""

    IDLE = 0  # ACT of the register row, once its oldest request is old enough
    CLAIM = 1  # WR of the claim
    CLAIMED = 2  # PRE of the register row
    DRAINING = 3  # ACT of the row, exactly tClaim after the claim is in force
    OPEN = 4  # columns, then PRE
    CLOSED = 5  # ACT of the register row
    RELEASE = 6  # WR of the claim's end
    RELEASED = 7  # PRE of the register row


class HostBank(Protocol):
    """One bank as the host's controller sees it; clocks are DRAM clocks."""

    phase: int
    first: int  # its requests not yet served are of the numbers from here
    end: int  # to before here
    act_at: int  # ACT of its claim
    row: int
    last_column_at: int  # latest clock of a column
    claim: int  # number of its claim
    columns: int  # of its claim so far


HOST_BANK = record_dtype(HostBank)


class ClaimPolicy(NamedTuple):
    """What the controller keeps to, in DRAM clocks."""

    nclaim: int
    act_spacing: int
    hold: int
    age: int  # wait of a request before its bank is claimed
    in_force: int  # from the WR of a claim to when it is in force, or over
    quiet: int  # before the ACT of a row in which the rank gets no other
    tail: int  # from a claim's last column to its end, at most
    one_bus: bool
    register_row: int
    depth: int  # requests of a bank looked at for its open row


class HostRequests(NamedTuple):
    """Requests by bank, then by clock; int64."""

    offered_at: Any
    row: Any
    is_write: Any
    column_at: Any  # to be found out: clock of the column, NEVER until it is served


class ClaimLog(NamedTuple):
    """What the controller did, int64."""

    claims: Any  # (n, 4): bank, claimed_at, released_at, act_at
    columns: Any  # (n, 3): clock, bank, whether it writes
    commands: Any  # (n, 4): clock, Command, bank, row; as many as there is room for
    counts: Any  # (3,): of the above


@inlined_kernel
def has_act_to_come(bank: HostBank) -> bool:
    """Tell whether the ACT of a claim is still to go out."""
    return bool(bank.phase == Phase.CLAIMED or bank.phase == Phase.DRAINING)  # noqa: PLR1714


@inlined_kernel
def clear_of_acts(channel: Channel, banks: Any, bank_id: int, is_act: bool, policy: ClaimPolicy, at: int) -> int:
    """Return the first clock from ``at`` on that is not the ACT of a claim, nor, for an ACT, shortly before one."""
    moved = True
    while moved:
        moved = False
        for other in range(len(banks)):
            bank = banks[other]
            if not has_act_to_come(bank):
                continue
            quiet = policy.quiet if is_act and other >> channel.bank_shift == bank_id >> channel.bank_shift else 1
            if at <= bank.act_at < at + quiet:
                at = bank.act_at + 1
                moved = True
    return at


@inlined_kernel
def claim_at(banks: Any, last_act: int, policy: ClaimPolicy, timing: ClockTiming, earliest: int) -> int:
    """Return the first clock from ``earliest`` on of the WR of a claim that leaves to the cores what it must."""
    at = max(earliest, last_act + policy.act_spacing - policy.nclaim - policy.in_force)
    moved = True
    while moved:
        moved = False
        due = ((at + policy.in_force) // timing.nrefi + 1) * timing.nrefi
        latest = due if policy.one_bus else due + timing.nrefi - timing.nrfc
        if at + policy.in_force + policy.nclaim + timing.nrcd + policy.hold + policy.tail > latest:
            at = due - policy.in_force
            moved = True
        for other in range(len(banks)):  # another rank's ACT may have the clock
            bank = banks[other]
            if has_act_to_come(bank) and bank.act_at == at + policy.in_force + policy.nclaim:
                at += 1
                moved = True
    return at


@inlined_kernel
def next_column(bank: HostBank, requests: HostRequests, depth: int) -> int:
    """Return the oldest request of a bank for its open row, or -1; the oldest ``depth`` are looked at."""
    seen, request = 0, bank.first
    while request < bank.end and seen < depth:
        if requests.column_at[request] == NEVER:
            if requests.row[request] == bank.row:
                return int(request)
            seen += 1
        request += 1
    return -1


@inlined_kernel
def soonest(channel: Channel, banks: Any, bank_id: int, command: int, policy: ClaimPolicy, at: int) -> int:
    """Return the first clock from ``at`` on at which a command may go out."""
    at = max(at, channel.last_at[0] + 1, ready_at(channel, command, bank_id))
    return clear_of_acts(channel, banks, bank_id, command == Command.ACT, policy, at)


@inlined_kernel
def want(
    channel: Channel,
    banks: Any,
    bank_id: int,
    requests: HostRequests,
    policy: ClaimPolicy,
    last_act: int,
    timing: ClockTiming,
) -> tuple[int, int, int, int]:
    """Return the clock at which a bank could have its next command, the command, a request or -1, and an urgency."""
    bank = banks[bank_id]
    at, command, request, urgency = NEVER, Command.PRE.value, -1, 1
    if bank.phase == Phase.IDLE:
        command, urgency = Command.ACT.value, 3
        if bank.first < bank.end:
            at = soonest(channel, banks, bank_id, command, policy, requests.offered_at[bank.first] + policy.age)
    elif bank.phase == Phase.CLAIM:
        command, urgency, start = Command.WR.value, 2, -1
        at = soonest(channel, banks, bank_id, command, policy, 0)
        while at != start:
            start = at
            at = claim_at(banks, last_act, policy, timing, at)
            at = clear_of_acts(channel, banks, bank_id, False, policy, at)
    elif bank.phase == Phase.DRAINING:
        at, command, urgency = bank.act_at, Command.ACT.value, 0
    elif bank.phase == Phase.CLOSED or bank.phase == Phase.RELEASE:  # noqa: PLR1714
        command, urgency = Command.ACT.value if bank.phase == Phase.CLOSED else Command.WR.value, 0
        at = soonest(channel, banks, bank_id, command, policy, 0)
    else:
        at = soonest(channel, banks, bank_id, command, policy, 0)
        column = next_column(bank, requests, policy.depth) if bank.phase == Phase.OPEN else -1
        if column >= 0 and requests.offered_at[column] < at:
            kind = Command.WR.value if requests.is_write[column] else Command.RD.value
            column_at = soonest(channel, banks, bank_id, kind, policy, requests.offered_at[column] + 1)
            if column_at <= bank.last_column_at:
                at, command, request = column_at, kind, column
    return at, command, request, urgency


@inlined_kernel
def advance(
    channel: Channel,
    banks: Any,
    bank_id: int,
    requests: HostRequests,
    request: int,
    at: int,
    policy: ClaimPolicy,
    last_acts: Any,
    log: ClaimLog,
    nrcd: int,
) -> int:
    """Note what a command at clock ``at`` means for its bank; return the row it is for. Updates all but ``channel``."""
    bank = banks[bank_id]
    phase, row = bank.phase, policy.register_row
    bank.phase = phase + 1
    if phase == Phase.CLAIM:
        claim = log.counts[0]
        log.counts[0] += 1
        bank.claim, bank.columns, bank.row = claim, 0, requests.row[bank.first]
        bank.act_at = at + policy.in_force + policy.nclaim
        bank.last_column_at = bank.act_at + nrcd + policy.hold
        last_acts[bank_id >> channel.bank_shift] = bank.act_at
        entry = log.claims[claim]
        entry[0], entry[1], entry[2], entry[3] = bank_id, at + policy.in_force, NEVER, bank.act_at
    elif phase == Phase.DRAINING:
        row = bank.row
    elif phase == Phase.OPEN:
        row = bank.row
        if request >= 0:
            bank.phase = phase
            requests.column_at[request] = at
            bank.columns += 1
            entry = log.columns[log.counts[1]]
            entry[0], entry[1], entry[2] = at, bank_id, requests.is_write[request]
            log.counts[1] += 1
            while bank.first < bank.end and requests.column_at[bank.first] != NEVER:
                bank.first += 1
        else:
            row = CLOSED
    elif phase == Phase.RELEASE:
        log.claims[bank.claim, 2] = at + policy.in_force
    elif phase == Phase.RELEASED:
        bank.phase = Phase.IDLE
    return int(row)


@inlined_kernel
def first_in_need(banks: Any) -> int:
    """Return the bank that has been open longest without a column, or -1: so no stream of others keeps it waiting."""
    first = -1
    for bank_id in range(len(banks)):
        bank = banks[bank_id]
        is_older = first < 0 or bank.act_at < banks[first].act_at
        if bank.phase == Phase.OPEN and bank.columns == 0 and is_older:
            first = bank_id
    return first


@kernel
def serve_claiming(
    channel: Channel,
    banks: Any,
    requests: HostRequests,
    policy: ClaimPolicy,
    last_acts: Any,
    log: ClaimLog,
) -> int:
    """Serve all requests; return 0, or the clock at which there is no going on. Updates all but ``policy``.

    ``last_acts`` are the clocks of each rank's last ACT of a claim.
    """
    timing = channel.timing
    while True:
        best, best_at, best_command, best_request, best_bank = NEVER * RANKING, NEVER, 0, -1, -1
        first = first_in_need(banks)
        first_at = NEVER
        if first >= 0:
            first_at = want(channel, banks, first, requests, policy, 0, timing)[0]
        for bank_id in range(len(banks)):
            last_act = last_acts[bank_id >> channel.bank_shift]
            at, command, request, urgency = want(channel, banks, bank_id, requests, policy, last_act, timing)
            if request >= 0 and first >= 0 and bank_id != first:
                at = max(at, first_at + 1)
            if at < NEVER and at * RANKING + urgency < best:
                best = at * RANKING + urgency
                best_at, best_command, best_request, best_bank = at, command, request, bank_id
        if best_bank < 0:
            return 0
        is_late = best_command == Command.ACT and ready_at(channel, Command.ACT, best_bank) > best_at
        if is_late or log.counts[0] == len(log.claims):
            return best_at
        row = advance(channel, banks, best_bank, requests, best_request, best_at, policy, last_acts, log, timing.nrcd)
        issue(channel, best_command, best_bank, row, best_at)
        n = log.counts[2]
        if n < len(log.commands):
            entry = log.commands[n]
            entry[0], entry[1], entry[2], entry[3] = best_at, best_command, best_bank, row
            log.counts[2] = n + 1


def make_host_banks(n_banks: int, bank: Any) -> Any:
    """Return the banks of a channel whose requests are for these banks, ascending, shape ``(n_banks,)``."""
    banks = np.zeros(n_banks, HOST_BANK).view(np.recarray)
    banks.first = np.searchsorted(bank, np.arange(n_banks), side="left")
    banks.end = np.searchsorted(bank, np.arange(n_banks), side="right")
    return banks
