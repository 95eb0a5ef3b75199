"""Wires clock, requests, refresh, claims, grants, model and checkers to a bank's controller; and its coverage."""

import random
from typing import Any

import cocotb
from bfm.checker import InOrderChecker
from bfm.clock import DramClock
from bfm.coverage import Coverage
from bfm.timing_checker import TimingChecker
from cocotb.triggers import FallingEdge, RisingEdge, Timer
from controller_model import ControllerModel, Inputs, Outputs, Request

from pim.config import load_system

TIMING = load_system("bank").timing.to_kernel()._replace(nrfc=60)
NCLAIM, NQUIET, NREFI = 400, 26, 700
CODES = ("NOP", "ACT", "RD", "WR", "PRE", "REF")
BINS = [
    *(f"{verb}: {outcome}" for verb in ("read", "write") for outcome in ("hit", "miss", "conflict")),
    *(
        "one column",
        "several columns",
        "requests back to back",
        "ACT waits for its grant",
        "row closed without a request",
    ),
    *(f"refresh due: {when}" for when in ("closed", "row open", "request under way", "with a request", "in a claim")),
    *(f"claim: {when}" for when in ("closed", "row open", "request under way", "with a request", "with a refresh")),
    *("claim: refresh due before goes first", "request waits for the end of a claim", "reset during a request"),
]
COVERAGE = Coverage(BINS)


