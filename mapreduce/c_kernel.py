"""Kernels in C: a function in a file of the user's, compiled for the cores and for this host by the same compiler.

The function takes an array as pointer and number of items, int64 and float64 scalars as they are, and returns an
int64::

    int64_t histogram(const uint8_t *text, size_t n, int64_t *counts, size_t n_counts)

    histogram = c_kernel("histogram.c", "histogram", "int64(uint8[::1], int64[::1])")
"""

import ctypes
import hashlib
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from mapreduce.c_entry import NATIVE_NAME, native_source
from mapreduce.kernel import Kernel, Parameter, register
from mapreduce.toolchain import C_FLAGS, HOST, cpu_key, host_runtime_library, portable_names, toolchain, zig
from pim.errors import ConfigError, LoadError
from pim.files import read_bounded, write_atomic
from pim.jit import cache_root

NATIVE_RECIPE = "1"
"""Version of how native libraries are made."""

MAX_SOURCE_BYTES = 16 << 20
"""Largest source file."""

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


@dataclass(frozen=True)
class CKernel(Kernel):
    """A kernel in C.

    Attributes
    ----------
    path : Path
        The file, absolute.
    function : str
        Name of the function in it.
    """

    path: Path
    function: str
    signature: str

    @property
    def name(self) -> str:
        """Name of the function."""
        return self.function

    @property
    def origin(self) -> str:
        """File of the function."""
        return str(self.path)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in order, from the signature."""
        return self.typed_parameters()

    def source(self) -> str:
        """Return names of function and file, and the file's content with that of those it includes by ``"name"``."""
        seen: dict[Path, bytes] = {}
        _collect(self.path, seen)
        return "\0".join([self.function, self.path.name, *(content.decode("latin-1") for content in seen.values())])

    def native(self) -> Callable[..., int]:
        """Return the function compiled for this host; it releases the GIL."""
        return self._native

    @cached_property
    def _native(self) -> Callable[..., int]:
        library = ctypes.CDLL(str(self._native_library()))
        function, parameters, name = library[NATIVE_NAME], self.parameters, self.name
        function.restype = ctypes.c_int64
        kinds: list[Any] = []
        for parameter in parameters:
            if parameter.is_array:
                kinds += [ctypes.c_void_p, ctypes.c_ssize_t]
            else:
                kinds.append(ctypes.c_double if parameter.dtype.kind == "f" else ctypes.c_int64)
        function.argtypes = kinds

        def call(*arguments: Any) -> int:
            values: list[Any] = []
            for parameter, argument in zip(parameters, arguments, strict=True):
                if parameter.is_array:
                    _check_array(name, parameter, argument)
                    values += [argument.ctypes.data, argument.size]
                else:
                    values.append(float(argument) if parameter.dtype.kind == "f" else int(argument))
            return int(function(*values))

        return call

    def _native_library(self) -> Path:
        """Return the shared library, made if the cache has none for this processor."""
        parts = [self.source(), self.signature, NATIVE_RECIPE, cpu_key()]
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
        cached = cache_root() / "native" / f"{self.name}-{key}.so"
        if not cached.exists():
            toolchain(f"kernel {self.name}: compiling it")
            with tempfile.TemporaryDirectory() as folder:
                work = Path(folder)
                made = work / "kernel.so"
                runtime = host_runtime_library(work)
                flags = ["-target", HOST, "-shared", "-fPIC", "-O3", str(runtime)]
                compile_c(self, native_source(self), flags, made, work)
                write_atomic(cached, made.read_bytes())
        return cached


def c_kernel(path: Path | str, function: str, signature: str) -> CKernel:
    """Register a C function as a kernel under its name.

    Parameters
    ----------
    path : Path or str
        C file; ``#include "..."`` finds what is beside it.
    function : str
        Name of the function.
    signature : str
        As of a Python kernel. An array becomes two arguments of the C function: pointer and number of items.

    Raises
    ------
    LoadError
        The file can't be read.
    ConfigError
        The signature is not one of a kernel, or the name is taken by another file's kernel.
    """
    where = f"C kernel {function!r} in {path}"
    if not re.fullmatch(r"[A-Za-z_]\w*", function, re.ASCII):
        raise ConfigError(f"{where}: the name of a C function must be letters, digits and underscores")
    absolute = Path(path).resolve()
    if re.search(r'["\\\n]', str(absolute)):
        raise ConfigError(f"{where}: the path must have no quotation mark, backslash or line break")
    made = CKernel(absolute, function, signature)
    made.source()
    _ = made.parameters
    register(made)
    return made


def compile_c(kernel: CKernel, text: str, flags: list[str], output: Path, work: Path) -> None:
    """Compile ``text``, which includes the kernel's file, into ``output``.

    Raises
    ------
    LoadError
        With the compiler's first errors by file and line.
    """
    source = work / f"{kernel.name}-entry.c"
    source.write_text(text)
    folder = kernel.path.parent
    what = f"kernel {kernel.name}, {output.stem.removeprefix(kernel.name).strip('-') or 'host'}"
    try:
        zig(what, ["cc", *C_FLAGS, *portable_names(what, work, folder), *flags, source.name, "-o", output], work)
    except LoadError as error:
        if re.search(rf"signature [^\n]*undeclared function '{kernel.name}'", str(error)):
            raise LoadError(f"{kernel.path}: has no function {kernel.name}") from None
        raise LoadError(str(error).replace(f"{folder}/", "")) from None


def _collect(path: Path, seen: dict[Path, bytes]) -> None:
    """Read a file and those it includes that are there. Updates ``seen``."""
    if path in seen:
        return
    seen[path] = read_bounded(path, MAX_SOURCE_BYTES, f"C file {path}")
    for name in _INCLUDE.findall(seen[path]):
        included = path.parent / name.decode("utf-8", "surrogateescape")
        if included.is_file():
            _collect(included.resolve(), seen)


def _check_array(name: str, parameter: Parameter, argument: Any) -> None:
    """Raise TypeError for what C would read as something else."""
    is_fit = isinstance(argument, np.ndarray) and argument.ndim == 1 and argument.flags.c_contiguous
    if not is_fit or argument.dtype != parameter.dtype:
        raise TypeError(f"{name}: {parameter.name} must be a contiguous 1-D array of {parameter.dtype}")
