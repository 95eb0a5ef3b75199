"""Programs on the model and on the RTL, all in one simulation, and the comparison of what they retired.

A run is of one program, or of one for each core of a die; its cores start at one edge and share the activate budget. A
host may claim their banks meanwhile.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from pim.config import SystemConfig
from pim.core.mailbox import ARGUMENT_WORD, RETURN_WORD
from pim.core.settings import MEMORY_BASE, NOWHERE
from pim.core.state import Buffers, Group, Registers, Stop, make_memory
from pim.dram import Device, with_claims
from pim.errors import ConfigError
from pim.system.bare import BareMachine
from pim.system.levels import make_level_device, port_timing
from pim.system.record import record
from study.lockstep.compare import Comparison, End, compare, read_trace
from study.lockstep.host import PATTERN, HostTrace
from study.lockstep.simulator import Simulator

_WORD = 0xFFFF_FFFF_FFFF_FFFF
_DONE, _TRAPPED = 2, 3

_CODES = {"ACT": 1, "RD": 2, "WR": 3, "PRE": 4, "CLAIM": 8, "RELEASE": 9}
"""Numbers of what a host does, as ``pim_pkg.sv`` and ``lockstep_host.sv`` have them."""


@dataclass(frozen=True)
class Guest:
    """A program to run: its machine, made with ``single_step`` and loaded, and its first arguments."""

    name: str
    machine: BareMachine


@dataclass(frozen=True)
class Run:
    """A program for each core of a die, and what the host does beside them."""

    guests: Sequence[Guest]
    host: HostTrace | None = None


def run_lockstep(
    runs: Sequence[Run],
    simulator: Simulator,
    *,
    folder: Path | None = None,
    plusargs: Mapping[str, str] | None = None,
) -> list[list[Comparison]]:
    """Run programs on the model and on the RTL, which has the model's memory, and compare all that they retired.

    Parameters
    ----------
    runs : sequence of Run
        All of one configuration, that of ``simulator`` but for core clock and tREFI, with at most its number of cores.
    folder : Path, optional
        Where images and traces stay; default: nowhere.
    plusargs : mapping, optional
        Further options of the simulation.

    Raises
    ------
    ConfigError
        If one of several cores would end the run by ``tohost``.
    """
    with TemporaryDirectory() as temporary:
        place = folder or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        lines = [_prepare(run, place, number) for number, run in enumerate(runs)]
        (place / "programs").write_text("".join(lines))
        options = [f"+{name}={value}" for name, value in {"programs": "programs", **(plusargs or {})}.items()]
        simulator.run(options, place)
        return [_compare(run, place, number) for number, run in enumerate(runs)]


def _prepare(run: Run, folder: Path, number: int) -> str:
    """Write the memories' images and the host's commands; return the run's line in the list."""
    commands = run.host.commands if run.host else ()
    steps = [f"{step.clock} {step.bank} {_CODES[step.what]} {step.column}\n" for step in commands]
    (folder / f"{number}.host").write_text("".join(steps))
    common = run.guests[0].machine.settings
    fields = [f"{common.cycle_limit:x}", str(common.clock.p.value), str(common.clock.q.value), str(common.timing.nrefi)]
    fields.append(str(len(run.guests)))
    for core, guest in enumerate(run.guests):
        machine, settings = guest.machine, guest.machine.settings
        words = machine.group.memory.i64.view(np.uint64)
        used = int(np.flatnonzero(words)[-1]) + 1 if words.any() else 1
        image = "@0\n" + "\n".join(f"{word:x}" for word in words[:used].tolist()) + "\n"
        (folder / f"{number}.{core}.hex").write_text(image)
        tohost = 0 if settings.tohost == NOWHERE else MEMORY_BASE + settings.tohost
        if tohost and len(run.guests) > 1:
            raise ConfigError(f"rtl: {guest.name} ends by tohost, which would halt one core of several; use exit")
        arguments = np.trim_zeros(machine.group.mailbox[0, ARGUMENT_WORD:], "b").tolist()
        fields += [f"{int(machine.group.harts[0].pc) & _WORD:x}", f"{tohost:x}", str(len(arguments))]
        fields += [f"{word & _WORD:x}" for word in arguments]
    return " ".join(fields) + "\n"


