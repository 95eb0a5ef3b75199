"""Books what a core counts on the instruction and the call path that it counts it for; see `pim.core.profile`.

The interpreter calls `book` before each instruction, when it profiles: what has changed since the last call belongs to
the instruction of the last call, so that the rows sum to the run's totals exactly. A call path is a node of a tree of
functions: a jump that links enters one, a jump to the link register leaves it, and any other way into another function
replaces the node by a sibling.
"""

from typing import Any, NamedTuple

import numpy as np

from pim.core.code import Code
from pim.core.settings import MEMORY_BASE
from pim.core.state import HART, Group
from pim.isa import Op
from pim.jit import inlined_kernel, kernel

LOCALS = ("instret", "cycle", "branch_cycles", "load_use_cycles", "loads", "stores")
"""Counters that the interpreter keeps in registers, in the order of `book`'s arguments."""

MAX_PATHS = 1 << 12
MAX_DEPTH = 200
ROWS = 1 << 17
"""Room for call paths, for functions of one, and for pairs of path and instruction (a power of two)."""

NO_PATH = -1
EMPTY = -1
HASH = 0x9E37_79B9  # 2**32 over the golden ratio: neighbours go far apart
LINK_REGISTERS = 1 << 1 | 1 << 5
"""Bits of x1 and x5 (unprivileged specification, table "Return-address stack prediction hints")."""


class Profile(NamedTuple):
    """What has been booked so far; the last parcel stands for all that are elsewhere."""

    fields: Any  # int64 (n_harts, fields of HART): the cores' own records
    columns: Any  # int64: the counters after `LOCALS`, as numbers of fields
    before: Any  # int64 (n_harts, n_counters): at the last call
    at: Any  # int64 (n_harts, 2): parcel and row of the last call
    function: Any  # int64 by parcel
    latest: Any  # int64 (n_parcels, 2): path that each parcel was on last, and its row
    key: Any  # int64 (ROWS,): path * len(function) + parcel, or EMPTY
    counts: Any  # int64 (ROWS, n_counters)
    n_rows: Any  # int64 (1,)
    parent: Any  # int64 (MAX_PATHS,)
    path_function: Any
    first_child: Any
    sibling: Any
    depth: Any
    n_paths: Any  # int64 (1,)
    path: Any  # int64 (n_harts,): where each core is
    beyond: Any  # int64 (n_harts,): calls that it is deeper than its path


def make_profile(group: Group, counters: tuple[str, ...], function: Any) -> Profile:
    """Return an empty profile.

    Parameters
    ----------
    group : Group
        The cores.
    counters : tuple of str
        Fields of HART to book after `LOCALS`.
    function : array of int
        Number of the function by parcel, and one more for what is elsewhere.
    """
    n_harts, n_counters = len(group.harts), len(LOCALS) + len(counters)
    names = list(HART.names or ())
    return Profile(
        group.harts.view(np.int64).reshape(n_harts, -1),
        np.array([names.index(name) for name in counters], np.int64),
        np.zeros((n_harts, n_counters), np.int64),
        np.full((n_harts, 2), EMPTY, np.int64),
        np.asarray(function, np.int64),
        np.full((len(function), 2), NO_PATH, np.int64),
        np.full(ROWS, EMPTY, np.int64),
        np.zeros((ROWS, n_counters), np.int64),
        np.zeros(1, np.int64),
        np.full(MAX_PATHS, NO_PATH, np.int64),
        np.full(MAX_PATHS, NO_PATH, np.int64),
        np.full(MAX_PATHS, NO_PATH, np.int64),
        np.full(MAX_PATHS, NO_PATH, np.int64),
        np.zeros(MAX_PATHS, np.int64),
        np.zeros(1, np.int64),
        np.full(n_harts, NO_PATH, np.int64),
        np.zeros(n_harts, np.int64),
    )


