"""The ranks of one channel, command by command: `earliest`, `probe` and `issue`.

The device keeps no clock: the caller passes ``at``. What may follow what is decided by the table in
`pim.dram.constraints` alone: each command that goes out pushes back the clocks from which others may, per bank, bank
group and rank, so that `earliest` is the latest of three. Bank b of a rank is of bank group b mod the number of groups.
"""

from typing import Annotated, Any, NamedTuple, Protocol

import numpy as np

from pim.config import ClockTiming
from pim.dram.activity import Power, StateClocks, make_activity, note_active, note_closed, note_power
from pim.dram.bank import CLOSED
from pim.dram.command import N_READY, Command
from pim.dram.constraints import LONG_AGO, RuleTable, Scope, compile_rules
from pim.jit import inlined_kernel, kernel, record_dtype


class ChannelBank(Protocol):
    """State of one bank of a channel."""

    open_row: int  # row in the row buffer, or CLOSED
    act_at: int  # clock of the last ACT


class ChannelRank(Protocol):
    """State of one rank of a channel."""

    acts: Annotated[Any, "i8", (4,)]  # clocks of the last four ACTs, a ring
    oldest: int  # index of the oldest of them
    power: int  # a Power


CHANNEL_BANK = record_dtype(ChannelBank)
CHANNEL_RANK = record_dtype(ChannelRank)


class Channel(NamedTuple):
    """State of all ranks of one channel; ``ready`` arrays hold first clocks, by place * N_READY + command."""

    banks: Any  # CHANNEL_BANK, (n_ranks * banks_per_rank,)
    ranks: Any  # CHANNEL_RANK, (n_ranks,)
    bank_ready: Any  # int64, by bank: after commands to the bank itself
    group_ready: Any  # int64, by bank group, counted over ranks: after commands to the group, the rank and other ranks
    activity: Any  # RANK_ACTIVITY, (n_ranks,)
    bank_activity: Any  # BANK_ACTIVITY, (n_ranks * banks_per_rank,)
    last_at: Any  # int64, (1,): clock of the last command on the command bus
    rules: RuleTable
    bank_shift: int  # log2 of banks_per_rank
    group_shift: int  # log2 of the bank groups of a rank
    timing: ClockTiming


def make_channel(timing: ClockTiming, n_ranks: int, bank_groups: int = 4, banks_per_group: int = 4) -> Channel:
    """Return a channel with all banks closed, that no command ever went to; numbers of banks are powers of two."""
    n_banks = bank_groups * banks_per_group
    banks = np.zeros(n_ranks * n_banks, CHANNEL_BANK).view(np.recarray)
    banks.open_row = CLOSED
    banks.act_at = LONG_AGO
    ranks = np.zeros(n_ranks, CHANNEL_RANK).view(np.recarray)
    ranks.acts = LONG_AGO

    def ready(n_places: int) -> Any:
        return np.full(n_places * N_READY, LONG_AGO, np.int64)

    return Channel(
        banks,
        ranks,
        ready(n_ranks * n_banks),
        ready(n_ranks * bank_groups),
        *make_activity(n_ranks, n_ranks * n_banks),
        np.array([LONG_AGO]),
        compile_rules(timing),
        n_banks.bit_length() - 1,
        bank_groups.bit_length() - 1,
        timing,
    )


@inlined_kernel
def group_of(channel: Channel, bank_id: int) -> int:
    """Return the bank group, counted over all ranks, of a bank, counted so too."""
    rank_id = bank_id >> channel.bank_shift
    return (rank_id << channel.group_shift) | (bank_id & ((1 << channel.group_shift) - 1))


@inlined_kernel
def ready_at(channel: Channel, command: int, bank_id: int) -> int:
    """Return the clock from which the rules allow a command below N_READY, the command bus left out."""
    at_group = channel.group_ready[group_of(channel, bank_id) * N_READY + command]
    return int(max(channel.bank_ready[bank_id * N_READY + command], at_group))


