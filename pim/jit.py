"""Numba in one place: compiler flags, compile cache, and records declared once for reader, checker and kernel.

Numba's own cache keeps a compiled caller after a constant in another file changed, and would return stale results.
Each file's kernels therefore have a cache folder of their own, named by a digest of the file, of all our files that it
imports, at any depth, and of the Numba version: never stale, and a change compiles again only what can depend on it.
"""

import hashlib
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

F = TypeVar("F", bound=Callable[..., Any])

_ROOT = Path(__file__).resolve().parent.parent
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n(]+)|import[ \t]+([\w. ,]+))", re.MULTILINE
)
"""Module and names, or modules; text in a docstring that looks like it does no harm."""


def cache_root() -> Path:
    """Return the folder for compiled code: ``$SCALEIN_CACHE``, else ``scalein`` in ``$XDG_CACHE_HOME`` or ~/.cache."""
    default = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "scalein"
    return Path(os.environ.get("SCALEIN_CACHE", default))


@cache
def _read(path: Path) -> tuple[bytes, tuple[Path, ...]]:
    """Return a source file's content and those of our files that it imports directly."""
    content = path.read_bytes()
    modules = set()
    for module, names, plain in _IMPORT.findall(content.decode()):
        modules.update(re.findall(r"[\w.]+", plain))
        if module:
            modules.add(module)
            modules.update(f"{module}.{name}" for name in re.findall(r"\w+", names))
    stems = {
        _ROOT.joinpath(*module.split(".")[:depth]) for module in modules for depth in range(1, module.count(".") + 2)
    }
    candidates = (place for stem in sorted(stems) for place in (stem.with_suffix(".py"), stem / "__init__.py"))
    return content, tuple(place for place in candidates if place.is_file())


@cache
def source_digest(path: Path) -> str:
    """Return a digest of a source file, of all our files that it imports at any depth, and of the Numba version."""
    found, new = set[Path](), {path}
    while new:
        found |= new
        new = {place for known in new for place in _read(known)[1]} - found
    digest = hashlib.sha256(numba.__version__.encode())
    for place in sorted(found):
        digest.update(place.name.encode())
        digest.update(_read(place)[0])
    return digest.hexdigest()[:16]


def _compile(fn: F, **flags: Any) -> F:
    """Compile ``fn`` with the project's flags and the cache folder of its file."""
    path = Path(fn.__code__.co_filename)
    numba.config.CACHE_DIR = str(cache_root() / "numba" / f"{path.stem}-{source_digest(path)}")
    compiled = numba.njit(error_model="numpy", cache=True, nogil=True, _nrt=False, **flags)(fn)
    if not numba.config.DISABLE_JIT:
        _take_constants_as_values(compiled)
    return cast(F, compiled)


def _take_constants_as_values(dispatcher: Any) -> None:
    """Let a call with constants use what is compiled for variables: Numba would compile anew for each constant."""
    template = dispatcher.get_call_template

    def call_template(arguments: Any, keywords: Any) -> Any:
        plain = tuple(types.unliteral(argument) for argument in arguments)
        return template(plain, {name: types.unliteral(argument) for name, argument in keywords.items()})

    dispatcher.get_call_template = call_template


def kernel(fn: F) -> F:
    """Compile ``fn`` with the project's Numba flags; the machine code is cached on disk.

    It stays a function of its own where it is large: Numba would else merge it into its callers if one that
    `inlined_kernel` marks has called it first, and what is rare would take registers from what is frequent.

    Kernels only borrow arrays: without reference counting (``_nrt``) an array in a tuple is as cheap as a local one.
    """
    return _compile(fn, forceinline=False)


def inlined_kernel(fn: F) -> F:
    """Compile ``fn`` as `kernel` does, and merge it into its callers: a call passes every array field by field."""
    return _compile(fn, forceinline=True)


def expanded_kernel(fn: F) -> F:
    """Write ``fn`` into its callers before they are compiled: a call can't return an element of a record array."""
    return _compile(fn, inline="always")


@inlined_kernel
def at_index(number: int) -> Any:
    """Return an index that is not negative as one that needs no look: half the instructions."""
    return np.uint64(number)


def rarely(condition: bool) -> bool:
    """Return a condition that mostly does not hold: the compiler keeps what it leads to out of the way."""
    return bool(condition)


@intrinsic  # type: ignore[untyped-decorator]
def _expect_false(_typing: Any, condition: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        bit = ir.IntType(1)
        expect = builder.module.declare_intrinsic("llvm.expect", [bit], ir.FunctionType(bit, [bit, bit]))
        return builder.call(expect, [arguments[0], ir.Constant(bit, 0)])

    return types.boolean(types.boolean), generate


@overload(rarely)  # type: ignore[untyped-decorator]
def _overload_rarely(condition: Any) -> Any:
    """Let kernels call `rarely`."""

    def call(condition: Any) -> Any:
        return _expect_false(bool(condition))

    return call


def record_dtype(record: type) -> np.dtype[np.void]:
    """Return the aligned dtype of an annotated class: ``int`` is int64, ``Annotated[int, "u4"]`` is uint32."""
    fields = []
    for name, hint in get_type_hints(record, include_extras=True).items():
        spec = get_args(hint)[1:] if get_origin(hint) is Annotated else ("i8",)
        fields.append((name, *spec))
    return cast("np.dtype[np.void]", np.dtype(cast(Any, fields), align=True))
