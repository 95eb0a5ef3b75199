"""Programs on the model and on the RTL, all in one simulation, and the comparison of what they retired."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from pim.core.mailbox import ARGUMENT_WORD, RETURN_WORD
from pim.core.settings import MEMORY_BASE, NOWHERE
from pim.core.state import Stop
from pim.system.bare import BareMachine
from pim.system.record import record
from study.lockstep.compare import Comparison, End, compare, read_trace
from study.lockstep.simulator import Simulator

_WORD = 0xFFFF_FFFF_FFFF_FFFF
_DONE, _TRAPPED = 2, 3


@dataclass(frozen=True)
class Guest:
    """A program to run: its machine, made with ``single_step`` and loaded, and its first arguments."""

    name: str
    machine: BareMachine


def run_lockstep(
    guests: Sequence[Guest],
    simulator: Simulator,
    *,
    folder: Path | None = None,
    plusargs: Mapping[str, str] | None = None,
) -> list[Comparison]:
    """Run each program on the model and on the RTL, which has the model's memory, and compare all that they retired.

    Parameters
    ----------
    guests : sequence of Guest
        Machines of one configuration, that of ``simulator``.
    folder : Path, optional
        Where images and traces stay; default: nowhere.
    plusargs : mapping, optional
        Further options of the simulation.
    """
    with TemporaryDirectory() as temporary:
        place = folder or Path(temporary)
        place.mkdir(parents=True, exist_ok=True)
        lines = [_prepare(guest, place, number) for number, guest in enumerate(guests)]
        (place / "programs").write_text("".join(lines))
        options = [f"+{name}={value}" for name, value in {"programs": "programs", **(plusargs or {})}.items()]
        simulator.run(options, place)
        results = []
        for number, guest in enumerate(guests):
            machine = guest.machine
            rows = record(machine)
            got = read_trace(place / f"{number}.trace")
            extensions = machine.system.core.isa_extensions
            results.append(compare(guest.name, (rows, _end(machine)), got, machine.settings.xlen, extensions))
        return results


def _prepare(guest: Guest, folder: Path, number: int) -> str:
    """Write the memory's image; return the program's line in the list."""
    machine = guest.machine
    words = machine.group.memory.i64.view(np.uint64)
    used = int(np.flatnonzero(words)[-1]) + 1 if words.any() else 1
    (folder / f"{number}.hex").write_text("@0\n" + "\n".join(f"{word:x}" for word in words[:used].tolist()) + "\n")
    settings = machine.settings
    tohost = 0 if settings.tohost == NOWHERE else MEMORY_BASE + settings.tohost
    arguments = [f"{int(word) & _WORD:x}" for word in machine.group.mailbox[0, ARGUMENT_WORD:]]
    fields = [f"{number}.hex", f"{number}.trace", f"{int(machine.group.harts[0].pc) & _WORD:x}"]
    fields += [f"{settings.cycle_limit:x}", f"{tohost:x}", str(len(arguments)), *arguments]
    return " ".join(fields) + "\n"


def _end(machine: BareMachine) -> End:
    """Return how the model's run ended, as the RTL's status says it."""
    hart = machine.group.harts[0]
    words = machine.group.memory.i64.view(np.uint64)
    weights = 2 * np.arange(len(words), dtype=np.uint64) + np.uint64(1)
    memory = int((words * weights).sum(dtype=np.uint64))
    returned = int(machine.group.mailbox[0, RETURN_WORD]) & _WORD
    if hart.stop == Stop.TRAPPED:
        return End(_TRAPPED, int(hart.cause), returned, memory)
    by_tohost = machine.settings.tohost != NOWHERE
    if hart.stop != Stop.EXITED or by_tohost:
        return End(0, 0, returned, memory)
    return End(_DONE, int(hart.exit_code) & 0xFFFF_FFFF, returned, memory)
