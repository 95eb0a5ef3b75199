"""Wires clock, DDR4 bus, stand-ins of mailboxes and array, monitor, model and checkers to one decoder."""

import random
from collections.abc import Iterator
from typing import Any

import cocotb
from bfm.checker import InOrderChecker
from bfm.clock import DramClock
from bfm.ddr4 import Ddr4Bus
from bfm.ddr4_monitor import pin_command
from bfm.register_ports import RegisterPorts
from cocotb.triggers import FallingEdge, ReadOnly
from decoder_coverage import DecoderCoverage
from decoder_model import BANKS, Access, Command, DecoderModel, Inputs, Outputs, Pins

from pim.config import load_system

COVERAGE = DecoderCoverage()
TIMING = load_system("bank").timing.to_kernel()
ROW_BITS = 16
REGISTER_ROW = (1 << ROW_BITS) - 1
ALL_BANKS = (1 << BANKS) - 1


def chance(probability: float) -> Iterator[bool]:
    """Yield True with this probability, from the test's seeded generator."""
    while True:
        yield random.random() < probability


class DecoderBench:
    """A decoder under test: every edge of every test is compared with the model."""

    def __init__(self, dut: Any, *, idle: float = 0.0, busy: float = 0.0) -> None:
        self.dut = dut
        self.clock = DramClock(dut)
        self.bus = Ddr4Bus(dut, self.clock, TIMING, chance(idle))
        self.mailboxes = RegisterPorts(dut, BANKS, busy)
        self.model = DecoderModel(TIMING, ROW_BITS)
        self.pins = InOrderChecker("output pins")

    async def start(self) -> "DecoderBench":
        self.dut.rst_ni.value = 0
        self.owners(lockout=0, granted=0)
        self.dut.alert_i.value = 0
        self.clock.start()
        self.bus.reset()
        self.bus.start()
        self.mailboxes.start()
        cocotb.start_soon(self._array())
        cocotb.start_soon(self._monitor())
        await self.clock.edges(3)
        self.dut.rst_ni.value = 1
        return self

    def owners(self, *, lockout: int, granted: int) -> None:
        """Set who has which bank, as masks."""
        self.dut.lockout_i.value, self.dut.core_grant_i.value = lockout, granted

    async def reset(self) -> None:
        """Reset in the middle of whatever goes on; tasks that use the bus must have been cancelled."""
        self.dut.rst_ni.value = 0
        self.bus.reset()
        await self.clock.edges(2)
        self.dut.rst_ni.value = 1

    async def registers_row(self, bank: int) -> None:
        await self.bus.activate(bank, REGISTER_ROW)

    async def drain(self) -> None:
        """Wait until all data has moved."""
        await self.clock.edges(TIMING.ncl + 12)
        assert not self.bus.reads
        self.pins.assert_drained()

    async def _array(self) -> None:
        """Give other data in each tCK: only that of the right one counts."""
        while True:
            self.dut.array_rdata_i.value = random.getrandbits(64 * BANKS)
            await FallingEdge(self.dut.clk_i)

    async def _monitor(self) -> None:
        while True:
            await FallingEdge(self.dut.clk_i)
            await ReadOnly()
            if not int(self.dut.rst_ni.value):
                self.model.reset()
                self.model.clock = self.clock.now
                continue
            self.model.clock = self.clock.now - 1
            inputs = self._inputs()
            expected = self.model.outputs(inputs)
            self.pins.expect(expected)
            self.pins.actual(self._outputs(expected), f"tCK {self.clock.now}")
            COVERAGE.observe(self.model, inputs, expected)
            self.model.edge(inputs)

    def _inputs(self) -> Inputs:
        dut, command = self.dut, pin_command(self.dut, ROW_BITS)
        gives = self.model.clock in self.model.given
        return Inputs(
            pins=Pins(Command[command.name], command.bank, command.row, command.burst, command.auto),
            dq=int(dut.dq_i.value),
            ready=int(dut.host_ready_i.value),
            lockout=int(dut.lockout_i.value),
            granted=int(dut.core_grant_i.value),
            alert=int(dut.alert_i.value),
            registers=_words(dut.host_rdata_i) if gives else (),
            array=_words(dut.array_rdata_i) if gives else (),
        )

    def _outputs(self, expected: Outputs) -> Outputs:
        """Return the pins; those that mean nothing now are left out as the model leaves them out."""
        dut = self.dut
        valid = int(dut.host_valid_o.value)
        access = None
        if valid:
            write = bool(int(dut.host_write_o.value))
            access = Access(write, int(dut.host_address_o.value), int(dut.host_wdata_o.value) if write else None)
        codes = int(dut.command_o.value)
        return Outputs(
            valid=valid,
            access=access,
            idle=int(dut.bank_idle_o.value),
            bank_access=int(dut.bank_access_o.value),
            commands=tuple(Command(codes >> 3 * i & 7) for i in range(BANKS)),
            row=int(dut.command_row_o.value) if expected.row is not None else None,
            burst=int(dut.command_column_o.value) if expected.burst is not None else None,
            written=int(dut.array_wdata_o.value) if expected.written is not None else None,
            dq=int(dut.dq_o.value) if int(dut.dq_enable_o.value) else None,
            alert=not int(dut.alert_no.value),
        )


def _words(pin: Any) -> tuple[int, ...]:
    value = int(pin.value)
    return tuple(value >> 64 * i & (1 << 64) - 1 for i in range(BANKS))
