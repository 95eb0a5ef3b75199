"""``scalein interfere``: a host's requests beside cores at work, and what each does to the other."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from mapreduce import jobs
from mapreduce.first_launch import FirstLaunch, first_launch
from pim.config import SystemConfig, load_system, with_overrides
from pim.dram import ClaimRules, HostUse
from pim.engines import Engine
from pim.errors import ConfigError, ResultMismatchError
from pim.files import check_writable, write_atomic
from pim.isa import load_elf
from pim.system import STACK, CoreTask, GroupRun, run_cores
from pim.system.interference import Beside, beside, percentiles
from pim.system.levels import concurrent_rules
from spark_traces.bundle import open_bundle, shipped_bundles
from study.exec_command import parse_settings, parse_words
from study.host_trace import Synthetic, read_trace

OWNERSHIPS = ("exclusive", "concurrent")
MARGIN = 3
"""Synthetic requests go on for so many times what the cores take alone; what comes after their end is not counted."""

DEFAULT_LIMIT = 1_000_000_000


def run(
    program: str,
    machine: str,
    *,
    settings: Sequence[str],
    kernel: str,
    arguments: str,
    cores: int | None,
    host_trace: Path | None,
    synthetic: Synthetic,
    ownership: str,
    map_name: str,
    max_cycles: int | None,
    report: Path | None,
    engine: Engine,
) -> None:
    """Run a program's cores alone and beside a host's requests; print and write both sides' figures.

    Parameters
    ----------
    program : str
        ELF file, trace bundle (folder), or name of a shipped trace.
    machine, settings
        As of ``scalein exec``.
    kernel : str
        ``map`` or ``reduce``, for a trace.
    arguments : str
        Mailbox words of every core, for an ELF file.
    cores : int, optional
        Cores of the chip or rank that run an ELF file; all by default.
    host_trace : Path, optional
        The host's requests (`read_trace`); else they are synthetic.
    synthetic : Synthetic
    ownership : str
        ``exclusive``, ``concurrent``, or ``both``.
    map_name : str
        Address map of the trace.
    max_cycles : int, optional
        Core cycles after which a run fails.
    report : Path, optional
        Where to write the figures as JSON.
    engine : Engine

    Raises
    ------
    PimError
        Wrong input, or a program that goes wrong.
    """
    if ownership not in (*OWNERSHIPS, "both"):
        raise ConfigError(f"--ownership {ownership!r}: must be exclusive, concurrent or both")
    if report:
        check_writable(report)
    system = with_overrides(load_system(machine), parse_settings(settings), "--set")
    ownerships = OWNERSHIPS if ownership == "both" else (ownership,)
    if "concurrent" in ownerships:
        concurrent_rules(system)
    requests = read_trace(host_trace, system, map_name) if host_trace else None
    synthetic.check()
    limit = DEFAULT_LIMIT if max_cycles is None else max_cycles
    with Console(stderr=True).status("running the cores alone"):
        launch = _launch(program, system, kernel, arguments, cores, limit, engine)
    if requests is None:
        requests = synthetic.requests(system, MARGIN * launch.run.seconds * 1e9)

    def again(machine_: SystemConfig, use: HostUse | None, rules: ClaimRules | None) -> GroupRun:
        return run_cores(
            machine_, launch.program, launch.tasks, cycle_limit=limit, engine=engine, host_use=use, rules=rules
        )

    outcomes = []
    for name in ownerships:
        with Console(stderr=True).status(f"running them beside the host, {name} ownership"):
            outcomes.append(beside(system, name, requests, again, launch.run, len(launch.tasks)))
        _check_same(launch.run, outcomes[-1].run)
    figures = {
        "program": launch.name,
        "cores": len(launch.tasks),
        "host": {"trace": str(host_trace)} if host_trace else {"synthetic": vars(synthetic)},
        "alone": _cores_json(launch.run),
        "beside": [_as_json(outcome, system) for outcome in outcomes],
        "tclaim_ns": concurrent_rules(system).nclaim * system.timing.tck_ns if "concurrent" in ownerships else None,
        "machine": system.model_dump(mode="json"),
        "engine": engine.value,
    }
    if report:
        write_atomic(report, f"{json.dumps(figures, indent=2)}\n".encode())
    _show(launch, outcomes, system)
    if report:
        typer.echo(f"numbers: {report}")


def _launch(
    program: str,
    system: SystemConfig,
    kernel: str,
    arguments: str,
    cores: int | None,
    limit: int,
    engine: Engine,
) -> FirstLaunch:
    """Return what runs, after a run without a host."""
    bundle = shipped_bundles().get(program, Path(program))
    if bundle.is_dir():
        if cores is not None:
            raise ConfigError("--cores: a trace's kernel runs on the cores that have work")
        trace = open_bundle(bundle)
        return first_launch(jobs.get(trace.workload), trace.inputs(), trace.parameters, system, kernel, engine)
    most = system.cores_per_group
    n_cores = most if cores is None else cores
    if not 1 <= n_cores <= most:
        raise ConfigError(f"--cores: a {_group(system)} of {system.name!r} has 1 to {most}, got {n_cores}")
    loaded = load_elf(Path(program))
    tasks = (CoreTask(parse_words(arguments)),) * n_cores
    return FirstLaunch(
        Path(program).name, loaded, tasks, run_cores(system, loaded, tasks, cycle_limit=limit, engine=engine)
    )


def _check_same(alone: GroupRun, other: GroupRun) -> None:
    """Raise if the host's presence changed what the cores computed."""
    for hart_id, (a, b) in enumerate(zip(alone.cores, other.cores, strict=True)):
        same = all(np.array_equal(x, y) for x, y in zip(a.outputs, b.outputs, strict=True))
        if not same or (a.exit_code, a.return_value, a.instructions) != (b.exit_code, b.return_value, b.instructions):
            raise ResultMismatchError(f"core {hart_id}: its results beside the host are not those without")


