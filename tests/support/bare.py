"""Bare-metal programs for tests: assembled, given symbols, run on a machine of one's choice."""

from collections.abc import Sequence
from typing import Any

from pim.config import SystemConfig, load_system, with_overrides
from pim.isa import Op, Program
from pim.system import BareMachine, BareRun
from tests.support.assembly import MEMORY_AT, Assembly

SMALL = 1 << 16
"""Bytes of memory: enough for tests, quick to make."""


def machine(level: str = "bank", extensions: str = "rv64imafdc", **more: Any) -> SystemConfig:
    return with_overrides(load_system(level), {"core.extensions": extensions} | more)


def load(text: Assembly, system: SystemConfig | None = None, **options: Any) -> BareMachine:
    """Return a program in its machine; its labels are the symbols."""
    program = text.program()
    symbols = {name: MEMORY_AT + offset for name, offset in text.labels.items()}
    named = Program(program.xlen, program.entry, program.segments, symbols)
    options = {"memory_bytes": SMALL, "cycle_limit": 10**6} | options
    return BareMachine(system or machine(extensions=f"rv{program.xlen}imafdc"), named, **options)


def run(text: Assembly, system: SystemConfig | None = None, **options: Any) -> BareRun:
    return load(text, system, **options).run()


def exit_with(text: Assembly, register: int) -> None:
    """Append the end of a program whose exit code is a register's value; mtvec must be 0."""
    text.op(Op.ADDI, rd=10, rs1=register)
    text.exit()


def results(loaded: BareMachine, address: int, n_words: int) -> list[int]:
    """Return 64-bit words of memory, as signed numbers."""
    content = loaded.read(address, 8 * n_words)
    return [int.from_bytes(content[i : i + 8], "little", signed=True) for i in range(0, len(content), 8)]


def put(text: Assembly, registers: Sequence[int], base: int) -> None:
    """Append stores of registers, 8 bytes apart, from where ``base`` points on."""
    for place, register in enumerate(registers):
        text.op(Op.SD if text.xlen == 64 else Op.SW, rs1=base, rs2=register, imm=8 * place)
