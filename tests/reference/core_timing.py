"""A second timing model of the core, from the rules in docs/timing.md: it takes what was executed and says how long.

The trace comes from another implementation of the instruction set, so nothing here computes values. Each core is a
generator that stops before every request to the DRAM; requests are served in the order of (clock, core).
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.reference.dram_timing import CONFLICT, HIT, MISS, Dram
from tests.reference.instruction_shape import Shape, shape

MEMORY_AT, SCRATCHPAD_AT, DMA_AT = 0x8000_0000, 0x2000_0000, 0x1000_0100
PARTS = ("issue", "mul/div/fp", "branch", "load-use", "instruction buffer", "row hit", "row miss", "row conflict",
         "refresh", "contention", "host", "write-back")  # fmt: skip


class Executed(NamedTuple):
    """One executed instruction: address, bits, bytes, memory address it names, whether it wrote there or trapped."""

    pc: int
    word: int
    size: int
    address: int | None
    wrote: bool
    trapped: bool = False
    stored: int = 0  # to the DMA's registers


@dataclass(frozen=True)
class CoreRules:
    """One core's costs and buffers; sizes in bytes, ``memory_end`` an address."""

    p: int  # core clock : DRAM clock = p : q
    q: int
    class_cycles: dict[str, int]  # other classes take 1
    taken_penalty: int
    load_use_penalty: int
    instruction_line: int
    instruction_lines: int
    line: int
    sector: int
    ways: int
    sets: int
    column: int | None  # bytes per column access; None: one access moves a whole row
    row: int
    banks_each: int | None  # banks that a core has to itself; None: its window runs over all
    window: int
    xlen: int


@dataclass
class Outcome:
    """What one core took; ``parts`` is its CPI stack."""

    cycles: int = 0
    instructions: int = 0
    loads: int = 0
    stores: int = 0
    line_fills: int = 0
    line_writebacks: int = 0
    instruction_fills: int = 0
    parts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PARTS, 0))


@dataclass
class _Slot:
    line: int | None = None
    valid: set[int] = field(default_factory=set)
    dirty: set[int] = field(default_factory=set)


def run_together(rules: CoreRules, dram: Dram, traces: Sequence[Sequence[Executed]]) -> list[Outcome]:
    """Return what each core took, with one trace each and the same device."""
    cores = [_Core(rules, dram, hart_id) for hart_id in range(len(traces))]
    runs = [core.run(trace) for core, trace in zip(cores, traces, strict=True)]
    waiting = [(at, hart_id) for hart_id, run in enumerate(runs) if (at := next(run, None)) is not None]
    heapq.heapify(waiting)
    while waiting:
        _, hart_id = heapq.heappop(waiting)
        at = next(runs[hart_id], None)
        if at is not None:
            heapq.heappush(waiting, (at, hart_id))
    return [core.outcome for core in cores]


