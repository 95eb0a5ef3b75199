"""The shipped kernels with small inputs through mailbox arguments, and loops with one kind of access each."""

from collections.abc import Sequence

import numpy as np

from mapreduce.compile import kernel_elf
from mapreduce.kernel import Kernel
from mapreduce.kernels.kmeans import kmeans_map, kmeans_reduce
from mapreduce.kernels.q6 import q6_map, q6_reduce
from mapreduce.kernels.wordcount import wordcount_map, wordcount_reduce
from mapreduce.place import aligned
from pim.config import SystemConfig
from pim.isa import load_elf
from pim.system.bare import BareMachine
from rtl.tests.lockstep_guests import CYCLE_LIMIT, MEMORY_BYTES
from study.lockstep import Guest
from tests.support.assembly import MEMORY_AT
from tests.support.guest_loops import random_access, scattered_stores, stream

D, K = 4, 3


def kernel_guests(system: SystemConfig, size: int = 1) -> list[Guest]:
    """Return each kernel and loop once; ``size`` scales the inputs."""
    rng = np.random.default_rng(6)
    n = 40 * size
    words = rng.choice(["row", "bank", "column", "refresh", "a", "precharge-all", "x9"], 30 * size)
    text = np.frombuffer(" ".join(words).encode(), np.uint8)
    slots, entries = np.zeros(256, np.int32), np.zeros(512, np.int64)
    used = wordcount_map.native()(text, slots.copy(), entries)
    records = np.concatenate([entries[:used]] * 3)
    points = np.round(rng.uniform(-8, 8, n * D) * 2**20) / 2**20
    sums = rng.uniform(-100, 100, 2 * K * D)
    money = [rng.integers(0, high, n) for high in (11, 5100, 10**7)]
    calls: list[tuple[Kernel, Sequence[np.ndarray | int]]] = [
        (q6_map, (rng.integers(8700, 9200, n).astype(np.int32), *money, 8766, 9131, 5, 7, 2400, np.zeros(1, np.int64))),
        (q6_reduce, (rng.integers(-(2**40), 2**40, n), np.zeros(1, np.int64))),
        (kmeans_map, (points, points[: K * D].copy(), D, np.zeros(K * D), np.zeros(K, np.int64))),
        (kmeans_reduce, (sums, rng.integers(0, 9, 2 * K), np.zeros(K * D), np.zeros(K, np.int64))),
        (wordcount_map, (text, slots, np.zeros(512, np.int64))),
        (wordcount_reduce, (records, slots, np.zeros(512, np.int64))),
    ]
    loops = {
        "stream": stream(100 * size),
        "random access": random_access(30 * size, 16),
        "random access, large": random_access(30 * size, 15),
        "scattered stores": scattered_stores(25 * size, 14),
    }
    made = [_call(system, kernel, arguments) for kernel, arguments in calls]
    return made + [
        Guest(name, BareMachine(system, program, memory_bytes=MEMORY_BYTES, single_step=True, cycle_limit=CYCLE_LIMIT))
        for name, program in loops.items()
    ]


def _call(system: SystemConfig, kernel: Kernel, arguments: Sequence[np.ndarray | int]) -> Guest:
    program = load_elf(kernel_elf(kernel, system.core.extensions))
    at = aligned(max(segment.end for segment in program.segments))
    words, writes = [], []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            words += [at, len(argument)]
            writes.append((at - MEMORY_AT, argument))
            at = aligned(at + argument.nbytes)
        else:
            words.append(int(argument))
    machine = BareMachine(
        system, program, arguments=words, memory_bytes=MEMORY_BYTES, single_step=True, cycle_limit=CYCLE_LIMIT
    )
    for offset, array in writes:
        machine.group.memory.u8[offset : offset + array.nbytes] = array.view(np.uint8)
    return Guest(kernel.name, machine)