def _share_a_die(run: Run) -> list[BareMachine]:
    """Return the machines of a run: machine *i* is core *i* of one die, which has bank *i*. Updates them."""
    machines = [guest.machine for guest in run.guests]
    system = machines[0].system
    device = make_level_device(system, len(machines))
    if run.host:
        device = with_claims(device, run.host.use, run.host.rules, port_timing(system))
    for core, machine in enumerate(machines):
        machine.group = _as_core(machine.group, core, system, device)
    return machines


def _as_core(group: Group, core: int, system: SystemConfig, device: Device) -> Group:
    """Return a group of one core as the last of ``core`` + 1, the others halted, with its own memory."""

    def last_of_several(alone: np.ndarray) -> np.ndarray:
        return np.repeat(alone, core + 1, axis=0)

    harts = last_of_several(group.harts).view(np.recarray)
    harts.stop[:core] = Stop.HALTED
    return group._replace(
        harts=harts,
        registers=Registers(*map(last_of_several, group.registers)),
        scratchpad=make_memory((core + 1) * system.core.scratchpad_bytes),
        mailbox=last_of_several(group.mailbox),
        buffers=Buffers(*map(last_of_several, group.buffers)),
        device=device,
    )


def _compare(run: Run, folder: Path, number: int) -> list[Comparison]:
    """Run the model; return what it and the RTL, which has run, retired."""
    guests, machines = run.guests, _share_a_die(run)
    recorded = record(machines)
    # A core that traps without a handler writes its lines back, which only the RTL's other cores see.
    until = machines[0].settings.cycle_limit
    if len(guests) > 1:
        trapped = [rows for rows, made in zip(recorded, machines, strict=True) if _hart(made).stop == Stop.TRAPPED]
        until = min([until, *(int(rows.cycle[-1]) for rows in trapped)])
    results = []
    for core, (guest, rows) in enumerate(zip(guests, recorded, strict=True)):
        machine = guest.machine
        got, end, waits, last_clock = read_trace(folder / f"{number}.{core}.trace")
        if run.host:
            _write_as_host(machine, core, run.host, last_clock)
        expected_end = _end(machine)
        if _hart(machine).stop == Stop.CYCLE_LIMIT or int(rows.cycle[-1]) > until:
            rows, got, expected_end = rows[rows.cycle <= until], got[got.cycle <= until], end  # noqa: PLW2901
        name = guest.name if len(guests) == 1 else f"core {core}: {guest.name}"
        extensions = machine.system.core.isa_extensions
        results.append(compare(name, (rows, expected_end), (got, end), machine.settings.xlen, extensions, waits))
    return results


def _write_as_host(machine: BareMachine, core: int, host: HostTrace, last_clock: int) -> None:
    """Write what the host had written up to a clock into the last row of a core's memory. Updates ``machine``."""
    system, last_row = machine.system, machine.group.memory.i64.view(np.uint64)[-machine.system.row_bytes // 8 :]
    width = len(last_row) if system.port == "row" else system.column_bytes // 8
    for step in host.commands:
        if step.bank == core and step.what == "WR" and step.clock + machine.settings.timing.ncwl <= last_clock:
            last_row[step.column * width : (step.column + 1) * width] = PATTERN


def _hart(machine: BareMachine) -> Any:
    return machine.group.harts[-1]


def _end(machine: BareMachine) -> End:
    """Return how the model's run ended, as the RTL's status says it."""
    hart = _hart(machine)
    words = machine.group.memory.i64.view(np.uint64)
    weights = 2 * np.arange(len(words), dtype=np.uint64) + np.uint64(1)
    memory = int((words * weights).sum(dtype=np.uint64))
    returned = int(machine.group.mailbox[-1, RETURN_WORD]) & _WORD
    if hart.stop == Stop.TRAPPED:
        return End(_TRAPPED, int(hart.cause), returned, memory)
    by_tohost = machine.settings.tohost != NOWHERE
    if hart.stop != Stop.EXITED or by_tohost:
        return End(0, 0, returned, memory)
    return End(_DONE, int(hart.exit_code) & 0xFFFF_FFFF, returned, memory)
