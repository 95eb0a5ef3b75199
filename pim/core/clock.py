"""The core's clock on the DRAM's time base: core clock / DRAM clock = p / q.

Every request divides twice, and what follows waits for the result: so a division by a number that stays the same is a
multiplication (T. Granlund and P. Montgomery, Division by invariant integers using multiplication, PLDI 1994, theorem
4.2; measured, 12 against 4 ns for the two).
"""

from typing import NamedTuple

from pim.isa.muldiv import mulhu
from pim.jit import inlined_kernel


class Divisor(NamedTuple):
    """A positive number to divide by."""

    value: int
    multiplier: int  # ceil(2**(63 + shift) / value), of 64 bits, as an int64
    shift: int  # ceil(log2(value))


class CoreClock(NamedTuple):
    """Core clock / DRAM clock = p / q."""

    p: Divisor
    q: Divisor


def divisor(value: int) -> Divisor:
    """Return a positive number of less than 63 bits as a Divisor."""
    shift = (value - 1).bit_length()
    multiplier = -(-(1 << 63 + shift) // value)
    return Divisor(value, multiplier - (multiplier >> 63 << 64), shift)


def core_clock(p: int, q: int) -> CoreClock:
    """Return the clock of a core that makes p steps in q clocks of the DRAM."""
    return CoreClock(divisor(p), divisor(q))


@inlined_kernel
def divide(number: int, by: Divisor) -> int:
    """Return ``number // by.value`` for a number from 0 to 2**62 - 1."""
    return mulhu(number << 1, by.multiplier) >> by.shift


@inlined_kernel
def edge(cycle: int, clock: CoreClock) -> int:
    """Return the DRAM clock at which core edge ``cycle`` falls: ceil(cycle q / p)."""
    return divide(cycle * clock.q.value + clock.p.value - 1, clock.p)


@inlined_kernel
def first_edge(at: int, clock: CoreClock) -> int:
    """Return the first core edge that falls at or after DRAM clock ``at``, from 0 on: floor((at - 1) p / q) + 1."""
    return divide(max(0, at * clock.p.value + clock.q.value - clock.p.value), clock.q)


@inlined_kernel
def core_cycles(clocks: int, clock: CoreClock) -> int:
    """Return how many whole core cycles so many DRAM clocks are."""
    return divide(clocks * clock.p.value, clock.q)
