"""The requests that a controller holds: per kind and bank a list from the oldest to the newest.

Kinds are 0 for reads, 1 for writes. Requests are known by their index in the arrays of `Requests`; lists are linked by
``follow``. ``hit`` names the oldest request of a list that the bank's open row serves.
"""

from typing import Any, NamedTuple

import numpy as np

from pim.dram.bank import CLOSED
from pim.jit import inlined_kernel

NONE = -1
"""No request."""

NEVER = 1 << 50
"""Clock of what does not happen, far past all others."""

READ, WRITE = 0, 1


class Requests(NamedTuple):
    """What is asked for, int64 each, in the order in which it is offered."""

    offered_at: Any  # DRAM clock
    bank: Any  # bank counted over the channel's ranks
    row: Any
    column: Any  # tells two bursts of one row apart
    kind: Any  # READ or WRITE


class Queues(NamedTuple):
    """The lists, and what their banks have done since their last ACT."""

    head: Any  # int64, (2, n_banks)
    tail: Any  # same
    hit: Any  # same
    count: Any  # int64, (2,): requests held
    unopened: Any  # int64, (2,): of these, no row has been opened for
    room_at: Any  # int64, (2,): clock from which there is room, NEVER while it is full
    in_rank: Any  # int64, (n_ranks,): requests held for the rank
    is_held: Any  # int64, (n_ranks,): 1 while a refresh goes before the rank's requests
    served: Any  # int64, (n_banks,): columns since the last ACT
    want: Any  # int64, (n_banks,): Command that the bank needs next
    want_place: Any  # int64, (n_banks,): index of its first clock in the channel's `group_ready`
    want_from: Any  # int64, (n_banks,): clock from which the bank itself allows it, NEVER if it needs none
    want_order: Any  # int64, (n_banks,): from the low bits up, its bank, the request it is for and its class
    follow: Any  # int64, (n_requests,)
    is_opened: Any  # int8, (n_requests,): 1 once its row has been opened for it


def make_queues(n_ranks: int, n_banks: int, n_requests: int) -> Queues:
    """Return empty queues for ``n_banks`` banks, counted over all ranks."""

    def lists() -> Any:
        return np.full((2, n_banks), NONE, np.int64)

    return Queues(
        lists(),
        lists(),
        lists(),
        np.zeros(2, np.int64),
        np.zeros(2, np.int64),
        np.zeros(2, np.int64),
        np.zeros(n_ranks, np.int64),
        np.zeros(n_ranks, np.int64),
        np.zeros(n_banks, np.int64),
        np.zeros(n_banks, np.int64),
        np.zeros(n_banks, np.int64),
        np.full(n_banks, NEVER),
        np.zeros(n_banks, np.int64),
        np.full(n_requests, NONE, np.int64),
        np.zeros(n_requests, np.int8),
    )


@inlined_kernel
def first_in_row(queues: Queues, requests: Requests, start: int, row: int) -> int:
    """Return the first request of a list, from ``start`` on, that is for ``row``; NONE if there is none."""
    request = start
    while request != NONE and requests.row[request] != row:
        request = queues.follow[request]
    return request


@inlined_kernel
def same_burst(queues: Queues, requests: Requests, kind: int, request: int) -> bool:
    """Tell whether a request of ``kind`` for the same burst as ``request`` is held."""
    other = queues.head[kind, requests.bank[request]]
    while other != NONE:
        if requests.row[other] == requests.row[request] and requests.column[other] == requests.column[request]:
            return True
        other = queues.follow[other]
    return False


@inlined_kernel
def enqueue(queues: Queues, requests: Requests, request: int, rank_id: int, open_row: int) -> None:
    """Take a request in as the newest of its list. Updates ``queues``."""
    kind, bank_id = requests.kind[request], requests.bank[request]
    tail = queues.tail[kind, bank_id]
    if tail == NONE:
        queues.head[kind, bank_id] = request
    else:
        queues.follow[tail] = request
    queues.tail[kind, bank_id] = request
    queues.count[kind] += 1
    queues.unopened[kind] += 1
    queues.in_rank[rank_id] += 1
    if queues.hit[kind, bank_id] == NONE and requests.row[request] == open_row:
        queues.hit[kind, bank_id] = request


@inlined_kernel
def note_opened(queues: Queues, kind: int, request: int) -> None:
    """Note that a row has been opened for a request, or was open for it. Updates ``queues``."""
    if not queues.is_opened[request]:
        queues.is_opened[request] = 1
        queues.unopened[kind] -= 1


@inlined_kernel
def dequeue(queues: Queues, requests: Requests, request: int, rank_id: int) -> None:
    """Take a request out of its list; the next one in its row is the hit now. Updates ``queues``."""
    kind, bank_id = requests.kind[request], requests.bank[request]
    after = queues.follow[request]
    before = NONE
    if queues.head[kind, bank_id] == request:
        queues.head[kind, bank_id] = after
    else:
        before = queues.head[kind, bank_id]
        while queues.follow[before] != request:
            before = queues.follow[before]
        queues.follow[before] = after
    if after == NONE:
        queues.tail[kind, bank_id] = before
    queues.count[kind] -= 1
    queues.in_rank[rank_id] -= 1
    note_opened(queues, kind, request)
    queues.served[bank_id] += 1
    queues.hit[kind, bank_id] = first_in_row(queues, requests, after, requests.row[request])


@inlined_kernel
def note_row(queues: Queues, requests: Requests, bank_id: int, row: int) -> None:
    """Note that a bank has opened ``row``, or has closed (CLOSED). Updates ``queues``."""
    queues.served[bank_id] = 0
    for kind in range(2):
        if row == CLOSED:
            queues.hit[kind, bank_id] = NONE
        else:
            queues.hit[kind, bank_id] = first_in_row(queues, requests, queues.head[kind, bank_id], row)
