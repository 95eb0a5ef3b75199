"""How fast the interpreter is on floating-point kernels, relative to an integer kernel in the same run (CPU time).

Sums that stay exact are the slower case: once a core has raised the inexact flag, results need no check for it.
"""

import time
from typing import Any

import numpy as np

from mapreduce.compile import kernel_elf
from mapreduce.kernel import Kernel, index, kernel
from mapreduce.kernels.kmeans import kmeans_map
from pim.config import load_system, with_overrides
from pim.isa import load_elf
from pim.system import CoreTask, run_cores

Array = np.ndarray[tuple[int], np.dtype[Any]]
SYSTEM = with_overrides(load_system("bank"), {"core.extensions": "rv64imafdc"})
DATA = 0x8001_0000
"""Where the arrays start: past the program, which is far smaller than 64 KB."""
REPEATS = 3


@kernel("int64(int64[::1], int64[::1])")
def integer_sum(values: Array, answer: Array) -> int:
    """Add the squares of integers: what the others are compared with."""
    total = 0
    for i in range(len(values)):
        total += values[index(i)] * values[index(i)]
    answer[0] = total
    return 0


@kernel("int64(float64[::1], float64[::1])")
def sum_of_squares(values: Array, answer: Array) -> int:
    """Add squares."""
    total = 0.0
    for i in range(len(values)):
        total += values[index(i)] * values[index(i)]
    answer[0] = total
    return 0


@kernel("int64(float64[::1], float64[::1])")
def polynomial(values: Array, answer: Array) -> int:
    """Add the values of a polynomial of degree 8."""
    total = 0.0
    for i in range(len(values)):
        x = values[index(i)]
        p = x * 0.125 + 0.25
        for c in (0.375, 0.5, 0.625, 0.75, 0.875, 1.0, 1.125):
            p = p * x + c
        total += p
    answer[0] = total
    return 0


@kernel("int64(float64[::1], float64[::1])")
def division(values: Array, answer: Array) -> int:
    """Add quotients and square roots."""
    total = 0.0
    for i in range(len(values)):
        x = values[index(i)]
        total += np.sqrt(x) / (x + 3.0)
    answer[0] = total
    return 0


def rate(function: Kernel, arrays: list[Array], scalars: tuple[int, ...] = (), places: tuple[int, ...] = ()) -> float:
    """Return million simulated instructions a second of CPU time."""
    program = load_elf(kernel_elf(function, SYSTEM.core.extensions))
    starts = [int(start) for start in DATA + np.cumsum([0, *(array.nbytes for array in arrays[:-1])])]
    words = [word for start, array in zip(starts, arrays, strict=True) for word in (start, len(array))]
    for place, scalar in zip(places, scalars, strict=True):
        words.insert(place, scalar)
    tasks = [CoreTask(tuple(words), tuple(zip(starts, arrays, strict=True)))] * SYSTEM.cores_per_group
    rates = []
    for _ in range(REPEATS):
        start = time.process_time()
        run = run_cores(SYSTEM, program, tasks)
        rates.append(sum(core.instructions for core in run.cores) / (time.process_time() - start) / 1e6)
    return max(rates)


if __name__ == "__main__":
    draw = np.random.default_rng(1)
    n = 100_000
    uneven, whole = draw.random(n), draw.integers(0, 1000, n).astype(np.float64)
    points = draw.integers(-1 << 20, 1 << 20, n).astype(np.float64) / (1 << 20)
    integers, total = draw.integers(0, 1000, n), np.zeros(1)
    rate(integer_sum, [integers[:100], np.zeros(1, np.int64)])  # compiles
    baseline = rate(integer_sum, [integers, np.zeros(1, np.int64)])
    cases = {
        "sum of squares, inexact": rate(sum_of_squares, [uneven, total]),
        "sum of squares, exact": rate(sum_of_squares, [whole, total]),
        "polynomial, inexact": rate(polynomial, [uneven, total]),
        "polynomial, exact (of zeros)": rate(polynomial, [0 * uneven, total]),
        "quotients and roots": rate(division, [uneven, total]),
        "k-means step": rate(kmeans_map, [points, points[:64].copy(), np.zeros(64), np.zeros(8, np.int64)], (8,), (4,)),
    }
    print(f"{'integers':30} {baseline:7.1f} million/s")
    for name, value in cases.items():
        print(f"{name:30} {value:7.1f} million/s {value / baseline:5.2f} of the integer kernel")
