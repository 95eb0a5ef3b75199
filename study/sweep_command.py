"""``scalein sweep``: a study file to a table, a plot and a list of what failed."""

import functools
from pathlib import Path

from rich.console import Console
from rich.text import Text

from pim.engines import Engine
from pim.errors import ConfigError, one_line
from pim.files import check_writable
from study import point, replay, sweep, sweep_table
from study.engines.local import usable_cpus
from study.progress import progress_bar
from study.space import PointSpec, load_study, parse_count, points


def run(path: Path, out: Path | None, workers: int | None, command: str, engine: Engine) -> bool:
    """Run a study; return whether every point has a result.

    Parameters
    ----------
    path : Path
        Study file.
    out : Path, optional
        Folder for points and outputs; default ``results/sweeps/<name>``.
    workers : int, optional
        Processes; default: one per CPU this process may use.
    command : str
        The command line, for the results.
    engine : Engine
        What simulates the cores' instructions.
    """
    study, document = load_study(path)
    point.check_traces(study, document)
    specs = points(study, document, point.settings)
    options = replay.Options(
        parse_count(study.sample_groups),
        parse_count(study.sample_iterations),
        study.executor_cores,
        study.threads,
        command,
        engine=engine,
    )
    folder = out or Path("results") / "sweeps" / study.name
    if not specs:
        raise ConfigError(f"study {path}: no point is left: `exclude` matches all of the grid")
    for kept in (folder / "points" / f"{'0' * 64}.json", *sweep_table.output_paths(study.name, folder)):
        check_writable(kept)
    console = Console()
    with progress_bar() as progress:
        task = progress.add_task(f"sweep {study.name}", total=len(specs))

        def ended(spec: PointSpec, error: str | None) -> None:
            progress.advance(task)
            if error:
                progress.console.print(Text(one_line(f"failed: {spec.label}: {error}"), style="red"), soft_wrap=True)

        report = sweep.run(
            specs,
            key_of=functools.partial(point.key, options),
            evaluate=functools.partial(point.evaluate, options),
            folder=folder,
            workers=workers or usable_cpus(),
            progress=ended,
        )
    fresh = len(report.finished) - report.n_reused
    console.print(f"{len(specs)} points: {fresh} evaluated, {report.n_reused} kept from before, "
                  f"{len(report.failures)} failed")  # fmt: skip
    if report.finished:
        for written in sweep_table.write_outputs(study.name, report.finished, folder):
            console.print(Text(str(written)), soft_wrap=True)
    if report.failures:
        console.print(Text("A point that is not meant to exist can be left out with `exclude`."), style="yellow")
    return not report.failures
