"""Unicorn as the other implementation of the instruction set: final memory, and the trace of what was executed."""

from typing import NamedTuple

import unicorn
from unicorn import riscv_const

MEMORY_AT, SCRATCHPAD_AT = 0x8000_0000, 0x2000_0000
_PAGE = 4096
_ATOMIC = 0x2F  # opcode of the A extension
_FS_INITIAL = 0x2000  # mstatus.FS = initial: floating point is on
_MEMORY_EVENTS = unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE


_MODES = {32: unicorn.UC_MODE_RISCV32, 64: unicorn.UC_MODE_RISCV64}


class Step(NamedTuple):
    """One executed instruction: where, its bytes, the address it names, or None, and whether it wrote there."""

    pc: int
    size: int
    address: int | None
    wrote: bool


class Emulated(NamedTuple):
    """Memory at the end, a0 as a signed number, and all steps, the final ecall among them."""

    memory: bytes
    exit_code: int
    steps: list[Step]


def emulate(memory: bytes, entry: int = MEMORY_AT, xlen: int = 64) -> Emulated:
    """Run the program in ``memory``, which is placed at 0x8000_0000, up to its first ecall."""
    size = -(-len(memory) // _PAGE) * _PAGE
    machine = unicorn.Uc(unicorn.UC_ARCH_RISCV, _MODES[xlen])
    machine.mem_map(MEMORY_AT, size)
    machine.mem_map(SCRATCHPAD_AT, _PAGE)
    machine.mem_write(MEMORY_AT, memory)
    machine.reg_write(riscv_const.UC_RISCV_REG_MSTATUS, _FS_INITIAL)
    places: list[tuple[int, int]] = []
    addresses: dict[int, int] = {}
    writes: set[int] = set()

    def execute(_: object, pc: int, size: int, __: object) -> None:
        places.append((pc, size))
        at = pc - MEMORY_AT
        if memory[at] & 0x7F == _ATOMIC:  # a store-conditional that fails touches nothing
            base = int.from_bytes(memory[at : at + 4], "little") >> 15 & 31
            addresses[len(places) - 1] = machine.reg_read(riscv_const.UC_RISCV_REG_X0 + base)

    def touch(_: object, kind: int, address: int, *__: object) -> None:
        addresses[len(places) - 1] = address
        if kind == unicorn.UC_MEM_WRITE:
            writes.add(len(places) - 1)

    machine.hook_add(unicorn.UC_HOOK_CODE, execute)
    machine.hook_add(_MEMORY_EVENTS, touch)
    machine.hook_add(unicorn.UC_HOOK_INTR, lambda *_: machine.emu_stop())
    machine.emu_start(entry, MEMORY_AT + size)
    steps = [Step(pc, size, addresses.get(i), i in writes) for i, (pc, size) in enumerate(places)]
    final = bytes(machine.mem_read(MEMORY_AT, len(memory)))
    a0 = machine.reg_read(riscv_const.UC_RISCV_REG_A0)
    return Emulated(final, a0 - (1 << xlen) if a0 >> xlen - 1 else a0, steps)
