"""From a job's run on a machine to the figures of a result: kernels summed up, activity, power, caveats.

Reads `mapreduce.runtime.JobRun` and computes no time of its own.
"""

import math
from collections.abc import Sequence

from mapreduce.launch import KernelRun
from mapreduce.runtime import JobRun
from pim.config import SystemConfig
from pim.power import Activity, CommandCounts, PowerReport, run_power
from study.parts import KernelFigures, Label, Thermal
from study.physical import DRAM_DIE

WAITING = frozenset(
    {"instruction buffer", "row hit", "row miss", "row conflict", "refresh", "contention", "host", "write-back"}
)
"""Parts of the CPI stack in which a core waits for memory; in the others its logic is taken as busy."""


def kernel_figures(runs: Sequence[KernelRun], n_iterations: int) -> list[KernelFigures]:
    """Return the figures of every kernel over all its launches, in the order of the first ones.

    Parameters
    ----------
    runs : sequence of KernelRun
        Simulated launches; each kernel has one per simulated iteration.
    n_iterations : int
        Iterations of the job; each that was not simulated counts as the last one that was.
    """
    by_kernel: dict[str, list[KernelRun]] = {}
    for run in runs:
        by_kernel.setdefault(run.kernel, []).append(run)
    return [_figures(kernel, simulated, n_iterations) for kernel, simulated in by_kernel.items()]


def _figures(kernel: str, simulated: Sequence[KernelRun], n_iterations: int) -> KernelFigures:
    launches = [*simulated, *[simulated[-1]] * (n_iterations - len(simulated))]
    least = min(launches, key=lambda run: run.sampling.cores_simulated / run.sampling.cores_total).sampling
    bounds = [_seconds_bound(run) for run in launches]
    return KernelFigures(
        kernel=kernel,
        launches_simulated=len(simulated),
        launches_total=len(launches),
        seconds=math.fsum(run.seconds for run in launches),
        seconds_bound=None if None in bounds else math.fsum(bound for bound in bounds if bound is not None),
        groups_simulated=least.groups_simulated,
        groups_total=least.groups_total,
        cores_simulated=least.cores_simulated,
        cores_total=least.cores_total,
        unseen_is_slowest=max(run.sampling.unseen_is_slowest for run in launches),
        counters=_total([run.counters for run in launches]),
        cpi_stack=_total([run.cpi_stack for run in launches]),
        dram_commands=_total([run.commands for run in launches]),
        bank_open_seconds=math.fsum(run.bank_open_seconds for run in launches),
    )


def _seconds_bound(run: KernelRun) -> float | None:
    bound = run.sampling.max_bound_cycles
    return None if bound is None else run.seconds * bound / run.sampling.max_cycles


def _total(each: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: math.fsum(one.get(name, 0.0) for one in each) for name in each[0]}


def activity(system: SystemConfig, kernels: Sequence[KernelFigures]) -> Activity:
    """Return what the simulated groups did while the cores ran, as means per core and per chip.

    Cores of those groups without work count as idle; all other groups are taken to be like them, those without work
    too: an upper bound where a launch has work for few groups. Time in which the cores wait for the host is left out:
    the power is that of computing.
    """
    n_groups = max(kernel.groups_total for kernel in kernels)
    busy = waiting = 0.0
    totals = dict.fromkeys(("instructions", "loads", "stores"), 0.0)
    for kernel in kernels:
        working = kernel.cores_simulated / (kernel.groups_simulated * system.cores_per_group)
        for cause, cycles in kernel.cpi_stack.items():
            if cause in WAITING:
                waiting += cycles * working
            else:
                busy += cycles * working
        for name in totals:
            totals[name] += kernel.counters[name] * working
    opened = [kernel.bank_open_seconds for kernel in kernels]
    commands = _total([kernel.dram_commands for kernel in kernels])
    commands["PRE"] = commands["ACT"]  # a row that no PRE closes is closed by a refresh, or when the host takes over
    return Activity(
        seconds=math.fsum(kernel.seconds for kernel in kernels),
        busy_cycles=busy,
        stalled_cycles=waiting,
        commands=CommandCounts(**{name.lower(): count for name, count in commands.items()}),
        n_chips=n_groups * system.lanes,
        bank_open_s=None if None in opened else math.fsum(seconds for seconds in opened if seconds is not None),
        **totals,
    )


def drawn_power(system: SystemConfig, kernels: Sequence[KernelFigures]) -> PowerReport:
    """Return the mean power while the cores ran (nominal core energy, data-sheet DRAM currents)."""
    return run_power(system, activity(system, kernels))


def labels(system: SystemConfig, run: JobRun, kernels: Sequence[KernelFigures], dies: Sequence[Thermal]) -> list[Label]:
    """Return the caveats of a result."""
    core = f"{system.core.extensions} at {system.core.clock_mhz} MHz, {system.level.value} level"
    found = [
        Label(
            kind="note",
            text="area: from synthesis without a layout, published figures where there is no RTL; its range is mostly "
            "that of the process",
        ),
        Label(kind="preliminary", text="power and temperature: first form; see the notes below the tables"),
    ]
    if not system.rtl_checked:
        found.append(Label(kind="RTL-checked: no", text=f"no RTL of this core ({core}) has confirmed its cycle counts"))
    if any(kernel.cores_simulated < kernel.cores_total for kernel in kernels):
        found.append(Label(kind="note", text="times are of sampled groups of cores; see the table of sampling"))
    if any(kernel.launches_simulated < kernel.launches_total for kernel in kernels):
        text = "later iterations are taken to last as long as the last simulated one; see the table of sampling"
        found.append(Label(kind="note", text=text))
    if len(run.iterations) > 1:
        found.append(
            Label(kind="note", text="inputs stay in the memory over the iterations; the first one places them")
        )
    for die in dies:
        if die.warning:
            refreshed = "; times here are with the shorter refresh interval" if die.die == DRAM_DIE else ""
            found.append(Label(kind="warning", text=f"{die.die}: {die.warning}{refreshed}"))
    return found
