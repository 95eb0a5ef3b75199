"""One call of a kernel: what each argument is, before anything has an address.

The same call runs on this host (`run_native`) or is placed into a core's memory (``mapreduce.place``), so that both see
the same arguments and both give an `Outcome`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba.core.errors import NumbaError

from mapreduce.exceptions import CONSTANTS_ONLY, raised_here
from mapreduce.kernel import Kernel
from pim.errors import CapacityError, KernelError, LoadError, PimError

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Input:
    """An array that the kernel reads.

    A resident one is written to the core's memory once and stays over the iterations; the others are written for
    every call.
    """

    content: Array
    resident: bool = False


@dataclass(frozen=True)
class Scratch:
    """Room that the kernel works in; not initialised."""

    dtype: Any
    n_items: int


@dataclass(frozen=True)
class Output:
    """Room for a result; not initialised.

    With ``returned``, the kernel's value is how many items it used, and only these are read back.
    """

    dtype: Any
    n_items: int
    returned: bool = False


Argument = Input | Scratch | Output | int | float


def array_shape(argument: Argument) -> tuple[np.dtype[Any], int] | None:
    """Return dtype and number of items of an array argument, None for a scalar."""
    match argument:
        case Input(content):
            return content.dtype, content.size
        case Scratch(dtype, n_items) | Output(dtype, n_items):
            return np.dtype(dtype), n_items
    return None


@dataclass(frozen=True)
class Outcome:
    """What a call gave: the kernel's value and the arrays of its outputs, in order, as far as they were used."""

    value: int
    outputs: tuple[Array, ...]

    @property
    def nbytes(self) -> int:
        """Size of the outputs, bytes."""
        return sum(array.nbytes for array in self.outputs)


@dataclass(frozen=True)
class Call:
    """A kernel and its arguments, one per parameter, in order."""

    kernel: Kernel
    arguments: tuple[Argument, ...]

    def __post_init__(self) -> None:
        parameters = self.kernel.parameters
        if len(parameters) != len(self.arguments):
            raise TypeError(f"{self.kernel.name}: {len(parameters)} parameters, {len(self.arguments)} arguments")
        for parameter, argument in zip(parameters, self.arguments, strict=True):
            dtype = _dtype(argument)
            if (dtype is not None) != parameter.is_array or (dtype is not None and dtype != parameter.dtype):
                raise TypeError(
                    f"{self.kernel.name}: {parameter.name} must be {'array' if parameter.is_array else 'scalar'} of "
                    f"{parameter.dtype}, got {dtype or type(argument).__name__}"
                )

    @property
    def inputs(self) -> tuple[Array, ...]:
        """Contents of the input arrays, in order."""
        return tuple(a.content for a in self.arguments if isinstance(a, Input))

    def input_bytes(self, *, resident: bool) -> int:
        """Return the size of the inputs that are (not) resident, bytes."""
        return sum(a.content.nbytes for a in self.arguments if isinstance(a, Input) and a.resident == resident)

    def run(self, function: Callable[..., int]) -> Outcome:
        """Run a compiled or plain form of the kernel on arrays of this process.

        Raises
        ------
        KernelError
            The kernel raised an exception.
        LoadError
            It can't be compiled.
        CapacityError
            It gave up for want of room.
        """
        values: list[Any] = []
        for argument in self.arguments:
            match argument:
                case Input(content):
                    values.append(content)
                case Scratch(dtype, n_items) | Output(dtype, n_items):
                    values.append(np.empty(n_items, dtype))
                case _:
                    values.append(argument)
        value = self._value(function, values)
        self.check_value(value, "on the host")
        outputs = [
            (argument, array)
            for argument, array in zip(self.arguments, values, strict=True)
            if isinstance(argument, Output)
        ]
        # copies, so that rooms sized for the worst case don't stay
        return Outcome(value, tuple(array[: value if out.returned else None].copy() for out, array in outputs))

    def _value(self, function: Callable[..., int], values: list[Any]) -> int:
        try:
            return int(function(*values))
        except NumbaError as error:
            hint = f" ({CONSTANTS_ONLY}, and arrays come from outside)" if "NRT required" in str(error) else ""
            raise LoadError(f"kernel {self.kernel.name}: can't be compiled for this host{hint}: {error}") from error
        except PimError:
            raise
        except Exception as error:
            raise KernelError(self.kernel.name, str(raised_here(error, self.kernel.origin))) from error

    def run_native(self, hart_id: int | None = None) -> Outcome:
        """Run the kernel compiled for this host; releases the GIL.

        Parameters
        ----------
        hart_id : int, optional
            Core whose task it is, for the message of a KernelError.
        """
        try:
            return self.run(self.kernel.native())
        except KernelError as error:
            raise KernelError(error.kernel, error.raised, hart_id) from error.__cause__

    def check_value(self, value: int, where: str) -> None:
        """Raise CapacityError for the negative value by which a kernel says that a buffer is too small."""
        if value < 0:
            rooms = ", ".join(
                f"{p.name} {a.n_items} items"
                for p, a in zip(self.kernel.parameters, self.arguments, strict=True)
                if isinstance(a, Scratch | Output)
            )
            raise CapacityError(f"kernel {self.kernel.name} {where}: gave up with value {value}; its rooms: {rooms}")


def _dtype(argument: Argument) -> np.dtype[Any] | None:
    shape = array_shape(argument)
    return shape[0] if shape is not None else None
