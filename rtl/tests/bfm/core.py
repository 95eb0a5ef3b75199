"""Core side: register port of loads and stores, and run control; everything changes after core edges only."""

from typing import Any

from cocotb.triggers import FallingEdge, RisingEdge

from bfm.clock import CoreClock


class CoreDriver:
    """A core that does what a test says."""

    def __init__(self, dut: Any, clock: CoreClock) -> None:
        self.dut, self.clock = dut, clock

    def quiet(self) -> None:
        """Ask for nothing; the buffers are clean."""
        for name in ("valid", "write", "address", "strobe", "wdata"):
            getattr(self.dut, f"core_{name}_i").value = 0
        for name in ("done_i", "trap_i", "code_i"):
            getattr(self.dut, name).value = 0
        self.dut.core_flushed_i.value = 1

    async def access(self, *, write: bool, offset: int, value: int = 0, strobe: int = 0xFF) -> int:
        """Load or store; return the value that is read, or 0."""
        self.dut.core_valid_i.value = 1
        self.dut.core_write_i.value = int(write)
        self.dut.core_address_i.value = offset >> 3
        self.dut.core_strobe_i.value = strobe
        self.dut.core_wdata_i.value = value
        while True:
            await RisingEdge(self.dut.clk_i)
            taken = int(self.dut.core_en_i.value) and int(self.dut.core_ready_o.value)
            data = self.dut.core_rdata_o.value.to_unsigned() if taken and not write else 0
            await FallingEdge(self.dut.clk_i)
            if taken:
                self.dut.core_valid_i.value = 0
                return data

    async def end(self, *, trap: bool = False, code: int = 0, dirty_cycles: int = 0) -> int:
        """End the run with dirty buffers for ``dirty_cycles`` core cycles; return the tCK of the end."""
        self.dut.core_flushed_i.value = int(dirty_cycles == 0)
        self.dut.done_i.value, self.dut.trap_i.value = int(not trap), int(trap)
        self.dut.code_i.value = code
        at = await self.clock.core_edge()
        self.dut.done_i.value = self.dut.trap_i.value = 0
        for _ in range(dirty_cycles):
            await self.clock.core_edge()
        self.dut.core_flushed_i.value = 1
        return at
