"""How many instructions a second the interpreter simulates: Q6's map function on the cores of one group, per level."""

import time

import numpy as np

from mapreduce.compile import kernel_elf
from mapreduce.kernels.q6 import q6_map
from pim.config import SystemConfig, load_system, preset_names
from pim.isa import load_elf
from pim.system import CoreTask, run_cores

ROWS = 200_000
DATA = 0x8001_0000
"""Where the columns start: past the program, which is far smaller than 64 KB."""


def task(seed: int) -> CoreTask:
    """Return one core's share: columns in memory one after the other, and their mailbox words."""
    draw = np.random.default_rng(seed)
    columns = [
        draw.integers(8000, 10000, ROWS, dtype=np.int32),
        *(draw.integers(0, most, ROWS) for most in (11, 5000, 10_000_000)),
    ]
    starts = DATA + np.cumsum([0, *(column.nbytes for column in columns)])
    arrays = [word for start in starts[:-1] for word in (int(start), ROWS)]
    limits = [8766, 9131, 5, 7, 2400]  # the query's days, discounts and quantity
    return CoreTask(
        arguments=(*arrays, *limits, int(starts[-1]), 1),
        writes=tuple(zip(map(int, starts), columns, strict=False)),
        reads=((int(starts[-1]), 8),),
    )


def measure(system: SystemConfig) -> tuple[int, float, int]:
    """Return instructions simulated, seconds they took here, and core cycles of the slowest core."""
    program = load_elf(kernel_elf(q6_map, system.core.extensions))
    tasks = [task(seed) for seed in range(system.cores_per_group)]
    run_cores(system, program, [task(0)])  # compiles
    start = time.perf_counter()
    run = run_cores(system, program, tasks)
    seconds = time.perf_counter() - start
    return sum(core.instructions for core in run.cores), seconds, max(core.cycles for core in run.cores)


if __name__ == "__main__":
    print("level    cores  instructions  seconds  million/s  core cycles")
    for name in preset_names():
        system = load_system(name)
        instructions, seconds, cycles = measure(system)
        rate = instructions / seconds / 1e6
        print(f"{name:8} {system.cores_per_group:5} {instructions:13,} {seconds:8.2f} {rate:10.1f} {cycles:12,}")
