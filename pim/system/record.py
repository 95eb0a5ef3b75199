"""Programs' instructions as they retire, in arrays: the same as `pim.system.trace`, for machines instead of people.

One kernel takes all steps up to a core's next wait for others, so that a million of them take seconds. Cores of a die
that run different programs are machines of one core each, which share the DRAM device.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from pim.core.code import Code, bits_at
from pim.core.interpreter import run_hart
from pim.core.settings import MEMORY_BASE, CoreSettings
from pim.core.state import Group, Stop
from pim.core.step import width_shift
from pim.core.turn import NEVER
from pim.isa import Op
from pim.isa.alu import low_bytes
from pim.isa.decode_word import decode_word
from pim.isa.encoding import RegisterFile
from pim.jit import kernel, record_dtype
from pim.system.bare import BareMachine

LOAD, STORE, TRAP = 1, 2, 0x80
"""Values of ``kind``; a trap's has its cause in the low bits, any other instruction's is 0."""

_CHUNK = 1 << 14


class Retired(Protocol):
    """One retired instruction or trap of one core; what it has none of is 0."""

    cycle: int  # core cycle at whose end it was over, without penalties; of a trap that at which it came up
    pc: int
    word: int  # its bits
    kind: int
    rd: int
    value: int  # of rd
    address: int  # of a load or store
    stored: int  # its low bytes


RETIRED = record_dtype(Retired)


def record(machines: Sequence[BareMachine]) -> list[Any]:
    """Run machines made with ``single_step``, one core each; return their instructions, record arrays ``RETIRED``.

    Several machines share a device: machine *i* is its core *i*, the last one of its group.
    """
    if any(len(made.group.harts) != core + 1 or not made.settings.single_step for core, made in enumerate(machines)):
        raise ValueError("recording needs machines of one core each, that run by single steps")
    parts: list[list[Any]] = [[] for _ in machines]
    request_at = [0] * len(machines)  # clock of each core's next request
    while min(request_at) < NEVER:
        turn = request_at.index(min(request_at))
        others = [(at, core) for core, at in enumerate(request_at) if core != turn and at < NEVER]
        other_at, other = min(others, default=(NEVER, -1))
        machine, rows = machines[turn], np.zeros(_CHUNK, RETIRED).view(np.recarray)
        n_rows = _record(turn, other, other_at, machine.group, machine.code, machine.settings, rows)
        parts[turn].append(rows[:n_rows])
        hart = machine.group.harts[turn]
        if hart.stop == Stop.PARKED:
            request_at[turn] = int(hart.request_at)
        elif hart.stop != Stop.STEPPED:
            request_at[turn] = NEVER
    return [np.concatenate(part).view(np.recarray) for part in parts]


@kernel
def _record(
    hart_id: int, other: int, other_at: int, group: Group, code: Code, settings: CoreSettings, rows: Any
) -> int:
    """Fill ``rows`` until they are full, the core ends or is later than ``(other_at, other)``; return how many were.

    Updates all but ``settings``.
    """
    hart, x = group.harts[hart_id], group.registers.x[hart_id]
    rules = code.rules
    mask = -1 if settings.xlen == 64 else 0xFFFF_FFFF
    at = 0
    while at < len(rows):
        pc, instret, penalties = hart.pc, hart.instret, hart.branch_cycles + hart.load_use_cycles
        word = 0
        if 0 <= pc - MEMORY_BASE < settings.code_bytes:
            word = bits_at(group.memory, 0, pc - MEMORY_BASE, settings.code_bytes >> 1)
        it = decode_word(word, rules.tables)
        address = x[it.rs1] + it.imm
        run_hart(hart_id, group, code, settings, other, other_at, None)
        has_retired = hart.instret != instret
        has_trapped = (hart.stop == Stop.STEPPED or hart.stop == Stop.TRAPPED) and not has_retired  # noqa: PLR1714
        if has_retired or has_trapped:
            row = rows[at]
            row.cycle = hart.cycle - (hart.branch_cycles + hart.load_use_cycles - penalties)
            row.pc = pc & mask
            row.word = word if it.size == 4 else word & 0xFFFF
            if not has_retired:
                row.kind = TRAP | (hart.cause if hart.stop == Stop.TRAPPED else hart.mcause)
            else:
                if rules.register_files[it.op, 0] == RegisterFile.INTEGER and it.rd:
                    row.rd = it.rd
                    row.value = x[it.rd] & mask
                if Op.LB <= it.op <= Op.FSD:
                    row.kind = STORE if it.op >= Op.SB else LOAD
                    row.address = address & mask
                    if it.op >= Op.SB:
                        row.stored = low_bytes(x[it.rs2], 1 << width_shift(it.op))
            at += 1
        if hart.stop != Stop.STEPPED:
            break
    return at
