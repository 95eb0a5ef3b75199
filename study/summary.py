"""Results as a table in the terminal."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from study.numbers import is_slower, percent_text, seconds_text
from study.results import Result


def show(results: Sequence[Result], console: Console | None = None) -> None:
    """Print the headline figures of ``results`` (at least one), baselines named, caveats below.

    Parameters
    ----------
    results : sequence of Result
        In the order they are to be shown.
    console : rich.console.Console, optional
        Where to print; default: standard output.
    """
    out = console or Console()
    baselines = results[0].baselines
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0))
    table.add_column("\nworkload", min_width=9, max_width=16)
    table.add_column("\nlevel", no_wrap=True)
    for heading in ("\nshare", "\ntime", "in\nplace"):
        table.add_column(heading, justify="right", no_wrap=True)
    for baseline in baselines:
        table.add_column(Text(f"vs {baseline.name}\npart"), justify="right", no_wrap=True)
        table.add_column("\nwhole", justify="right", no_wrap=True)
    table.add_column("\nrise", justify="right", no_wrap=True)
    for row, result in enumerate(results):
        is_first = row == 0 or results[row - 1].workload != result.workload
        is_last = row + 1 == len(results) or results[row + 1].workload != result.workload
        speedups = [f for s in result.speedups for f in (s.offloadable, s.application)]
        table.add_row(
            Text(result.workload if is_first else ""),
            Text(result.place),
            percent_text(result.application.offloadable_share),
            seconds_text(result.scale_in_seconds),
            seconds_text(result.seconds_in_place),
            *(Text(_short(speedup), style="red" if is_slower(speedup) else "") for speedup in speedups),
            f"{result.rise_k:.1f}K" if result.rise_k is not None else "-",
            end_section=is_last,
        )
    out.print(table)
    lines = [
        "share: offloadable part of the application's time on Spark; time: that part inside the memory;",
        "in place: the same where the input already lies in the cores' layout;",
        "vs: speedup of that part and of the whole application; below 1x the memory's cores are slower.",
    ]
    lines += [f"{baseline.label}: {baseline.machine}." for baseline in baselines]
    areas = {f"{r.place} {percent_text(r.area.share)} of the {r.area.site}": None for r in results if r.area}
    lines += [f"Area of the cores: {', '.join(areas)}."] if areas else []
    outcomes = sorted({result.check.outcome for result in results})
    lines.append(f"Outputs compared with Spark's: {', '.join(outcomes)}.")
    kinds = sorted({label.kind for result in results for label in result.labels} - {"note"})
    lines += [f"Caveats ({', '.join(kinds)}) are listed in the report under validity."] if kinds else []
    for line in lines:
        out.print(Text(line), soft_wrap=True)


def _short(speedup: float) -> str:
    """Return a speedup in at most six characters; the report has all digits."""
    if speedup < 0.01:
        return "<0.01x"
    return f"{speedup:.2f}x" if speedup < 10 else f"{speedup:.1f}x" if speedup < 100 else f"{speedup:.0f}x"
