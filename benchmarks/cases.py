"""Kernels and data that simulators are measured with."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.kernels import byte_histogram, hash_join, merge_sort, stream
from mapreduce.kernel import Kernel
from mapreduce.kernels.kmeans import kmeans_map
from mapreduce.kernels.wordcount import wordcount_map
from pim.config import SystemConfig, with_overrides
from pim.system import CoreTask

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


def system_for(case: Case, machine: SystemConfig) -> SystemConfig:
    """Return a machine with the extensions that a case is measured with."""
    return with_overrides(machine, {"core.extensions": "rv64imafdc" if case.fpu else "rv64imc"})


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
