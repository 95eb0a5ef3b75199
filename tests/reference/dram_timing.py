"""DDR4 timing, command by command, from the rules in docs/timing.md; slow and plain.

Accesses come one after the other, each is planned completely before the next. Every command goes out at the first clock
that all rules allow without moving a command that is planned already; in order, never before one of its kind that an
earlier access gave. The host's commands are given; it has a bank while it claims it.
"""

import bisect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

HIT, MISS, CONFLICT = "hit", "miss", "conflict"
TURN = 2  # clocks from a read's last beat to a write's first
FAR = 20_000  # clocks; a host that claims banks leaves room for any access in fewer


@dataclass(frozen=True)
class DramRules:
    """Timings in DRAM clocks."""

    rcd: int
    rp: int
    ras: int
    cl: int
    cwl: int
    burst: int  # clocks from the first to the last beat on a bus
    ccd_s: int
    ccd_l: int
    rrd_s: int
    rrd_l: int
    faw: int
    wr: int
    rtp: int
    wtr_s: int
    wtr_l: int
    refi: int
    rfc: int
    n_banks: int
    one_bus: bool  # all banks share the bus, or each has its own
    bank_groups: int = 4
    in_order: bool = False
    closed_page: bool = False
    shared: bool = False  # several cores, or cores and the host, use it
    bursts: int | None = None  # banks with columns in flight at once, where each has its own bus


@dataclass(frozen=True)
class HostUse:
    """What the host does to the device, in any order; clocks are DRAM clocks."""

    claims: list[tuple[int, int, int]] = field(default_factory=list)  # (bank, claimed at, released at)
    acts: list[tuple[int, int]] = field(default_factory=list)  # (clock, bank group)
    columns: list[tuple[int, int, str]] = field(default_factory=list)  # (clock, bank group, RD or WR), of a shared bus


@dataclass
class _Bank:
    row: int | None = None
    act_at: int = 0
    precharge_rules: list[int] = field(default_factory=list)  # clocks from which they allow PRE, since the last ACT
    act_from: int = 0
    refreshes: int = 0
    refresh_until: int = 0
    claims: list[tuple[int, int]] = field(default_factory=list)  # (from, to) of those still to come, by clock


@dataclass(order=True)
class _Run:
    """Columns of one access on a bus."""

    first: int
    last: int
    group: int
    command: str


def _between(items: list[Any], first: int, last: int, clock: Callable[[Any], int]) -> list[Any]:
    """Return the items from ``first`` to ``last``, which are sorted by clock."""
    return items[bisect.bisect_left(items, first, key=clock) : bisect.bisect_right(items, last, key=clock)]


