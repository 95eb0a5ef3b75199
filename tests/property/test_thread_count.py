"""No total of a run depends on how many host threads simulate its groups."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pim.config import load_system, with_overrides
from pim.system import STACK, CoreTask, Engine, GroupRun
from pim.system.outcome import collect
from tests.support.assembly import MEMORY_AT
from tests.support.engines import run_kernel
from tests.support.guest_loops import DATA, random_access, scattered_stores

MACHINES = {
    "bank, tight tFAW, two bursts": {"timing.tfaw_ns": 200.0, "column_bursts": 2},
    "chip, 4 cores": {"cores_per_location": 4},
    "rank": {},
}
PROGRAMS = [random_access(300, 17), scattered_stores(100, 15)]
N_GROUPS = 8


def tasks(group: int, n_cores: int) -> list[CoreTask]:
    """Return the tasks of one group: memories of random bytes, which no other group has."""
    size = DATA + (1 << 17) + 256
    memories = [np.random.default_rng((group, core)).integers(0, 256, size, np.uint8) for core in range(n_cores)]
    return [CoreTask((), ((MEMORY_AT + DATA, memory[DATA:]),), ((MEMORY_AT, size),)) for memory in memories]


@pytest.mark.parametrize("engine", list(Engine))
@pytest.mark.parametrize("name", MACHINES)
def test_totals_are_those_of_one_thread(name: str, engine: Engine) -> None:
    system = with_overrides(load_system(name.split(",", maxsplit=1)[0]), MACHINES[name])
    n_cores = system.cores_per_group

    def run(group: int) -> GroupRun:
        program = PROGRAMS[group % len(PROGRAMS)]
        state, settings = run_kernel(system, program, tasks(group, n_cores), engine, cycle_limit=10**8)
        return collect(state, settings, system, [()] * n_cores)

    runs = {}
    for n_threads in (1, 2, 4):
        with ThreadPoolExecutor(n_threads) as pool:
            runs[n_threads] = list(pool.map(run, range(N_GROUPS)))
    totals = {n: sum(core.cycles for group in of for core in group.cores) for n, of in runs.items()}
    assert totals[1] == totals[2] == totals[4]
    for one, *others in zip(*runs.values(), strict=True):
        for other in others:
            assert (other.nck, other.commands) == (one.nck, one.commands)
            assert [core.stack for core in other.cores] == [core.stack for core in one.cores]
    contention = STACK.index("contention")
    assert all(any(core.stack[contention] for core in group.cores) for group in runs[1])
