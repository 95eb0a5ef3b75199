"""What a kernel is: one function on arrays and numbers, with several uses.

A Python kernel runs as plain Python (the reference), compiled for this host (the native baseline) and compiled for the
memory's cores (``mapreduce.compile``); a C kernel (``mapreduce.c_kernel``) has the last two. This file holds what the
two have in common, Python kernels, and the registry; it compiles nothing for the cores itself.
"""

import hashlib
import importlib
from abc import ABC, abstractmethod
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


class Kernel(ABC):
    """A kernel, whatever its language.

    Attributes
    ----------
    signature : str
        Numba signature, e.g. ``"int64(uint8[::1], int64)"``: C-contiguous 1-D arrays, int64 and float64 scalars.
    """

    signature: str

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the function, unique among the registered kernels."""

    @property
    @abstractmethod
    def origin(self) -> str:
        """Where the function is: its file, for messages."""

    @property
    @abstractmethod
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in order."""

    @abstractmethod
    def native(self) -> Callable[..., int]:
        """Return the function compiled for this host with all of its optimisations; it releases the GIL."""

    @abstractmethod
    def source(self) -> str:
        """Return the text that the compiled code depends on.

        Raises
        ------
        LoadError
            It can't be read.
        """

    def digest(self, target: str, recipe: str) -> str:
        """Return the key of the ELF for ``target`` made by ``recipe``: 16 hex digits."""
        text = "\0".join([self.source(), self.signature, target, recipe])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def typed_parameters(self, names: tuple[str, ...] | None = None) -> tuple[Parameter, ...]:
        """Return the signature's parameters; without ``names`` they are called ``argument_1`` and so on.

        Raises
        ------
        ConfigError
            The signature is not one of a kernel, or has not as many parameters as there are names.
        """
        where = f"kernel {self.name}, signature {self.signature!r}"
        try:
            arguments, result = sigutils.normalize_signature(self.signature)
        except Exception as error:  # Numba evaluates the text as Python: anything may come
            raise ConfigError(f"{where}: is none, such as int64(uint8[::1], int64): {error}") from error
        if result != types.int64:
            raise ConfigError(f"{where}: result must be int64, got {result}")
        names = names if names is not None else tuple(f"argument_{i + 1}" for i in range(len(arguments)))
        if len(names) != len(arguments):
            raise ConfigError(f"{where}: {len(arguments)} types for the {len(names)} parameters {names}")
        return tuple(_parameter(where, name, kind) for name, kind in zip(names, arguments, strict=True))


@dataclass(frozen=True)
class PythonKernel(Kernel):
    """A kernel in the Numba subset of Python.

    Attributes
    ----------
    function : callable
        The plain Python function. Integer arithmetic wraps at 64 bits in compiled code: values that may exceed it
        must be ``np.int64``, and callers of the plain function silence NumPy's overflow warning (``np.errstate``).
    """

    function: Callable[..., int]
    signature: str

    @property
    def name(self) -> str:
        """Name of the function."""
        return self.function.__name__

    @property
    def origin(self) -> str:
        """File of the function."""
        return self.function.__code__.co_filename

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in order, from signature and function."""
        code = self.function.__code__
        return self.typed_parameters(code.co_varnames[: code.co_argcount])

    def native(self) -> Callable[..., int]:
        """Return the function compiled for this host; the first call of it compiles."""
        return self._native

    @cached_property
    def _native(self) -> Callable[..., int]:
        return jit.kernel(self.function)

    def source(self) -> str:
        """Return the function's source and that of its helpers, and the line numbers that its code carries."""
        return normalised_source(self.function, with_lines=True)


def _parameter(where: str, name: str, kind: Any) -> Parameter:
    if isinstance(kind, types.Array):
        if kind.ndim != 1 or kind.layout != "C" or not isinstance(kind.dtype, types.Number):
            raise ConfigError(f"{where}: {name} must be a C-contiguous 1-D array of numbers ('[::1]'), got {kind}")
        return Parameter(name, numpy_support.as_dtype(kind.dtype), is_array=True)
    if kind not in (types.int64, types.float64):
        raise ConfigError(f"{where}: scalar {name} must be int64 or float64, got {kind}")
    return Parameter(name, numpy_support.as_dtype(kind), is_array=False)


_registry: dict[str, Kernel] = {}


def kernel(signature: str) -> Callable[[Callable[..., int]], PythonKernel]:
    """Register a function as a kernel under its name."""

    def make(function: Callable[..., int]) -> PythonKernel:
        made = PythonKernel(function, signature)
        register(made)
        return made

    return make


def register(made: Kernel) -> None:
    """Take note of a kernel's name.

    Raises
    ------
    ConfigError
        A kernel of another file has it.
    """
    known = _registry.setdefault(made.name, made)
    if known.origin != made.origin:
        raise ConfigError(f"kernel {made.name} in {made.origin}: the name is taken by the one in {known.origin}")
    _registry[made.name] = made


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
