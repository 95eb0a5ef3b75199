"""Runs programs as `pim.system.run` and `pim.system.bare` do, and tells what each line cost on each call path."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pim.config import SystemConfig
from pim.core.booking import EMPTY, LOCALS, NO_PATH, Profile, make_profile
from pim.core.profile import profile_group
from pim.core.settings import MEMORY_BASE
from pim.core.state import Group
from pim.isa import Program
from pim.isa.debug import DebugInfo, Place, load_debug
from pim.system.bare import BareMachine, BareRun
from pim.system.outcome import WAITS, GroupRun, collect, raise_if_stopped
from pim.system.run import DEFAULT_CYCLE_LIMIT, CoreTask, prepare_group

EVENTS = ("loads", "stores", "line_fills", "line_writebacks", "instruction_fills")
"""Counters beside cycles, as in CoreRun."""

_STORED = tuple(name for name in (*WAITS, *EVENTS) if name not in LOCALS)
_COUNTERS = LOCALS + _STORED


@dataclass(frozen=True)
class Costs:
    """What instructions cost, summed over cores.

    Attributes
    ----------
    instructions, cycles : int
        Core cycles.
    stack : tuple of int
        Cycles by the parts named in STACK; they sum to ``cycles``.
    events : tuple of int
        By EVENTS.
    """

    instructions: int
    cycles: int
    stack: tuple[int, ...]
    events: tuple[int, ...]

    def __add__(self, other: "Costs") -> "Costs":
        return Costs(
            self.instructions + other.instructions,
            self.cycles + other.cycles,
            tuple(a + b for a, b in zip(self.stack, other.stack, strict=True)),
            tuple(a + b for a, b in zip(self.events, other.events, strict=True)),
        )


@dataclass(frozen=True)
class Hot:
    """The costs of one line on one call path.

    Attributes
    ----------
    path : tuple of str
        Functions, from the outermost caller to the one that the line's code is part of.
    place : Place
    costs : Costs
    """

    path: tuple[str, ...]
    place: Place
    costs: Costs


def profile_cores(
    system: SystemConfig,
    program: Program,
    elf: bytes,
    tasks: Sequence[CoreTask],
    *,
    cycle_limit: int = DEFAULT_CYCLE_LIMIT,
    first_hart: int = 0,
) -> tuple[GroupRun, list[Hot]]:
    """Run a kernel's program on the cores of one group; see `run_cores` for parameters and errors."""
    group, code, settings = prepare_group(system, program, tasks, cycle_limit)
    debug, profile = _prepare(group, program, elf)
    profile_group(group, code, settings, profile)
    raise_if_stopped(group, code, settings, system, first_hart)
    return collect(group, settings, system, [task.reads for task in tasks]), _rows(profile, debug)


def profile_bare(machine: BareMachine, elf: bytes) -> tuple[BareRun, list[Hot]]:
    """Run any program; see `BareMachine` for errors."""
    debug, profile = _prepare(machine.group, machine.program, elf)
    profile_group(machine.group, machine.code, machine.settings, profile)
    return machine.result(), _rows(profile, debug)


def _prepare(group: Group, program: Program, elf: bytes) -> tuple[DebugInfo, Profile]:
    end = max(segment.address + len(segment.content) for segment in program.segments)
    debug = load_debug(elf, MEMORY_BASE, max(0, end - MEMORY_BASE) // 2)
    names = _function_names(debug)
    numbers = {name: number for number, name in enumerate(names)}
    by_place = np.array([numbers[place.function] for place in debug.places], np.int64)
    return debug, make_profile(group, _STORED, by_place[debug.index])


def _function_names(debug: DebugInfo) -> list[str]:
    return sorted({place.function for place in debug.places})


def _rows(profile: Profile, debug: DebugInfo) -> list[Hot]:
    """Return the costs by call path and place, the largest first."""
    names, n = _function_names(debug), len(profile.function)
    paths: list[tuple[str, ...]] = []
    for number in range(int(profile.n_paths[0])):
        parent = int(profile.parent[number])
        above = () if parent == NO_PATH else paths[parent]
        paths.append((*above, names[int(profile.path_function[number])]))
    found: dict[tuple[int, int], Costs] = {}
    for row in np.flatnonzero((profile.key != EMPTY) & profile.counts.any(axis=1)):
        path, parcel = divmod(int(profile.key[row]), n)
        key = path, int(debug.index[parcel])
        costs = _costs(profile.counts[row].tolist())
        found[key] = found[key] + costs if key in found else costs
    rows = [Hot(paths[path], debug.places[place], costs) for (path, place), costs in found.items()]
    return sorted(rows, key=lambda row: (-row.costs.cycles, row.path, row.place.path, row.place.line))


def _costs(counts: Sequence[int]) -> Costs:
    named = dict(zip(_COUNTERS, counts, strict=True))
    waits = [named[name] for name in WAITS]
    cycles, instructions = named["cycle"], named["instret"]
    stack = (instructions, cycles - instructions - sum(waits), *waits)
    return Costs(instructions, cycles, stack, tuple(named[name] for name in EVENTS))
