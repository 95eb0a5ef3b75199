"""What a bank's controller does, in plain Python, from docs/timing.md: the oracle of its bench.

It keeps the clocks at which things happened and asks the rules of the table; it knows nothing of the simulator.
"""

from dataclasses import dataclass

from pim.config import ClockTiming

NEVER = -(1 << 20)


@dataclass(frozen=True)
class Request:
    """Columns of one row; held until they are all over."""

    write: bool
    row: int
    column: int
    columns: int


@dataclass(frozen=True)
class Inputs:
    """What a controller is told in one tCK."""

    request: Request | None
    close: bool
    refresh: bool
    claimed: bool
    grant: bool


@dataclass(frozen=True)
class Outputs:
    """What it says in one tCK; None where a pin means nothing."""

    command: str
    row: int | None
    column: int | None
    read_beat: bool
    write_beat: bool
    beat_index: int | None
    done: bool
    pending: bool
    ready: bool
    quiet: bool
    claim_ready: bool
    idle: bool


@dataclass
class ControllerModel:
    """One controller; call :meth:`outputs`, then :meth:`edge`, once per tCK."""

    timing: ClockTiming
    nclaim: int
    nquiet: int
    clock: int = 0

    def __post_init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.open_row: int | None = None
        self.last = dict.fromkeys(("ACT", "PRE", "RD", "WR", "REF"), NEVER)
        self.due_at: int | None = None
        self.claimed_at: int | None = None
        self.under_way = self.goes_before = False
        self.was_under_way = False  # before this clock: the request goes on to its last column
        self.columns_out: list[int] = []  # clocks of the request's columns
        self.done_at: int | None = None

    def may(self, command: str) -> bool:
        """Tell whether the bank can take a command at this clock."""
        t, last, now = self.timing, self.last, self.clock
        column = max(last["RD"], last["WR"]) + t.nccd_l
        earliest = {
            "ACT": max(last["PRE"] + t.nrp, last["REF"] + t.nrfc),
            "PRE": max(last["ACT"] + t.nras, last["RD"] + t.nrtp, last["WR"] + t.ncwl + t.nwr),
            "RD": max(last["ACT"] + t.nrcd, column, last["WR"] + t.ncwl + t.nwtr_l),
            "WR": max(last["ACT"] + t.nrcd, column, last["RD"] + t.ncl + 2 - t.ncwl),
        }
        return now >= earliest[command]

    def outputs(self, pins: Inputs) -> Outputs:
        now, request = self.clock, pins.request
        if pins.refresh:
            self.due_at = now
        if pins.claimed and self.claimed_at is None:
            self.claimed_at = now
        elif not pins.claimed:
            self.claimed_at = None
        due = self.due_at is not None
        due_first = due and (self.claimed_at is None or self.due_at <= self.claimed_at)
        waits = request is not None and self.done_at is None
        self.goes_before = waits and (self.goes_before or not pins.claimed)
        self.under_way = self.under_way or (self.goes_before and not due)
        hit = request is not None and self.open_row == request.row
        self.command = self._command(pins, hit, due_first and not self.was_under_way)
        is_column = self.command in ("RD", "WR")
        beats = self._beats(request)
        return Outputs(
            command=self.command,
            row=request.row if self.command == "ACT" and request else None,
            column=request.column + len(self.columns_out) if is_column and request else None,
            read_beat=beats["read"] is not None,
            write_beat=beats["ask"] is not None,
            beat_index=beats["read"] if beats["read"] is not None else beats["ask"],
            done=self.done_at == now,
            pending=self.goes_before and (not hit or (due and not self.was_under_way)),
            ready=self.under_way and self.open_row is None and self.may("ACT"),
            quiet=pins.claimed and self.nclaim - self.nquiet < now - (self.claimed_at or 0) <= self.nclaim,
            claim_ready=pins.claimed
            and self.open_row is None
            and self.may("ACT")
            and not self.goes_before
            and not due_first,
            idle=self.open_row is None and self.may("ACT") and request is None and not due,
        )

    def _command(self, pins: Inputs, hit: bool, refreshes: bool) -> str:
        request, is_open = pins.request, self.open_row is not None
        if refreshes or ((pins.close or pins.claimed) and not self.under_way):
            if is_open:
                return "PRE" if self.may("PRE") else "NOP"
            return "REF" if refreshes and self.may("ACT") else "NOP"
        if not self.under_way or request is None:
            return "NOP"
        if hit:
            kind = "WR" if request.write else "RD"
            return kind if self.may(kind) else "NOP"
        if is_open:
            return "PRE" if self.may("PRE") else "NOP"
        return "ACT" if self.may("ACT") and pins.grant else "NOP"

    def _beats(self, request: Request | None) -> dict[str, int | None]:
        """Return which column's data comes at this clock, and which one's is asked for."""
        found: dict[str, int | None] = {"read": None, "ask": None}
        if request:
            kind, late = ("ask", self.timing.ncwl - 2) if request.write else ("read", self.timing.ncl - 1)
            if self.clock - late in self.columns_out:
                found[kind] = self.columns_out.index(self.clock - late)
        return found

    def edge(self, pins: Inputs) -> None:
        """Let the clock pass."""
        now, command, request = self.clock, self.command, pins.request
        if self.done_at == now:
            self.done_at, self.columns_out = None, []
        if command == "ACT" and request:
            self.open_row = request.row
        elif command == "PRE":
            self.open_row = None
        elif command == "REF":
            self.due_at = None
        elif command in ("RD", "WR") and request:
            self.columns_out.append(now)
            if len(self.columns_out) == request.columns:
                self.under_way = self.goes_before = False
                self.done_at = now + (self.timing.ncwl if request.write else self.timing.ncl) - 1
        if command != "NOP":
            self.last[command] = now
        self.was_under_way = self.under_way
        self.clock += 1
