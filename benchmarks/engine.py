"""How many instructions a second are simulated, on one core with all of its timing, kernel by kernel.

CPU time, so that other work on this host counts little; compiling is apart. The same program with the same data runs
on QEMU user mode, which counts no cycles. What each run leaves in memory is compared with the kernel on this host.
"""

import argparse
import shutil
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import user_mode
from benchmarks.kernels import byte_histogram, hash_join, merge_sort, stream
from mapreduce.compile import kernel_elf
from mapreduce.kernel import Kernel
from mapreduce.kernels.kmeans import kmeans_map
from mapreduce.kernels.wordcount import wordcount_map
from pim.config import SystemConfig, load_system, preset_names, with_overrides
from pim.engines import Engine as Engines
from pim.isa import Program, load_elf
from pim.system import CoreTask, GroupRun, run_cores

Array = npt.NDArray[Any]
DATA = 0x8001_0000
"""Where the arrays start: past the program, which is far smaller than 64 KB."""
PAGE_BYTES = 4096
SEED = 2019


@dataclass(frozen=True)
class Case:
    """A kernel with its arguments, the arrays among them at places a page or more apart."""

    name: str
    kernel: Kernel
    arguments: tuple[Array | int, ...]
    fpu: bool = False
    array_bytes: int = PAGE_BYTES
    """What the arrays' starts are multiples of."""

    def task(self) -> CoreTask:
        """Return what a core is given."""
        words, writes, reads, at = [], [], [], DATA
        for argument in self.arguments:
            if isinstance(argument, int):
                words.append(argument)
                continue
            at = -(-at // self.array_bytes) * self.array_bytes
            words += [at, len(argument)]
            writes.append((at, argument))
            reads.append((at, argument.nbytes))
            at += argument.nbytes
        return CoreTask(tuple(words), tuple(writes), tuple(reads))

    def expected(self) -> list[Array]:
        """Return the arrays as the kernel leaves them on this host."""
        arguments = [a if isinstance(a, int) else a.copy() for a in self.arguments]
        self.kernel.native()(*arguments)
        return [a.view(np.uint8) for a in arguments if not isinstance(a, int)]


def cases(scale: float) -> list[Case]:
    """Return what is measured; ``scale`` 1 is 50 to 100 million instructions each."""
    draw = np.random.default_rng(SEED)

    def count(n: int) -> int:
        return max(64, int(n * scale))

    words = [bytes(draw.integers(97, 123, draw.integers(2, 11), dtype=np.uint8)) for _ in range(5000)]
    text = b" ".join(words[i] for i in np.minimum(draw.zipf(1.3, count(500_000)) - 1, 4999))
    points = draw.integers(-1 << 20, 1 << 20, 8 * count(30_000)).astype(np.float64) / (1 << 20)
    fewer = points[: 8 * count(3000)]
    means = [np.zeros(64), np.zeros(8, np.int64)]
    keys = draw.permutation(count(100_000)).astype(np.int64) * 7
    slots = 1 << (2 * len(keys)).bit_length()
    join = [keys, draw.integers(0, 1000, len(keys)), draw.integers(0, 7 * len(keys), count(1_500_000))]
    values = draw.integers(-1 << 40, 1 << 40, count(200_000))
    found = [
        Case("byte histogram", byte_histogram, (draw.integers(0, 256, count(8_000_000), np.uint8), _zeros(256))),
        Case(
            "word count", wordcount_map, (np.frombuffer(text, np.uint8), np.zeros(1 << 16, np.int32), _zeros(1 << 16))
        ),
        Case("k-means, soft-float", kmeans_map, (fewer, fewer[:64].copy(), 8, *means)),
        Case("k-means, FPU", kmeans_map, (points, points[:64].copy(), 8, *means), fpu=True),
        Case("hash join", hash_join, (*join, _zeros(slots), _zeros(2))),
        Case("merge sort", merge_sort, (values, np.zeros_like(values))),
    ]
    length = 1 << 20
    for stride in (1, 8, 64, 512, 4096):
        arrays = [_zeros(length), draw.integers(0, 1000, length), draw.integers(0, 1000, length)]
        rounds = max(1, int(6_000_000 * scale) * stride // length)
        found.append(Case(f"stream, stride {8 * stride} B", stream, (*arrays, stride, rounds), array_bytes=8 * length))
    return found


def _zeros(n: int) -> Array:
    return np.zeros(n, np.int64)


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
    systems = {fpu: with_overrides(machine, {"core.extensions": _extensions(fpu)}) for fpu in (False, True)}
    for name in engines:
        start = time.process_time()
        measure(ENGINES[name], systems[False], cases(1e-5)[0], options.cores, 1)
        print(f"{name}: compiled, or loaded from the cache, in {time.process_time() - start:.1f} s")
    has_emulator = shutil.which(user_mode.EMULATOR) is not None
    print(f"{machine.name}, cores: {options.cores}; million instructions a second of CPU time, best and median of "
          f"{options.repeats} (of {user_mode.EMULATOR}, median)")  # fmt: skip
    columns = "".join(f"{name:>24}" for name in engines)
    print(f"{'':24}{'instructions':>14}{'CPI':>7}{columns}{user_mode.EMULATOR:>18}   {engines[-1]} / it")
    for case in cases(options.scale):
        if options.only not in case.name:
            continue
        system = systems[case.fpu]
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


def _extensions(fpu: bool) -> str:
    return "rv64imafdc" if fpu else "rv64imc"


if __name__ == "__main__":
    main()
