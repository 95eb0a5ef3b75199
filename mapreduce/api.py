"""What a job is: two kernels, and how data goes into them, between them and out of them.

The runtime decides where and when calls run and what that costs; a job only says what they are. Every step that is not
a kernel runs on the host, in NumPy or Numba.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from mapreduce.call import Array, Call, Outcome
from mapreduce.kernel import Kernel
from pim.errors import ConfigError

Arrays = Mapping[str, Array]
Parameters = Mapping[str, Any]


class Job(ABC):
    """A MapReduce job. Map kernels combine: each gives one outcome, whatever the number of its records.

    Attributes
    ----------
    name : str
        Of the workload.
    map_kernel, reduce_kernel : Kernel
        What runs on the cores.
    inputs : mapping
        Name to dtype of the arrays that `split` takes.
    map_unit, reduce_unit : str
        What the work of a call is counted in, for calibrated times.
    """

    name: ClassVar[str]
    map_kernel: ClassVar[Kernel]
    reduce_kernel: ClassVar[Kernel]
    inputs: ClassVar[Mapping[str, str]]
    map_unit: ClassVar[str]
    reduce_unit: ClassVar[str]

    def check(self, inputs: Arrays, parameters: Parameters) -> None:
        """Raise ConfigError where inputs or parameters can't be this job's."""
        del parameters
        for name, dtype in self.inputs.items():
            if name not in inputs:
                raise ConfigError(f"job {self.name}: input {name!r} is missing; got {sorted(inputs)}")
            array = inputs[name]
            if array.dtype != np.dtype(dtype) or array.ndim != 1 or not array.flags.c_contiguous:
                raise ConfigError(
                    f"job {self.name}: input {name!r} must be a contiguous 1-D array of {dtype}, "
                    f"got {array.ndim}-D {array.dtype}"
                )

    def iterations(self, parameters: Parameters) -> int:
        """Return how many times map and reduce run."""
        del parameters
        return 1

    @abstractmethod
    def split(self, inputs: Arrays, parameters: Parameters, n: int) -> list[Arrays]:
        """Return ``n`` parts, balanced, together the whole input; views, no copies."""

    @abstractmethod
    def start(self, inputs: Arrays, parameters: Parameters) -> Arrays:
        """Return the state before the first iteration: what is broadcast to every map call."""

    @abstractmethod
    def map_call(self, part: Arrays, state: Arrays, parameters: Parameters) -> Call:
        """Return the map call of a part."""

    @abstractmethod
    def shuffle(self, outcomes: Sequence[Outcome], n: int) -> list[Arrays | None]:
        """Return what each of ``n`` reduce calls works on, None for those without work."""

    @abstractmethod
    def reduce_call(self, part: Arrays) -> Call:
        """Return the reduce call of a shuffled part."""

    @abstractmethod
    def update(self, outcomes: Sequence[Outcome], state: Arrays) -> Arrays:
        """Return the state after an iteration, from the outcomes of the reduce calls."""

    @abstractmethod
    def result(self, state: Arrays) -> Any:
        """Return the final state as a canonical JSON value, to compare with other implementations."""

    def map_units(self, call: Call) -> int:
        """Return the work of a map call in ``map_unit``."""
        return call.inputs[0].size

    def reduce_units(self, call: Call) -> int:
        """Return the work of a reduce call in ``reduce_unit``."""
        return call.inputs[0].size
