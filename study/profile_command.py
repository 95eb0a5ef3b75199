"""``scalein profile``: where a program's or a kernel's cycles go, as a table, a flame graph and JSON."""

import json
from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from mapreduce import jobs
from mapreduce.profile import profile_job
from pim.config import load_system, with_overrides
from pim.errors import ConfigError, LoadError
from pim.files import check_writable, read_bounded, write_atomic
from pim.isa import load_elf
from pim.isa.debug import find_source
from pim.isa.elf import MAX_BYTES
from pim.system import STACK, BareMachine
from pim.system.bare import BARE_CYCLE_LIMIT
from pim.system.profile import Costs, Hot, profile_bare
from spark_traces.bundle import open_bundle, shipped_bundles
from study import hot_spots
from study.exec_command import parse_settings, parse_words
from study.flame import flame_graph
from study.hot_spots import Line

LARGEST_PARTS = 3
SMALLEST_SHARE = 0.5
"""Parts shown, and percent below which none is."""

NUMBERS = ("own", "with calls", "cycles", "CPI")
"""Columns that stand at the right."""

MAX_SOURCE_BYTES = 1 << 24
COMPILES_NOTE = "profiling (the profiler itself is compiled at its first use)"


def run(
    program: str,
    machine: str,
    *,
    settings: Sequence[str],
    kernel: str,
    arguments: str,
    max_cycles: int | None,
    n_harts: int,
    memory_bytes: int | None,
    top: int,
    svg: Path | None,
    report: Path | None,
) -> None:
    """Profile a program, or a kernel of a trace, and show where the cycles went.

    Parameters
    ----------
    program : str
        ELF file, trace bundle (folder), or name of a shipped trace.
    machine : str
        Preset or machine file.
    settings : sequence of str
        ``key=value`` overrides of the machine.
    kernel : str
        ``map`` or ``reduce``, for a trace.
    arguments, max_cycles, n_harts, memory_bytes
        As of ``scalein exec``, for an ELF file.
    top : int
        Lines shown.
    svg, report : Path, optional
        Where to write the flame graph, and the numbers as JSON.

    Raises
    ------
    PimError
        The program can't be loaded or goes wrong, or a file can't be written.
    """
    system = with_overrides(load_system(machine), parse_settings(settings), "--set")
    for path in filter(None, (svg, report)):
        check_writable(path)
    console = Console(stderr=True)
    bundle = shipped_bundles().get(program, Path(program))
    if bundle.is_dir():
        trace = open_bundle(bundle)
        with console.status(COMPILES_NOTE):
            done = profile_job(jobs.get(trace.workload), trace.inputs(), trace.parameters, system, kernel)
        hot, folders, name = done.hot, [done.folder], f"{done.kernel.name} of {trace.workload}"
        what = f"{name}, {len(done.group.cores)} cores of {system.name!r}"
    else:
        elf = read_bounded(Path(program), MAX_BYTES, f"ELF file {program}", LoadError)
        loaded = BareMachine(
            system,
            load_elf(elf, bare=True),
            n_harts=n_harts,
            arguments=parse_words(arguments),
            cycle_limit=BARE_CYCLE_LIMIT if max_cycles is None else max_cycles,
            memory_bytes=memory_bytes,
        )
        with console.status(COMPILES_NOTE):
            _, hot = profile_bare(loaded, elf)
        folders, name = [Path(program).parent, Path.cwd()], Path(program).name
        what = f"{name}, {n_harts} {'core' if n_harts == 1 else 'cores'} of {system.name!r}"
    if svg:
        write_atomic(svg, flame_graph(hot, what).encode())
    if report:
        write_atomic(report, (json.dumps(hot_spots.as_json(hot, name, system), indent=2) + "\n").encode())
    _show(hot, what, folders, top)
    for written, kind in ((svg, "flame graph"), (report, "numbers")):
        if written:
            typer.echo(f"{kind}: {written}")


def _show(hot: Sequence[Hot], what: str, folders: Sequence[Path], top: int) -> None:
    """Print the functions and the hottest lines."""
    console, everything = Console(highlight=False), hot_spots.total(hot)
    head = f"{what}: {everything.cycles:,} cycles, {everything.instructions:,} instructions"
    console.print(Text(head), soft_wrap=True)
    console.print(Text(f"CPI {_cpi(everything)}: {_parts(everything, len(STACK))}"), soft_wrap=True)
    functions = [
        (item.name, _share(item.own.cycles, everything), _share(item.total_cycles, everything), _cpi(item.own),
         _parts(item.own, LARGEST_PARTS))
        for item in hot_spots.functions(hot)[:top]
    ]  # fmt: skip
    _table(console, ("function", "own", "with calls", "CPI", "largest parts"), functions)
    sources = _Sources(folders)
    lines = [
        (line.place or line.function, _share(line.costs.cycles, everything), _cpi(line.costs),
         _parts(line.costs, LARGEST_PARTS), sources.text(line))
        for line in hot_spots.lines(hot)[:top]
    ]  # fmt: skip
    _table(console, ("line", "cycles", "CPI", "largest parts", "source"), lines)


def _table(console: Console, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table, cut off at a terminal's edge: the last column is the one to give way."""
    widths = [max(len(cell) for cell in cells) for cells in zip(columns, *rows, strict=True)]
    for row in (columns, *rows):
        cells = (
            cell.rjust(width) if name in NUMBERS else cell.ljust(width)
            for cell, name, width in zip(row, columns, widths, strict=True)
        )
        line = Text("  ".join(cells).rstrip())
        if console.is_terminal:
            console.print(line, no_wrap=True, overflow="ellipsis")
        else:
            console.print(line, soft_wrap=True)


def _share(cycles: int, everything: Costs) -> str:
    return f"{100 * cycles / max(everything.cycles, 1):.1f} %"


def _cpi(costs: Costs) -> str:
    return f"{costs.cycles / costs.instructions:.2f}" if costs.instructions else "-"


def _parts(costs: Costs, n: int) -> str:
    """Return the largest parts of a CPI stack with their shares."""
    ordered = sorted(zip(costs.stack, STACK, strict=True), key=lambda pair: -pair[0])
    shares = ((100 * cycles / max(costs.cycles, 1), name) for cycles, name in ordered[:n])
    return ", ".join(f"{name} {share:.0f}%" for share, name in shares if share >= SMALLEST_SHARE)


class _Sources:
    """Lines of source files, where these are found."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._lines: dict[str, list[str]] = {}

    def text(self, line: Line) -> str:
        """Return a line without its indentation, nothing if its file is not found."""
        if line.path not in self._lines:
            found = find_source(line.path, self._folders)
            self._lines[line.path] = _read_lines(found) if found else []
        lines = self._lines[line.path]
        return lines[line.line - 1].strip() if 0 < line.line <= len(lines) else ""


def _read_lines(path: Path) -> list[str]:
    try:
        return read_bounded(path, MAX_SOURCE_BYTES, str(path)).decode("utf-8", "replace").splitlines()
    except (ConfigError, LoadError):
        return []
