"""Which command a controller sends next, and when: in order of arrival, or whatever may go out first.

Event by event: of the commands that the held requests need, the one that may go out first, at the first clock that the
rules of `pim.dram.channel` allow.
"""

from typing import Any, NamedTuple, Protocol

from pim.config import Policy
from pim.dram.bank import CLOSED
from pim.dram.channel import Channel, group_of, ready_at
from pim.dram.command import N_READY, Command
from pim.dram.queues import NEVER, NONE, READ, WRITE, Queues, Requests
from pim.jit import inlined_kernel, record_dtype

BANK_BITS = 7
"""Bits of a bank's number, counted over ranks."""

_COLUMN, _ROW = 1 << 40, 2 << 40
"""What puts a command behind those of fresh rows, and behind all columns; above any request's number and bank."""

_WAIT_SHIFT = 42
LONGEST_WAIT = 1 << 20
"""Clocks; after so long everything is looked at again."""


class Desk(Protocol):
    """Where the controller is; instants in DRAM clocks."""

    now: int  # first clock that may get a command
    upcoming: int  # request that is accepted next
    arrives_at: int  # clock at which it can be considered, as far as is known
    accepted_at: int  # clock at which the last one was accepted
    n_done: int
    drains: int  # 1 while writes go first
    n_forwarded: int  # reads answered from a write that was held
    n_logged: int


DESK = record_dtype(Desk)


class Refreshes(NamedTuple):
    """When each rank's next REF is due, and the clock from which it goes before all requests; int64, (n_ranks,)."""

    at: Any
    urgent_at: Any


class Choice(NamedTuple):
    """A command for a request, and the first clock it may go out at."""

    at: int
    command: int
    bank_id: int
    request: int


@inlined_kernel
def set_want(channel: Channel, queues: Queues, desk: Desk, policy: Policy, bank_id: int) -> None:
    """Decide which command a bank needs next: a column of its row, else what the oldest request needs.

    A row that has been opened for a request of the other kind serves that before it is closed. Updates ``queues``.
    """
    kind = desk.drains
    is_fresh = queues.served[bank_id] == 0
    if is_fresh and queues.hit[kind, bank_id] == NONE and queues.hit[1 - kind, bank_id] != NONE:
        kind = 1 - kind
    head, request = queues.head[kind, bank_id], queues.hit[kind, bank_id]
    if head == NONE or queues.is_held[bank_id >> channel.bank_shift]:
        queues.want_from[bank_id] = NEVER
        return
    if request != NONE and (request == head or queues.served[bank_id] < policy.hit_cap):
        command = Command.WR.value if kind == WRITE else Command.RD.value
        order = request << BANK_BITS if is_fresh else request << BANK_BITS | _COLUMN
    else:
        command = Command.ACT.value if channel.banks[bank_id].open_row == CLOSED else Command.PRE.value
        order = head << BANK_BITS | _ROW
    queues.want[bank_id] = command
    queues.want_order[bank_id] = order | bank_id
    queues.want_place[bank_id] = group_of(channel, bank_id) * N_READY + command
    queues.want_from[bank_id] = channel.bank_ready[bank_id * N_READY + command]


@inlined_kernel
def next_of(channel: Channel, kind: int, bank_id: int, row: int) -> int:
    """Return the command that a request for ``row`` needs next; automatic precharge is decided elsewhere."""
    open_row = channel.banks[bank_id].open_row
    if open_row == row:
        return Command.RD.value if kind == READ else Command.WR.value
    return Command.ACT.value if open_row == CLOSED else Command.PRE.value


@inlined_kernel
def choose_in_order(channel: Channel, requests: Requests, desk: Desk, urgent_at: Any) -> tuple[int, int, int, int]:
    """Return the next command of the oldest request as (clock, command, bank, request); NONE if there is none."""
    request = desk.n_done
    if request >= desk.upcoming:
        return NEVER, 0, 0, NONE
    bank_id = requests.bank[request]
    if urgent_at[bank_id >> channel.bank_shift] <= desk.now:
        return NEVER, 0, 0, NONE
    command = next_of(channel, requests.kind[request], bank_id, requests.row[request])
    return max(ready_at(channel, command, bank_id), desk.now), command, bank_id, request


@inlined_kernel
def choose_first_ready(channel: Channel, queues: Queues, desk: Desk) -> tuple[int, int, int, int]:
    """Return the command that may go out first as (clock, command, bank, request); NONE if there is none.

    Of several, a fresh row's first column, then other columns, then ACT and PRE; of these, the oldest request's. Wait,
    order and bank make one number, so that the loop has no branches (measured: random requests twice as fast).
    """
    now = desk.now
    least = LONGEST_WAIT << _WAIT_SHIFT
    for bank_id in range(len(queues.want)):
        wait = max(queues.want_from[bank_id], channel.group_ready[queues.want_place[bank_id]]) - now
        least = min(least, min(max(wait, 0), LONGEST_WAIT) << _WAIT_SHIFT | queues.want_order[bank_id])
    wait = least >> _WAIT_SHIFT
    if wait == LONGEST_WAIT:
        return NEVER, 0, 0, NONE
    bank_id = least & ((1 << BANK_BITS) - 1)
    return now + wait, queues.want[bank_id], bank_id, (least & (_COLUMN - 1)) >> BANK_BITS


@inlined_kernel
def choose_refresh(channel: Channel, desk: Desk, urgent_at: Any) -> tuple[int, int, int, int]:
    """Return the next command of a refresh that can't wait as (clock, command, bank, NONE); NEVER if there is none."""
    at, chosen, chosen_bank = NEVER, 0, 0
    for rank_id in range(len(channel.ranks)):
        if urgent_at[rank_id] > desk.now:
            continue
        bank_id = rank_id << channel.bank_shift
        command = Command.PREA.value if channel.activity[rank_id].n_open > 0 else Command.REF.value
        ready = max(ready_at(channel, command, bank_id), desk.now)
        if ready < at:
            at, chosen, chosen_bank = ready, command, bank_id
    return at, chosen, chosen_bank, NONE
