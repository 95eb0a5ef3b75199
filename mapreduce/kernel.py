"""What a kernel is: one Python function on arrays and numbers, with three uses.

It runs as plain Python (the reference), compiled for this host (the native baseline) and compiled for the memory's
cores (``mapreduce.compile``). This file holds the function, its signature and the registry; it compiles nothing itself.
"""

import hashlib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import sigutils, types
from numba.np import numpy_support

from mapreduce.source import normalised_source
from pim import jit
from pim.errors import ConfigError

F = TypeVar("F", bound=Callable[..., Any])

SHIPPED = ("wordcount", "kmeans", "q6")
"""Modules of ``mapreduce.kernels`` whose ELFs are part of the package."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel: an array of ``dtype``, or a scalar (``dtype`` int64 or float64)."""

    name: str
    dtype: np.dtype[Any]
    is_array: bool


@dataclass(frozen=True)
class Kernel:
    """A registered kernel.

    Attributes
    ----------
    function : callable
        The plain Python function. Integer arithmetic wraps at 64 bits in compiled code: values that may exceed it
        must be ``np.int64``, and callers of the plain function silence NumPy's overflow warning (``np.errstate``).
    signature : str
        Numba signature, e.g. ``"int64(uint8[::1], int64)"``: C-contiguous 1-D arrays, int64 and float64 scalars.
    """

    function: Callable[..., int]
    signature: str

    @property
    def name(self) -> str:
        """Name of the function, unique among the registered kernels."""
        return self.function.__name__

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in order, from signature and function."""
        code = self.function.__code__
        arguments, result = sigutils.normalize_signature(self.signature)
        names = code.co_varnames[: code.co_argcount]
        where = f"kernel {self.name}, signature {self.signature!r}"
        if result != types.int64:
            raise ConfigError(f"{where}: result must be int64, got {result}")
        if len(names) != len(arguments):
            raise ConfigError(f"{where}: {len(arguments)} types for the {len(names)} parameters {names}")
        return tuple(_parameter(where, name, kind) for name, kind in zip(names, arguments, strict=True))

    def native(self) -> Callable[..., int]:
        """Return the function compiled for this host with all of its optimisations; it releases the GIL."""
        return self._native

    @cached_property
    def _native(self) -> Callable[..., int]:
        return jit.kernel(self.function)

    def digest(self, target: str, recipe: str) -> str:
        """Return the key of the ELF for ``target`` made by ``recipe``: 16 hex digits."""
        text = "\0".join([normalised_source(self.function), self.signature, target, recipe])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _parameter(where: str, name: str, kind: Any) -> Parameter:
    if isinstance(kind, types.Array):
        if kind.ndim != 1 or kind.layout != "C" or not isinstance(kind.dtype, types.Number):
            raise ConfigError(f"{where}: {name} must be a C-contiguous 1-D array of numbers ('[::1]'), got {kind}")
        return Parameter(name, numpy_support.as_dtype(kind.dtype), is_array=True)
    if kind not in (types.int64, types.float64):
        raise ConfigError(f"{where}: scalar {name} must be int64 or float64, got {kind}")
    return Parameter(name, numpy_support.as_dtype(kind), is_array=False)


_registry: dict[str, Kernel] = {}


def kernel(signature: str) -> Callable[[Callable[..., int]], Kernel]:
    """Register a function as a kernel under its name."""

    def register(function: Callable[..., int]) -> Kernel:
        made = Kernel(function, signature)
        known = _registry.setdefault(made.name, made)
        if known.function.__code__.co_filename != function.__code__.co_filename:
            raise ConfigError(
                f"kernel {made.name} in {function.__module__}: the name is taken by {known.function.__module__}"
            )
        _registry[made.name] = made
        return made

    return register


def shipped_kernels() -> list[Kernel]:
    """Return the kernels of the shipped workloads, by name."""
    modules = [importlib.import_module(f"mapreduce.kernels.{name}") for name in SHIPPED]
    return sorted((v for m in modules for v in vars(m).values() if isinstance(v, Kernel)), key=lambda k: k.name)


def helper(function: F) -> F:
    """Make ``function`` callable from kernels; it becomes part of each on every target."""
    return cast(F, numba.extending.register_jitable(inline="always")(function))


@helper
def index(i: int | np.int64) -> np.uint64:
    """Return ``i``, which must not be negative, as an array index: spares Numba's code for negative indices."""
    return np.uint64(i)
