"""Model and RTL of a die whose bank cores run together: each core's instructions and cycles must be the same."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pim.config import SystemConfig, load_system, with_overrides
from pim.errors import ConfigError, LoadError
from rtl.tests.lockstep_guests import MEMORY_BYTES, dma_guest, guest, random_guest
from rtl.tests.lockstep_kernels import kernel_guests
from rtl.tests.lockstep_matrix import PORTS, matrix_runs
from rtl.tests.lockstep_matrix import machine as matrix_machine
from rtl.tests.simulation import copy_rtl, inject
from study.lockstep import RTL_FOLDER, Comparison, Guest, Run, build, claiming_host, rtl_parameters, run_lockstep
from tests.support.assembly import Assembly

pytestmark = pytest.mark.rtl

FIRST_SEED = 70_000
FIRST_LONG_SEED = 2_000_000

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
    system: SystemConfig, runs: list[Run], n_cores: int, kind: str = "icarus", folder: Path = RTL_FOLDER
) -> list[list[Comparison]]:
    concurrent = any(one.host for one in runs)
    return run_lockstep(runs, build(rtl_parameters(system, MEMORY_BYTES, n_cores, concurrent=concurrent), kind, folder))


def random_run(system: SystemConfig, n_cores: int, seed: int, n_blocks: int = 12) -> Run:
    return Run([random_guest(system, seed + core, n_blocks=n_blocks) for core in range(n_cores)])


def mixed_run(system: SystemConfig, n_cores: int, seed: int) -> list[Guest]:
    """Return random programs, of which every second one moves data with the scratchpad's DMA."""
    return [
        dma_guest(system, seed + core, n=20) if core % 2 else random_guest(system, seed + core, n_blocks=2)
        for core in range(n_cores)
    ]


def assert_same(results: list[list[Comparison]]) -> None:
    assert [core.difference.text for cores in results for core in cores if core.difference] == []
    assert all(core.n_same for cores in results for core in cores)


@pytest.mark.parametrize("name", DIES)
def test_cores_of_a_die_retire_the_same(name: str) -> None:
    n_cores, overrides = DIES[name]
    system = with_overrides(load_system("bank"), overrides)
    results = run(system, [random_run(system, n_cores, FIRST_SEED, n_blocks=2)], n_cores)
    assert_same(results)
    assert sum(core.act_waits for core in results[0]) > 15 * n_cores


CLAIMED_DIES = {
    "1 core": (1, {}),
    "4 cores": (4, SMALL),
    "2 cores, row port, 2 core edges in 7 clocks": (2, ROW | {"core.clock_mhz": 343}),
    "3 cores, half the DRAM's clock, much refresh": (3, SMALL | {"core.clock_mhz": 600, "timing.trefi_ns": 2500.0}),
}


@pytest.mark.parametrize("name", CLAIMED_DIES)
def test_a_host_that_claims_banks_changes_both_the_same(name: str) -> None:
    n_cores, overrides = CLAIMED_DIES[name]
    system = with_overrides(load_system("bank"), overrides)
    host = claiming_host(system, n_cores, seed=8, until=60_000)
    guests = mixed_run(system, n_cores, FIRST_SEED + 100)
    assert_same(run(system, [Run(guests, host)], n_cores))
    assert all(guest.machine.group.harts[-1].host_stall > 100 for guest in guests)  # each had to wait for the host


def test_sixteen_cores_retire_the_same_with_and_without_a_host() -> None:
    system = load_system("bank")
    wanted = ("column, 1/6, exclusive, 16 cores", "column, 1/6, concurrent, 16 cores")
    runs = [one for name, one in matrix_runs("column", FIRST_LONG_SEED) if name in wanted]
    alone, claimed = results = run(system, runs, 16, "verilator")
    assert_same(results)
    assert sum(core.act_waits for core in alone) > 10_000  # tFAW binds: 16 cores on 26 clocks for four activates
    assert sum(core.act_waits for core in claimed) > 10_000
    assert all(guest.machine.group.harts[-1].host_stall > 100 for guest in runs[1].guests)


BUGS = {
    "tFAW a clock short": ("pim_activate_arbiter", "TIMER_BITS'(NFaw - 1)", "TIMER_BITS'(NFaw - 2)"),
    "later requests first": ("pim_activate_arbiter", "place[i] = queued_q[i] ? place_q[i] : behind;", "place[i] = '0;"),
    "no quiet zone": ("pim_chip", ".quiet_i   (act_quiet != '0)", ".quiet_i   (1'b0)"),
    "refresh into a claimed bank": ("pim_bank_controller", "(!claimed_i || due_first_d)", "1'b1"),
    "requests pass a claim": ("pim_bank_controller", "(taken_q || !claimed_i)", "1'b1"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_an_injected_bug_of_the_rtl_is_caught(tmp_path: Path, bug: str) -> None:
    inject(BUGS[bug], copy_rtl(tmp_path))
    system = with_overrides(load_system("bank"), TIGHT | SMALL | {"timing.trefi_ns": 4000.0})
    host = claiming_host(system, 4, seed=4, until=40_000)
    try:
        results = run(system, [Run(random_run(system, 4, FIRST_SEED, n_blocks=1).guests, host)], 4, folder=tmp_path)
        differs = any(core.difference for core in results[0])
    except LoadError:  # an assertion of the RTL has ended the simulation
        differs = True
    assert differs


def test_injected_bugs_of_the_model_are_caught() -> None:
    system = with_overrides(load_system("bank"), TIGHT | SMALL)
    short = random_run(system, 4, FIRST_SEED, n_blocks=1)
    for one in short.guests:
        settings = one.machine.settings
        one.machine.settings = settings._replace(timing=settings.timing._replace(nfaw=settings.timing.nfaw - 1))
    host = claiming_host(system, 4, seed=4, until=40_000)
    late = host.use._replace(released_at=np.asarray(host.use.released_at) + 1)
    claimed = Run(random_run(system, 4, FIRST_SEED + 20, n_blocks=1).guests, replace(host, use=late))
    for cores in run(system, [short, claimed], 4):
        found = [core.difference for core in cores if core.difference]
        assert found
        assert all(difference.fields == ("cycle",) for difference in found)


def test_tohost_ends_one_core_only() -> None:
    system = load_system("bank")
    text = Assembly()
    text.exit()
    ends = guest("tohost", text, system)
    ends.machine.settings = ends.machine.settings._replace(tohost=0x1000)
    with pytest.raises(ConfigError, match="tohost"):
        run(system, [Run([ends, guest("other", text, system)])], 2)


@pytest.mark.long
@pytest.mark.parametrize("port", PORTS)
def test_every_combination_retires_the_same(port: str) -> None:
    named = dict(matrix_runs(port, FIRST_LONG_SEED))
    system = matrix_machine(port, "1/6")
    results = run(system, list(named.values()), 16, "verilator")
    for name, cores in zip(named, results, strict=True):
        print(
            f"{name}: {sum(core.n_same for core in cores)} instructions, {sum(core.act_waits for core in cores)} waits"
        )
    assert_same(results)
    assert sum(core.n_same for cores in results for core in cores) > 250_000


@pytest.mark.long
def test_kernels_beside_a_host_retire_the_same() -> None:
    system = with_overrides(load_system("bank"), {"core.clock_mhz": 600})
    kernels = kernel_guests(system)
    assert_same(run(system, [Run(kernels, claiming_host(system, len(kernels), 17, 400_000))], 16, "verilator"))
