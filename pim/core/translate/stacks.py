"""Stacks of cores: one whose request has to wait for its turn keeps its place in native code on a stack of its own.

Kernels change stacks by two functions that are written for each kind of host; where there is none, a core that waits
leaves native code, its registers in memory.
"""

import platform
import sys
from collections.abc import Callable
from typing import Any

from llvmlite import binding, ir
from numba import config, types
from numba.extending import intrinsic, overload

STACK_BYTES = 65536 + 9 * 64
"""Room for native code, the kernels that it calls, and a signal's handler: some 10 KB. Not a power of two: caches
would keep few of the lines that all cores use in the same places."""

STACK_ALIGNMENT = 16

# Both keep what a call keeps in System V's convention (x86-64 psABI 1.0, 3.2.1), and note where on the stack that is.
_SAVE = "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
_RESTORE = "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nretq\n"
_SWITCH = f"{_SAVE}movq %rsp, (%rdi)\nmovq (%rsi), %rsp\n{_RESTORE}"
_BEGIN = (
    f"{_SAVE}movq %rsp, (%rdi)\nmovq %rsi, %rsp\npushq %rdi\nsubq $$8, %rsp\nmovq %rcx, %rdi\ncallq *%rdx\n"
    f"addq $$8, %rsp\npopq %rdi\nmovq (%rdi), %rsp\n{_RESTORE}"
)

binding.initialize_native_asmparser()


def can_switch() -> bool:
    """Tell whether this host's cores have stacks of their own; plain Python can't leave one for another."""
    return platform.machine().lower() in {"x86_64", "amd64"} and sys.platform != "win32" and not config.DISABLE_JIT


def switch_stack(_from_at: int, _to_at: int) -> None:
    """Note the stack's pointer at an address, and go on with the one that is noted at another."""


def begin_stack(_from_at: int, _top: int, _function: int, _frame: int) -> None:
    """Note the stack's pointer at an address, and call int64(frame) on a stack that begins there.

    When that function returns, what is noted there then goes on.
    """


def _function(name: str, text: str, n_arguments: int) -> Callable[..., Any]:
    """Return what calls a function that has no body but assembly."""
    kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)] * n_arguments)

    def call(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        module = builder.module
        if name not in module.globals:
            function = ir.Function(module, kind, name)
            function.linkage = "internal"
            for attribute in ("naked", "noinline", "nounwind"):
                function.attributes.add(attribute)
            inner = ir.IRBuilder(function.append_basic_block("entry"))
            inner.asm(ir.FunctionType(ir.VoidType(), []), text, "", [], side_effect=True)
            inner.unreachable()
        builder.call(module.globals[name], arguments)
        return context.get_dummy_value()

    return call


@intrinsic  # type: ignore[untyped-decorator]
def _switch(_typing: Any, from_at: Any, to_at: Any) -> Any:
    return types.void(from_at, to_at), _function("switch_stack", _SWITCH, 2)


@intrinsic  # type: ignore[untyped-decorator]
def _begin(_typing: Any, from_at: Any, top: Any, function: Any, frame: Any) -> Any:
    return types.void(from_at, top, function, frame), _function("begin_stack", _BEGIN, 4)


@overload(switch_stack)  # type: ignore[untyped-decorator]
def _overload_switch(_from_at: Any, _to_at: Any) -> Any:
    def call(_from_at: Any, _to_at: Any) -> None:
        _switch(_from_at, _to_at)

    return call


@overload(begin_stack)  # type: ignore[untyped-decorator]
def _overload_begin(_from_at: Any, _top: Any, _function: Any, _frame: Any) -> Any:
    def call(_from_at: Any, _top: Any, _function: Any, _frame: Any) -> None:
        _begin(_from_at, _top, _function, _frame)

    return call
