"""The DDR4 bus of an x8 chip, driven as a memory controller does it: each command at the first tCK that JEDEC allows.

Distances are those of the command table in docs/timing.md, in clocks of `pim.config`'s timings.
"""

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import cocotb
from cocotb.triggers import Event, FallingEdge, RisingEdge

from bfm.clock import DramClock
from pim.config import ClockTiming

NEVER = -(1 << 20)
BEATS = 8
GROUPS = 4
PIN_NAMES = ("cs_ni", "act_ni", "ras_ni", "cas_ni", "we_ni")
DESELECT = (1, 1, 1, 1, 1)
TRUTH_TABLE = {  # CS, ACT, RAS, CAS, WE: JESD79-4, "Command truth table"
    "REF": (0, 1, 0, 0, 1),
    "PRE": (0, 1, 0, 1, 0),
    "WR": (0, 1, 1, 0, 0),
    "RD": (0, 1, 1, 0, 1),
    "MRS": (0, 1, 0, 0, 0),
    "ZQC": (0, 1, 1, 1, 0),
    "NOP": (0, 1, 1, 1, 1),
}
AUTO_PRECHARGE = 1 << 10


@dataclass
class Burst:
    """A read under way; ``value`` is None if the chip gives no data."""

    due: int  # tCK of its first beat
    beats: list[int] = field(default_factory=list)
    over: Event = field(default_factory=Event)

    @property
    def value(self) -> int | None:
        return sum(beat << 16 * i for i, beat in enumerate(self.beats)) if self.beats else None


