"""Wires clock, core, bank port, model and checkers to the line buffers; and what their tests must have seen."""

import random
from fractions import Fraction
from typing import Any

import cocotb
from bfm.bank_port import BankPort, Request, delays
from bfm.checker import InOrderChecker
from bfm.clock import CoreClock
from bfm.coverage import Coverage
from cocotb.triggers import FallingEdge, RisingEdge
from lines_model import LinesModel, Wanted

BINS = [
    *(
        f"{verb}: {what}"
        for verb in ("load", "store")
        for what in ("hit", "new line", "new sector", "writes back first")
    ),
    *(f"written back for a new line: {n} runs" for n in (1, 2)),
    *(f"slot {slot} replaced" for slot in range(3)),
    *(f"flush: {what}" for what in ("clean", "one line", "several lines")),
    *("part of a word stored", "load still in write-back as lines are written", "reset during a request"),
]
COVERAGE = Coverage(BINS)
SLOTS = 3
MEMORY_BYTES = 1024


class LinesBench:
    """Line buffers under test: every request, word and core edge of every access is compared with the model."""

    def __init__(self, dut: Any, *, delay: int = 3) -> None:
        self.dut = dut
        self.clock = CoreClock(dut, Fraction(str(cocotb.plusargs["core_ratio"])))
        sizes = [int(str(cocotb.plusargs[name])) for name in ("line", "sector", "port")]
        self.model = LinesModel(SLOTS, *sizes)
        self.bank = bytearray(random.randbytes(MEMORY_BYTES))
        self.seen = bytearray(self.bank)  # memory as the core sees it
        self.port = BankPort(dut, self.clock, self.bank, sizes[2], delays(delay), self._served)
        self.requests = InOrderChecker("requests")
        self.done_at: int | None = None
        self.just_loaded = False

    def _served(self, request: Request, at: int) -> None:
        self.requests.actual(Wanted(*request), f"tCK {at}")
        self.done_at = at

    async def start(self) -> "LinesBench":
        self.dut.rst_ni.value = 0
        self._idle()
        self.port.quiet()
        self.clock.start()
        self.port.start()
        await self.clock.edges(3)
        self.dut.rst_ni.value = 1
        return self

    def _idle(self) -> None:
        for pin in ("access", "flush", "write", "address", "strobe", "wdata"):
            getattr(self.dut, f"{pin}_i").value = 0

    async def reset(self) -> None:
        """Reset, with whatever is dirty lost."""
        COVERAGE.hit("reset during a request")
        self.dut.rst_ni.value = 0
        self._idle()
        await self.clock.edges(3)
        self.dut.rst_ni.value = 1
        self.model.reset()
        self.requests.flush()
        self.seen[:] = self.bank

    async def load(self, address: int) -> None:
        self._expect(address, write=False)
        await self._core(access=1, write=0, address=address, strobe=0, wdata=0)
        word = int.from_bytes(self.seen[address & ~7 : (address & ~7) + 8], "little")
        assert int(self.dut.rdata_o.value) == word, f"tCK {self.clock.now}: load of {address:#x}"
        self.just_loaded = True

    async def store(self, address: int, value: int, strobe: int) -> None:
        self._expect(address, write=True)
        await self._core(access=1, write=1, address=address, strobe=strobe, wdata=value)
        for i in range(8):
            if strobe >> i & 1:
                self.seen[(address & ~7) + i] = value >> 8 * i & 0xFF
        if strobe != 0xFF:
            COVERAGE.hit("part of a word stored")
        self.just_loaded = False

    async def flush(self) -> None:
        lines = sum(bool(slot.dirty) for slot in self.model.buffers)
        COVERAGE.hit(f"flush: {['clean', 'one line'][lines] if lines < 2 else 'several lines'}")
        self._queue(self.model.flush())
        await self._core(flush=1, access=0)
        assert int(self.dut.clean_o.value)
        assert self.bank == self.seen
        self.just_loaded = False

    async def pause(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.clock.core_edge()
        self.just_loaded = False

    def _expect(self, address: int, *, write: bool) -> None:
        verb = "store" if write else "load"
        had = {slot.line: i for i, slot in enumerate(self.model.buffers)}
        oldest = self.model.order[0]
        wanted = self.model.access(address, write=write)
        runs = sum(request.write for request in wanted)
        if runs:
            COVERAGE.hit(f"{verb}: writes back first")
            COVERAGE.hit(f"written back for a new line: {min(runs, 2)} runs")
        if not wanted:
            COVERAGE.hit(f"{verb}: hit")
        elif address // self.model.line in had:
            COVERAGE.hit(f"{verb}: new sector")
        else:
            COVERAGE.hit(f"{verb}: new line")
            COVERAGE.hit(f"slot {oldest} replaced")
        self._queue(wanted)

    def _queue(self, wanted: list[Wanted]) -> None:
        if self.just_loaded and any(request.write for request in wanted):
            COVERAGE.hit("load still in write-back as lines are written")
        self.last_word = int(self.dut.rdata_o.value) if self.just_loaded else None
        for request in wanted:
            self.requests.expect(request)

    async def _core(self, **pins: int) -> None:
        """Hold an access until the core edge that ends it: the one after the last request's, or the next one."""
        for name, value in pins.items():
            getattr(self.dut, f"{name}_i").value = value
        self.done_at = None
        first = self.clock.first_core_edge(self.clock.now)
        while True:
            await RisingEdge(self.dut.clk_i)
            over = int(self.dut.core_en_i.value) and int(self.dut.ready_o.value)
            at = self.clock.now
            if self.last_word is not None and at <= first:  # a load's word, until its write-back is over
                assert int(self.dut.rdata_o.value) == self.last_word
            await FallingEdge(self.dut.clk_i)
            if over:
                break
        self._idle()
        if self.done_at is not None:
            first = self.clock.first_core_edge(self.clock.first_core_edge(self.done_at) + 1)
        assert at == first, f"an access was over at tCK {at}, expected {first}"
        self.requests.assert_drained()
