"""Calls native code from a kernel."""

import ctypes
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload


def call_native(address: int, frame: int) -> None:
    """Call the function at ``address`` with the address of a frame; a kernel does so without the interpreter lock."""
    ctypes.CFUNCTYPE(None, ctypes.c_int64)(address)(frame)


@intrinsic  # type: ignore[untyped-decorator]
def _call(_typing: Any, address: Any, frame: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)])
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1]])

    return types.void(address, frame), generate


@overload(call_native)  # type: ignore[untyped-decorator]
def _overload_call_native(address: Any, frame: Any) -> Any:
    """Let kernels call `call_native`."""

    def call(address: Any, frame: Any) -> None:
        _call(address, frame)

    return call
