"""Wires clock, drivers, monitor, model and checkers to one mailbox."""

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import cocotb
from bfm.checker import InOrderChecker
from bfm.clock import CoreClock
from bfm.core import CoreDriver
from bfm.host import HostDriver
from bfm.monitor import Monitor, Sample
from mailbox_coverage import MailboxCoverage
from mailbox_model import MailboxModel, Owner, Register, Run, Status

COVERAGE = MailboxCoverage()


def chance(probability: float) -> Iterator[bool]:
    """Yield True with this probability, from the test's seeded generator."""
    while True:
        yield random.random() < probability


def word() -> int:
    """Return 64 random bits."""
    return random.getrandbits(64)


class MailboxBench:
    """A mailbox under test: every edge of every test is compared with the model."""

    def __init__(self, dut: Any, *, idle: float = 0.0) -> None:
        self.dut = dut
        self.tmod_nck = int(str(cocotb.plusargs["tmod_nck"]))
        self.clock = CoreClock(dut, Fraction(str(cocotb.plusargs["core_ratio"])))
        self.host = HostDriver(dut, self.clock, chance(idle))
        self.core = CoreDriver(dut, self.clock)
        self.model = MailboxModel(self.tmod_nck)
        self.pins = InOrderChecker("output pins")
        self.host_reads = InOrderChecker("values read by the host")
        self.core_reads = InOrderChecker("values read by the core")

    async def start(self) -> "MailboxBench":
        self.host.quiet()
        self.core.quiet()
        self.dut.rst_ni.value = 0
        self.clock.start()
        cocotb.start_soon(Monitor(self.dut, self.clock, self.check).run())
        await self.clock.edges(3)
        self.dut.rst_ni.value = 1
        return self

    async def reset(self) -> None:
        """Reset in the middle of whatever goes on; the drivers' tasks must have been cancelled."""
        COVERAGE.hit(f"reset in: {self.model.owner.name}")
        self.dut.rst_ni.value = 0
        self.host.quiet()
        self.core.quiet()
        await self.clock.edges(2)
        self.dut.rst_ni.value = 1

    def check(self, sample: Sample) -> None:
        """Compare one edge with the model and let the model pass it."""
        where = f"tCK {sample.tck}"
        if sample.in_reset:
            self.model.reset()
            self.host_reads.flush()
            self.core_reads.flush()
        had_owner, had_run = self.model.owner, self.model.run
        self.pins.expect(self.model.outputs(sample.inputs))
        self.pins.actual(sample.outputs, where)
        if sample.in_reset:
            return
        if sample.host_rdata is not None:
            self.host_reads.actual(sample.host_rdata, where)
        before, was_running = self.model.owner, self.model.run is Run.RUNNING
        served = self.model.edge(sample.inputs)
        if served.host_value is not None:
            self.host_reads.expect(served.host_value)
        if served.core_value is not None:
            self.core_reads.expect(served.core_value)
        if sample.core_rdata is not None:
            self.core_reads.actual(sample.core_rdata, where)
        if before is not had_owner:
            COVERAGE.hit(f"hand-over: {had_owner.name} to {before.name}")
        if was_running and had_run is not Run.RUNNING:
            COVERAGE.hit("start: from waiting")
        COVERAGE.observe(before, was_running, sample, served, self.model)

    async def drain(self) -> None:
        """Wait for the last response, then make sure that nothing is owed."""
        await self.clock.edges(4)
        for checker in (self.pins, self.host_reads, self.core_reads):
            checker.assert_drained()

    async def status(self) -> Status:
        return Status.unpack(await self.host.read(Register.STATUS))

    async def poll_owner(self, owner: Owner) -> None:
        while await self.host.read(Register.OWNER) & 7 != owner:
            pass
