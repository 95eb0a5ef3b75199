"""Results as a table in the terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from study.numbers import percent_text, seconds_text, speedup_text
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
    table = Table(title="Scale-in replay", title_justify="left", caption_justify="left")
    for heading in ("workload", "level"):
        table.add_column(heading)
    for heading in ("cores", "offloadable\nshare", "scale-in\ntime"):
        table.add_column(heading, justify="right")
    for baseline in baselines:
        table.add_column(f"vs {baseline.label}\npart | application", justify="right")
    for heading in ("area\nadded", "rise"):
        table.add_column(heading, justify="right")
    for row, result in enumerate(results):
        is_last = row + 1 == len(results) or results[row + 1].workload != result.workload
        table.add_row(
            Text(result.workload),
            result.level,
            str(result.n_cores),
            percent_text(result.application.offloadable_share),
            seconds_text(result.scale_in_seconds),
            *(f"{speedup_text(s.offloadable)} | {speedup_text(s.application)}" for s in result.speedups),
            percent_text(result.area.share) if result.area else "-",
            f"{result.rise_k:.2f} K" if result.rise_k is not None else "-",
            end_section=is_last,
        )
    out.print(table)
    outputs = {r.check.outcome for r in results}
    out.print(Text(f"Outputs compared with Spark's: {', '.join(sorted(outputs))}."))
    for baseline in baselines:
        out.print(Text(f"{baseline.label}: {baseline.machine}"))
    kinds = sorted({label.kind for r in results for label in r.labels})
    if kinds:
        out.print(Text(f"Caveats ({', '.join(kinds)}): see the report's section on validity."))
