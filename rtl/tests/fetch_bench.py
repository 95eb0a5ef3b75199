"""Wires clock, a core that consumes instructions, bank port, model and checkers to instruction fetch; its coverage."""

import random
from fractions import Fraction
from typing import Any

import cocotb
from bfm.bank_port import BankPort, Request, delays
from bfm.checker import InOrderChecker
from bfm.clock import CoreClock
from bfm.coverage import Coverage
from cocotb.triggers import FallingEdge, RisingEdge
from fetch_model import MEMORY_AT, FetchModel, Instruction

MEMORY_BYTES, ENTRIES = 1024, 4
BINS = [
    *(f"{size} bytes, {how}" for size in (2, 4) for how in ("in sequence", "after a jump", "after fence.i")),
    *("no line missing", "first line missing", "second line missing", "both lines missing"),
    *("no memory at pc", "no memory at the second half", "line replaced by one of its index"),
    *("load before: same line", "load before: new line", "instruction takes several cycles", "reset during a refill"),
]
COVERAGE = Coverage(BINS)


class FetchBench:
    """Instruction fetch under test: each instruction, the edge at which it is there, and each refill are compared."""

    def __init__(self, dut: Any, *, delay: int) -> None:
        self.dut = dut
        self.clock = CoreClock(dut, Fraction(str(cocotb.plusargs["core_ratio"])))
        line, fill = (int(str(cocotb.plusargs[name])) for name in ("line", "fill"))
        self.memory = bytearray(random.randbytes(MEMORY_BYTES))
        self.model = FetchModel(self.memory, line, ENTRIES)
        self.port = BankPort(dut, self.clock, self.memory, fill, delays(delay), self._served)
        self.port.fixed_columns = line // fill
        self.refills = InOrderChecker("refills")
        self.done_at: int | None = None
        self.instructions = 0

    def _served(self, request: Request, at: int) -> None:
        self.refills.actual(request.address, f"tCK {at}")
        self.done_at = at

    async def start(self) -> "FetchBench":
        self.dut.rst_ni.value = 0
        self._quiet()
        self.clock.start()
        self.port.start()
        await self.clock.edges(3)
        self.dut.rst_ni.value = 1
        return self

    def _quiet(self) -> None:
        self.port.quiet()
        for pin in ("start", "running", "next", "redirect", "target", "invalidate", "loading"):
            getattr(self.dut, f"{pin}_i").value = 0

    async def reset(self) -> None:
        COVERAGE.hit("reset during a refill")
        self.dut.rst_ni.value = 0
        self._quiet()
        await self.clock.edges(3)
        self.dut.rst_ni.value = 1
        self.refills.flush()

    async def run(self, count: int) -> None:
        """Start at a pc and consume instructions, with jumps, fences and faults between them."""
        pc, how, loading = self._somewhere(), "after a jump", False
        await self._pulse("start", pc)
        self.dut.running_i.value = 1
        self.model.empty()
        earliest = 1
        for _ in range(count):
            instruction = await self._wait(pc, earliest, loading)
            if instruction.faults == 0:
                COVERAGE.hit(f"{instruction.size} bytes, {how}")
            for _ in range(random.choice([0, 0, 0, 1, 3])):
                COVERAGE.hit("instruction takes several cycles")
                await self.clock.core_edge()
            draw, earliest, loading = random.random(), 1, False
            if instruction.faults or draw < 0.25:
                pc, how, earliest = self._somewhere(), "after a jump", 3
                await self._pulse("redirect", pc)
                continue
            pc, how = pc + instruction.size, "in sequence"
            if draw < 0.35:
                how = "after fence.i"
                self.dut.invalidate_i.value = 1
            loading = how == "in sequence" and random.random() < 0.3
            await self._pulse("next", None)
            self.dut.invalidate_i.value = 0
            if how == "after fence.i":
                self.model.empty()
                self.memory[:] = random.randbytes(MEMORY_BYTES)
        self.dut.running_i.value = 0
        self.refills.assert_drained()

    async def _pulse(self, pin: str, target: int | None) -> None:
        """Set an input for one core edge."""
        getattr(self.dut, f"{pin}_i").value = 1
        if target is not None:
            self.dut.target_i.value = target
        await self.clock.core_edge()
        getattr(self.dut, f"{pin}_i").value = 0
        self.instructions += 1

    async def _wait(self, pc: int, earliest: int, loading: bool) -> Instruction:
        """Wait until the instruction is there: in core cycle ``earliest`` from now on, or after its refills."""
        replaced = {index: line for index, (line, _) in self.model.held.items()}
        instruction, asked = self.model.fetch(pc)
        self._cover(pc, instruction, asked, replaced)
        new_line = (
            self.model.starts_line(pc) or len({(pc + at) // self.model.line for at in (0, instruction.size - 1)}) > 1
        )
        if loading:
            COVERAGE.hit("load before: new line" if new_line else "load before: same line")
            self.dut.loading_i.value = 1
            earliest += new_line
        for address in asked:
            self.refills.expect(address)
        self.done_at, n = None, 0
        while True:
            await RisingEdge(self.dut.clk_i)
            enabled, at = int(self.dut.core_en_i.value), self.clock.now
            valid, fault = int(self.dut.valid_o.value), int(self.dut.fault_o.value)
            if enabled and (valid or fault):
                self._compare(pc, instruction, valid, fault, at)
            await FallingEdge(self.dut.clk_i)
            if enabled:
                n += 1
                self.dut.loading_i.value = 0
                if valid or fault:
                    break
                first = at
        if asked:
            assert self.done_at is not None
            begins = self.clock.first_core_edge(self.done_at)
            assert at == self.clock.first_core_edge(begins + 1), f"pc {pc:#x}: there at tCK {at}, refilled at {begins}"
        else:
            assert n == earliest, f"pc {pc:#x}: there in core cycle {n}, expected {earliest}, last edge {first}"
        return instruction

    def _compare(self, pc: int, instruction: Instruction, valid: int, fault: int, at: int) -> None:
        where = f"tCK {at}, pc {pc:#x}"
        assert int(self.dut.pc_o.value) == pc, where
        assert (valid, fault) == (int(not instruction.faults), int(bool(instruction.faults))), where
        if instruction.faults:
            assert int(self.dut.fault_second_o.value) == (instruction.faults == 2), where
        else:
            n_bits = 8 * instruction.size  # what is above them may be unknown
            assert str(self.dut.instruction_o.value)[-n_bits:] == f"{instruction.bits:0{n_bits}b}", where

    def _cover(self, pc: int, instruction: Instruction, asked: list[int], held: dict[int, int]) -> None:
        first = (pc - MEMORY_AT) // self.model.line * self.model.line
        names = {(): "no line missing", (first,): "first line missing"}
        name = "both lines missing" if len(asked) == 2 else names.get(tuple(asked), "second line missing")
        if instruction.faults:
            name = "no memory at pc" if instruction.faults == 1 else "no memory at the second half"
        COVERAGE.hit(name)
        if any(address // self.model.line % ENTRIES in held for address in asked):
            COVERAGE.hit("line replaced by one of its index")

    def _somewhere(self) -> int:
        """Return a target: anywhere, near what is in the buffer, at the end of a line or of memory, or outside."""
        line = self.model.line
        draw = random.random()
        if draw < 0.06:
            return MEMORY_AT + random.choice([-2, MEMORY_BYTES, 1 << 20])
        if draw < 0.14:
            return MEMORY_AT + MEMORY_BYTES - 2
        if draw < 0.4:
            return MEMORY_AT + random.randrange(1, MEMORY_BYTES // line) * line - 2
        if draw < 0.7 and self.model.held:
            kept, _ = random.choice(list(self.model.held.values()))
            return MEMORY_AT + kept * line + random.randrange(0, line, 2)
        return MEMORY_AT + random.randrange(0, MEMORY_BYTES, 2)
