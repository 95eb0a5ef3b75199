"""DDR4 timing, command by command, from the rules in docs/timing.md; slow and plain.

Every command goes out at the first clock that all rules allow, looking back at the commands before it. Accesses come
one after the other; a command never overtakes one of the same kind that an earlier access gave.
"""

from dataclasses import dataclass, field

HIT, MISS, CONFLICT = "hit", "miss", "conflict"


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
    wtr: int
    refi: int
    rfc: int
    n_banks: int
    one_bus: bool  # all banks share the bus, or each has its own
    bank_groups: int = 4


@dataclass
class _Bank:
    row: int | None = None
    act_at: int = 0
    precharge_rules: list[int] = field(default_factory=list)  # clocks from which they allow PRE, since the last ACT
    act_from: int = 0
    refreshes: int = 0
    refresh_until: int = 0


@dataclass
class _Bus:
    last_at: int | None = None
    last_group: int = 0
    last_of: dict[str, int] = field(default_factory=dict)  # clock of the last RD and of the last WR


class Dram:
    """One device and the commands it was given."""

    def __init__(self, rules: DramRules) -> None:
        self.rules = rules
        self.banks = [_Bank() for _ in range(rules.n_banks)]
        self.acts: list[tuple[int, int]] = []  # (clock, bank group)
        n_buses = 1 if rules.one_bus else rules.n_banks
        self.buses = [_Bus() for _ in range(n_buses)]
        self.commands = {"ACT": 0, "PRE": 0, "RD": 0, "WR": 0}

    def access(self, bank_id: int, row: int, n_columns: int, command: str, now: int) -> tuple[int, str, int]:
        """Return when the last column's data is over, the row outcome, and the clocks from now to a refresh's end."""
        rules, bank = self.rules, self.banks[bank_id]
        group = bank_id % rules.bank_groups
        refresh_wait = self._refresh(bank, now)
        outcome = MISS if bank.row is None else HIT if bank.row == row else CONFLICT
        if outcome == CONFLICT:
            self.commands["PRE"] += 1
            bank.act_from = max(bank.act_from, max(now, *bank.precharge_rules) + rules.rp)
        if outcome != HIT:
            bank.act_at = self._activate(group, max(now, bank.act_from))
            bank.row, bank.precharge_rules = row, [bank.act_at + rules.ras]
        bus = self.buses[0 if rules.one_bus else bank_id]
        last = max(now, bank.act_at + rules.rcd, *self._column_rules(bus, group, command))
        for _ in range(n_columns - 1):
            last += rules.ccd_l
        bus.last_at, bus.last_group = last, group
        bus.last_of[command] = last
        self.commands[command] += n_columns
        done_at = last + (rules.cl if command == "RD" else rules.cwl) + rules.burst
        bank.precharge_rules.append(last + rules.rtp if command == "RD" else done_at + rules.wr)
        return done_at, outcome, refresh_wait

    def _refresh(self, bank: _Bank, now: int) -> int:
        """Refresh a bank if that fell due by ``now`` since the last look; return the clocks until it is over."""
        rules = self.rules
        due = now // rules.refi
        if due > bank.refreshes:
            first_due = (bank.refreshes + 1) * rules.refi
            idle_from = bank.act_from if bank.row is None else max(first_due, *bank.precharge_rules) + rules.rp
            bank.refreshes, bank.row = due, None
            bank.act_from = bank.refresh_until = max(due * rules.refi, idle_from) + rules.rfc
        return max(0, bank.refresh_until - now)

    def _activate(self, group: int, earliest: int) -> int:
        rules = self.rules
        allowed = [earliest]
        if self.acts:
            allowed.append(self.acts[-1][0] + rules.rrd_s)
        same_group = [at for at, other in self.acts[-64:] if other == group]
        if same_group:
            allowed.append(same_group[-1] + rules.rrd_l)
        if len(self.acts) >= 4:
            allowed.append(self.acts[-4][0] + rules.faw)
        self.acts.append((max(allowed), group))
        self.commands["ACT"] += 1
        return max(allowed)

    def _column_rules(self, bus: _Bus, group: int, command: str) -> list[int]:
        """Return the clocks from which the bus's earlier commands allow this one."""
        rules, allowed = self.rules, [0]
        if bus.last_at is not None:
            allowed.append(bus.last_at + (rules.ccd_l if bus.last_group == group else rules.ccd_s))
        if command == "RD" and "WR" in bus.last_of:
            allowed.append(bus.last_of["WR"] + rules.cwl + rules.burst + rules.wtr)
        if command == "WR" and "RD" in bus.last_of:
            allowed.append(bus.last_of["RD"] + rules.cl + rules.burst + 2 - rules.cwl)
        return allowed
