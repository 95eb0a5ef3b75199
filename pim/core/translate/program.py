"""From decoded instructions to a plan and its machine code.

Kernels are known by their text: where machine code for it is on disk, no IR is made. Other programs are planned from
what their memory holds, and known by their IR.
"""

import hashlib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from pim.config import CoreConfig
from pim.core.code import Code
from pim.core.translate import stacks
from pim.core.translate.compile import Machinecode, compile_function, load_function, object_key
from pim.core.translate.function import function_text, is_native
from pim.core.translate.layout import layout_of
from pim.core.translate.plan import LARGEST_LINE_SHIFT, Plan, make_plan, start_parcels, writes_float_state
from pim.core.translate.sites import share_sites
from pim.jit import source_digest


def kernel_key(text: bytes, entry: int, symbols: Iterable[int], core: CoreConfig) -> str:
    """Return the digest that names the machine code of a kernel.

    Parameters
    ----------
    text : bytes
        Its instructions.
    entry : int
        Address of the first one that is executed.
    symbols : iterable of int
        Addresses at which functions may begin.
    core : CoreConfig
        What executes it.
    """
    line_bytes = min(core.instruction_line_bytes, 1 << LARGEST_LINE_SHIFT)
    made_for = (core.isa_extensions, line_bytes, stacks.can_switch())
    parts = (source_digest(Path(__file__)), entry, sorted(symbols), *made_for)
    return object_key(hashlib.sha256(text).hexdigest() + repr(parts))


def is_compiled(key: str) -> bool:
    """Tell whether machine code is at hand, without compiling."""
    return load_function(key) is not None


def plan_kernel(code: Code, entry: int, symbols: Iterable[int], *, has_short: bool) -> Plan:
    """Return the plan of a text that is decoded, and never changes; ``has_short`` with compressed instructions."""
    floating = not writes_float_state(code)
    starts = start_parcels(code, entry, symbols)
    return share_sites(make_plan(code, starts, partial(is_native, floating=floating), has_short=has_short))


def plan_memory(code: Code, entry: int, decode: Callable[[int], None], *, has_short: bool) -> Plan:
    """Return the plan of what is reached from ``entry`` in a memory that may change; ``decode`` decodes a parcel.

    Such a program may get to read its flags in a way that is not seen: floating point is for the interpreter.
    """
    starts = start_parcels(code, entry, ())
    return share_sites(make_plan(code, starts, partial(is_native, floating=False), decode, has_short=has_short))


def machinecode(plan: Plan, code: Code, key: str | None = None) -> Machinecode:
    """Return a plan's machine code; compiles it where it is not at hand.

    Parameters
    ----------
    key : str, optional
        See `kernel_key`; default: a digest of the IR.
    """
    found = load_function(key) if key else None
    if found is not None:
        return found
    layout = layout_of(plan)
    text = function_text(plan, layout, code.rules.xlen, len(code.op))
    return compile_function(key or object_key(text), text)