class _Core:
    def __init__(self, rules: CoreRules, dram: Dram, hart_id: int) -> None:
        self.rules, self.dram, self.hart_id = rules, dram, hart_id
        self.outcome = Outcome()
        self.dma_registers = {0: 0, 8: 0}  # SOURCE, DESTINATION
        self.written_at = 0  # clock before which it makes no request: the last write, or a claim met, is over
        self.claimed = 0  # clocks of the present wait in which the host had the bank
        self.instruction_lines: dict[int, int] = {}  # index: line
        self.slots = [[_Slot() for _ in range(rules.ways)] for _ in range(rules.sets)]
        self.order = [list(range(rules.ways)) for _ in range(rules.sets)]  # least recently used first

    def run(self, trace: Sequence[Executed]) -> Iterator[int]:
        """Execute the trace; give the clock of each request to the DRAM before it is made."""
        rules, outcome, parts = self.rules, self.outcome, self.outcome.parts
        for i, step in enumerate(trace):
            this = shape(step.word, step.size, rules.xlen)
            yield from self._fetch(step)
            if step.trapped:
                parts["branch"] += 1 + rules.taken_penalty
                outcome.cycles += 1 + rules.taken_penalty
                continue
            if this.kind == "illegal":
                raise ValueError(f"{step.pc:#x}: {step.word:#x} is no instruction of these cores, and did not trap")
            if this.kind in ("load", "store"):
                outcome.loads += this.kind == "load"
                outcome.stores += this.kind == "store"
                yield from self._reach(step, this)
            if this.atomic is not None:
                yield from self._atomic(step, this)
            if this.kind in ("fence", "fence.i", "system"):
                yield from self._flush()
                if this.kind == "fence.i":
                    self.instruction_lines.clear()
            cycles = rules.class_cycles.get("system" if this.kind in ("mret", "wfi") else this.kind, 1)
            parts["issue"] += 1
            parts["mul/div/fp"] += cycles - 1
            following = trace[i + 1] if i + 1 < len(trace) else None
            if following is not None:
                jumps = this.kind in ("jump", "mret")
                if jumps or (this.kind == "branch" and following.pc != step.pc + step.size):
                    parts["branch"] += rules.taken_penalty
                    cycles += rules.taken_penalty
                is_read = this.loaded in shape(following.word, following.size, rules.xlen).reads
                if this.loaded is not None and (is_read or self._reaches_on(step, following)):
                    parts["load-use"] += rules.load_use_penalty
                    cycles += rules.load_use_penalty
            outcome.cycles += cycles
            outcome.instructions += 1

    def _reaches_on(self, step: Executed, following: Executed) -> bool:
        """Tell whether what follows in sequence is in part in a later line of the instruction buffer."""
        ends = (executed.pc - MEMORY_AT + executed.size - 1 for executed in (step, following))
        return len({end // self.rules.instruction_line for end in ends}) == 2

    def _fetch(self, step: Executed) -> Iterator[int]:
        """Bring what the instruction needs into the instruction buffer, its first half before its second."""
        first = (step.pc - MEMORY_AT) // self.rules.instruction_line
        last = (step.pc - MEMORY_AT + step.size - 1) // self.rules.instruction_line
        for line in range(first, last + 1):
            index = line % self.rules.instruction_lines
            if self.instruction_lines.get(index) == line:
                continue
            size = self.rules.instruction_line
            yield from self._turn(line * size)
            done_at, *_ = self._access(line * size, size, "RD")
            self.instruction_lines[index] = line
            self.outcome.instruction_fills += 1
            self._book(self._wait_until(done_at), "instruction buffer")

    def _reach(self, step: Executed, this: Shape) -> Iterator[int]:
        """Do what a load or store waits for."""
        if step.address is None:
            raise ValueError(f"{step.pc:#x}: {this.kind} without an address")
        if step.address >= MEMORY_AT:
            yield from self._touch(step.address - MEMORY_AT, this.kind == "store")
        elif DMA_AT <= step.address < SCRATCHPAD_AT:
            yield from self._dma(step.address - DMA_AT, step.stored)

    def _touch(self, offset: int, is_store: bool) -> Iterator[int]:
        rules = self.rules
        line, sector = offset // rules.line, offset % rules.line // rules.sector
        slots, order = self.slots[line % rules.sets], self.order[line % rules.sets]
        found = [i for i, slot in enumerate(slots) if slot.line == line]
        if not found or sector not in slots[found[0]].valid:
            if not found:
                found = [order[0]]
                yield from self._write_back(slots[order[0]])
            yield from self._turn(offset)
            if slots[found[0]].line != line:
                slots[found[0]] = _Slot(line)
            self._wait_for(*self._access(offset // rules.sector * rules.sector, rules.sector, "RD"))
            slots[found[0]].valid.add(sector)
            self.outcome.line_fills += 1
        order.remove(found[0])
        order.append(found[0])
        if is_store:
            slots[found[0]].dirty.add(sector)

    def _atomic(self, step: Executed, this: Shape) -> Iterator[int]:
        """Act at the bank: without the line of the address, or with aq or rl without any line, in the buffers."""
        if step.address is None or step.address < MEMORY_AT:
            return
        offset = step.address - MEMORY_AT
        while True:
            if this.is_ordered:
                yield from self._flush()
            line = offset // self.rules.line
            for slot in self.slots[line % self.rules.sets]:
                if slot.line == line:
                    yield from self._write_back(slot)
                    slot.line, slot.valid = None, set()
            yield self._now()
            if this.atomic == "sc" and not step.wrote:
                return
            if not self._is_claimed(offset):
                break
        column = self.rules.column or self.rules.row
        came_at = self._now()
        read_at, *rest = self._access(offset, column, "WR" if this.atomic == "sc" else "RD")
        self._wait_for(read_at, *rest)
        if this.atomic == "amo":
            self.written_at, *_ = self._ask(offset, column, "WR", read_at, came_at)

    def _dma(self, register: int, value: int) -> Iterator[int]:
        """Keep an address, or move bytes by one request for each row; the dirty lines are written before."""
        if register in self.dma_registers:
            self.dma_registers[register] = value
            return
        if not value:
            yield from self._flush()
            return
        for slots in self.slots:
            for slot in slots:
                yield from self._write_back(slot)
                slot.line, slot.valid = None, set()
        source, destination = self.dma_registers[0], self.dma_registers[8]
        offset = max(source, destination) - MEMORY_AT
        end = offset + value
        while offset < end:
            yield from self._turn(offset)
            stop = min(end, offset - offset % self.rules.row + self.rules.row)
            done_at, *rest = self._access(offset, stop - offset, "WR" if destination >= MEMORY_AT else "RD")
            offset = stop
            if offset < end:
                self.written_at = done_at
        self._wait_for(done_at, *rest)

    def _wait_for(self, done_at: int, outcome: str, refresh_wait: int, others: int) -> None:
        """Wait for an access, and book the wait: what claims took, then a refresh, then others."""
        rest = {HIT: "row hit", MISS: "row miss", CONFLICT: "row conflict"}[outcome]
        self._book(self._wait_until(done_at), rest, ("refresh", refresh_wait), ("contention", others))

    def _book(self, left: int, rest: str, *causes: tuple[str, int]) -> None:
        """Book a wait's cycles: first what claims took, then other causes' clocks in their order, then the rest."""
        for name, clocks in (("host", self.claimed), *causes):
            part = min(left, clocks * self.rules.p // self.rules.q)
            self.outcome.parts[name] += part
            left -= part
        self.outcome.parts[rest] += left
        self.claimed = 0

    def _write_back(self, slot: _Slot) -> Iterator[int]:
        """Write runs of neighbouring dirty sectors, one request after the other."""
        rules = self.rules
        for sector in sorted(slot.dirty):
            if sector - 1 in slot.dirty:
                continue
            n = 1
            while sector + n in slot.dirty:
                n += 1
            offset = slot.line * rules.line + sector * rules.sector
            yield from self._turn(offset)
            self._access(offset, n * rules.sector, "WR")
            self.outcome.line_writebacks += 1
        slot.dirty = set()

    def _flush(self) -> Iterator[int]:
        for slots in self.slots:
            for slot in slots:
                yield from self._write_back(slot)
                slot.line, slot.valid = None, set()
        yield self._now()
        self._book(self._wait_until(self.written_at), "write-back")

    def _turn(self, offset: int) -> Iterator[int]:
        """Wait for the turn of a request, again at the end of a claim if the host has the bank."""
        yield self._now()
        while self._is_claimed(offset):
            yield self._now()

    def _is_claimed(self, offset: int) -> bool:
        """Tell whether the host has the bank now; then there is no request before it has given it back."""
        now = self._now()
        free_at = self.dram.free_from(self._place(offset)[0], now)
        if free_at > now:
            self.claimed += free_at - now
            self.written_at = free_at
        return free_at > now

    def _access(self, offset: int, n_bytes: int, command: str) -> tuple[int, str, int, int]:
        """Make a request now; return when it is over, its row outcome, and its waits for a refresh and for others."""
        answer = self._ask(offset, n_bytes, command, self._now())
        if command == "WR":
            self.written_at = answer[0]
        return answer

    def _now(self) -> int:
        """Return the clock of a request: the present edge's, but not before the last write is over."""
        return max(self._edge(), self.written_at)

    def _ask(
        self, offset: int, n_bytes: int, command: str, now: int, came_at: int | None = None
    ) -> tuple[int, str, int, int]:
        rules = self.rules
        n_columns = 1 if rules.column is None else n_bytes // rules.column
        return self.dram.access(*self._place(offset), n_columns, command, now, came_at)

    def _place(self, offset: int) -> tuple[int, int]:
        """Return bank and row."""
        rules, n_banks = self.rules, self.dram.rules.n_banks
        if rules.banks_each is not None:
            row, turn = divmod(offset // rules.row, rules.banks_each)
            own = [bank for bank in range(n_banks) if bank % (n_banks // rules.banks_each) == self.hart_id]
            return own[turn], row
        row = (self.hart_id * rules.window + offset) // rules.row
        return row % n_banks, row // n_banks

    def _edge(self, cycle: int | None = None) -> int:
        """Return the first DRAM clock at or after a core edge, by default the present one's."""
        cycle = self.outcome.cycles if cycle is None else cycle
        return (cycle * self.rules.q + self.rules.p - 1) // self.rules.p

    def _wait_until(self, clock: int) -> int:
        """Go on to the first core edge at or after a DRAM clock; return the cycles waited."""
        cycle = max(self.outcome.cycles, (clock - 1) * self.rules.p // self.rules.q - 1)
        while self._edge(cycle) < clock:
            cycle += 1
        waited = cycle - self.outcome.cycles
        self.outcome.cycles = cycle
        return waited