class Dram:
    """One device and the commands it was given."""

    def __init__(self, rules: DramRules, host: HostUse | None = None) -> None:
        self.rules, self.host = rules, host or HostUse()
        self.banks = [_Bank() for _ in range(rules.n_banks)]
        for bank_id, claimed_at, released_at in sorted(self.host.claims):
            self.banks[bank_id].claims.append((claimed_at, released_at))
        self.host_acts = sorted(self.host.acts)
        self.host_runs = sorted(_Run(at, at, group, command) for at, group, command in self.host.columns)
        self.acts: list[tuple[int, int]] = []  # (clock, bank group), by clock
        self.buses: list[list[_Run]] = [[] for _ in range(1 if rules.one_bus else rules.n_banks)]
        self.bursts: list[tuple[int, int]] = []  # (first clock in flight, first clock not), of all banks
        self.commands = {"ACT": 0, "PRE": 0, "RD": 0, "WR": 0}

    def access(
        self, bank_id: int, row: int, n_columns: int, command: str, now: int, came_at: int | None = None
    ) -> tuple[int, str, int, int]:
        """Return when the last column's data is over, the row outcome, and two waits.

        The clocks from now to a refresh's end, and those by which what is shared puts off ACT and first column.
        """
        rules, bank = self.rules, self.banks[bank_id]
        group = bank_id % rules.bank_groups
        if came_at is None:
            came_at = now = self.free_from(bank_id, now)
        self._hand_over(bank, came_at)
        refresh_wait = self._refresh(bank, now)
        outcome = MISS if bank.row is None else HIT if bank.row == row else CONFLICT
        if outcome == CONFLICT:
            self.commands["PRE"] += 1
            bank.act_from = max(bank.act_from, max(now, *bank.precharge_rules) + rules.rp)
        others = 0
        if outcome != HIT:
            bank.act_at = self._activate(group, max(now, bank.act_from))
            others += bank.act_at - max(now, bank.act_from)
            bank.row, bank.precharge_rules = row, [bank.act_at + rules.ras]
        length = (n_columns - 1) * rules.ccd_l
        bus = self.buses[0 if rules.one_bus else bank_id]
        column_from = max(now, bank.act_at + rules.rcd)
        if rules.bursts is None:
            first = self._take(bus, group, command, column_from, length)
            others += first - column_from if rules.one_bus else 0
        else:
            alone = self._first_on_own_bus(bus, group, command, column_from)
            first = self._take(bus, group, command, self._with_others(alone, length + rules.ccd_l), length)
            others += first - alone
        last = first + length
        self.commands[command] += n_columns
        done_at = last + (rules.cl if command == "RD" else rules.cwl) + rules.burst
        bank.precharge_rules.append(last + rules.rtp if command == "RD" else done_at + rules.wr)
        if rules.closed_page:
            self.commands["PRE"] += 1
            bank.act_from, bank.row = max(bank.precharge_rules) + rules.rp, None
        return done_at, outcome, refresh_wait, others if rules.shared else 0

    def free_from(self, bank_id: int, now: int) -> int:
        """Return the first clock from now on at which the host does not claim the bank."""
        return next((end for start, end in self.banks[bank_id].claims if start <= now < end), now)

    def _hand_over(self, bank: _Bank, now: int) -> None:
        """Let the host have the bank for all claims up to now."""
        while bank.claims and bank.claims[0][0] <= now:
            self._refresh(bank, bank.claims[0][0])
            self._close_for_claim(bank)

    def _close_for_claim(self, bank: _Bank) -> None:
        start, end = bank.claims.pop(0)
        if bank.row is not None:
            bank.act_from = max(start, *bank.precharge_rules) + self.rules.rp
        bank.row, bank.act_from = None, max(bank.act_from, end)

    def _refresh(self, bank: _Bank, now: int) -> int:
        """Refresh if that fell due by ``now`` since the last look; return the clocks until it is over.

        One REF for all banks where they share a bus, else each bank by itself.
        """
        rules = self.rules
        while (due_at := (bank.refreshes + 1) * rules.refi) <= now:
            together = self.banks if rules.one_bus else [bank]
            for b in together:
                while b.claims and b.claims[0][0] < due_at:
                    self._close_for_claim(b)
            idle_from = [b.act_from if b.row is None else max(due_at, *b.precharge_rules) + rules.rp for b in together]
            over = max(due_at, *idle_from) + rules.rfc
            for b in together:
                b.refreshes, b.row, b.act_from, b.refresh_until = b.refreshes + 1, None, over, over
        return max(0, bank.refresh_until - now)

    def _activate(self, group: int, earliest: int) -> int:
        rules = self.rules
        earliest = max([earliest] + [clock for clock, _ in self.acts[-1:] if rules.in_order])
        gaps = rules.rrd_s, max(rules.rrd_s, rules.rrd_l), rules.faw
        near = [act for act in self.acts[-64:] if act[0] > earliest - max(gaps)]
        of_host = _between(self.host_acts, earliest - max(gaps), earliest + FAR, lambda act: act[0])
        near = sorted(near + of_host)
        # the first clock that fits is the earliest one, or it is right at a distance from another ACT
        candidates = [earliest] + [clock + gap for clock, _ in near for gap in gaps if clock + gap > earliest]
        quiet = [(clock - max(gaps), clock) for clock, _ in of_host]
        allowed = [at for at in sorted(candidates) if not any(start < at < end for start, end in quiet)]
        at = next(clock for clock in allowed if self._act_fits(near, clock, group))
        bisect.insort(self.acts, (at, group))
        self.commands["ACT"] += 1
        return at

    def _act_fits(self, near: list[tuple[int, int]], at: int, group: int) -> bool:
        rules = self.rules
        for clock, other in near:
            if abs(clock - at) < max(rules.rrd_s, rules.rrd_l if other == group else 0):
                return False
        clocks = sorted([clock for clock, _ in near] + [at])
        index = clocks.index(at)
        windows = range(max(0, index - 4), min(index, len(clocks) - 5) + 1)
        return all(clocks[first + 4] - clocks[first] >= rules.faw for first in windows)

    def _take(self, bus: list[_Run], group: int, command: str, earliest: int, length: int) -> int:
        rules = self.rules
        earliest = max([earliest] + [run.first for run in bus[-1:] if rules.in_order])
        farthest = rules.cl + rules.cwl + rules.burst + TURN + rules.wtr_s + rules.wtr_l + rules.ccd_s + rules.ccd_l
        near = [run for run in bus[-64:] if run.last > earliest - farthest]
        if rules.one_bus:
            near += _between(self.host_runs, earliest - farthest, earliest + FAR, lambda run: run.first)
        new = _Run(0, 0, group, command)
        candidates = [earliest] + [run.last + self._apart(run, new) for run in near]
        runs = [_Run(first, first + length, group, command) for first in sorted(candidates) if first >= earliest]
        first = next(run.first for run in runs if self._run_fits(near, run))
        bisect.insort(bus, _Run(first, first + length, group, command))
        return first

    def _first_on_own_bus(self, bus: list[_Run], group: int, command: str, earliest: int) -> int:
        """Return the first clock for columns after all that the bank has had."""
        return max([earliest] + [run.last + self._apart(run, _Run(0, 0, group, command)) for run in bus[-64:]])

    def _with_others(self, earliest: int, clocks: int) -> int:
        """Take and return the first clock from which on never more bursts are in flight than may be."""
        rules, near = self.rules, self.bursts[-64:]
        if rules.in_order:
            earliest = max([earliest] + [start for start, _ in near])
        for first in sorted([earliest] + [end for _, end in near if end > earliest]):
            instants = [first] + [start for start, _ in near if first < start < first + clocks]
            at_once = max(sum(start <= instant < end for start, end in near) for instant in instants)
            if at_once < rules.bursts:
                bisect.insort(self.bursts, (first, first + clocks))
                return first
        raise AssertionError("after the last burst there is room")

    def _run_fits(self, near: list[_Run], run: _Run) -> bool:
        for other in near:
            earlier, later = (run, other) if other.first > run.first else (other, run)
            if later.first < earlier.last + self._apart(earlier, later):
                return False
        return True

    def _apart(self, earlier: _Run, later: _Run) -> int:
        """Return the clocks from the last column of one run to the first of the next."""
        rules, same = self.rules, earlier.group == later.group
        apart = rules.ccd_l if same else rules.ccd_s
        if (earlier.command, later.command) == ("WR", "RD"):
            apart = max(apart, rules.cwl + rules.burst + (rules.wtr_l if same else rules.wtr_s))
        if (earlier.command, later.command) == ("RD", "WR"):
            apart = max(apart, rules.cl + rules.burst + TURN - rules.cwl)
        return apart
