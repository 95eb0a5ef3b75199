"""Runs the cores of a group by one of the engines: native code once a program has run long enough to be worth it."""

from collections.abc import Callable

from pim.config import SystemConfig
from pim.core.code import Code, decode_parcel
from pim.core.group import run_group
from pim.core.settings import CoreSettings
from pim.core.state import Group, Stop
from pim.core.translate.native import can_be_native, make_native
from pim.core.translate.plan import Plan
from pim.core.translate.program import is_compiled, kernel_key, machinecode, plan_kernel, plan_memory
from pim.core.translate.run import run_translated
from pim.engines import Engine
from pim.isa import Program

WARM_UP_CYCLES = 10_000_000
"""Core cycles that the interpreter does first of a program that is not compiled yet: some 50 ms.

Compiling takes several times as long; what ends before is never compiled.
"""


def simulate(
    group: Group,
    code: Code,
    settings: CoreSettings,
    program: Program,
    system: SystemConfig,
    engine: Engine,
    warm_up_cycles: int = WARM_UP_CYCLES,
) -> None:
    """Run all cores of a group to their ends. Updates ``group`` and ``code``."""
    if engine is Engine.INTERPRETER or not can_be_native(settings):
        run_group(group, code, settings)
        return
    key = None
    if settings.protects_text:
        key = kernel_key(program.text, program.entry, program.symbols.values(), system.core)
    if key is None or not is_compiled(key):
        run_group(group, code, settings._replace(pause_cycle=warm_up_cycles))
        if not (group.harts.stop <= Stop.PARKED).any():
            return
    plan = _plan(group, code, program, key, has_short=settings.odd_target == 0)
    if plan.blocks:
        code.modified[0] = 0
        compiled = machinecode(plan, code, key)
        run_translated(group, code, make_native(compiled, plan, code, group, settings), settings)
    else:
        run_group(group, code, settings)


_plans: dict[str, Plan] = {}
"""Of kernels, by key: a machine's groups run the same few."""


def _plan(group: Group, code: Code, program: Program, key: str | None, *, has_short: bool) -> Plan:
    """Return a kernel's plan, or without ``key`` that of what is in the memory that all cores share."""
    if key is None:
        return plan_memory(code, program.entry, _decoder(group, code), has_short=has_short)
    if key not in _plans:
        _plans[key] = plan_kernel(code, program.entry, program.symbols.values(), has_short=has_short)
    return _plans[key]


def _decoder(group: Group, code: Code) -> Callable[[int], None]:
    """Return what decodes an instruction of a program that all cores share."""

    def decode(parcel: int) -> None:
        if code.size[parcel] == 0:
            decode_parcel(code, group.memory, group.checked, 0, parcel, False)

    return decode
