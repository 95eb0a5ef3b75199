"""A program's instructions as they retire, in arrays: the same as `pim.system.trace`, for machines instead of people.

One kernel takes all steps, so that a million of them take seconds.
"""

from typing import Any, Protocol

import numpy as np

from pim.core.code import Code, bits_at
from pim.core.group import run_group
from pim.core.settings import MEMORY_BASE, CoreSettings
from pim.core.state import Group, Stop
from pim.core.step import width_shift
from pim.isa import Op
from pim.isa.alu import low_bytes
from pim.isa.decode_word import decode_word
from pim.isa.encoding import RegisterFile
from pim.jit import kernel, record_dtype
from pim.system.bare import BareMachine

LOAD, STORE, TRAP = 1, 2, 0x80
"""Values of ``kind``; a trap's has its cause in the low bits, any other instruction's is 0."""

_CHUNK = 1 << 16


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


def record(machine: BareMachine) -> Any:
    """Run a machine of one core made with ``single_step``; return its instructions, a record array ``RETIRED``."""
    if len(machine.group.harts) != 1 or not machine.settings.single_step:
        raise ValueError("recording needs a machine of one core that runs by single steps")
    parts = []
    while True:
        rows = np.zeros(_CHUNK, RETIRED).view(np.recarray)
        n_rows = _record(machine.group, machine.code, machine.settings, rows)
        parts.append(rows[:n_rows])
        if n_rows < _CHUNK:
            return np.concatenate(parts).view(np.recarray)


@kernel
def _record(group: Group, code: Code, settings: CoreSettings, rows: Any) -> int:
    """Fill ``rows``; return how many were, fewer than all only at the run's end. Updates all but ``settings``."""
    hart, x = group.harts[0], group.registers.x[0]
    rules = code.rules
    mask = -1 if settings.xlen == 64 else 0xFFFF_FFFF
    at = 0
    while at < len(rows):
        if hart.stop == Stop.STEPPED:
            hart.stop = Stop.READY
        if hart.stop > Stop.PARKED:
            break
        pc, instret, penalties = hart.pc, hart.instret, hart.branch_cycles + hart.load_use_cycles
        word = 0
        if 0 <= pc - MEMORY_BASE < settings.code_bytes:
            word = bits_at(group.memory, 0, pc - MEMORY_BASE, settings.code_bytes >> 1)
        it = decode_word(word, rules.tables)
        address = x[it.rs1] + it.imm
        run_group(group, code, settings)
        has_retired = hart.instret != instret
        has_trapped = (hart.stop == Stop.STEPPED or hart.stop == Stop.TRAPPED) and not has_retired  # noqa: PLR1714
        if not (has_retired or has_trapped):
            continue
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
    return at