class ControllerBench:
    """A controller under test: all pins of each tCK are compared with the model, all distances with the table."""

    def __init__(self, dut: Any, *, busy: float, grants: float) -> None:
        self.dut, self.busy, self.grants = dut, busy, grants
        self.clock = DramClock(dut)
        self.model = ControllerModel(TIMING, NCLAIM, NQUIET)
        self.distances = TimingChecker(TIMING)
        self.pins = InOrderChecker("pins")
        self.request: Request | None = None
        self.served = 0
        self.refreshing = False  # one becomes due at this clock
        self.outcome = "hit"  # what the request has met

    async def start(self) -> "ControllerBench":
        self.dut.rst_ni.value = 0
        self._quiet()
        self.clock.start()
        cocotb.start_soon(self._monitor())
        await self.clock.edges(3)
        self.dut.rst_ni.value = 1
        return self

    def _quiet(self) -> None:
        for pin in ("request", "write", "row", "column", "columns", "close", "refresh_due", "claimed", "act_grant"):
            getattr(self.dut, f"{pin}_i").value = 0
        self.request = None

    async def reset(self) -> None:
        if self.request:
            COVERAGE.hit("reset during a request")
        self.dut.rst_ni.value = 0
        self._quiet()
        await self.clock.edges(2)
        self.dut.rst_ni.value = 1

    async def requests(self) -> None:
        """Make requests for a few rows, many of them right after each other."""
        back_to_back = False
        while True:
            if random.random() > self.busy:
                back_to_back = False
                await self.clock.edges(random.choice([1, 3, 20, 90]))
            columns = random.choice([1, 1, 2, 8])
            self.request = Request(random.random() < 0.4, random.randrange(3), random.randrange(120), columns)
            COVERAGE.hit("one column" if columns == 1 else "several columns")
            if back_to_back:
                COVERAGE.hit("requests back to back")
            for name in ("write", "row", "column", "columns"):
                getattr(self.dut, f"{name}_i").value = int(getattr(self.request, name))
            self.dut.request_i.value = 1
            done = False
            while not done:
                await RisingEdge(self.dut.clk_i)
                done = bool(int(self.dut.done_o.value))
                await FallingEdge(self.dut.clk_i)
            self.dut.request_i.value, self.request, back_to_back = 0, None, True
            self.served += 1

    async def refreshes(self) -> None:
        """Make refreshes due, many of them when the bank is closed or a request has just come."""
        while True:
            await self.clock.edges(NREFI)
            wanted = random.choice([self._is_closed, self._has_new_request, bool])
            for _ in range(150):
                if wanted():
                    break
                await FallingEdge(self.dut.clk_i)
            self.dut.refresh_due_i.value, self.refreshing = 1, True
            await self.clock.edges()
            self.dut.refresh_due_i.value, self.refreshing = 0, False

    def _is_closed(self) -> bool:
        return self.model.open_row is None and self.request is None

    def _has_new_request(self) -> bool:
        return self.request is not None and self.model.done_at is None and not self.model.under_way

    async def closes(self) -> None:
        while True:
            self.dut.close_i.value = int(random.random() < 0.3)
            await self.clock.edges(random.randrange(1, 120))

    async def claims(self) -> None:
        """Claim the bank for more than tClaim, some of the time with a request or a refresh."""
        while True:
            draw = random.random()
            await self.clock.edges(random.randrange(1, 200))
            for _ in range(900):
                if draw > 0.6 or (draw < 0.3 and self.refreshing) or (draw >= 0.3 and self._has_new_request()):
                    break
                await FallingEdge(self.dut.clk_i)
            self.dut.claimed_i.value = 1
            await self.clock.edges(NCLAIM + random.randrange(1, 60))
            self.dut.claimed_i.value = 0

    async def _monitor(self) -> None:
        while True:
            await FallingEdge(self.dut.clk_i)
            await Timer(1, "ps")  # all inputs but the grant, which depends on them
            if not int(self.dut.rst_ni.value):
                self.model.reset()
                self.distances.reset()
                continue
            ready = int(self.dut.act_ready_o.value)
            grant = bool(ready) and random.random() < self.grants
            self.dut.act_grant_i.value = int(grant)
            if ready and not grant:
                COVERAGE.hit("ACT waits for its grant")
            await Timer(1, "ps")
            self._check(grant)

    def _check(self, grant: bool) -> None:
        dut, model = self.dut, self.model
        inputs = Inputs(
            request=self.request if int(dut.request_i.value) else None,
            close=bool(int(dut.close_i.value)),
            refresh=bool(int(dut.refresh_due_i.value)),
            claimed=bool(int(dut.claimed_i.value)),
            grant=grant,
        )
        self._cover(inputs)
        expected = model.outputs(inputs)
        self.pins.expect(expected)
        self.pins.actual(self._outputs(expected), f"clock {model.clock}")
        if expected.command != "NOP":
            self.distances.command(expected.command, model.clock)
            if expected.command == "PRE" and inputs.request is None and not inputs.claimed and model.due_at is None:
                COVERAGE.hit("row closed without a request")
            if expected.command == "REF" and inputs.claimed:
                COVERAGE.hit("claim: refresh due before goes first")
            if expected.command in ("RD", "WR") and not model.columns_out:
                verb = "read" if expected.command == "RD" else "write"
                COVERAGE.hit(f"{verb}: {self.outcome}")
        model.edge(inputs)

    def _cover(self, pins: Inputs) -> None:
        model = self.model
        is_open, waits = model.open_row is not None, pins.request is not None and model.done_at is None
        state = (
            "request under way"
            if model.was_under_way
            else "with a request"
            if waits
            else "row open"
            if is_open
            else "closed"
        )
        if waits and not model.was_under_way:
            self.outcome = "miss" if not is_open else "hit" if model.open_row == pins.request.row else "conflict"
        if pins.refresh:
            COVERAGE.hit(f"refresh due: {'in a claim' if model.claimed_at is not None else state}")
        if pins.claimed and model.claimed_at is None:
            COVERAGE.hit("claim: with a refresh" if pins.refresh else f"claim: {state}")
        if not pins.claimed and model.claimed_at is not None and waits:
            COVERAGE.hit("request waits for the end of a claim")

    def _outputs(self, expected: Outputs) -> Outputs:
        dut = self.dut
        command = CODES[int(dut.command_o.value)]
        return Outputs(
            command=command,
            row=int(dut.command_row_o.value) if expected.row is not None else None,
            column=int(dut.command_column_o.value) if expected.column is not None else None,
            read_beat=bool(int(dut.read_beat_o.value)),
            write_beat=bool(int(dut.write_beat_o.value)),
            beat_index=int(dut.beat_index_o.value) if expected.beat_index is not None else None,
            done=bool(int(dut.done_o.value)),
            pending=bool(int(dut.act_pending_o.value)),
            ready=bool(int(dut.act_ready_o.value)),
            quiet=bool(int(dut.act_quiet_o.value)),
            claim_ready=bool(int(dut.claim_ready_o.value)),
            idle=bool(int(dut.idle_o.value)),
        )