@inlined_kernel
def book(
    profile: Profile,
    hart_id: int,
    code: Code,
    pc: int,
    instret: int,
    cycle: int,
    branch_cycles: int,
    load_use_cycles: int,
    loads: int,
    stores: int,
) -> None:
    """Book what a core has counted since the last call, and note that it is at ``pc`` now. Updates ``profile``."""
    before, at = profile.before[hart_id], profile.at[hart_id]
    now = (instret, cycle, branch_cycles, load_use_cycles, loads, stores)
    parcel = place(profile, pc)
    last, row = at[0], at[1]
    if last == EMPTY:
        profile.path[hart_id] = enter(profile, NO_PATH, profile.function[parcel])
    else:
        retired = instret != before[0]
        counts = profile.counts[row]
        for i in range(len(now)):
            counts[i] += now[i] - before[i]
        for i in range(len(profile.columns)):
            value = profile.fields[hart_id, profile.columns[i]]
            counts[len(now) + i] += value - before[len(now) + i]
            before[len(now) + i] = value
        source = last if retired and last < len(profile.function) - 1 else -1
        if is_jump(code, source) or profile.function[parcel] != profile.function[last]:
            follow(profile, hart_id, code, source, parcel)
    for i in range(len(now)):
        before[i] = now[i]
    path = profile.path[hart_id]
    if profile.latest[parcel, 0] != path:
        profile.latest[parcel, 0] = path
        profile.latest[parcel, 1] = find_row(profile, path, parcel)
    at[0], at[1] = parcel, profile.latest[parcel, 1]


@inlined_kernel
def place(profile: Profile, pc: int) -> int:
    """Return the parcel of ``pc``, or the one for elsewhere."""
    parcel = (pc - MEMORY_BASE) >> 1
    elsewhere = len(profile.function) - 1
    return parcel if 0 <= parcel < elsewhere else elsewhere


@kernel
def follow(profile: Profile, hart_id: int, code: Code, source: int, target: int) -> None:
    """Take a core's path from one parcel, -1 after a trap, to another. Updates ``profile``."""
    path = profile.path[hart_id]
    function = profile.function[target]
    calls, returns = call_or_return(code, source)
    if calls and profile.depth[path] >= MAX_DEPTH:
        profile.beyond[hart_id] += 1
    elif calls:
        profile.path[hart_id] = enter(profile, path, function)
    elif returns and profile.beyond[hart_id]:
        profile.beyond[hart_id] -= 1
    elif not profile.beyond[hart_id]:
        if returns and profile.parent[path] != NO_PATH:
            path = profile.parent[path]
        if profile.path_function[path] != function:
            path = enter(profile, profile.parent[path], function)
        profile.path[hart_id] = path


@inlined_kernel
def is_jump(code: Code, parcel: int) -> bool:
    """Tell whether there is an unconditional jump at ``parcel``, which may be -1."""
    return bool(parcel >= 0 and (code.op[parcel] == Op.JAL or code.op[parcel] == Op.JALR))


@kernel
def call_or_return(code: Code, parcel: int) -> tuple[bool, bool]:
    """Tell whether the instruction at ``parcel`` is a jump that enters, or one that leaves a function."""
    if not is_jump(code, parcel):
        return False, False
    calls = (LINK_REGISTERS >> int(code.rd[parcel])) & 1 != 0
    returns = code.op[parcel] == Op.JALR and (LINK_REGISTERS >> int(code.rs1[parcel])) & 1 != 0
    return calls, returns and not calls


@kernel
def enter(profile: Profile, parent: int, function: int) -> int:
    """Return the path of ``function`` called from ``parent``; the first path where there is no room for another.

    Updates ``profile``.
    """
    child = profile.first_child[parent] if parent != NO_PATH else (0 if profile.n_paths[0] else NO_PATH)
    while child != NO_PATH:
        if profile.path_function[child] == function:
            return child
        child = profile.sibling[child]
    made = int(profile.n_paths[0])
    if made == MAX_PATHS:
        return 0
    profile.n_paths[0] += 1
    profile.parent[made] = parent
    profile.path_function[made] = function
    if parent != NO_PATH:
        profile.sibling[made] = profile.first_child[parent]
        profile.first_child[parent] = made
        profile.depth[made] = profile.depth[parent] + 1
    elif made:
        profile.sibling[made] = profile.sibling[0]
        profile.sibling[0] = made
    return made


@kernel
def find_row(profile: Profile, path: int, parcel: int) -> int:
    """Return the row of an instruction on a path; without room for another, that of the first one booked.

    Updates ``profile``.
    """
    key = path * len(profile.function) + parcel
    row = (key * HASH) & (ROWS - 1)
    while profile.key[row] != key:
        if profile.key[row] == EMPTY:
            if profile.n_rows[0] >= ROWS - ROWS // 4:
                return overflow_row(profile)
            profile.n_rows[0] += 1
            profile.key[row] = key
            return row
        row = (row + 1) & (ROWS - 1)
    return row


@kernel
def overflow_row(profile: Profile) -> int:
    """Return the row of what is elsewhere, on the first path. Updates ``profile``."""
    key = len(profile.function) - 1
    row = (key * HASH) & (ROWS - 1)
    while profile.key[row] != key and profile.key[row] != EMPTY:
        row = (row + 1) & (ROWS - 1)
    profile.key[row] = key
    return row
