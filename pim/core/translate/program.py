"""From decoded instructions to machine code that is loaded: kept by program in this process, by content on disk."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from pim.core.code import Code
from pim.core.translate.compile import Machinecode, compile_function, load_function, object_key
from pim.core.translate.function import function_text, is_native
from pim.core.translate.layout import Layout
from pim.core.translate.plan import Plan, make_plan, start_parcels, writes_float_state


@dataclass(frozen=True)
class Translation:
    """A program's plan, and its native code once that is compiled."""

    plan: Plan
    key: str
    text: str

    @property
    def is_compiled(self) -> bool:
        """Return whether the machine code is at hand, without compiling."""
        return load_function(self.key) is not None

    def machinecode(self) -> Machinecode:
        """Return the machine code; compiles it where it is not at hand."""
        return compile_function(self.key, self.text)


def translate(
    code: Code,
    entry: int,
    symbols: Iterable[int],
    *,
    has_short: bool,
    decode: Callable[[int], None] | None = None,
) -> Translation | None:
    """Return the translation of a program, None where nothing of it can become native code.

    Parameters
    ----------
    code : Code
        All of the text of a kernel; of other programs, with ``decode``, what is decoded of memory.
    entry : int
        Address of the first instruction.
    symbols : iterable of int
        Addresses at which functions may begin.
    has_short : bool
        Whether the core has compressed instructions.
    decode : callable, optional
        Decodes a parcel of a program that may read and write its flags and its text: floating-point operations are
        for the interpreter then.
    """
    floating = decode is None and not writes_float_state(code)
    plan = make_plan(code, start_parcels(code, entry, symbols), partial(is_native, floating=floating), decode)
    if not plan.blocks:
        return None
    layout = Layout(plan.n_sites, len(plan.blocks))
    text = function_text(plan, layout, code.rules.xlen, len(code.op), has_short=has_short)
    return Translation(plan, object_key(text), text)