def _group(system: SystemConfig) -> str:
    return "rank" if system.level == "rank" else "chip"


def _stack(run: GroupRun) -> dict[str, float]:
    """Return the core cycles by cause, mean over the cores."""
    return {name: sum(core.stack[i] for core in run.cores) / len(run.cores) for i, name in enumerate(STACK)}


def _cores_json(run: GroupRun) -> dict[str, Any]:
    return {
        "seconds": run.seconds,
        "dram_clocks": run.nck,
        "cycles": [core.cycles for core in run.cores],
        "cpi_stack": _stack(run),
        "dram_commands": run.commands,
    }


def _ns(latency: dict[str, int] | None, system: SystemConfig) -> dict[str, float] | None:
    return None if latency is None else {name: nck * system.timing.tck_ns for name, nck in latency.items()}


def _as_json(outcome: Beside, system: SystemConfig) -> dict[str, Any]:
    return {
        "ownership": outcome.ownership,
        "cores": _cores_json(outcome.run),
        "slowdown": outcome.slowdown,
        "requests": outcome.n_requests,
        "locked_out": outcome.n_locked_out,
        "claims": outcome.n_claims,
        "latency_ns": {
            "alone": _ns(percentiles(outcome.alone_nck), system),
            "beside": _ns(percentiles(outcome.latency_nck), system),
        },
    }


def _show(launch: FirstLaunch, outcomes: Sequence[Beside], system: SystemConfig) -> None:
    """Print a column for each ownership, beside that of cores and host alone."""
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for name in ("alone", *(outcome.ownership for outcome in outcomes)):
        table.add_column(name, justify="right")
    runs = [launch.run, *(outcome.run for outcome in outcomes)]
    table.add_row("cores: time, us", *(f"{run.seconds * 1e6:,.3f}" for run in runs))
    table.add_row("  slowdown", "", *(f"{outcome.slowdown:.3f}" for outcome in outcomes))
    instructions = sum(core.instructions for core in launch.run.cores) / len(launch.run.cores)
    for name in ("host", "contention"):
        table.add_row(f"  CPI: {name}", *(f"{_stack(run)[name] / instructions:.3f}" for run in runs))
    table.add_row("host: requests", "", *(f"{outcome.n_requests:,}" for outcome in outcomes))
    table.add_row("  locked out", "", *(f"{outcome.n_locked_out:,}" for outcome in outcomes))
    table.add_row("  claims", "", *(f"{outcome.n_claims:,}" for outcome in outcomes))
    alone = _ns(percentiles(outcomes[0].alone_nck), system)
    latencies = [alone, *(_ns(percentiles(outcome.latency_nck), system) for outcome in outcomes)]
    for name in alone or ():
        values = [f"{latency[name]:,.1f}" if latency else "-" for latency in latencies]
        table.add_row(f"  latency {name}, ns", *values)
    console = Console(highlight=False)
    console.print(table)
    n = len(launch.tasks)
    console.print(f"{launch.name} on {n} {'core' if n == 1 else 'cores'} of a {_group(system)} of {system.name!r}")