class Ddr4Bus:
    """A memory controller's end of the bus; ``idle`` says for each command and tCK whether to hold it back."""

    def __init__(
        self,
        dut: Any,
        clock: DramClock,
        timing: ClockTiming,
        idle: Iterator[bool] = repeat(False),  # noqa: B008
    ) -> None:
        self.dut, self.clock, self.timing, self.idle = dut, clock, timing, idle
        self.reset()

    def reset(self) -> None:
        """Deselect the chip and forget all history."""
        self._pins(DESELECT, 0, 0)
        self.reads: deque[Burst] = deque()
        self.writes: dict[int, int] = {}  # tCK: both beats
        self.act_at: dict[int, int] = {}  # by bank
        self.may_open: dict[int, int] = {}
        self.may_close: dict[int, int] = {}
        self.open_banks: set[int] = set()
        self.acts: deque[int] = deque(maxlen=4)
        self.reads_at = [NEVER] * GROUPS  # last column command by bank group
        self.writes_at = [NEVER] * GROUPS
        self.may_do_anything = NEVER

    def start(self) -> None:
        """Move data, from now on and past resets."""
        cocotb.start_soon(self._send())
        cocotb.start_soon(self._receive())

    # ---- commands; each returns the tCK of the edge that takes it

    async def activate(self, bank: int, row: int, *, not_before: int = NEVER) -> int:
        t, group = self.timing, bank % GROUPS
        assert bank not in self.open_banks, f"bank {bank} is open"
        earliest = [not_before, self.may_open.get(bank, NEVER), self.may_do_anything]
        earliest += [at + (t.nrrd_l if other % GROUPS == group else t.nrrd_s) for other, at in self.act_at.items()]
        if len(self.acts) == self.acts.maxlen:
            earliest.append(self.acts[0] + t.nfaw)
        at = await self._wait(max(earliest))
        await self._command((0, 0, row >> 16 & 1, row >> 15 & 1, row >> 14 & 1), bank, row & 0x3FFF)
        self.act_at[bank], self.may_close[bank] = at, at + t.nras
        self.acts.append(at)
        self.open_banks.add(bank)
        return at

    async def precharge(self, bank: int) -> int:
        at = await self._wait(max(self.may_close.get(bank, NEVER), self.may_do_anything))
        await self._command(TRUTH_TABLE["PRE"], bank, 0)
        self._close(bank, at)
        return at

    async def precharge_all(self) -> int:
        at = await self._wait(max([self.may_do_anything, *(self.may_close[bank] for bank in self.open_banks)]))
        await self._command(TRUTH_TABLE["PRE"], 0, AUTO_PRECHARGE)
        for bank in list(self.open_banks):
            self._close(bank, at)
        return at

    async def refresh(self) -> int:
        assert not self.open_banks
        at = await self._wait(max([self.may_do_anything, *self.may_open.values()]))
        await self._command(TRUTH_TABLE["REF"], 0, 0)
        self.may_do_anything = at + self.timing.nrfc
        return at

    async def other(self, name: str) -> int:
        """Send a command that changes nothing here."""
        at = await self._wait(NEVER)
        await self._command(TRUTH_TABLE[name], 0, 0)
        return at

    async def write(self, bank: int, burst: int, value: int, *, auto: bool = False) -> int:
        """Write eight bytes to burst ``burst`` of the open row, the lowest first."""
        t, group = self.timing, bank % GROUPS
        turn = t.ncl + t.nbl + 2 - t.ncwl
        earliest = [self.act_at[bank] + t.nrcd, max(self.reads_at) + turn]
        earliest += [self.writes_at[i] + (t.nccd_l if i == group else t.nccd_s) for i in range(GROUPS)]
        at = await self._wait(max(earliest))
        for clock in range(BEATS // 2):
            self.writes[at + t.ncwl + clock] = value >> 16 * clock & 0xFFFF
        self.writes_at[group] = at
        await self._command(TRUTH_TABLE["WR"], bank, burst << 3 | AUTO_PRECHARGE * auto)
        self._after_column(bank, at + t.ncwl + t.nbl + t.nwr, auto)
        return at

    async def read(self, bank: int, burst: int, *, auto: bool = False) -> tuple[int, Burst]:
        """Read eight bytes; return the command's tCK and the burst, which comes later."""
        t, group = self.timing, bank % GROUPS
        turn = t.ncwl + t.nbl
        earliest = [self.act_at[bank] + t.nrcd]
        earliest += [self.reads_at[i] + (t.nccd_l if i == group else t.nccd_s) for i in range(GROUPS)]
        earliest += [self.writes_at[i] + turn + (t.nwtr_l if i == group else t.nwtr_s) for i in range(GROUPS)]
        at = await self._wait(max(earliest))
        burst_read = Burst(at + t.ncl)
        self.reads.append(burst_read)
        self.reads_at[group] = at
        await self._command(TRUTH_TABLE["RD"], bank, burst << 3 | AUTO_PRECHARGE * auto)
        self._after_column(bank, at + t.nrtp, auto)
        return at, burst_read

    async def read_value(self, bank: int, burst: int, *, auto: bool = False) -> int | None:
        _, burst_read = await self.read(bank, burst, auto=auto)
        await burst_read.over.wait()
        await FallingEdge(self.dut.clk_i)
        return burst_read.value

    # ---- the rest of it

    def _close(self, bank: int, at: int) -> None:
        self.open_banks.discard(bank)
        self.may_open[bank] = at + self.timing.nrp

    def _after_column(self, bank: int, may_close: int, auto: bool) -> None:
        self.may_close[bank] = max(self.may_close[bank], may_close)
        if auto:
            self._close(bank, self.may_close[bank])

    def _pins(self, command: tuple[int, ...], bank: int, address: int) -> None:
        for name, level in zip(PIN_NAMES, command, strict=True):
            getattr(self.dut, name).value = level
        self.dut.bank_group_i.value = bank % GROUPS
        self.dut.bank_address_i.value = bank // GROUPS
        self.dut.address_i.value = address

    async def _wait(self, earliest: int) -> int:
        """Wait until the next edge may take a command; return its tCK."""
        while self.clock.now < earliest or next(self.idle):
            await FallingEdge(self.dut.clk_i)
        return self.clock.now

    async def _command(self, command: tuple[int, ...], bank: int, address: int) -> None:
        self._pins(command, bank, address)
        await self.clock.edges()
        self._pins(DESELECT, random.randrange(16), random.getrandbits(14))

    async def _send(self) -> None:
        """Put both beats of a tCK on the pins before the edge that ends it; noise where there are none."""
        while True:
            self.dut.dq_i.value = self.writes.pop(self.clock.now - 1, random.getrandbits(16))
            await FallingEdge(self.dut.clk_i)

    async def _receive(self) -> None:
        while True:
            await RisingEdge(self.dut.clk_i)
            if not self.reads or self.clock.now <= self.reads[0].due:
                continue
            burst = self.reads[0]
            if int(self.dut.dq_enable_o.value):
                burst.beats.append(int(self.dut.dq_o.value))
            if self.clock.now == burst.due + BEATS // 2:
                assert len(burst.beats) in (0, BEATS // 2), f"burst of tCK {burst.due}: some beats are missing"
                self.reads.popleft()
                burst.over.set()
