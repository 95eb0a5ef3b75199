"""Every combination of port, core clock, ownership and number of cores, on one die of 16 for each port."""

from collections.abc import Iterator

from pim.config import SystemConfig, load_system, with_overrides
from rtl.tests.lockstep_guests import random_guest
from study.lockstep import Run, claiming_host

PORTS = {"column": {}, "row": {"port": "row", "core.sector_bytes": 1024}}
CLOCKS = {"1/6": 200, "1/4": 300, "1/2": 600, "2/7": 343}
"""Core clock over tCK, and MHz."""

CORES = (16, 8, 4, 2, 1)
HOST_UNTIL = 200_000
"""Clock until which the host claims banks: most programs have ended by then."""


def machine(port: str, clock: str) -> SystemConfig:
    return with_overrides(load_system("bank"), PORTS[port] | {"core.clock_mhz": CLOCKS[clock]})


def matrix_runs(port: str, seed: int) -> Iterator[tuple[str, Run]]:
    """Yield the runs on one build of the RTL, with their names; the seed is that of the first program."""
    for clock in CLOCKS:
        system = machine(port, clock)
        for ownership in ("exclusive", "concurrent"):
            is_claimed = ownership == "concurrent"
            for n_cores in CORES:
                guests = [random_guest(system, seed + core, n_blocks=6) for core in range(n_cores)]
                host = claiming_host(system, n_cores, seed, HOST_UNTIL) if is_claimed else None
                yield f"{port}, {clock}, {ownership}, {n_cores} cores", Run(guests, host)
                seed += n_cores
