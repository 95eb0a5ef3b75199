"""Numba's exceptions, as a core has them: each ``raise`` is a number, which the program's table explains.

Natively Numba returns a pointer to a pickled exception. A core has no Python: here the pointer is the number. An
exception with computed arguments needs a heap, which kernels have neither here nor there.
"""

from pathlib import Path
from typing import Any

from llvmlite import ir
from numba.core import callconv
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys

from mapreduce.exceptions import CONSTANTS_ONLY, Raised


class ExceptionTable:
    """The exceptions of the functions compiled since `install`.

    Attributes
    ----------
    items : list of Raised
        By number from 1.
    """

    def __init__(self, origin: str) -> None:
        self.items: list[Raised] = []
        self._origin = origin

    def install(self) -> None:
        """Make Numba's calling convention use this table, in this process."""
        table = self

        def store(
            convention: Any, builder: Any, exc: Any, exc_args: Any = None, loc: Any = None, func_name: Any = None
        ) -> None:
            del func_name
            number = table.number(exc, exc_args or (), loc, builder.debug_metadata)
            pointer = convention._get_excinfo_argument(builder.function)
            builder.store(ir.Constant(ir.IntType(64), number).inttoptr(pointer.type.pointee), pointer)

        def refuse(*_: Any, **__: Any) -> None:
            raise NotImplementedError(CONSTANTS_ONLY)

        rtsys.initialize(cpu_target.target_context)  # its own functions raise too, and are no part of a kernel
        callconv.CPUCallConv.set_static_user_exc = store
        callconv.CPUCallConv.set_dynamic_user_exc = refuse

    def number(self, exc: type[BaseException], arguments: tuple[Any, ...], loc: Any, debug: Any) -> int:
        """Return the number of an exception raised at a place. Updates ``items``."""
        file, line = (loc.filename, loc.line) if loc is not None else (self._origin, _line(debug))
        item = Raised(exc.__name__, str(exc(*arguments)), Path(file).name, line)
        if item not in self.items:
            self.items.append(item)
        return self.items.index(item) + 1


def _line(debug: Any) -> int:
    """Return the source line in an instruction's debug metadata, 0 without any."""
    return int(dict(debug.operands)["line"]) if debug is not None else 0
