"""What cores and a host's traffic do to each other: how long the host waits, and how much longer the cores run."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pim.config import SystemConfig, with_overrides
from pim.dram import ClaimRules, HostUse
from pim.system.host import Requests, claim_banks, host_rules, serve_freely
from pim.system.launch import completion_nck
from pim.system.outcome import GroupRun

Ints = npt.NDArray[np.int64]
Run = Callable[[SystemConfig, HostUse | None, ClaimRules | None], GroupRun]
"""Runs the same program on a group's cores, beside a host or alone."""

PERCENTILES = (50, 90, 99, 99.9, 100)


@dataclass(frozen=True)
class Beside:
    """Cores and host beside each other, with one ownership of the banks.

    Attributes
    ----------
    ownership : str
    run : GroupRun
        The cores.
    slowdown : float
        Clocks until the last core's end, over those without a host.
    end_nck : int
        DRAM clock, from the cores' start, at which the host knows of their end, and has the banks if they were theirs.
    n_requests : int
        Requests offered before.
    n_locked_out : int
        Of these, requests to banks that the host is locked out of.
    n_claims : int
        Claims of banks of the rank whose cores are simulated, that were in force before the cores' end.
    latency_nck, alone_nck : array of int64
        Latencies of these requests, from when they were offered to their last beat, and the same without cores.
    """

    ownership: str
    run: GroupRun
    slowdown: float
    end_nck: int
    n_requests: int
    n_locked_out: int
    n_claims: int
    latency_nck: Ints
    alone_nck: Ints


def percentiles(latency: Ints) -> dict[str, int] | None:
    """Return latencies that so many percent of the requests do not exceed; None without requests."""
    if not len(latency):
        return None
    values = np.percentile(latency, PERCENTILES, method="inverted_cdf")
    names = [f"p{percent:g}" if percent < 100 else "max" for percent in PERCENTILES]
    return {name: int(value) for name, value in zip(names, values, strict=True)}


def most_requested_rank(requests: Requests) -> tuple[int, int]:
    """Return channel and rank of the rank that gets the most requests, the first of several."""
    if not len(requests):
        return 0, 0
    ranks, counts = np.unique(np.stack([requests.channel, requests.rank]), axis=1, return_counts=True)
    channel, rank = ranks[:, counts.argmax()]
    return int(channel), int(rank)


def beside(system: SystemConfig, ownership: str, requests: Requests, run: Run, alone: GroupRun, n_cores: int) -> Beside:
    """Run cores beside the host's requests.

    Parameters
    ----------
    system : SystemConfig
    ownership : str
        ``exclusive`` or ``concurrent``.
    requests : Requests
        The host's; those to the most requested rank meet the simulated cores.
    run : callable
    alone : GroupRun
        What it gives without a host.
    n_cores : int
        Cores of each group that run; the banks of others stay the host's.

    Raises
    ------
    ConfigError
        If claims don't fit the machine (`concurrent_rules`).
    """
    system = with_overrides(system, {"interface.ownership": ownership})
    is_locked = np.zeros(len(requests), bool)
    if ownership == "exclusive":
        is_locked = requests.bank % system.cores_per_group < n_cores
    served, rank = requests.where(~is_locked), most_requested_rank(requests)
    use, column_at = None, np.zeros(0, np.int64)
    rules = host_rules(system, drains=ownership == "concurrent") if len(served) else None
    if rules is not None:
        claimed = claim_banks(system, served, rules)
        use, column_at = claimed.by_rank[rank], claimed.column_at
    group = run(system, use, rules)
    end = group.nck + completion_nck(system)
    done_at = np.zeros(len(requests), np.int64)
    done_at[~is_locked] = column_at + _burst_nck(system, served)
    late = is_locked | (requests.offered_at >= end)
    done_at[late] = serve_freely(system, requests.where(late), np.maximum(requests.offered_at[late], end))
    is_beside = requests.offered_at < end
    free_at = serve_freely(system, requests, requests.offered_at)
    return Beside(
        ownership=ownership,
        run=group,
        slowdown=group.nck / alone.nck,
        end_nck=end,
        n_requests=int(is_beside.sum()),
        n_locked_out=int((is_beside & is_locked).sum()),
        n_claims=0 if use is None else int((use.claimed_at < group.nck).sum()),
        latency_nck=(done_at - requests.offered_at)[is_beside],
        alone_nck=(free_at - requests.offered_at)[is_beside],
    )


def _burst_nck(system: SystemConfig, requests: Requests) -> Ints:
    """Return the clocks from each request's column command to its last beat."""
    timing = system.timing.to_kernel()
    return np.where(requests.is_write, timing.ncwl, timing.ncl) + timing.nbl
