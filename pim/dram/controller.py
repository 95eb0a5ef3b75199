"""A controller that orders requests to one channel (or one rank): FCFS or FR-FCFS, open or closed pages, refresh.

A request that is accepted at clock t can get its first command at t + 1. `pim.dram.choice` says which command goes
next; what is asked for, and when, is decided by the caller (`pim.dram.traffic`).
"""

from typing import Any, NamedTuple

from pim.config import Policy
from pim.dram.bank import CLOSED, RowOutcome
from pim.dram.channel import Channel, issue
from pim.dram.choice import (
    LONGEST_WAIT,
    Choice,
    Desk,
    Refreshes,
    choose_first_ready,
    choose_in_order,
    choose_refresh,
    set_want,
)
from pim.dram.command import Command
from pim.dram.queues import (
    NEVER,
    NONE,
    READ,
    WRITE,
    Queues,
    Requests,
    dequeue,
    enqueue,
    note_opened,
    note_row,
    same_burst,
)
from pim.jit import inlined_kernel, kernel


class Results(NamedTuple):
    """What became of each request, int64, and the commands that went out as far as there is room for them."""

    accepted_at: Any
    column_at: Any  # clock of its RD or WR
    done_at: Any  # its last beat; NEVER until it is known
    outcome: Any  # a RowOutcome
    log: Any  # int64, (n, 4): clock, Command, bank, row


@inlined_kernel
def accept(
    channel: Channel, queues: Queues, requests: Requests, results: Results, desk: Desk, policy: Policy, window: int
) -> None:
    """Take in all requests that can be considered at ``desk.now``; one is accepted a clock.

    A read of a burst that waits to be written is answered at once; a write to a burst that waits to be read is not
    accepted before. At most ``window`` requests are under way (0: no limit). Updates all but ``requests``.
    """
    while desk.upcoming < len(requests.kind):
        request = desk.upcoming
        kind = requests.kind[request]
        at = max(requests.offered_at[request], desk.accepted_at + 1, queues.room_at[kind])
        if window > 0 and request >= window:
            at = max(at, results.done_at[request - window])
        desk.arrives_at = at + 1
        if at >= desk.now:
            return
        if not policy.in_order and queues.count[1 - kind] > 0 and same_burst(queues, requests, 1 - kind, request):
            if kind == WRITE:
                desk.arrives_at = NEVER
                return
            results.done_at[request] = at + 1
            results.column_at[request] = at + 1
            desk.n_forwarded += 1
            desk.n_done += 1
        else:
            bank_id = requests.bank[request]
            enqueue(queues, requests, request, bank_id >> channel.bank_shift, channel.banks[bank_id].open_row)
            if queues.count[kind] == policy.queue_depth:
                queues.room_at[kind] = NEVER
            set_want(channel, queues, desk, policy, bank_id)
        results.accepted_at[request] = at
        desk.accepted_at = at
        desk.upcoming = request + 1
    desk.arrives_at = NEVER


@inlined_kernel
def switch_kind(channel: Channel, queues: Queues, desk: Desk, policy: Policy) -> None:
    """Decide whether reads or writes go now, by the writes that no row is open for. Updates ``queues``, ``desk``."""
    n_reads, n_writes = queues.count[READ], queues.count[WRITE]
    if desk.drains:
        drains = n_writes > 0 and (queues.unopened[WRITE] > policy.write_low or n_reads == 0)
    else:
        drains = queues.unopened[WRITE] >= policy.write_high or (n_reads == 0 and n_writes > 0)
    if drains != desk.drains:
        desk.drains = drains
        for bank_id in range(len(channel.banks)):
            set_want(channel, queues, desk, policy, bank_id)


