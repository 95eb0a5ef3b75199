"""Runs a program on both engines, and compares all that they leave behind."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pim.config import SystemConfig
from pim.core.settings import CoreSettings
from pim.core.state import Group
from pim.dram import HostUse
from pim.isa import Program
from pim.system import CoreTask, Engine
from pim.system import engine as engines
from pim.system.bare import BareMachine
from pim.system.run import prepare_group

HIDDEN = ("uses", "data_slot", "request_at")
"""Fields of a core that only order its line buffers, which are compared themselves, and its turns."""


def run_kernel(
    system: SystemConfig,
    program: Program,
    tasks: Sequence[CoreTask],
    engine: Engine,
    cycle_limit: int = 10**7,
    host_use: HostUse | None = None,
) -> tuple[Group, CoreSettings]:
    """Run a program with protected text from the first instruction on by one engine."""
    group, code, settings = prepare_group(system, program, tasks, cycle_limit, host_use)
    engines.simulate(group, code, settings, program, system, engine, warm_up_cycles=0)
    return group, settings


def run_bare(system: SystemConfig, program: Program, engine: Engine, **options: Any) -> tuple[Group, CoreSettings]:
    """Run a bare-metal program by one engine."""
    machine = BareMachine(system, program, engine=engine, **options)
    engines.simulate(machine.group, machine.code, machine.settings, program, system, engine, warm_up_cycles=0)
    return machine.group, machine.settings


def lru_order(group: Group, settings: CoreSettings) -> list[Any]:
    """Return, for each set of line buffers, its lines from the least recently used one on."""
    order = []
    for line, used in zip(group.buffers.line, group.buffers.used, strict=True):
        for first in range(0, len(line), settings.n_ways):
            ways = slice(first, first + settings.n_ways)
            order.append(line[ways][np.argsort(used[ways], kind="stable")].tolist())
    return order


def state(group: Group, settings: CoreSettings, *, with_flags: bool = True) -> dict[str, Any]:
    """Return everything that a run decides, by name."""
    names = [name for name in group.harts.dtype.names if name not in HIDDEN and (with_flags or name != "fflags")]
    parts = {f"hart.{name}": group.harts[name].tolist() for name in names}
    parts["x"] = group.registers.x.tolist()
    parts["f"] = group.registers.f_bits.tolist()
    for name in ("line", "valid", "dirty", "instruction_line"):
        parts[name] = getattr(group.buffers, name).tolist()
    parts["order of use"] = lru_order(group, settings)
    parts["mailbox"] = group.mailbox.tolist()
    parts["scratchpad"] = group.scratchpad.u8.tobytes()
    parts["memory"] = group.memory.u8.tobytes()
    for name, part in group.device._asdict().items():
        parts[f"device.{name}"] = str(np.asarray(part).tolist())
    return parts


def assert_same_state(expected: dict[str, Any], got: dict[str, Any], what: object = "") -> None:
    """Fail with the names and values of what differs."""
    assert expected.keys() == got.keys()
    differs = {
        name: (value, got[name]) if not isinstance(value, bytes) else "content"
        for name, value in expected.items()
        if value != got[name]
    }
    assert not differs, (what, differs)


def assert_engines_agree(
    system: SystemConfig,
    program: Program,
    tasks: Sequence[CoreTask],
    *,
    cycle_limit: int = 10**7,
    with_flags: bool = True,
    what: object = "",
    host_use: HostUse | None = None,
) -> Group:
    """Run a kernel on both engines, and compare; return what the translator left."""
    interpreted = run_kernel(system, program, tasks, Engine.INTERPRETER, cycle_limit, host_use)
    expected = state(*interpreted, with_flags=with_flags)
    group, settings = run_kernel(system, program, tasks, Engine.TRANSLATOR, cycle_limit, host_use)
    assert_same_state(expected, state(group, settings, with_flags=with_flags), what)
    return group