@inlined_kernel
def held_as(command: int) -> int:
    """Return the command below N_READY that the rules hold back in the same way."""
    if command == Command.RDA:
        return Command.RD.value
    if command == Command.WRA:
        return Command.WR.value
    if command == Command.SRE:
        return Command.REF.value
    return Command.PDX.value if command == Command.SRX else command


@kernel
def earliest(channel: Channel, command: int, bank_id: int) -> int:
    """Return the first clock at which the timing rules allow a command; one to a rank takes any of its banks."""
    return int(max(ready_at(channel, held_as(command), bank_id), channel.last_at[0] + 1))


@kernel
def suits(channel: Channel, command: int, bank_id: int, row: int) -> bool:
    """Tell whether the state of banks and rank allows a command, whatever the clock."""
    rank_id = bank_id >> channel.bank_shift
    power = channel.ranks[rank_id].power
    if power != Power.UP:
        return command == (Command.PDX if power == Power.DOWN else Command.SRX)
    open_row = channel.banks[bank_id].open_row
    if command == Command.ACT:
        return bool(open_row == CLOSED)
    if command in (Command.RD, Command.WR, Command.RDA, Command.WRA):
        return bool(open_row == row and row != CLOSED)
    if command in (Command.REF, Command.SRE):
        return bool(channel.activity[rank_id].n_open == 0)
    return command not in (Command.PDX, Command.SRX)


@kernel
def probe(channel: Channel, command: int, bank_id: int, row: int, at: int) -> bool:
    """Tell whether a command may go out at clock ``at``; ``row`` matters for columns. ``channel`` is unchanged."""
    return suits(channel, command, bank_id, row) and at >= earliest(channel, command, bank_id)


@inlined_kernel
def push_place(ready: Any, place: int, gaps: Any, at: int) -> None:
    """Push a bank's or group's first clocks back by the gaps after a command at clock ``at``. Updates ``ready``."""
    for after in range(N_READY):
        ready[place * N_READY + after] = max(ready[place * N_READY + after], at + gaps[after])


@inlined_kernel
def push_back(channel: Channel, command: int, bank_id: int, at: int) -> None:
    """Push back what the rules hold back after a command at clock ``at``. Updates ``channel``."""
    gaps = channel.rules.gaps
    push_place(channel.bank_ready, bank_id, gaps[command, Scope.BANK], at)
    push_place(channel.group_ready, group_of(channel, bank_id), gaps[command, Scope.GROUP], at)
    for rank_id in range(len(channel.ranks)):
        scope = Scope.RANK.value if rank_id == bank_id >> channel.bank_shift else Scope.OTHER_RANK.value
        for group_id in range(rank_id << channel.group_shift, (rank_id + 1) << channel.group_shift):
            push_place(channel.group_ready, group_id, gaps[command, scope], at)


@inlined_kernel
def open_bank(channel: Channel, bank_id: int, row: int, at: int) -> None:
    """Open a row at clock ``at``, and hold the ACT after the next three back by tFAW. Updates ``channel``."""
    rank_id = bank_id >> channel.bank_shift
    bank, rank, activity = channel.banks[bank_id], channel.ranks[rank_id], channel.activity[rank_id]
    note_active(activity, at, at)
    activity.n_open += 1
    channel.bank_activity[bank_id].acts += 1
    bank.open_row = row
    bank.act_at = at
    rank.acts[rank.oldest] = at
    rank.oldest = (rank.oldest + 1) & 3
    window_over = rank.acts[rank.oldest] + channel.rules.nfaw
    for group_id in range(rank_id << channel.group_shift, (rank_id + 1) << channel.group_shift):
        place = group_id * N_READY + Command.ACT
        channel.group_ready[place] = max(channel.group_ready[place], window_over)


@inlined_kernel
def close_bank(channel: Channel, bank_id: int, at: int) -> None:
    """Close an open bank at clock ``at``. Updates ``channel``."""
    bank = channel.banks[bank_id]
    bank.open_row = CLOSED
    note_closed(channel.activity[bank_id >> channel.bank_shift], channel.bank_activity[bank_id], bank.act_at, at)


