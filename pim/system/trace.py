"""One instruction at a time: what each retired instruction was, wrote and accessed, and when.

The interpreter stops after every instruction, so that this costs the normal run nothing. Cores take turns after each
instruction, in the order of time, instead of running ahead of each other: in a program without races that changes no
value, and no cycle of what they do.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pim.core.code import bits_at
from pim.core.group import run_group
from pim.core.settings import DMA_BASE, MAILBOX_BASE, MEMORY_BASE, SCRATCHPAD_BASE
from pim.core.state import Stop
from pim.core.trap import Cause
from pim.isa import Op, OpClass, disassemble
from pim.isa.decode import Instruction, decode
from pim.isa.disasm import FLOAT_REGISTERS, INTEGER_REGISTERS
from pim.isa.encoding import OP_CLASSES, REGISTER_FILES, RegisterFile
from pim.system.bare import BareMachine

_WIDTHS = {"B": 1, "H": 2, "W": 4, "D": 8}
_WORD = 0xFFFF_FFFF_FFFF_FFFF


class Access(NamedTuple):
    """What an instruction read from or wrote to memory: ``kind`` is load, store or atomic."""

    kind: str
    address: int
    n_bytes: int
    value: int  # as it is in memory after the instruction


class Step(NamedTuple):
    """One retired instruction, or one trap.

    Attributes
    ----------
    cycle : int
        Core cycle at which it was over.
    word, size : int
        The instruction's bits, and how many bytes they are.
    text : str
        Disassembly.
    written : tuple of (str, int), optional
        Register and its new bits.
    trap : Cause, optional
        Why the instruction did not retire.
    """

    hart_id: int
    cycle: int
    pc: int
    word: int
    size: int
    text: str
    written: tuple[str, int] | None
    access: Access | None
    trap: Cause | None

    def line(self, xlen: int) -> str:
        """Return the line of a trace."""
        digits = xlen // 4
        word = f"{self.word:0{2 * self.size}x}"
        parts = [f"{self.cycle:10} {self.hart_id:2} {self.pc:0{digits}x} {word:8} {self.text}"]
        if self.written:
            name, value = self.written
            parts.append(f"{name}={value:0{16 if name.startswith('f') else digits}x}")
        if self.access:
            kind, address, n_bytes, value = self.access
            parts.append(f"{kind} {address:0{digits}x}:{value:0{2 * n_bytes}x}")
        if self.trap is not None:
            parts.append(f"trap: {self.trap.text}")
        return "  ".join(parts)


def steps(machine: BareMachine) -> Iterator[Step]:
    """Run a machine made with ``single_step``, and return each instruction as it retires, or traps."""
    group, code, settings = machine.group, machine.code, machine.settings
    while True:
        stop = group.harts.stop
        stop[stop == Stop.STEPPED] = Stop.READY
        if not (stop <= Stop.PARKED).any():
            return
        before = _Before(machine)
        run_group(group, code, settings)
        for hart_id, hart in enumerate(group.harts):
            if hart.instret != before.instret[hart_id]:
                yield before.retired(machine, hart_id)
            elif hart.stop in (Stop.STEPPED, Stop.TRAPPED) and before.stop[hart_id] <= Stop.PARKED:
                yield before.trapped(machine, hart_id)


class _Before:
    """What an instruction's record needs of the time before it."""

    def __init__(self, machine: BareMachine) -> None:
        group = machine.group
        self.instret, self.pc, self.stop = (group.harts[name].copy() for name in ("instret", "pc", "stop"))
        self.x: npt.NDArray[np.int64] = group.registers.x.copy()
        n_parcels = len(machine.code.op)
        self.words = [
            bits_at(group.memory, 0, int(pc) - MEMORY_BASE, n_parcels)
            if 0 <= int(pc) - MEMORY_BASE < 2 * n_parcels
            else 0
            for pc in self.pc
        ]

    def retired(self, machine: BareMachine, hart_id: int) -> Step:
        instruction = _decoded(self.words[hart_id], machine.settings.xlen, machine.system.core.isa_extensions)
        group, (_, rd, *_) = machine.group, instruction
        written = None
        match REGISTER_FILES[instruction.op, 0]:
            case RegisterFile.INTEGER if rd:
                mask = (1 << machine.settings.xlen) - 1
                written = INTEGER_REGISTERS[rd], int(group.registers.x[hart_id, rd]) & mask
            case RegisterFile.FLOAT:
                written = FLOAT_REGISTERS[rd], int(group.registers.f_bits[hart_id, rd]) & _WORD
        access = self._access(machine, hart_id, instruction)
        return self._step(machine, hart_id, instruction, written, access, None)

    def trapped(self, machine: BareMachine, hart_id: int) -> Step:
        instruction = _decoded(self.words[hart_id], machine.settings.xlen, machine.system.core.isa_extensions)
        hart = machine.group.harts[hart_id]
        cause = Cause(int(hart.cause if hart.stop == Stop.TRAPPED else hart.mcause))
        return self._step(machine, hart_id, instruction, None, None, cause)

    def _step(
        self,
        machine: BareMachine,
        hart_id: int,
        instruction: Instruction,
        written: tuple[str, int] | None,
        access: Access | None,
        trap: Cause | None,
    ) -> Step:
        pc, size = int(self.pc[hart_id]), instruction.size
        word = self.words[hart_id] & ((1 << 8 * size) - 1)
        text = disassemble(instruction, pc)
        cycle = int(machine.group.harts[hart_id].cycle)
        return Step(hart_id, cycle, pc, word, size, text, written, access, trap)

    def _access(self, machine: BareMachine, hart_id: int, instruction: Instruction) -> Access | None:
        op, op_class = instruction.op, OP_CLASSES[instruction.op]
        if op_class not in (OpClass.LOAD, OpClass.STORE, OpClass.AMO):
            return None
        offset = 0 if op_class == OpClass.AMO else instruction.imm
        address = (int(self.x[hart_id, instruction.rs1]) + offset) & machine.settings.address_mask & _WORD
        n_bytes = _width(op)
        if DMA_BASE <= address < SCRATCHPAD_BASE:  # keeps nothing that could be looked at
            return Access("store", address, n_bytes, int(self.x[hart_id, instruction.rs2]) & ((1 << 8 * n_bytes) - 1))
        kind = {OpClass.LOAD: "load", OpClass.STORE: "store"}.get(OpClass(op_class), "atomic")
        return Access(kind, address, n_bytes, _value_at(machine, hart_id, address, n_bytes))


def _width(op: Op) -> int:
    """Return the bytes that a load, store or atomic operation moves."""
    return _WIDTHS[op.name.removesuffix("U")[-1]]


def _value_at(machine: BareMachine, hart_id: int, address: int, n_bytes: int) -> int:
    """Return what is at an address that a core has accessed."""
    group, settings = machine.group, machine.settings
    if address >= MEMORY_BASE:
        content = group.memory.u8[address - MEMORY_BASE :][:n_bytes]
    elif address >= SCRATCHPAD_BASE:
        content = group.scratchpad.u8[hart_id * settings.scratchpad_bytes + address - SCRATCHPAD_BASE :][:n_bytes]
    else:
        content = group.mailbox[hart_id].view(np.uint8)[address - MAILBOX_BASE :][:n_bytes]
    return int.from_bytes(content.tobytes(), "little")


@lru_cache(maxsize=1 << 16)
def _decoded(word: int, xlen: int, extensions: str) -> Instruction:
    return decode(word, xlen, extensions)
