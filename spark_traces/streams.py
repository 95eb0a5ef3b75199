"""Counter-based random numbers: number ``i`` of a stream is SplitMix64's finaliser of a key and ``i``.

So any part of a stream can be made alone, and is the same on every platform.

References
----------
Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014, figure 16 (SplitMix64).
"""

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

from pim.jit import inlined_kernel, kernel

_GAMMA = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_MASK = (1 << 64) - 1


def mix64(value: int) -> int:
    """Return SplitMix64's finaliser of a 64-bit unsigned ``value``."""
    value = ((value ^ (value >> 30)) * _MIX_1) & _MASK
    value = ((value ^ (value >> 27)) * _MIX_2) & _MASK
    return value ^ (value >> 31)


def stream_key(seed: int, stream: str) -> int:
    """Return the 64-bit key of the named ``stream`` under ``seed``."""
    name = int.from_bytes(hashlib.sha256(stream.encode()).digest()[:8], "little")
    return mix64(mix64(seed & _MASK) ^ name)


def draw_one(key: int, counter: int) -> int:
    """Return number ``counter`` of the stream ``key`` as an int."""
    return mix64((key + counter * _GAMMA) & _MASK)


@inlined_kernel
def number(key: Any, counter: int) -> Any:
    """Return number ``counter`` of the stream ``key``, a uint64 as the key is: what `draw_one` returns."""
    value = key + np.uint64(counter) * np.uint64(_GAMMA)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(_MIX_1)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(_MIX_2)
    return value ^ (value >> np.uint64(31))


@inlined_kernel
def below(bits: Any, limit: int) -> Any:
    """Return the low 32 bits of a uint64 scaled to ``0 .. limit - 1`` (limit at most 2**32)."""
    return ((bits & np.uint64(0xFFFFFFFF)) * np.uint64(limit)) >> np.uint64(32)


def draw(key: int, start: int, count: int) -> npt.NDArray[np.uint64]:
    """Return numbers ``start .. start + count - 1`` of the stream ``key``: uint64, all 64 bits uniform."""
    values = np.empty(count, np.uint64)
    _draw(values, np.uint64(key), start)
    return values


@kernel
def _draw(values: Any, key: Any, start: int) -> None:
    for i in range(len(values)):
        values[i] = number(key, start + i)
