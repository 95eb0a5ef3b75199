"""The command ``scalein``: arguments in, one of the project's main paths run, errors as one line.

Every error that is the input's fault (PimError) is one line on stderr and exit code 2; Ctrl-C is exit code 130; a
traceback is always a defect. What a command does is in its own module, imported when the command runs.
"""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pim.engines import DEFAULT_ENGINE, Engine
from pim.errors import ConfigError, PimError, one_line
from pim.files import check_writable
from study.cli_programs import EngineName, programs
from study.defaults import (
    EXECUTOR_CORES,
    MAX_EXECUTOR_CORES,
    MAX_THREADS,
    SAMPLE_GROUPS,
    SAMPLE_ITERATIONS,
    THREADS,
    TRACE_SIZE,
)
from study.exit_codes import BAD_INPUT, FAILED, INTERRUPTED

if TYPE_CHECKING:
    from study.replay import Options

app = typer.Typer(
    name="scalein",
    help="RISC-V cores inside DDR4 memory, driven by real Spark traces: how fast, how large, how hot.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Levels = Annotated[str, typer.Option(help="Comma-separated levels: bank, chip, rank; or machine files (YAML).")]
SampleGroups = Annotated[str, typer.Option(help="Groups of cores (chips, or ranks) simulated per phase, or 'all'.")]
SampleIterations = Annotated[str, typer.Option(help="First iterations of an iterative job simulated, or 'all'.")]
ExecutorCores = Annotated[
    int, typer.Option(min=1, max=MAX_EXECUTOR_CORES, help="Executor cores of the Spark baseline.")
]
Threads = Annotated[int, typer.Option(min=1, max=MAX_THREADS, help="Threads of the native baseline.")]
Results = Annotated[Path, typer.Option(help="Folder for result files and the report.")]
CalibrationFile = Annotated[
    Path | None, typer.Option(help="Calibration of the native baseline; default: the shipped one.")
]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes; default: one per CPU.")]

ALL_LEVELS = "bank,chip,rank"
RESULTS = Path("results")


def _version(value: bool) -> None:
    if value:
        from study.provenance import version  # noqa: PLC0415

        typer.echo(f"scalein {version()}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def run(
    *,
    levels: Levels = ALL_LEVELS,
    sample_groups: SampleGroups = str(SAMPLE_GROUPS),
    sample_iterations: SampleIterations = str(SAMPLE_ITERATIONS),
    executor_cores: ExecutorCores = EXECUTOR_CORES,
    threads: Threads = THREADS,
    results: Results = RESULTS,
    calibration: CalibrationFile = None,
    workers: Workers = None,
    engine: EngineName = DEFAULT_ENGINE,
) -> None:
    """Replay all shipped traces at every level and write the report."""
    from study import replay_command  # noqa: PLC0415

    options = _options(sample_groups, sample_iterations, executor_cores, threads, calibration, engine)
    replay_command.run_shipped(_split(levels), options, results, workers)


@app.command(name="replay")
def replay_bundles(
    bundles: Annotated[list[Path], typer.Argument(help="Trace bundles (folders).")],
    *,
    levels: Levels = ALL_LEVELS,
    sample_groups: SampleGroups = str(SAMPLE_GROUPS),
    sample_iterations: SampleIterations = str(SAMPLE_ITERATIONS),
    executor_cores: ExecutorCores = EXECUTOR_CORES,
    threads: Threads = THREADS,
    results: Results = RESULTS,
    calibration: CalibrationFile = None,
    workers: Workers = None,
    engine: EngineName = DEFAULT_ENGINE,
) -> None:
    """Replay trace bundles at every level and write the report."""
    from study import replay_command  # noqa: PLC0415

    options = _options(sample_groups, sample_iterations, executor_cores, threads, calibration, engine)
    replay_command.run(bundles, _split(levels), options, results, workers)


@app.command()
def trace(
    workload: Annotated[str, typer.Argument(help="Workload: wordcount, kmeans or q6.")],
    size: Annotated[str, typer.Option(help="Input size in memory, for example 200MB.")] = TRACE_SIZE,
    out: Annotated[Path | None, typer.Option(help="Folder of the new bundle; default: traces/WORKLOAD.")] = None,
) -> None:
    """Run a workload on Spark for real and write a trace bundle (needs the extra 'spark' and Java)."""
    from rich.console import Console  # noqa: PLC0415

    from spark_traces.capture import capture  # noqa: PLC0415
    from study.sizes import parse_size  # noqa: PLC0415

    folder = out or Path("traces") / workload
    console = Console(stderr=True)
    with console.status("starting") as status:
        bundle = capture(workload, folder, n_bytes=parse_size(size), progress=status.update)
    typer.echo(f"trace of {bundle.workload}: {folder} (replay it with `scalein replay {folder}`)")


@app.command()
def sweep(
    study: Annotated[Path, typer.Argument(help="Study file (YAML).")],
    out: Annotated[
        Path | None, typer.Option(help="Folder for points and outputs; default: results/sweeps/NAME.")
    ] = None,
    workers: Workers = None,
    engine: EngineName = DEFAULT_ENGINE,
) -> None:
    """Run a design-space sweep; finished points are kept, a killed sweep resumes."""
    from study import sweep_command  # noqa: PLC0415

    if not sweep_command.run(study, out, workers, _command(), engine):
        raise typer.Exit(FAILED)


app.add_typer(programs)


@app.command()
def report(
    results: Annotated[Path, typer.Argument(help="Folder of result files.")] = RESULTS,
    out: Annotated[Path | None, typer.Option(help="HTML file; default: report.html beside the results.")] = None,
) -> None:
    """Write the HTML report from result files."""
    from study import summary  # noqa: PLC0415
    from study.report import write_report  # noqa: PLC0415
    from study.store import load_results  # noqa: PLC0415

    loaded = load_results(results)
    path = out or results / "report.html"
    check_writable(path)
    write_report(loaded, path, loaded[0].provenance.command)
    summary.show(loaded)
    typer.echo(f"report: {path}")


@app.command()
def calibrate(
    out: Annotated[Path, typer.Option(help="Calibration file to write.")] = Path("calibration.json"),
) -> None:
    """Measure this host: native kernel rates and memory bandwidth, for the native baseline."""
    from study import calibration  # noqa: PLC0415

    calibration.run(out)


def _split(levels: str) -> list[str]:
    """Return the levels of a comma-separated list, in its order."""
    names = [name.strip() for name in levels.split(",")]
    if not all(names) or len(set(names)) < len(names):
        raise ConfigError(f"--levels {levels!r}: must name each level once, separated by commas; e.g. {ALL_LEVELS}")
    return names


def _count(option: str, text: str) -> int | None:
    """Return the value of a sampling option, None for all."""
    from study.space import parse_count  # noqa: PLC0415

    try:
        return parse_count(text)
    except ValueError as error:
        raise ConfigError(f"{option}: {error}") from None


def _options(
    sample_groups: str,
    sample_iterations: str,
    executor_cores: int,
    threads: int,
    calibration: Path | None,
    engine: Engine,
) -> "Options":
    """Return the options of a replay from those of the command line."""
    from study.replay import Options  # noqa: PLC0415

    groups = _count("--sample-groups", sample_groups)
    iterations = _count("--sample-iterations", sample_iterations)
    return Options(groups, iterations, executor_cores, threads, _command(), calibration, engine)


def _command() -> str:
    """Return the command line as typed, with the program's plain name; bytes that are no text become ``?``."""
    return shlex.join(["scalein", *sys.argv[1:]]).encode(errors="replace").decode()


def main() -> None:
    """Run the command line and exit."""
    sys.exit(run_command())


def run_command(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        app(arguments, prog_name="scalein")
    except PimError as error:
        typer.echo(f"scalein: {one_line(error)}", err=True)
        return BAD_INPUT
    except OSError as error:  # a full disk, a folder removed while at work
        typer.echo(f"scalein: {one_line(error.filename or 'system')}: {error.strerror}", err=True)
        return FAILED
    except KeyboardInterrupt:
        typer.echo("scalein: interrupted", err=True)
        return INTERRUPTED
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else FAILED
    return 0
