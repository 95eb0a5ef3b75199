"""What the die's power delivery costs: a job at the bank once for each limit on activates and on column bursts.

Both limits are axes of the machine: whether the cores' activates keep to the four-activate window (``obey_tfaw``), and
how many banks may have column bursts in flight at once (``column_bursts``).
"""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pim.config import Level, SystemConfig, with_overrides
from study.parts import Delivery, KernelFigures

BURSTS = (1, 2, 4, 8, None)
"""Banks that may burst at once; None: all of them."""

Variants = dict[tuple[bool, int | None], SystemConfig]
"""By obey_tfaw and column_bursts."""


def variants(system: SystemConfig) -> Variants:
    """Return a machine under each pair of limits; none for one whose cores don't sit at the bank.

    Limits of as many bursts as a die has banks, or more, are left out: they are none.
    """
    if system.level is not Level.BANK:
        return {}
    bursts = [n for n in BURSTS if n is None or n < system.geometry.banks_per_chip]
    return {
        (obeys, most): with_overrides(system, {"obey_tfaw": obeys, "column_bursts": most})
        for obeys, most in itertools.product((True, False), bursts)
    }


def measure(system: SystemConfig, run: Callable[[SystemConfig], Sequence[KernelFigures]]) -> tuple[Delivery, ...]:
    """Return what the kernels of a job take under each pair of limits; ``run`` simulates them on a machine."""
    rows = []
    for (obeys, most), variant in variants(system).items():
        kernels = run(variant)
        rows.append(Delivery(obey_tfaw=obeys, column_bursts=most, seconds=math.fsum(k.seconds for k in kernels),
                             contention_share=contention_share(kernels)))  # fmt: skip
    return tuple(rows)


def contention_share(kernels: Iterable[KernelFigures]) -> float:
    """Return the share of the simulated cores' cycles in which they wait for what they share with others."""
    cycles = waits = 0.0
    for kernel in kernels:
        cycles += math.fsum(kernel.cpi_stack.values()) * kernel.cores_total
        waits += kernel.cpi_stack.get("contention", 0.0) * kernel.cores_total
    return waits / cycles if cycles else 0.0


@dataclass(frozen=True)
class DeliveryLine:
    """One line of the table: what limits activates, and under each limit on bursts what the job takes.

    Attributes
    ----------
    obey_tfaw : bool
    cells : list of (Delivery, float)
        In the order of the limits, the lowest first; the time over that without any limit.
    """

    obey_tfaw: bool
    cells: list[tuple[Delivery, float]]


def lines(rows: Sequence[Delivery]) -> list[DeliveryLine]:
    """Return the table of a result's rows, tFAW obeyed first; times are over that with neither limit."""
    if not rows:
        return []
    free = next(row.seconds for row in rows if not row.obey_tfaw and row.column_bursts is None)
    return [
        DeliveryLine(obeys, [(row, row.seconds / free) for row in rows if row.obey_tfaw == obeys])
        for obeys in (True, False)
    ]
