"""Which engine runs the cores: the interpreter, or native code once a program has run long enough to be worth it."""

from collections.abc import Callable
from enum import StrEnum

from pim.config import SystemConfig
from pim.core.code import Code, decode_parcel
from pim.core.group import run_group
from pim.core.settings import CoreSettings
from pim.core.state import Group, Stop
from pim.core.translate.native import can_be_native, make_native
from pim.core.translate.program import Translation, translate
from pim.core.translate.run import run_translated
from pim.isa import Program

WARM_UP_CYCLES = 2_000_000
"""Core cycles that the interpreter does first of a program that is not compiled yet: shorter ones never are."""


class Engine(StrEnum):
    """What simulates instructions; both give the same result."""

    INTERPRETER = "interpreter"
    TRANSLATOR = "translator"


DEFAULT_ENGINE = Engine.INTERPRETER


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
    translation = _kernel_translation(program, system, settings, code) if settings.protects_text else None
    if translation is None or not translation.is_compiled:
        run_group(group, code, settings._replace(pause_cycle=warm_up_cycles))
        if not (group.harts.stop <= Stop.PARKED).any():
            return
    if translation is None and not settings.protects_text:
        translation = translate(
            code, program.entry, (), has_short=settings.odd_target == 0, decode=_decoder(group, code)
        )
    if translation is None:
        run_group(group, code, settings)
        return
    code.modified[0] = 0
    native = make_native(translation.machinecode(), translation.plan, code, group, settings)
    run_translated(group, code, native, settings)


_translations: dict[tuple[str, int, bytes, int, tuple[int, ...]], Translation | None] = {}
"""By what decides a kernel's translation: extensions, entry, text, and symbols."""


def _kernel_translation(
    program: Program, system: SystemConfig, settings: CoreSettings, code: Code
) -> Translation | None:
    symbols = tuple(sorted(program.symbols.values()))
    key = (system.core.isa_extensions, settings.odd_target, program.text, program.entry, symbols)
    if key not in _translations:
        _translations[key] = translate(code, program.entry, symbols, has_short=settings.odd_target == 0)
    return _translations[key]


def _decoder(group: Group, code: Code) -> Callable[[int], None]:
    """Return what decodes an instruction of a program that all cores share."""

    def decode(parcel: int) -> None:
        if code.size[parcel] == 0:
            decode_parcel(code, group.memory, group.checked, 0, parcel, False)

    return decode
