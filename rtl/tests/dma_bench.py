"""Plays core, line buffers and bank around the DMA, and checks it by its rules; and its coverage."""

import random
from fractions import Fraction
from typing import Any

import cocotb
from bfm.clock import CoreClock
from bfm.coverage import Coverage
from cocotb.triggers import FallingEdge, RisingEdge, Timer

MEMORY_AT, PAD_AT = 0x8000_0000, 0x2000_0000
MEMORY_BYTES, PAD_BYTES, ROW, COLUMN = 4096, 512, 128, 8
SOURCE, DESTINATION, START = range(3)
BINS = [
    *(f"{way}: {rows}" for way in ("to memory", "to scratchpad") for rows in ("one row", "several rows")),
    *("nothing to move", "whole scratchpad", "last byte of memory", "lines written back before", "done at a core edge"),
    *("done between core edges", "reset during a transfer"),
    *(f"refused: {why}" for why in ("two memories", "two scratchpads", "nowhere", "alignment", "length", "range")),
]
COVERAGE = Coverage(BINS)


def _place(address: int) -> str:
    if MEMORY_AT <= address < MEMORY_AT + MEMORY_BYTES:
        return "memory"
    return "scratchpad" if PAD_AT <= address < PAD_AT + PAD_BYTES else "nowhere"


def judged(source: int, destination: int, length: int) -> str:
    """Return why so much cannot move, or "" if it can: docs/timing.md, "Scratchpad DMA"."""
    places = [_place(source), _place(destination)]
    if "nowhere" in places:
        return "nowhere"
    if places[0] == places[1]:
        return "two memories" if places[0] == "memory" else "two scratchpads"
    if any(number % COLUMN for number in (source, destination)):
        return "alignment"
    if length % COLUMN or not 0 <= length <= PAD_BYTES:
        return "length"
    memory, pad = (source, destination) if places[0] == "memory" else (destination, source)
    fits = memory + length <= MEMORY_AT + MEMORY_BYTES and pad + length <= PAD_AT + PAD_BYTES
    return "" if fits else "range"


def pieces(source: int, destination: int, length: int) -> list[tuple[bool, int, int, int]]:
    """Return write, address, columns and place of each request: one for each row, in the order of addresses."""
    to_memory = destination >= MEMORY_AT
    memory, pad = (destination, source) if to_memory else (source, destination)
    at, end, found = memory - MEMORY_AT, memory - MEMORY_AT + length, []
    while at < end:
        stop = min(end, (at // ROW + 1) * ROW)
        place = pad - PAD_AT + at - (memory - MEMORY_AT)
        found.append((to_memory, at, (stop - at) // COLUMN, place))
        at = stop
    return found


class DmaBench:
    """The engine under test: each request, and the core edge that ends the store, are compared with the rules."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.clock = CoreClock(dut, Fraction(str(cocotb.plusargs["core_ratio"])))
        self.requests = 0

    async def start(self) -> "DmaBench":
        self.dut.rst_ni.value = 0
        self._quiet()
        self.clock.start()
        await self.clock.edges(3)
        self.dut.rst_ni.value = 1
        return self

    def _quiet(self) -> None:
        for pin in ("access", "register", "value", "done"):
            getattr(self.dut, f"{pin}_i").value = 0
        self.dut.clean_i.value = self.dut.flushed_i.value = 1

    async def reset(self) -> None:
        COVERAGE.hit("reset during a transfer")
        self.dut.rst_ni.value = 0
        self._quiet()
        await self.clock.edges(2)
        self.dut.rst_ni.value = 1

    async def store(self, register: int, value: int) -> None:
        """Store to SOURCE or DESTINATION: one core cycle."""
        self.dut.access_i.value, self.dut.register_i.value, self.dut.value_i.value = 1, register, value
        await self.clock.core_edge("ready_o")
        self.dut.access_i.value = 0

    async def transfer(self, source: int, destination: int, length: int, *, dirty: int = 0) -> None:
        """Move bytes, with lines that take ``dirty`` tCK to write back; or be refused."""
        await self.store(SOURCE, source)
        await self.store(DESTINATION, destination)
        why = judged(source, destination, length)
        self.dut.register_i.value, self.dut.value_i.value = START, length % (1 << 64)
        await Timer(1, "ps")
        assert int(self.dut.may_start_o.value) == (not why), (
            f"{source:#x} to {destination:#x}, {length}: {why or 'may'}"
        )
        await FallingEdge(self.dut.clk_i)
        if why:
            COVERAGE.hit(f"refused: {why}")
            return
        self._cover(source, destination, length, dirty)
        await self.clock.core_edge()  # the store begins with a core cycle
        self.dut.access_i.value = 1
        begun = last = self.clock.now
        if dirty:
            self.dut.clean_i.value = self.dut.flushed_i.value = 0
            for _ in range(dirty):
                await RisingEdge(self.dut.clk_i)
                assert int(self.dut.flush_o.value)
                assert not int(self.dut.request_o.value)
                assert not int(self.dut.ready_o.value)
                last = self.clock.now
                await FallingEdge(self.dut.clk_i)
            self.dut.clean_i.value = 1
            self.dut.flushed_i.value = 1
        for write, address, columns, place in pieces(source, destination, length):
            last = await self._serve(write, address, columns, place)
        if length:
            COVERAGE.hit("done at a core edge" if self.clock.is_core_edge(last) else "done between core edges")
            expected = self.clock.first_core_edge(self.clock.first_core_edge(last) + 1)
        else:
            expected = self.clock.first_core_edge(self.clock.now if dirty else begun)
        assert await self.clock.core_edge("ready_o") == expected
        self.dut.access_i.value = 0

    async def _serve(self, write: bool, address: int, columns: int, place: int) -> int:
        """Be the bank for one request, which must be there at once and held; return the edge of its end."""
        late = random.choice([0, 1, 5, 30])
        for n in range(late + 1):
            self.dut.done_i.value = int(n == late)
            await RisingEdge(self.dut.clk_i)
            at = self.clock.now
            dut = self.dut
            seen = [int(pin.value) for pin in (dut.request_write_o, dut.request_address_o, dut.request_columns_o)]
            assert int(dut.request_o.value)
            assert not int(dut.ready_o.value)
            assert [*seen, int(dut.place_o.value)] == [int(write), address, columns, place], f"tCK {at}"
            await FallingEdge(dut.clk_i)
        self.dut.done_i.value = 0
        self.requests += 1
        return at

    def _cover(self, source: int, destination: int, length: int, dirty: int) -> None:
        found = pieces(source, destination, length)
        way = "to memory" if destination >= MEMORY_AT else "to scratchpad"
        COVERAGE.hit(f"{way}: {'one row' if len(found) == 1 else 'several rows'}" if found else "nothing to move")
        if length == PAD_BYTES:
            COVERAGE.hit("whole scratchpad")
        if max(source, destination) + length == MEMORY_AT + MEMORY_BYTES:
            COVERAGE.hit("last byte of memory")
        if dirty:
            COVERAGE.hit("lines written back before")
