"""Samples all pins of the mailbox once per tCK, in the half period before the edge that uses them."""

from collections.abc import Callable
from typing import Any, NamedTuple

from cocotb.triggers import FallingEdge, ReadOnly
from mailbox_model import Access, Inputs, Outputs

from bfm.clock import CoreClock


class Sample(NamedTuple):
    """The pins at one edge; data is there where a handshake says it is valid."""

    tck: int
    in_reset: bool
    inputs: Inputs
    outputs: Outputs
    host_rdata: int | None
    core_rdata: int | None


class Monitor:
    """Passes one :class:`Sample` per edge to ``sink``."""

    def __init__(self, dut: Any, clock: CoreClock, sink: Callable[[Sample], None]) -> None:
        self.dut, self.clock, self.sink = dut, clock, sink

    async def run(self) -> None:
        while True:
            await FallingEdge(self.dut.clk_i)
            await ReadOnly()
            self.sink(self.sample())

    def sample(self) -> Sample:
        dut = self.dut
        inputs = Inputs(
            core_en=_flag(dut.core_en_i),
            host=self._access("host"),
            core=self._access("core"),
            done=_flag(dut.done_i),
            trap=_flag(dut.trap_i),
            code=_number(dut.code_i),
            flushed=_flag(dut.core_flushed_i),
            bank_idle=_flag(dut.bank_idle_i),
            bank_access=_flag(dut.host_bank_access_i),
            claim_ready=_flag(dut.claim_ready_i),
        )
        outputs = Outputs(
            host_ready=_flag(dut.host_ready_o),
            host_rvalid=_flag(dut.host_rvalid_o),
            core_ready=_flag(dut.core_ready_o),
            start=_flag(dut.start_o),
            stop=_flag(dut.stop_o),
            lockout=_flag(dut.host_lockout_o),
            grant=_flag(dut.bank_grant_o),
            claimed=_flag(dut.claimed_o),
            alert=_flag(dut.alert_o),
        )
        core_reads = inputs.core is not None and not inputs.core.write
        return Sample(
            tck=self.clock.now,
            in_reset=not _flag(dut.rst_ni),
            inputs=inputs,
            outputs=outputs,
            host_rdata=_number(dut.host_rdata_o) if outputs.host_rvalid else None,
            core_rdata=_number(dut.core_rdata_o) if core_reads and inputs.core_en and outputs.core_ready else None,
        )

    def _access(self, side: str) -> Access | None:
        pin = {name: getattr(self.dut, f"{side}_{name}_i") for name in ("valid", "write", "address", "wdata")}
        if not _flag(pin["valid"]):
            return None
        strobe = _number(self.dut.core_strobe_i) if side == "core" else 0xFF
        return Access(_flag(pin["write"]), _number(pin["address"]) << 3, _number(pin["wdata"]), strobe)


def _flag(pin: Any) -> bool:
    return bool(int(pin.value))


def _number(pin: Any) -> int:
    return int(pin.value.to_unsigned())
