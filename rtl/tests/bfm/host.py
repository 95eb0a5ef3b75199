"""Host side: register port and bank commands, as the decoder on the DDR side drives them."""

from collections.abc import Iterator
from itertools import repeat
from typing import Any

from cocotb.triggers import FallingEdge, RisingEdge

from bfm.clock import CoreClock


class HostDriver:
    """Issues one register access after the other; ``idle`` says for each tCK whether to pause."""

    def __init__(self, dut: Any, clock: CoreClock, idle: Iterator[bool] = repeat(False)) -> None:  # noqa: B008
        self.dut, self.clock, self.idle = dut, clock, idle

    def quiet(self) -> None:
        """Ask for nothing; the bank is precharged."""
        pins = ("host_valid_i", "host_write_i", "host_address_i", "host_wdata_i", "host_bank_access_i", "claim_ready_i")
        for pin in pins:
            getattr(self.dut, pin).value = 0
        self.dut.bank_idle_i.value = 1

    async def issue(self, *, write: bool, offset: int, value: int = 0) -> int:
        """Issue an access and return the tCK edge that accepted it; a read's response comes later."""
        while next(self.idle):
            await FallingEdge(self.dut.clk_i)
        self.dut.host_valid_i.value = 1
        self.dut.host_write_i.value = int(write)
        self.dut.host_address_i.value = offset >> 3
        self.dut.host_wdata_i.value = value
        while True:
            await RisingEdge(self.dut.clk_i)
            accepted, at = int(self.dut.host_ready_o.value), self.clock.now
            await FallingEdge(self.dut.clk_i)
            if accepted:
                self.dut.host_valid_i.value = 0
                return at

    async def write(self, offset: int, value: int) -> int:
        return await self.issue(write=True, offset=offset, value=value)

    async def read(self, offset: int) -> int:
        return (await self.timed_read(offset))[1]

    async def timed_read(self, offset: int) -> tuple[int, int, int]:
        """Read a register; return the accepting edge, the value and the edge at which it came."""
        accepted_at = await self.issue(write=False, offset=offset)
        while True:
            await RisingEdge(self.dut.clk_i)
            if int(self.dut.host_rvalid_o.value):
                value, at = self.dut.host_rdata_o.value.to_unsigned(), self.clock.now
                await FallingEdge(self.dut.clk_i)
                return accepted_at, value, at

    async def access_bank(self) -> None:
        """Send the bank one command."""
        self.dut.host_bank_access_i.value = 1
        await self.clock.edges()
        self.dut.host_bank_access_i.value = 0
