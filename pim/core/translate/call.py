"""Calls between kernels and native code, in both directions.

Kernels call native code by its address. Native code calls a kernel by the address of a function with C's calling
convention that is made here: it has the frame's address only, and finds there where what the kernel needs is kept.
"""

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from pim.core.translate.kept import KEPT_WORDS, Kept, keep, layout_of_kept
from pim.core.translate.layout import Header

_INT64 = ir.IntType(64)
_SERVER = ir.FunctionType(_INT64, [_INT64, _INT64])
_callbacks: dict[tuple[int, int], Any] = {}
"""What `server` made, by thread and place: native code has only its address. Not used by compiled kernels."""


def call_native(address: int, frame: int) -> int:
    """Call the function int64(frame) at ``address``; a kernel does so without Python's lock."""
    return int(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(int(address))(int(frame)))


@intrinsic  # type: ignore[untyped-decorator]
def _call(_typing: Any, address: Any, frame: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(_INT64, [_INT64])
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1]])

    return types.int64(address, frame), generate


@overload(call_native)  # type: ignore[untyped-decorator]
def _overload_call_native(address: Any, frame: Any) -> Any:
    """Let kernels call `call_native`."""

    def call(address: Any, frame: Any) -> Any:
        return _call(address, frame)

    return call


def call_server(address: int, frame: int, cycle: int) -> int:
    """Call the function int64(frame, cycle) at ``address``."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    return int(kind(int(address))(int(frame), int(cycle)))


@intrinsic  # type: ignore[untyped-decorator]
def _call_server(_typing: Any, address: Any, frame: Any, cycle: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.call(builder.inttoptr(arguments[0], _SERVER.as_pointer()), arguments[1:])

    return types.int64(address, frame, cycle), generate


@overload(call_server)  # type: ignore[untyped-decorator]
def _overload_call_server(address: Any, frame: Any, cycle: Any) -> Any:
    """Let kernels call `call_server`."""

    def call(address: Any, frame: Any, cycle: Any) -> Any:
        return _call_server(address, frame, cycle)

    return call


def fetch_ahead(_address: int) -> None:
    """Let the host fetch what is at an address in this process into its caches."""


@intrinsic  # type: ignore[untyped-decorator]
def _fetch_ahead(_typing: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer, int32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, int32, int32, int32])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(prefetch, [builder.inttoptr(arguments[0], pointer), int32(0), int32(3), int32(1)])
        return context.get_dummy_value()

    return types.void(address), generate


@overload(fetch_ahead)  # type: ignore[untyped-decorator]
def _overload_fetch_ahead(_address: Any) -> Any:
    def call(_address: Any) -> None:
        _fetch_ahead(_address)

    return call


def server(serve: Callable[[Any, Any, int], int]) -> Callable[[Any, Any, Any, Any], int]:
    """Return what makes functions int64(frame, cycle) of a kernel ``serve``, for kernels to give to native code.

    It is called with what ``serve`` is called with before the cycle, two named tuples, and with two arrays of
    KEPT_WORDS that these are copied to; it returns the function's address. The frame has to hold the addresses of the
    two arrays. (The cycle is an argument and a result as each request has to wait for the one before to know it.)
    """

    def address(port: Any, environment: Any, port_words: Any, words: Any) -> int:
        """Return the address of a function that calls ``serve(port, environment, cycle)``."""
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
        function = kind(lambda _, cycle: int(serve(port, environment, cycle)))
        _callbacks[threading.get_ident(), port_words.ctypes.data] = function
        return ctypes.cast(function, ctypes.c_void_p).value or 0

    @intrinsic  # type: ignore[untyped-decorator]
    def compiled_address(typing: Any, port: Any, environment: Any, port_at: Any, at: Any) -> Any:
        dispatcher: Any = serve
        serve_types = (Kept(port), Kept(environment), types.int64)
        dispatcher.compile(serve_types)
        compiled = dispatcher.overloads[serve_types]

        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            for kind, value, place in zip((port, environment), arguments[:2], arguments[2:], strict=True):
                layout = layout_of_kept(context, kind)
                assert context.get_abi_sizeof(layout) <= 8 * KEPT_WORDS, kind
                keep(context, builder, kind, value, builder.inttoptr(place, layout.as_pointer()))
            name = builder.module.get_unique_name(f"{dispatcher.__name__}.c")
            function = ir.Function(builder.module, _SERVER, name)
            function.linkage = "internal"
            inner = ir.IRBuilder(function.append_basic_block("entry"))
            frame = inner.inttoptr(function.args[0], _INT64.as_pointer())
            kept_at = [inner.load(inner.gep(frame, [_INT64(int(word))])) for word in (Header.PORT, Header.ENVIRONMENT)]
            context.active_code_library.add_linking_library(compiled.library)
            arguments = [*kept_at, function.args[1]]
            _, served = context.call_internal_no_propagate(inner, compiled.fndesc, compiled.signature, arguments)
            inner.ret(served)
            return builder.ptrtoint(function, _INT64)

        return types.int64(port, environment, port_at, at), generate

    @overload(address)  # type: ignore[untyped-decorator]
    def overload_address(port: Any, environment: Any, port_words: Any, words: Any) -> Any:
        def make(port: Any, environment: Any, port_words: Any, words: Any) -> Any:
            return compiled_address(port, environment, port_words.ctypes.data, words.ctypes.data)

        return make

    return address
