"""Runs any bare-metal program at its own addresses, on one core or on several that share a chip's or a rank's memory.

Unlike a kernel, such a program may load, write and jump to code anywhere in its memory, handle its own traps, and end
by a store to its symbol ``tohost`` (1: success, else twice the exit code plus 1), which halts all cores.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pim.config import Level, SystemConfig
from pim.core.code import Code, empty_code
from pim.core.settings import MEMORY_BASE, NOWHERE, CoreSettings
from pim.core.state import Group, Stop
from pim.core.translate.native import can_be_native
from pim.engines import DEFAULT_ENGINE, Engine
from pim.errors import ConfigError, LoadError
from pim.isa import Program
from pim.system.engine import simulate
from pim.system.levels import core_settings, make_level_group, one_window
from pim.system.outcome import GroupRun, collect, raise_if_stopped
from pim.system.run import check_xlen, put_arguments

DEFAULT_MEMORY_BYTES = 256 << 20
"""Most memory that a program gets unless more is asked for: what it touches, the simulation takes from the host."""

MAX_CODE_BYTES = 64 << 20
"""Start of memory that instructions can be in: the largest program file."""

BARE_CYCLE_LIMIT = 1_000_000_000
"""Core cycles: 5 s of a 200 MHz core, some ten seconds of simulation."""


@dataclass(frozen=True)
class Race:
    """Two accesses to the same 8 bytes without FENCEs between them; see `pim.core.sharing`.

    Attributes
    ----------
    address : int
        Of the second access.
    harts, pcs : tuple of int
        Core and instruction of the first and of the second access.
    stores : tuple of bool
        Whether each stores.
    """

    address: int
    harts: tuple[int, int]
    pcs: tuple[int, int]
    stores: tuple[bool, bool]

    def __str__(self) -> str:
        """Return the sentence for a warning."""
        kinds = ["store" if stores else "load" for stores in self.stores]
        (first, second), (first_pc, second_pc) = self.harts, self.pcs
        return (
            f"race on {self.address:#x}: {kinds[0]} by hart {first} at pc {first_pc:#x}, then {kinds[1]} by hart "
            f"{second} at pc {second_pc:#x}, without a fence of hart {first} and then one of hart {second} between them"
        )


@dataclass(frozen=True)
class BareRun:
    """What a program did.

    Attributes
    ----------
    exit_code : int
        That of the core that ended the run by ``tohost``; else the first that is not 0, by core; else 0.
    group : GroupRun
        Each core, and the DRAM.
    races : tuple of Race
        At most 64.
    """

    exit_code: int
    group: GroupRun
    races: tuple[Race, ...]


class BareMachine:
    """A program in the memory of its machine, ready to run.

    Parameters
    ----------
    system : SystemConfig
        The machine.
    program : Program
        As `pim.isa.load_elf` gives it with ``bare=True``.
    n_harts : int
        Cores, 1 at bank level; all share the memory of their chip or rank.
    arguments : sequence of int
        Mailbox words of every core, at most 16.
    cycle_limit : int
        Core cycles.
    memory_bytes : int, optional
        Memory, at most what the level has; default: all of it, up to DEFAULT_MEMORY_BYTES.
    single_step : bool
        Whether `run_group` returns after each instruction.
    engine : Engine
        What simulates the instructions, where it can; ``self.engine`` says what does.

    Raises
    ------
    ConfigError
        If the level has fewer cores or less memory.
    LoadError
        If the program is for another XLEN, or lies outside the memory.
    """

    def __init__(
        self,
        system: SystemConfig,
        program: Program,
        *,
        n_harts: int = 1,
        arguments: Sequence[int] = (),
        cycle_limit: int = BARE_CYCLE_LIMIT,
        memory_bytes: int | None = None,
        single_step: bool = False,
        engine: Engine = DEFAULT_ENGINE,
    ) -> None:
        check_xlen(program, system)
        _check_harts(system, n_harts)
        self.system, self.program = system, program
        mapped_bytes = _memory_bytes(system, memory_bytes)
        _check_places(program, mapped_bytes)
        code_bytes = min(mapped_bytes, MAX_CODE_BYTES)
        tohost = program.symbols.get("tohost", MEMORY_BASE + NOWHERE) - MEMORY_BASE
        self.settings: CoreSettings = one_window(
            system, core_settings(system, mapped_bytes, code_bytes, cycle_limit)
        )._replace(
            plain_bytes=0 if n_harts > 1 else mapped_bytes,
            stride_bytes=0,
            protects_text=False,
            tohost=tohost,
            shares_memory=n_harts > 1,
            single_step=single_step,
        )
        self.engine = engine if can_be_native(self.settings) else Engine.INTERPRETER
        self.code: Code = empty_code(code_bytes // 2, system.core, program.xlen)
        self.group: Group = make_level_group(system, n_harts, mapped_bytes, code_bytes, shares_memory=n_harts > 1)
        self.group.checked[0] = 0 if tohost == NOWHERE else tohost + 8
        for segment in program.segments:
            at = segment.address - MEMORY_BASE
            self.group.memory.u8[at : at + len(segment.content)] = np.frombuffer(segment.content, np.uint8)
        for hart_id in range(n_harts):
            put_arguments(self.group, hart_id, arguments)
            self.group.harts[hart_id].pc = program.entry

    def run(self) -> BareRun:
        """Run the program to its end.

        Raises
        ------
        GuestTrap
            If a core traps without a handler.
        CycleLimitError
            If cores still run at the cycle limit.
        """
        simulate(self.group, self.code, self.settings, self.program, self.system, self.engine)
        return self.result()

    def result(self) -> BareRun:
        """Return what the program did; raises as `run` does."""
        raise_if_stopped(self.group, self.code, self.settings, self.system)
        group = collect(self.group, self.settings, self.system, [()] * len(self.group.harts))
        harts = self.group.harts
        was_halted = any(hart.stop == Stop.HALTED for hart in harts)
        codes = [int(hart.exit_code) for hart in harts if not was_halted or hart.stop == Stop.EXITED]
        return BareRun(next((code for code in codes if code), 0), group, self._races())

    def read(self, address: int, n_bytes: int) -> bytes:
        """Return memory's content."""
        at = address - MEMORY_BASE
        if not 0 <= at <= at + n_bytes <= self.settings.mapped_bytes:
            raise LoadError(f"{address:#x} to {address + n_bytes:#x} is outside {_range(self.settings.mapped_bytes)}")
        return bytes(self.group.memory.u8[at : at + n_bytes].tobytes())

    def _races(self) -> tuple[Race, ...]:
        races = self.group.races
        return tuple(
            Race(
                MEMORY_BASE + offset,
                (first, second),
                (MEMORY_BASE + 2 * first_parcel, MEMORY_BASE + 2 * second_parcel),
                (bool(stored), bool(stores)),
            )
            for offset, first, first_parcel, stored, second, second_parcel, stores in races.found[
                : races.n_found[0]
            ].tolist()
        )


