"""The bank controller's end of a request port: serves requests from a memory, as late as a test likes."""

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from bfm.clock import CoreClock


class Request(NamedTuple):
    """One request as the port saw it; ``done_at`` is the edge that took its end."""

    write: bool
    address: int
    columns: int


def delays(most: int) -> Iterator[int]:
    """Give delays of 0 to ``most`` for ever."""
    while True:
        yield random.randint(0, most)


class BankPort:
    """Serves one request after the other; ``delay`` gives the tCK before each column."""

    def __init__(
        self,
        dut: Any,
        clock: CoreClock,
        memory: bytearray,
        port_bytes: int,
        delay: Iterator[int],
        served: Callable[[Request, int], None],
    ) -> None:
        self.dut, self.clock, self.memory, self.port_bytes = dut, clock, memory, port_bytes
        self.delay, self.served = delay, served
        self.read_beat = dut.read_beat_i if hasattr(dut, "read_beat_i") else dut.beat_i
        self.writes = hasattr(dut, "request_write_o")
        self.fixed_columns = 0  # of a port that always asks for as many

    def quiet(self) -> None:
        self.read_beat.value = self.dut.done_i.value = self.dut.beat_index_i.value = 0
        self.dut.beat_data_i.value = 0
        if self.writes:
            self.dut.write_beat_i.value = 0

    def start(self) -> None:
        cocotb.start_soon(self._run())

    def _asked(self) -> Request | None:
        dut = self.dut
        if not int(dut.rst_ni.value) or not int(dut.request_o.value):
            return None
        write = bool(int(dut.request_write_o.value)) if self.writes else False
        columns = self.fixed_columns or int(dut.request_columns_o.value)
        return Request(write, int(dut.request_address_o.value), columns)

    async def _run(self) -> None:
        while True:
            await RisingEdge(self.dut.clk_i)
            request = self._asked()
            await FallingEdge(self.dut.clk_i)
            if request and await self._serve(request):
                self.served(request, self.clock.now - 1)

    async def _serve(self, request: Request) -> bool:
        """Move the columns; return False if a reset has ended the request."""
        for column in range(request.columns):
            at = request.address + column * self.port_bytes
            for _ in range(next(self.delay)):
                if not await self._edge(request):
                    return False
            last = column == request.columns - 1
            self.dut.beat_index_i.value = column
            if request.write:
                self.dut.write_beat_i.value = 1
                if not await self._edge(request):
                    return False
                self.dut.write_beat_i.value = 0
                self.dut.done_i.value = int(last)
                await RisingEdge(self.dut.clk_i)
                word = int(self.dut.wdata_o.value)
                self.memory[at : at + self.port_bytes] = word.to_bytes(self.port_bytes, "little")
                await FallingEdge(self.dut.clk_i)
            else:
                self.read_beat.value = 1
                self.dut.beat_data_i.value = int.from_bytes(self.memory[at : at + self.port_bytes], "little")
                self.dut.done_i.value = int(last)
                alive = await self._edge(request)
                self.quiet()
                if not alive:
                    return False
        self.quiet()
        return True

    async def _edge(self, request: Request) -> bool:
        """Pass one edge, at which the request must still be there as it was."""
        await RisingEdge(self.dut.clk_i)
        in_reset = not int(self.dut.rst_ni.value)
        assert in_reset or self._asked() == request, f"tCK {self.clock.now}: the request {request} is not held"
        await FallingEdge(self.dut.clk_i)
        if in_reset:
            self.quiet()
        return not in_reset
