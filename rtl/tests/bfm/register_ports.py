"""Stand-ins for the mailboxes of a chip, seen from the decoder: registers that keep what is written to them."""

import random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

WORD = (1 << 64) - 1


class RegisterPorts:
    """One register port per bank; ``busy`` is the chance that a core has the port at an edge, once in a row at most."""

    def __init__(self, dut: Any, n_banks: int, busy: float) -> None:
        self.dut, self.n_banks, self.busy = dut, n_banks, busy
        self.registers = [[0] * 32 for _ in range(n_banks)]
        self.given = [0] * n_banks

    def start(self) -> None:
        self.dut.host_ready_i.value = (1 << self.n_banks) - 1
        self.dut.host_rdata_i.value = 0
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            if not int(dut.rst_ni.value):
                await FallingEdge(dut.clk_i)
                continue
            valid, ready = int(dut.host_valid_o.value), int(dut.host_ready_i.value)
            taken = valid & ready
            write, address = int(dut.host_write_o.value), int(dut.host_address_o.value)
            value = int(dut.host_wdata_o.value) if taken and write else 0
            await FallingEdge(dut.clk_i)
            for bank in range(self.n_banks):
                if taken >> bank & 1:
                    if write:
                        self.registers[bank][address] = value
                    else:
                        self.given[bank] = self.registers[bank][address]
                        dut.host_rdata_i.value = sum(word << 64 * i for i, word in enumerate(self.given))
            busy = sum(1 << i for i in range(self.n_banks) if random.random() < self.busy)
            dut.host_ready_i.value = ~(busy & ~(valid & ~ready)) & ((1 << self.n_banks) - 1)
