"""Model and RTL of a die whose bank cores run together: each core's instructions and cycles must be the same."""

from pathlib import Path

import pytest

from pim.config import SystemConfig, load_system, with_overrides
from rtl.tests.lockstep_guests import MEMORY_BYTES, random_guest
from study.lockstep import RTL_FOLDER, Comparison, Run, build, rtl_parameters, run_lockstep

pytestmark = pytest.mark.rtl

FIRST_SEED = 70_000

TIGHT = {"timing.nck.nfaw": 120, "timing.nck.nrrd_s": 9, "timing.nck.nrrd_l": 25}
"""An activate budget that binds for few cores already."""

SMALL = {"core.line_buffers": 2, "core.line_bytes": 128, "core.sector_bytes": 32}
ROW = {"port": "row", "core.sector_bytes": 1024, "core.line_buffers": 1}

DIES = {
    "2 cores": (2, TIGHT | SMALL),
    "4 cores": (4, TIGHT | SMALL),
    "2 cores, row port, 2 core edges in 7 clocks": (2, TIGHT | ROW | {"core.clock_mhz": 343}),
    "4 cores, half the DRAM's clock, much refresh": (
        4,
        TIGHT | SMALL | {"core.clock_mhz": 600, "timing.trefi_ns": 1500.0},
    ),
    "3 cores, no tFAW": (3, SMALL | {"obey_tfaw": False, "timing.nck.nrrd_s": 30, "timing.nck.nrrd_l": 40}),
}
"""Cores, and overrides of the bank preset."""


def run(
    system: SystemConfig, runs: list[Run], kind: str = "icarus", folder: Path = RTL_FOLDER
) -> list[list[Comparison]]:
    return run_lockstep(runs, build(rtl_parameters(system, MEMORY_BYTES, len(runs[0].guests)), kind, folder))


def random_run(system: SystemConfig, n_cores: int, seed: int, n_blocks: int = 12) -> Run:
    return Run([random_guest(system, seed + core, n_blocks=n_blocks) for core in range(n_cores)])


def assert_same(results: list[list[Comparison]]) -> None:
    assert [core.difference.text for cores in results for core in cores if core.difference] == []
    assert all(core.n_same for cores in results for core in cores)


@pytest.mark.parametrize("name", DIES)
def test_cores_of_a_die_retire_the_same(name: str) -> None:
    n_cores, overrides = DIES[name]
    system = with_overrides(load_system("bank"), overrides)
    results = run(system, [random_run(system, n_cores, FIRST_SEED, n_blocks=2)])
    assert_same(results)
    assert sum(core.act_waits for core in results[0]) > 15 * n_cores
