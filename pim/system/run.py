"""Runs a program on the cores of one group, from mailbox arguments to what it left in memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pim.config import SystemConfig
from pim.core.code import Code, text_code
from pim.core.mailbox import ARGUMENT_WORD
from pim.core.settings import MEMORY_BASE, CoreSettings
from pim.core.state import Group
from pim.dram import ClaimRules, Device, HostUse, with_claims
from pim.engines import DEFAULT_ENGINE, Engine
from pim.errors import CapacityError, LoadError
from pim.isa import Program
from pim.system.engine import simulate
from pim.system.levels import concurrent_rules, core_settings, make_level_group
from pim.system.outcome import GroupRun, collect, raise_if_stopped

ARGUMENT_WORDS = 16
"""Argument registers of one mailbox."""

DEFAULT_CYCLE_LIMIT = 10_000_000_000
"""Core cycles: 50 s of a 200 MHz core; a kernel of a shipped workload needs under a tenth of it."""


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


def run_cores(
    system: SystemConfig,
    program: Program,
    tasks: Sequence[CoreTask],
    *,
    cycle_limit: int = DEFAULT_CYCLE_LIMIT,
    first_hart: int = 0,
    engine: Engine = DEFAULT_ENGINE,
    host_use: HostUse | None = None,
    rules: ClaimRules | None = None,
) -> GroupRun:
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
    engine : Engine
        What simulates the instructions; the result is the same.
    host_use : HostUse, optional
        What the host does to the group's DRAM meanwhile.
    rules : ClaimRules, optional
        What it keeps to; those of concurrent ownership by default.

    Raises
    ------
    CapacityError
        If a task needs more memory than a core's window.
    ConfigError
        If the host's claims are not what cores can expect.
    GuestTrap
        If a core traps: hart, pc, cause and address.
    CycleLimitError
        If cores still run at ``cycle_limit``.
    """
    group, code, settings = prepare_group(system, program, tasks, cycle_limit, host_use, rules)
    simulate(group, code, settings, program, system, engine)
    if host_use is not None:
        check_drains(group.device, rules or concurrent_rules(system))
    raise_if_stopped(group, code, settings, system, first_hart)
    return collect(group, settings, system, [task.reads for task in tasks])


def prepare_group(
    system: SystemConfig,
    program: Program,
    tasks: Sequence[CoreTask],
    cycle_limit: int,
    host_use: HostUse | None = None,
    rules: ClaimRules | None = None,
) -> tuple[Group, Code, CoreSettings]:
    """Return the cores of a group before they start; arguments and errors are those of `run_cores`."""
    if not 0 < len(tasks) <= system.cores_per_group:
        raise ValueError(f"tasks: 1 to {system.cores_per_group} allowed at level {system.level}, got {len(tasks)}")
    code = prepare_code(program, system)
    mapped_bytes = _mapped_bytes(system, program, tasks)
    settings = core_settings(system, mapped_bytes, len(program.text), cycle_limit)
    group = make_level_group(system, len(tasks), len(tasks) * mapped_bytes, len(program.text))
    if host_use is not None:
        device = with_claims(group.device, host_use, rules or concurrent_rules(system), settings.timing)
        group = group._replace(device=device)
    for hart_id, task in enumerate(tasks):
        _load(group, hart_id, program, task, mapped_bytes)
    return group, code, settings


def check_drains(device: Device, rules: ClaimRules) -> None:
    """Check that every bank was the host's within tClaim after each claim that a core's request came after."""
    longest = int(device.banks.drain.max())
    assert longest <= rules.nclaim, f"a bank was drained {longest} clocks after a claim, tClaim is {rules.nclaim}"


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
    put_arguments(group, hart_id, task.arguments)
    group.harts[hart_id].pc = program.entry


def put_arguments(group: Group, hart_id: int, arguments: Sequence[int]) -> None:
    """Write a core's argument registers, at most 16 words of 64 bits. Updates ``group``."""
    if len(arguments) > ARGUMENT_WORDS:
        raise ValueError(f"arguments: at most {ARGUMENT_WORDS} words, got {len(arguments)}")
    words = np.array([word & 0xFFFF_FFFF_FFFF_FFFF for word in arguments], np.uint64).view(np.int64)
    group.mailbox[hart_id, ARGUMENT_WORD : ARGUMENT_WORD + len(words)] = words
