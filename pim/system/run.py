"""Runs a program on the cores of one group, from mailbox arguments to what it left in memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pim.config import SystemConfig
from pim.core.code import Code, text_code
from pim.core.group import run_group
from pim.core.mailbox import ARGUMENT_WORD, RETURN_WORD
from pim.core.pipeline import edge
from pim.core.settings import MEMORY_BASE, CoreSettings
from pim.core.state import Group, Stop
from pim.core.trap import Cause
from pim.dram import Command
from pim.errors import CapacityError, CycleLimitError, GuestTrap, LoadError
from pim.isa import Program, disassemble
from pim.system.levels import core_settings, make_level_group

ARGUMENT_WORDS = 16
"""Argument registers of one mailbox."""

DEFAULT_CYCLE_LIMIT = 10_000_000_000
"""Core cycles: 50 s of a 200 MHz core; a kernel of a shipped workload needs under a tenth of it."""

STACK = ("issue", "mul/div/fp", "branch", "load-use", "instruction buffer", "row hit", "row miss", "row conflict",
         "refresh", "write-back")  # fmt: skip
"""Parts of the CPI stack, in the order of CoreRun.stack."""


@dataclass(frozen=True)
class CoreTask:
    """What one core is given.

    Attributes
    ----------
    arguments : tuple of int
        Mailbox words, at most 16.
    writes : tuple of (address, array)
        What is in memory before the start.
    reads : tuple of (address, bytes)
        What is read back after the end.
    """

    arguments: tuple[int, ...]
    writes: tuple[tuple[int, npt.NDArray[Any]], ...] = ()
    reads: tuple[tuple[int, int], ...] = ()


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
class LocationRun:
    """What the cores of one group did, the DRAM clocks until the last was done, and the DRAM's commands."""

    cores: tuple[CoreRun, ...]
    nck: int
    seconds: float
    commands: dict[str, int]


def prepare_code(program: Program, system: SystemConfig) -> Code:
    """Return the program's instructions by parcel with their costs; check that the core can run it."""
    check_xlen(program, system)
    if program.text_address != MEMORY_BASE:
        raise LoadError(f"program: text must start at {MEMORY_BASE:#x}, got {program.text_address:#x}")
    return text_code(program.text, system.core, program.xlen)


def check_xlen(program: Program, system: SystemConfig) -> None:
    """Raise LoadError if the core's registers have another width than the program's."""
    core = system.core
    if program.xlen != core.xlen:
        other = core.extensions.replace(f"rv{core.xlen}", f"rv{program.xlen}")
        raise LoadError(
            f"program: XLEN must be {core.xlen}, as core.extensions of {system.name!r} say ({core.extensions}), "
            f"got {program.xlen}; a core for it is core.extensions={other}"
        )


def run_location(
    system: SystemConfig,
    program: Program,
    tasks: Sequence[CoreTask],
    *,
    cycle_limit: int = DEFAULT_CYCLE_LIMIT,
    first_hart: int = 0,
) -> LocationRun:
    """Run ``program`` on the cores of one group, one task each, until all have exited.

    Parameters
    ----------
    system : SystemConfig
        The machine.
    program : Program
        Static ELF with its text at the start of the window.
    tasks : sequence of CoreTask
        At most ``system.cores_per_group``.
    cycle_limit : int
        Core cycles.
    first_hart : int
        Number of the group's first core in the machine, for messages.

    Raises
    ------
    CapacityError
        If a task needs more memory than a core's window.
    GuestTrap
        If a core traps: hart, pc, cause and address.
    CycleLimitError
        If cores still run at ``cycle_limit``.
    """
    if not 0 < len(tasks) <= system.cores_per_group:
        raise ValueError(f"tasks: 1 to {system.cores_per_group} allowed at level {system.level}, got {len(tasks)}")
    code = prepare_code(program, system)
    mapped_bytes = _mapped_bytes(system, program, tasks)
    settings = core_settings(system, mapped_bytes, len(program.text), cycle_limit)
    group = make_level_group(system, len(tasks), len(tasks) * mapped_bytes, len(program.text))
    for hart_id, task in enumerate(tasks):
        _load(group, hart_id, program, task, mapped_bytes)
    run_group(group, code, settings)
    _raise_if_stopped(group, system, program, code, cycle_limit, first_hart)
    return _collect(group, system, settings, tasks)


def _mapped_bytes(system: SystemConfig, program: Program, tasks: Sequence[CoreTask]) -> int:
    """Return the bytes of a window that program and tasks touch, a multiple of 8."""
    spans = [(segment.address, segment.memory_bytes) for segment in program.segments]
    for task in tasks:
        spans += [(address, array.nbytes) for address, array in task.writes]
        spans += task.reads
    lowest = min(address for address, _ in spans)
    if lowest < MEMORY_BASE:
        raise LoadError(f"memory of a core starts at {MEMORY_BASE:#x}, got address {lowest:#x}")
    needed = max(address + n_bytes for address, n_bytes in spans) - MEMORY_BASE
    if needed > system.window_bytes:
        raise CapacityError(
            f"{system.name}: a core needs {needed:,} B of memory, its window at level {system.level} has "
            f"{system.window_bytes:,} B"
        )
    return (needed + 7) // 8 * 8