@inlined_kernel
def power_down(channel: Channel, rank_id: int, refreshes: bool, at: int) -> None:
    """Enter power-down, or self-refresh, which begins with a refresh, at clock ``at``. Updates ``channel``."""
    rank, activity = channel.ranks[rank_id], channel.activity[rank_id]
    rank.power, activity.down_from = Power.DOWN.value, at
    if refreshes:
        rank.power, activity.down_from = Power.SELF_REFRESH.value, at + channel.timing.nrfc
        note_active(activity, at, activity.down_from)


@inlined_kernel
def power_up(channel: Channel, rank_id: int, at: int) -> None:
    """Leave power-down, in which open banks draw nothing of their own, or self-refresh. Updates ``channel``."""
    activity, rank = channel.activity[rank_id], channel.ranks[rank_id]
    note_power(activity, rank.power, at)
    rank.power = Power.UP
    for bank_id in range(rank_id << channel.bank_shift, (rank_id + 1) << channel.bank_shift):
        if channel.banks[bank_id].open_row != CLOSED:
            channel.bank_activity[bank_id].open_clocks -= at - activity.down_from


@kernel
def issue(channel: Channel, command: int, bank_id: int, row: int, at: int) -> None:
    """Put a command that `probe` allows on the command bus at clock ``at``. Updates ``channel``."""
    rank_id = bank_id >> channel.bank_shift
    bank, activity, timing = channel.banks[bank_id], channel.activity[rank_id], channel.timing
    channel.last_at[0] = at
    activity.commands[command] += 1
    push_back(channel, command, bank_id, at)
    if command == Command.ACT:
        open_bank(channel, bank_id, row, at)
    elif command in (Command.RD, Command.RDA):
        channel.bank_activity[bank_id].reads += 1
        if command == Command.RDA:
            close_bank(channel, bank_id, max(at + timing.nrtp, bank.act_at + timing.nras))
    elif command in (Command.WR, Command.WRA):
        channel.bank_activity[bank_id].writes += 1
        if command == Command.WRA:
            close_bank(channel, bank_id, max(at + timing.ncwl + timing.nbl + timing.nwr, bank.act_at + timing.nras))
    elif command in (Command.PRE, Command.PREA):
        first, last = bank_id, bank_id + 1
        if command == Command.PREA:
            first, last = rank_id << channel.bank_shift, (rank_id + 1) << channel.bank_shift
        for other in range(first, last):
            if channel.banks[other].open_row != CLOSED:
                close_bank(channel, other, at)
    elif command == Command.REF:
        note_active(activity, at, at + timing.nrfc)
    elif command in (Command.PDE, Command.SRE):
        power_down(channel, rank_id, command == Command.SRE, at)
    else:
        power_up(channel, rank_id, at)


def state_clocks(channel: Channel, rank_id: int, end: int) -> StateClocks:
    """Return what a rank did from clock 0 to ``end``, which is not before its last command.

    Nor before the end of the refresh that begins a self-refresh, if it is in one.
    """
    ranks, first = channel.activity[rank_id : rank_id + 1].copy(), rank_id << channel.bank_shift
    rank, power = ranks[0], int(channel.ranks[rank_id].power)
    if power != Power.UP:
        note_power(rank, power, end)
    down_since = int(rank.down_from) if power == Power.DOWN else end
    refreshing = int(rank.commands[[Command.REF, Command.SRE]].sum()) * channel.timing.nrfc
    bank_open = []
    for bank_id in range(first, first + (1 << channel.bank_shift)):
        bank, counters = channel.banks[bank_id], channel.bank_activity[bank_id]
        still_open = down_since - int(bank.act_at) if bank.open_row != CLOSED else 0
        bank_open.append(int(counters.open_clocks) + still_open + refreshing)
    low = int(rank.down_active_clocks), int(rank.down_precharged_clocks), int(rank.self_refresh_clocks)
    quiet = end if rank.n_open else min(end, int(rank.quiet_from))
    active = int(rank.active_clocks) + quiet - int(rank.active_from) - low[0]
    return StateClocks(active, end - active - sum(low), *low, tuple(bank_open))