@inlined_kernel
def hold_for_refresh(
    channel: Channel, queues: Queues, desk: Desk, policy: Policy, refreshes: Refreshes
) -> tuple[bool, int]:
    """Hold back the requests of each rank whose refresh can't wait: a rank that is asked for nothing refreshes at once.

    Returns whether there is such a rank, and the first clock after now at which there will be. Updates ``queues``.
    """
    is_urgent, next_at, nrefi = False, NEVER, channel.timing.nrefi
    for rank_id in range(len(refreshes.at)):
        postponed = policy.most_postponed if queues.in_rank[rank_id] > 0 else 0
        urgent_at = refreshes.at[rank_id] + postponed * nrefi
        refreshes.urgent_at[rank_id] = urgent_at
        is_held = urgent_at <= desk.now
        if is_held:
            is_urgent = True
        else:
            next_at = min(next_at, urgent_at)
        if is_held != queues.is_held[rank_id]:
            queues.is_held[rank_id] = is_held
            for bank_id in range(rank_id << channel.bank_shift, (rank_id + 1) << channel.bank_shift):
                set_want(channel, queues, desk, policy, bank_id)
    return is_urgent, next_at


@inlined_kernel
def send(
    channel: Channel, queues: Queues, requests: Requests, results: Results, desk: Desk, policy: Policy, choice: Choice
) -> None:
    """Issue a chosen command at its clock, and note what it does to the requests. Updates all but ``requests``."""
    at, command, bank_id, request = choice.at, choice.command, choice.bank_id, choice.request
    rank_id = bank_id >> channel.bank_shift
    row = requests.row[request] if request != NONE else CLOSED
    if command == Command.RD or command == Command.WR:  # noqa: PLR1714
        dequeue(queues, requests, request, rank_id)
        kind = requests.kind[request]
        timing = channel.timing
        results.column_at[request] = at
        results.done_at[request] = at + (timing.ncl if kind == READ else timing.ncwl) + timing.nbl
        queues.room_at[kind] = min(queues.room_at[kind], at)
        desk.n_done += 1
        if policy.closed_page and (
            policy.in_order or (queues.hit[READ, bank_id] == NONE and queues.hit[WRITE, bank_id] == NONE)
        ):
            command = Command.RDA.value if kind == READ else Command.WRA.value
            note_row(queues, requests, bank_id, CLOSED)
    elif command == Command.ACT:
        results.outcome[request] = max(results.outcome[request], RowOutcome.MISS.value)
        note_opened(queues, requests.kind[request], request)
        note_row(queues, requests, bank_id, row)
    elif command == Command.PRE:
        results.outcome[request] = RowOutcome.CONFLICT.value
        note_row(queues, requests, bank_id, CLOSED)
    elif command == Command.PREA:
        for other in range(bank_id, bank_id + (1 << channel.bank_shift)):
            note_row(queues, requests, other, CLOSED)
    issue(channel, command, bank_id, row, at)
    n_banks = 1 << channel.bank_shift if command == Command.PREA else 1
    for other in range(bank_id, bank_id + n_banks):
        set_want(channel, queues, desk, policy, other)
    if desk.n_logged < len(results.log):
        entry = results.log[desk.n_logged]
        entry[0], entry[1], entry[2], entry[3] = at, command, bank_id, row
        desk.n_logged += 1


@kernel
def serve(
    channel: Channel,
    queues: Queues,
    requests: Requests,
    results: Results,
    desk: Desk,
    policy: Policy,
    refreshes: Refreshes,
    window: int,
) -> None:
    """Serve all requests, at most ``window`` under way at once (0: no limit). Updates all but ``requests``."""
    nrefi = channel.timing.nrefi
    while desk.n_done < len(requests.kind):
        accept(channel, queues, requests, results, desk, policy, window)
        is_urgent, refresh_at = hold_for_refresh(channel, queues, desk, policy, refreshes)
        if policy.in_order:
            at, command, bank_id, request = choose_in_order(channel, requests, desk, refreshes.urgent_at)
        else:
            switch_kind(channel, queues, desk, policy)
            at, command, bank_id, request = choose_first_ready(channel, queues, desk)
        if is_urgent:
            choice = choose_refresh(channel, desk, refreshes.urgent_at)
            if choice[0] <= at:
                at, command, bank_id, request = choice
        next_at = min(desk.arrives_at, refresh_at)
        if next_at <= at:
            desk.now = min(next_at, desk.now + LONGEST_WAIT)
            continue
        send(channel, queues, requests, results, desk, policy, Choice(at, command, bank_id, request))
        if command == Command.REF:
            refreshes.at[bank_id >> channel.bank_shift] += nrefi
        desk.now = at + 1
