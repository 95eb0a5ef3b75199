"""``scalein run`` and ``scalein replay``: traces times machines to result files, a summary and the report."""

import functools
from collections.abc import Container, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from rich.console import Console
from rich.text import Text

from pim.config import SystemConfig, load_system
from pim.errors import ConfigError, LoadError, PimError
from pim.files import check_writable
from spark_traces.bundle import open_bundle, shipped_bundles
from spark_traces.manifest import MANIFEST_NAME
from study import replay, summary
from study.bind import trace_name
from study.engines import local
from study.progress import progress_bar
from study.report import write_report
from study.results import Result
from study.store import REPORT_NAME, result_path, save_result

DELIVERY_SHOWN = ("q6",)
"""Shipped traces whose jobs are also simulated under other limits of the die's power delivery: the one of seconds."""


def run_shipped(levels: Sequence[str], options: replay.Options, folder: Path, workers: int | None) -> None:
    """Replay all traces in the package at every level.

    Raises
    ------
    LoadError
        This installation has no traces.
    """
    bundles = list(shipped_bundles().values())
    if not bundles:
        raise LoadError("no traces are shipped with this installation; make one with `scalein trace`")
    run(bundles, levels, options, folder, workers, DELIVERY_SHOWN)


def run(
    bundles: Sequence[Path],
    levels: Sequence[str],
    options: replay.Options,
    folder: Path,
    workers: int | None,
    delivery: Container[str] = (),
) -> None:
    """Replay every bundle at every level, each result to ``folder`` as soon as it is there, then the report.

    Parameters
    ----------
    bundles : sequence of Path
        At least one.
    levels : sequence of str
        Presets or machine files.
    options : Options
    folder : Path
        For ``<bundle>-<machine>.json`` and ``report.html``.
    workers : int, optional
        Processes; default: one per CPU this process may use.
    delivery : container of str
        Names of traces whose jobs are also simulated under other limits of the die's power delivery.

    Raises
    ------
    PimError
        From the first replay that fails; results before it are kept.
    """
    systems = [load_system(level) for level in levels]
    paths = [result_path(folder, trace_name(bundle), system.name) for bundle in bundles for system in systems]
    _require_distinct(paths)
    options.load_calibration()
    for path in bundles:
        if not (path / MANIFEST_NAME).is_file():
            open_bundle(path)  # says what is missing, before any process starts
    for path in (*paths, folder / REPORT_NAME):
        check_writable(path)
    tasks = [(path, system) for path in bundles for system in systems]
    results: dict[tuple[str, str], Result] = {}
    with progress_bar() as progress:
        bar = progress.add_task("replay", total=len(tasks))
        outcomes = local.run(functools.partial(_replay, options, delivery), tasks, workers or local.usable_cpus())
        with closing(outcomes):
            for outcome in outcomes:
                path, system = outcome.task
                if outcome.failure:
                    _fail(f"{path.name} at {system.name}", outcome.failure)
                assert outcome.value is not None, outcome
                save_result(outcome.value, folder)
                results[str(path), system.name] = outcome.value
                progress.update(bar, advance=1, description=f"replayed {path.name} at {system.name}")
    ordered = [results[str(path), system.name] for path, system in tasks]
    page = folder / REPORT_NAME
    write_report(ordered, page, options.command)
    summary.show(ordered)
    Console().print(Text(f"results: {folder}/*.json, report: {page}"), soft_wrap=True)


def _require_distinct(paths: Sequence[Path]) -> None:
    """Raise ConfigError if two results would go to the same file."""
    twice = sorted({path.name for path in paths if paths.count(path) > 1})
    if twice:
        raise ConfigError(
            f"two results would go to {', '.join(twice)}: names of bundles and of machines must differ; rename one"
        )


def _replay(options: replay.Options, delivery: Container[str], task: tuple[Path, SystemConfig]) -> Result:
    path, system = task
    return replay.replay_one(path, system, replace(options, delivery=trace_name(path) in delivery))


def _fail(what: str, failure: local.Failure) -> NoReturn:
    """Raise the failure of a replay in another process: the input's fault as such, a defect with its traceback."""
    if failure.traceback:
        raise RuntimeError(f"{what}: {failure.text}\n{failure.traceback}")
    raise PimError(f"{what}: {failure.text}")
