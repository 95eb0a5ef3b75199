"""Which groups of cores are simulated, and what that says about the slowest core of all.

A phase ends with its slowest core, so the report needs a bound of the maximum, not a mean.

Two statements are made, with their assumptions:

- *Ranks.* If the times of simulated and other cores are exchangeable (any order is equally likely), the slowest core is
  among the N - n others with probability (N - n) / N; no distribution is assumed.
- *Magnitude.* If the times are normal and independent, all N - n others stay below
  mean + t * s * sqrt(1 + 1/n) with a confidence of 95 % or more, t being the quantile 1 - 0.05 / (N - n) of
  Student's distribution with n - 1 degrees of freedom (simultaneous prediction limit, Bonferroni).

The group with the largest input is always simulated, which can only raise the simulated maximum. Where few cores of a
group have work, more groups are simulated, so that the sample has as many cores. Effects that neither statement covers:
cores that are slow for a reason no simulated one has (other data), and correlation inside a group.

References
----------
Hahn, Meeker: "Statistical Intervals", Wiley 1991, section 4.8 (simultaneous prediction bounds).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import stdtrit

CONFIDENCE = 0.95
FEWEST_CORES = 4  # assumption: fewer, or equally fast ones, say nothing about the spread of the others


@dataclass(frozen=True)
class Sampling:
    """What was simulated of one phase.

    Attributes
    ----------
    groups_simulated, groups_total, cores_simulated, cores_total : int
        Groups and cores with work.
    max_cycles : int
        Slowest simulated core, core cycles.
    max_bound_cycles : float or None
        Upper bound of the slowest core at 95 % confidence, core cycles; None where the sample says nothing about it.
    unseen_is_slowest : float
        Probability that the slowest core was not simulated.
    """

    groups_simulated: int
    groups_total: int
    cores_simulated: int
    cores_total: int
    max_cycles: int
    max_bound_cycles: float | None
    unseen_is_slowest: float


def choose_groups(sizes: Sequence[int], n_groups: int | None) -> list[int]:
    """Return which groups to simulate, in order.

    Parameters
    ----------
    sizes : sequence of int
        By group: the largest input of its cores; 0 for a group without work, which is never chosen.
    n_groups : int or None
        How many to choose, 1 or more; None for all.

    Notes
    -----
    The group with the largest input (the first of equal ones), then others evenly spread over the rest.
    """
    with_work = [group for group, size in enumerate(sizes) if size > 0]
    if n_groups is None or n_groups >= len(with_work):
        return with_work
    largest = max(with_work, key=lambda group: sizes[group])
    others = [group for group in with_work if group != largest]
    n_others = n_groups - 1
    # middles of n_others equal stretches
    spread = [others[(2 * i + 1) * len(others) // (2 * n_others)] for i in range(n_others)]
    return sorted([largest, *spread])


def enough_groups(n_groups: int, cores_per_group: int, working_cores: int, working_groups: int) -> int:
    """Return how many groups with work hold, on average, as many working cores as ``n_groups`` full ones."""
    return -(-n_groups * cores_per_group * working_groups // working_cores)


def summarise(cycles: Sequence[int], n_cores: int, groups_simulated: int, groups_total: int) -> Sampling:
    """Return the statement about a phase.

    Parameters
    ----------
    cycles : sequence of int
        Of the simulated cores, core cycles; at least one.
    n_cores : int
        Cores with work.
    groups_simulated, groups_total : int
        Groups with work.
    """
    n, unseen = len(cycles), n_cores - len(cycles)
    slowest = max(cycles)
    bound: float | None = None
    if unseen == 0:
        bound = float(slowest)
    elif n >= FEWEST_CORES and min(cycles) < slowest:
        t = float(stdtrit(n - 1, 1 - (1 - CONFIDENCE) / unseen))
        mean, deviation = float(np.mean(cycles)), float(np.std(cycles, ddof=1))
        bound = max(float(slowest), mean + t * deviation * sqrt(1 + 1 / n))
    return Sampling(groups_simulated, groups_total, n, n_cores, slowest, bound, unseen / n_cores)