def _range(mapped_bytes: int) -> str:
    return f"the memory, {MEMORY_BASE:#x} to {MEMORY_BASE + mapped_bytes:#x}"


def _check_harts(system: SystemConfig, n_harts: int) -> None:
    most = 1 if system.level is Level.BANK else system.cores_per_group
    if not 1 <= n_harts <= most:
        hint = (
            "each core has a bank of its own there, and shares no memory"
            if system.level is Level.BANK
            else "cores_per_location can be up to 16"
        )
        raise ConfigError(f"harts: {system.name!r} has 1 to {most} that share memory, got {n_harts}; {hint}")


def _memory_bytes(system: SystemConfig, asked: int | None) -> int:
    """Return the bytes of memory a program gets."""
    most = system.window_bytes if system.level is Level.BANK else system.group_bytes
    most = min(most, (1 << system.core.xlen) - MEMORY_BASE)
    if asked is None:
        return min(most, DEFAULT_MEMORY_BYTES)
    if not 8 <= asked <= most or asked % 8:
        raise ConfigError(f"memory: 8 to {most:,} B, a multiple of 8, at level {system.level}, got {asked:,}")
    return asked


def _check_places(program: Program, mapped_bytes: int) -> None:
    """Raise LoadError if a part of the program is outside the memory."""
    outside = [s for s in program.segments if s.address < MEMORY_BASE or s.end > MEMORY_BASE + mapped_bytes]
    if outside:
        places = ", ".join(f"{segment.address:#x} to {segment.end:#x}" for segment in outside)
        raise LoadError(f"program: segments outside {_range(mapped_bytes)}: {places}")
    tohost = program.symbols.get("tohost")
    if tohost is not None and not MEMORY_BASE <= tohost <= MEMORY_BASE + mapped_bytes - 8:
        raise LoadError(f"program: symbol tohost at {tohost:#x} is outside {_range(mapped_bytes)}")
