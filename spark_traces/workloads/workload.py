"""What a traceable workload is: how its input is sized, written, loaded, run, and what its result looks like."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Arrays = Mapping[str, npt.NDArray[np.generic]]
Parameters = Mapping[str, int]
Plans = Callable[[], dict[str, list[Any]]]


@dataclass(frozen=True, slots=True)
class Workload:
    """One PySpark program with its input and result.

    Attributes
    ----------
    name, generator : str
        Workload and generator of its input (`spark_traces.generate`).
    input_parameters : callable
        Size in bytes -> the generator's parameters, for an input of at least that size in memory.
    parameters : callable
        The generator's parameters -> the program's parameters (default values).
    write_input : callable
        (arrays, parameters, folder, n_partitions): writes the files that the program reads.
    load : callable
        (spark session, folder, parameters, n_partitions) -> handle: reads, parses, caches and counts.
    unload : callable
        (handle) -> None: drops what `load` cached.
    run : callable
        (spark session, handle, parameters) -> (result, plans): one run; the result in canonical form, and a function
        that describes what was run (called outside the measured time): ``lineage`` (RDD debug strings), or
        ``executed_plans`` (JSON) and ``plans`` (text).
    check_result : callable
        (value, parameters) -> None, or what is wrong with a result's form.
    map_kernel, reduce_kernel : str
        Roles that the stages writing a shuffle, and the others, are bound to.
    """

    name: str
    generator: str
    input_parameters: Callable[[int], dict[str, int]]
    parameters: Callable[[Parameters], dict[str, int]]
    write_input: Callable[[Arrays, Parameters, Path, int], None]
    load: Callable[[Any, str, Parameters, int], Any]
    unload: Callable[[Any], None]
    run: Callable[[Any, Any, Parameters], tuple[Any, Plans]]
    check_result: Callable[[Any, Parameters], str | None]

    @property
    def map_kernel(self) -> str:
        """Role of the stages that write a shuffle."""
        return f"{self.name}.map"

    @property
    def reduce_kernel(self) -> str:
        """Role of the stages that end a job."""
        return f"{self.name}.reduce"
