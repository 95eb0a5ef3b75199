import pytest

from mapreduce.launch import KernelRun
from mapreduce.sampling import Sampling
from pim.config import load_system
from study.projection import activity, drawn_power, kernel_figures

STACK = {"issue": 600.0, "branch": 100.0, "row miss": 250.0, "refresh": 50.0}


def launch(kernel: str, cycles: int, cores: int = 16, groups: int = 1, bound: float | None = None) -> KernelRun:
    return KernelRun(
        kernel=kernel,
        seconds=cycles / 200e6,
        sampling=Sampling(
            groups_simulated=groups,
            groups_total=32,
            cores_simulated=cores,
            cores_total=512,
            max_cycles=cycles,
            max_bound_cycles=bound,
            unseen_is_slowest=1 - cores / 512,
        ),
        counters={"cycles": 1000.0, "instructions": 600.0, "loads": 60.0, "stores": 30.0},
        cpi_stack=STACK,
        commands={"ACT": 10.0, "PRE": 9.0, "RD": 80.0, "WR": 20.0, "REF": 1.0},
        bank_open_seconds=3.0 * cycles / 200e6,
    )


def test_launches_of_a_kernel_are_added_up_the_last_one_for_those_not_simulated() -> None:
    runs = [launch("map", 1000, bound=1200.0), launch("reduce", 500), launch("map", 3000, 8, bound=3600.0)]
    mapped, reduced = kernel_figures(runs, 5)
    assert [(k.kernel, k.launches_simulated, k.launches_total) for k in (mapped, reduced)] == [
        ("map", 2, 5),
        ("reduce", 1, 5),
    ]
    assert mapped.seconds == pytest.approx((1000 + 4 * 3000) / 200e6)
    assert mapped.seconds_bound == pytest.approx((1200 + 4 * 3600) / 200e6)
    assert (reduced.seconds, reduced.seconds_bound) == (pytest.approx(5 * 500 / 200e6), None)
    assert mapped.bank_open_seconds == pytest.approx(3 * mapped.seconds)
    together = activity(load_system("bank"), [mapped, reduced])
    assert together.bank_open_s == pytest.approx(3 * (mapped.seconds + reduced.seconds))
    uncounted = reduced.model_copy(update={"bank_open_seconds": None})
    assert activity(load_system("bank"), [mapped, uncounted]).bank_open_s is None
    assert (mapped.cores_simulated, mapped.unseen_is_slowest) == (8, 1 - 8 / 512)
    assert mapped.counters["instructions"] == 5 * 600
    assert mapped.dram_commands["RD"] == 5 * 80


def test_energy_is_that_of_all_iterations_and_power_their_mean() -> None:
    system = load_system("bank")
    one, three = (drawn_power(system, kernel_figures([launch("map", 1000)], n)) for n in (1, 3))
    assert three.total_w == pytest.approx(one.total_w)
    assert three.energy_j == pytest.approx(3 * one.energy_j)


def test_activity_of_full_groups_is_the_mean_of_their_cores() -> None:
    system = load_system("bank")
    work = activity(system, kernel_figures([launch("map", 1000), launch("reduce", 500)], 1))
    assert work.seconds == pytest.approx(1500 / 200e6)
    assert (work.busy_cycles, work.stalled_cycles) == (2 * 700, 2 * 300)
    assert (work.instructions, work.loads, work.stores) == (1200, 120, 60)
    assert (work.commands.act, work.commands.rd, work.commands.ref) == (20, 160, 2)
    assert work.n_chips == 32


def test_every_activated_row_is_precharged_once() -> None:
    """Of 10 rows 9 are closed by a PRE; the tenth by a refresh, whose precharge is not among the counted commands."""
    commands = activity(load_system("bank"), kernel_figures([launch("map", 1000)], 1)).commands
    assert (commands.act, commands.pre) == (10, 10)


def test_cores_without_work_are_idle_in_the_mean() -> None:
    """4 of the 16 cores of the simulated chip had work: a quarter of their cycles per core."""
    work = activity(load_system("bank"), kernel_figures([launch("map", 1000, cores=4)], 1))
    assert (work.busy_cycles, work.stalled_cycles) == (700 / 4, 300 / 4)


def test_at_rank_level_all_chips_of_a_rank_get_its_commands() -> None:
    system = load_system("rank")
    run = launch("map", 1000, cores=system.cores_per_group)
    assert activity(system, kernel_figures([run], 1)).n_chips == 32 * 8