def _load(group: Group, hart_id: int, program: Program, task: CoreTask, mapped_bytes: int) -> None:
    """Put program, inputs and arguments where a core finds them. Updates ``group``."""
    window = group.memory.u8[hart_id * mapped_bytes : (hart_id + 1) * mapped_bytes]
    contents = [(segment.address, np.frombuffer(segment.content, np.uint8)) for segment in program.segments]
    contents += [(address, np.ascontiguousarray(array).view(np.uint8).ravel()) for address, array in task.writes]
    for address, content in contents:
        at = address - MEMORY_BASE
        window[at : at + len(content)] = content
    if len(task.arguments) > ARGUMENT_WORDS:
        raise ValueError(f"arguments: at most {ARGUMENT_WORDS} words, got {len(task.arguments)}")
    words = np.array([word & 0xFFFF_FFFF_FFFF_FFFF for word in task.arguments], np.uint64).view(np.int64)
    group.mailbox[hart_id, ARGUMENT_WORD : ARGUMENT_WORD + len(words)] = words
    group.harts[hart_id].pc = program.entry


def _raise_if_stopped(
    group: Group, system: SystemConfig, program: Program, code: Code, cycle_limit: int, first_hart: int
) -> None:
    """Raise if a core trapped or ran into the limit."""
    for hart_id, hart in enumerate(group.harts):
        if hart.stop == Stop.TRAPPED:
            pc, tval = (int(value) & 0xFFFF_FFFF_FFFF_FFFF for value in (hart.pc, hart.tval))
            cause, text = Cause(int(hart.cause)), _instruction_text(program, code, pc)
            raise GuestTrap(
                f"hart {first_hart + hart_id}, pc {pc:#x}{text}: {cause.text} at {tval:#x}; a core of {system.name!r} "
                f"may use {MEMORY_BASE:#x} up to {MEMORY_BASE + len(group.memory.u8) // len(group.harts):#x}",
                hart_id=first_hart + hart_id,
                pc=pc,
                cause=int(cause),
                tval=tval,
            )
    running = [first_hart + i for i, hart in enumerate(group.harts) if hart.stop == Stop.CYCLE_LIMIT]
    if running:
        names = ", ".join(map(str, running[:8])) + (", ..." if len(running) > 8 else "")
        raise CycleLimitError(
            f"cycle limit {cycle_limit:_} reached; {len(running)} of {len(group.harts)} harts still running ({names}), "
            f"the first at pc {int(group.harts[running[0] - first_hart].pc):#x}"
        )


def _instruction_text(program: Program, code: Code, pc: int) -> str:
    """Return the instruction at ``pc`` in parentheses, nothing outside the text."""
    index = (pc - MEMORY_BASE) // 2
    if not 0 <= index < len(code.op):
        return ""
    content = program.text[2 * index : 2 * index + int(code.size[index])]
    if len(content) < code.size[index]:
        return f" (cut off by the text's end: {content.hex(' ')})"
    return f" ({disassemble(int.from_bytes(content, 'little'), pc, program.xlen)})"


def _collect(group: Group, system: SystemConfig, settings: CoreSettings, tasks: Sequence[CoreTask]) -> LocationRun:
    """Return the run of every core and the group's totals."""
    cores = tuple(_core_run(group, hart_id, settings, task) for hart_id, task in enumerate(tasks))
    nck = int(edge(max(core.cycles for core in cores), settings.clock_p, settings.clock_q))
    commands = {command.name: int(group.device.commands[command]) for command in Command}
    commands["REF"] = nck // settings.timing.nrefi
    return LocationRun(cores, nck, nck * system.timing.tck_ns * 1e-9, commands)


def _core_run(group: Group, hart_id: int, settings: CoreSettings, task: CoreTask) -> CoreRun:
    hart = group.harts[hart_id]
    waits = [int(getattr(hart, name)) for name in (
        "branch_cycles", "load_use_cycles", "instruction_stall", "hit_stall", "miss_stall", "conflict_stall",
        "refresh_stall", "flush_stall")]  # fmt: skip
    cycles, instructions = int(hart.cycle), int(hart.instret)
    window = group.memory.u8[hart_id * settings.mapped_bytes : (hart_id + 1) * settings.mapped_bytes]
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
        outputs=tuple(window[a - MEMORY_BASE : a - MEMORY_BASE + n].copy() for a, n in task.reads),
    )
