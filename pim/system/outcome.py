"""What a run left behind: errors for cores that trapped or never ended, and counters for the others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pim.config import SystemConfig
from pim.core.clock import edge
from pim.core.code import Code
from pim.core.mailbox import RETURN_WORD
from pim.core.settings import MEMORY_BASE, CoreSettings
from pim.core.state import Group, Stop
from pim.core.trap import Cause
from pim.dram import COUNTED
from pim.dram.refresh import open_clocks
from pim.errors import CycleLimitError, GuestTrap
from pim.isa import disassemble

STACK = ("issue", "mul/div/fp", "branch", "load-use", "instruction buffer", "row hit", "row miss", "row conflict",
         "refresh", "contention", "host", "write-back")  # fmt: skip
"""Parts of the CPI stack, in the order of CoreRun.stack."""

WAITS = ("branch_cycles", "load_use_cycles", "instruction_stall", "hit_stall", "miss_stall", "conflict_stall",
          "refresh_stall", "contention_stall", "host_stall", "flush_stall")  # fmt: skip
"""Counters of a core that the parts of STACK after the second are."""


@dataclass(frozen=True)
class CoreRun:
    """What one core did: exit code, value in RETURN, time in core cycles, counters, and the memory read back.

    ``stack`` splits ``cycles`` over the parts named in STACK, exactly.
    """

    exit_code: int
    return_value: int
    cycles: int
    instructions: int
    loads: int
    stores: int
    line_fills: int
    line_writebacks: int
    instruction_fills: int
    stack: tuple[int, ...]
    outputs: tuple[npt.NDArray[np.uint8], ...]


@dataclass(frozen=True)
class GroupRun:
    """What the cores of one group did, the DRAM clocks until the last was done, and the DRAM's commands.

    ``bank_open_nck``: clocks in which each bank had a row open or was refreshed; in the others it was precharged.
    """

    cores: tuple[CoreRun, ...]
    nck: int
    seconds: float
    commands: dict[str, int]
    bank_open_nck: tuple[int, ...]


def raise_if_stopped(
    group: Group, code: Code, settings: CoreSettings, system: SystemConfig, first_hart: int = 0
) -> None:
    """Raise if a core trapped or ran into the limit.

    Parameters
    ----------
    first_hart : int
        Number of the group's first core in the machine, for messages.

    Raises
    ------
    GuestTrap
        If a core trapped without a handler.
    CycleLimitError
        If cores still run at the limit, and none trapped.
    """
    for hart_id, hart in enumerate(group.harts):
        if hart.stop == Stop.TRAPPED:
            pc, tval = (int(value) & settings.address_mask & 0xFFFF_FFFF_FFFF_FFFF for value in (hart.pc, hart.tval))
            cause, text = Cause(int(hart.cause)), _instruction_text(group, code, settings, hart_id, pc)
            raise GuestTrap(
                f"hart {first_hart + hart_id}, pc {pc:#x}{text}: {cause.text} at {tval:#x}; a core of {system.name!r} "
                f"may use {MEMORY_BASE:#x} up to {MEMORY_BASE + settings.mapped_bytes:#x}",
                hart_id=first_hart + hart_id,
                pc=pc,
                cause=int(cause),
                tval=tval,
            )
    running = [first_hart + i for i, hart in enumerate(group.harts) if hart.stop == Stop.CYCLE_LIMIT]
    if running:
        names = ", ".join(map(str, running[:8])) + (", ..." if len(running) > 8 else "")
        raise CycleLimitError(
            f"cycle limit {settings.cycle_limit:_} reached; {len(running)} of {len(group.harts)} harts still running "
            f"({names}), the first at pc {int(group.harts[running[0] - first_hart].pc):#x}"
        )


def _instruction_text(group: Group, code: Code, settings: CoreSettings, hart_id: int, pc: int) -> str:
    """Return the instruction at ``pc`` in parentheses, nothing where no code is."""
    index = (pc - MEMORY_BASE) // 2
    if not 0 <= index < len(code.op) or not code.size[index]:
        return ""
    at = hart_id * settings.stride_bytes + 2 * index
    size = min(int(code.size[index]), 2 * (len(code.op) - index))
    content = group.memory.u8[at : at + size].tobytes()
    if size < code.size[index]:
        return f" (cut off by the text's end: {content.hex(' ')})"
    return f" ({disassemble(int.from_bytes(content, 'little'), pc, settings.xlen)})"


def collect(
    group: Group, settings: CoreSettings, system: SystemConfig, reads: Sequence[Sequence[tuple[int, int]]]
) -> GroupRun:
    """Return the run of every core and the group's totals; ``reads`` has what to read back, for each core."""
    cores = tuple(_core_run(group, settings, hart_id, areas) for hart_id, areas in enumerate(reads))
    ended = [core.cycles for core, hart in zip(cores, group.harts, strict=True) if hart.stop != Stop.HALTED]
    nck = int(edge(max(ended), settings.clock))
    commands = {command.name: int(group.device.commands[command]) for command in COUNTED}
    commands["REF"] = nck // settings.timing.nrefi
    bank_open_nck = open_clocks(group.device.banks, nck, settings.timing)
    return GroupRun(cores, nck, nck * system.timing.tck_ns * 1e-9, commands, bank_open_nck)


def _core_run(group: Group, settings: CoreSettings, hart_id: int, reads: Sequence[tuple[int, int]]) -> CoreRun:
    hart = group.harts[hart_id]
    waits = [int(hart[name]) for name in WAITS]
    cycles, instructions = int(hart.cycle), int(hart.instret)
    start = hart_id * settings.stride_bytes
    window = group.memory.u8[start : start + settings.mapped_bytes]
    return CoreRun(
        exit_code=int(hart.exit_code),
        return_value=int(group.mailbox[hart_id, RETURN_WORD]),
        cycles=cycles,
        instructions=instructions,
        loads=int(hart.loads),
        stores=int(hart.stores),
        line_fills=int(hart.line_fills),
        line_writebacks=int(hart.line_writebacks),
        instruction_fills=int(hart.instruction_fills),
        stack=(instructions, cycles - instructions - sum(waits), *waits),
        outputs=tuple(window[a - MEMORY_BASE : a - MEMORY_BASE + n].copy() for a, n in reads),
    )
