"""Wires clock, DDR4 bus and a host's driver of bank cores to a chip, and watches what its cores and banks do."""

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import cocotb
from bfm.clock import CoreClock
from bfm.ddr4 import Ddr4Bus
from chip_coverage import ChipCoverage
from cocotb.triggers import FallingEdge, ReadOnly
from mailbox_model import Owner, Register, Run, Status

from pim.config import load_system

COVERAGE = ChipCoverage()
TIMING = load_system("bank").timing.to_kernel()
BANKS, ROW_BITS, ROW_BYTES = 4, 4, 1024
REGISTER_ROW = (1 << ROW_BITS) - 1
BROADCAST = 32
BURST = 4
NCLAIM = 1200
ALL = (1 << BANKS) - 1


def chance(probability: float) -> Iterator[bool]:
    """Yield True with this probability, from the test's seeded generator."""
    while True:
        yield random.random() < probability


class ChipBench:
    """A chip under test, and the host's way to its registers and banks by commands on the bus."""

    def __init__(self, dut: Any, *, idle: float = 0.0) -> None:
        self.dut = dut
        self.clock = CoreClock(dut, Fraction(str(cocotb.plusargs["core_ratio"])))
        self.bus = Ddr4Bus(dut, self.clock, TIMING, chance(idle))
        self.rows: dict[int, int] = {}  # bank: open row
        self.granted_at: dict[int, int] = {}  # bank: edge at which its core first had it
        self.started_at: dict[int, int] = {}  # bank: first core edge of its last run

    async def start(self) -> "ChipBench":
        self.dut.rst_ni.value = 0
        self.clock.start()
        self.bus.reset()
        self.bus.start()
        cocotb.start_soon(self._watch())
        await self.clock.edges(3)
        self.dut.rst_ni.value = 1
        return self

    async def reset(self) -> None:
        """Reset in the middle of whatever goes on."""
        COVERAGE.hit("reset: cores running" if int(self.dut.grant.value) else "reset: banks of the host")
        self.dut.rst_ni.value = 0
        self.bus.reset()
        self.rows.clear()
        await self.clock.edges(2)
        self.dut.rst_ni.value = 1

    # ---- rows

    async def open(self, bank: int, row: int) -> None:
        """Have a row open: close another one before."""
        if self.rows.get(bank) == row:
            return
        await self.close(bank)
        await self.bus.activate(bank, row)
        self.rows[bank] = row

    async def close(self, bank: int) -> None:
        if bank in self.rows:
            await self.bus.precharge(bank)
            del self.rows[bank]

    # ---- registers

    async def write(self, bank: int, register: int, value: int, *, everywhere: bool = False) -> int:
        """Write a register, of all banks if ``everywhere``; return the command's tCK."""
        await self.open(bank, REGISTER_ROW)
        return await self.bus.write(bank, register // 8 + BROADCAST * everywhere, value)

    async def read(self, bank: int, register: int) -> int:
        await self.open(bank, REGISTER_ROW)
        value = await self.bus.read_value(bank, register // 8)
        assert value is not None, "the registers answer always"
        return value

    async def status(self, bank: int) -> Status:
        return Status.unpack(await self.read(bank, Register.STATUS))

    async def ended(self, bank: int) -> int:
        """Return which cores have ended, read through the register row of ``bank``."""
        await self.open(bank, REGISTER_ROW)
        value = await self.bus.read_value(bank, BROADCAST)
        assert value is not None
        return value & 0xFFFF

    # ---- memory

    async def write_memory(self, bank: int, offset: int, content: bytes) -> None:
        content += bytes(-len(content) % 8)
        for at in range(0, len(content), 8):
            await self.open(bank, (offset + at) // ROW_BYTES)
            word = int.from_bytes(content[at : at + 8], "little")
            await self.bus.write(bank, (offset + at) % ROW_BYTES // 8, word)

    async def read_word(self, bank: int, offset: int) -> int | None:
        await self.open(bank, offset // ROW_BYTES)
        return await self.bus.read_value(bank, offset % ROW_BYTES // 8)

    # ---- runs

    async def poll(self, bank: int, run: Run = Run.DONE, owner: Owner = Owner.HOST) -> Status:
        """Poll STATUS until the run has ended and the bank is whose it is to be."""
        while True:
            status = await self.status(bank)
            if status.run is run and status.owner is owner:
                return status
            await self.clock.edges(40)

    async def first(self, pin: str, mask: int) -> int:
        """Wait until all bits of ``mask`` are set in a pin; return the number of the edge that samples them."""
        while True:
            await ReadOnly()
            if int(getattr(self.dut, pin).value) & mask == mask:
                at = self.clock.now
                await FallingEdge(self.dut.clk_i)
                return at
            await FallingEdge(self.dut.clk_i)

    async def _watch(self) -> None:
        while True:
            await FallingEdge(self.dut.clk_i)
            await ReadOnly()
            if int(self.dut.rst_ni.value):
                COVERAGE.observe(self.dut, BANKS)
                grant, started = int(self.dut.grant.value), int(self.dut.started.value)
                for bank in range(BANKS):
                    if grant >> bank & 1:
                        self.granted_at.setdefault(bank, self.clock.now)
                    if started >> bank & 1 and self.clock.is_core_edge(self.clock.now):
                        self.started_at[bank] = self.clock.now
