"""tCK, and the core's clock as an enable at edges ceil(k q / p)."""

from fractions import Fraction
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from cocotb.utils import get_sim_time

TCK_PS = 834  # nominal (DDR4-2400: 833.3 ps), even so that both halves are whole picoseconds


class DramClock:
    """Drives ``clk_i``.

    All inputs of the device change at falling edges, half a tCK before the edge that samples them.
    """

    def __init__(self, dut: Any) -> None:
        self.dut, self.started_ps = dut, 0

    @property
    def now(self) -> int:
        """Number of the rising edge that is now or comes next; the first one of the test is 0."""
        return -(-(int(get_sim_time("ps")) - self.started_ps) // TCK_PS)

    def start(self) -> None:
        self.started_ps = int(get_sim_time("ps"))
        Clock(self.dut.clk_i, TCK_PS, "ps").start()

    async def edges(self, count: int = 1) -> None:
        """Wait until ``count`` edges have passed and inputs may change again."""
        for _ in range(count):
            await RisingEdge(self.dut.clk_i)
        await FallingEdge(self.dut.clk_i)

    async def first(self, pin: str, level: int) -> int:
        """Wait for the first edge that samples ``pin`` at ``level`` and return its number; inputs may change again."""
        while True:
            await RisingEdge(self.dut.clk_i)
            seen, at = int(getattr(self.dut, pin).value) == level, self.now
            await FallingEdge(self.dut.clk_i)
            if seen:
                return at


class CoreClock(DramClock):
    """Drives ``clk_i`` and ``core_en_i``."""

    def __init__(self, dut: Any, ratio: Fraction) -> None:
        super().__init__(dut)
        self.ratio = ratio

    def is_core_edge(self, tck: int) -> bool:
        """Say whether some k has ceil(k q / p) = tck."""
        p, q = self.ratio.numerator, self.ratio.denominator
        return (tck * p) // q > ((tck - 1) * p) // q

    def first_core_edge(self, tck: int) -> int:
        """Return the first core edge at or after ``tck``."""
        while not self.is_core_edge(tck):
            tck += 1
        return tck

    async def core_edge(self, pin: str | None = None) -> int:
        """Wait for the next core edge, or the first that samples ``pin`` high; return its tCK. Inputs may change."""
        while True:
            await RisingEdge(self.dut.clk_i)
            seen = int(self.dut.core_en_i.value) and (pin is None or int(getattr(self.dut, pin).value))
            at = self.now
            await FallingEdge(self.dut.clk_i)
            if seen:
                return at

    def start(self) -> None:
        super().start()
        self.dut.core_en_i.value = int(self.is_core_edge(self.now))
        cocotb.start_soon(self._enable())

    async def _enable(self) -> None:
        while True:
            await FallingEdge(self.dut.clk_i)
            self.dut.core_en_i.value = int(self.is_core_edge(self.now))
