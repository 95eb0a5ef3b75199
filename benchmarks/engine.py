"""How many instructions a second are simulated, on one core with all of its timing, kernel by kernel.

CPU time, so that other work on this host counts little; compiling is apart, in `benchmarks.starts`, and what a second
host thread brings in `benchmarks.threads`: these tables follow. The same program with the same data runs
on QEMU user mode, which counts no cycles. What each run leaves in memory is compared with the kernel on this host.
"""

import argparse
import shutil
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks import user_mode
from benchmarks.cases import Case, cases, system_for
from benchmarks.starts import print_starts
from benchmarks.threads import print_threads
from mapreduce.compile import kernel_elf
from pim.config import SystemConfig, load_system, preset_names
from pim.engines import Engine as Engines
from pim.isa import Program, load_elf
from pim.system import CoreTask, GroupRun, run_cores

Engine = Callable[[SystemConfig, Program, Sequence[CoreTask]], GroupRun]
ENGINES: dict[str, Engine] = {engine.value: partial(run_cores, engine=engine) for engine in Engines}


@dataclass(frozen=True)
class Rate:
    """Million instructions a second of CPU time: best and median of the repeats."""

    best: float
    median: float


def rate(seconds: Sequence[float], instructions: int) -> Rate:
    """Return the best and the median rate of runs of so many instructions."""
    return Rate(instructions / min(seconds) / 1e6, instructions / statistics.median(seconds) / 1e6)


def measure(engine: Engine, system: SystemConfig, case: Case, n_cores: int, repeats: int) -> tuple[Rate, GroupRun]:
    """Return how fast an engine is, and what it did; raises where the result is wrong."""
    program = load_elf(kernel_elf(case.kernel, system.core.extensions))
    tasks = [case.task()] * n_cores
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        run = engine(system, program, tasks)
        seconds.append(time.process_time() - start)
    for core in run.cores:
        for got, expected in zip(core.outputs, case.expected(), strict=True):
            np.testing.assert_array_equal(got, expected, err_msg=case.name)
    return rate(seconds, sum(core.instructions for core in run.cores)), run


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--engine", action="append", choices=ENGINES, help="default: all")
    parser.add_argument("--machine", default="bank", help=f"{', '.join(preset_names())} or a machine file")
    parser.add_argument("--cores", type=int, default=1, help="cores of one group, each with a copy of the task")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="size of the inputs")
    parser.add_argument("--only", default="", help="part of a case's name")
    options = parser.parse_args()
    engines = options.engine or list(ENGINES)
    machine = load_system(options.machine)
    for name in engines:
        start = time.process_time()
        first = cases(1e-5)[0]
        measure(ENGINES[name], system_for(first, machine), first, options.cores, 1)
        print(f"{name}: compiled, or loaded from the cache, in {time.process_time() - start:.1f} s")
    has_emulator = shutil.which(user_mode.EMULATOR) is not None
    print(f"{machine.name}, cores: {options.cores}; million instructions a second of CPU time, best and median of "
          f"{options.repeats} (of {user_mode.EMULATOR}, median)")  # fmt: skip
    columns = "".join(f"{name:>24}" for name in engines)
    print(f"{'':24}{'instructions':>14}{'CPI':>7}{columns}{user_mode.EMULATOR:>18}   {engines[-1]} / it")
    for case in cases(options.scale):
        if options.only not in case.name:
            continue
        system = system_for(case, machine)
        rates = [measure(ENGINES[name], system, case, options.cores, options.repeats) for name in engines]
        core = rates[-1][1].cores[0]
        line = f"{case.name:24}{core.instructions:14,}{core.cycles / core.instructions:7.2f}"
        line += "".join(f"{found.best:14.1f}{found.median:10.1f}" for found, _ in rates)
        if has_emulator:
            program = load_elf(kernel_elf(case.kernel, system.core.extensions))
            emulated = statistics.median(user_mode.cpu_seconds(program, case.task(), options.repeats))
            if emulated > 0:  # a start takes longer than the shortest tasks
                median = core.instructions / emulated / 1e6
                line += f"{median:18.1f}   {rates[-1][0].median / median:.3f}"
        print(line, flush=True)
    print_starts()
    print_threads(options.scale, options.repeats, options.only)


if __name__ == "__main__":
    main()
