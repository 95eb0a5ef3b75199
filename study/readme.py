"""The README's results, a figure and a table made from the committed result files: ``python -m study.readme``.

They stand between two marker comments; everything else of the README is left alone.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from pim.errors import LoadError, PimError
from pim.files import write_atomic
from study.figures import speedup_svg
from study.numbers import percent_text, seconds_text, speedup_text
from study.results import Result
from study.store import load_results

RESULTS = Path("docs/results")
FIGURE = RESULTS / "speedups.svg"
BEGIN, END = "<!-- results:begin -->", "<!-- results:end -->"


def table(results: Sequence[Result]) -> str:
    """Return the headline figures of ``results`` (at least one) as Markdown, baselines and command named."""
    first = results[0]
    spark, native = (baseline.label for baseline in first.baselines)
    lines = [
        f"![Speedups of the offloadable part and of the whole application over both baselines]({FIGURE})",
        "",
        f"| workload | level | offloadable share | time in memory | input in place "
        f"| part vs {spark} | whole vs {spark} | part vs {native} | whole vs {native} | area | rise |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for result in results:
        cells = [
            result.workload,
            result.level,
            percent_text(result.application.offloadable_share),
            seconds_text(result.scale_in_seconds),
            seconds_text(result.seconds_in_place),
            *(speedup_text(figure) for s in result.speedups for figure in (s.offloadable, s.application)),
            _area_text(result),
            f"{result.rise_k:.0f} K" if result.rise_k is not None else "-",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        f"From `{RESULTS}`, made by `{first.provenance.command}` with version {first.provenance.scalein_version}. "
        f"Below 1x the memory's cores are slower. Baselines: "
        + "; ".join(f"{baseline.label}, {baseline.machine}" for baseline in first.baselines)
        + ". Area: nominal (least to most). "
        + f"Temperature is preliminary{_unchecked(results)}; every caveat is in the report.",
    ]
    warnings = [(r, label.text) for r in results for label in r.labels if label.kind == "warning"]
    lines += ["", *(f"- Warning, {r.workload} at {r.place}: {text}." for r, text in warnings)] if warnings else []
    return "\n".join(lines)


def _area_text(result: Result) -> str:
    """Return the share of the silicon that the cores sit on, with its range."""
    area = result.area
    if area is None:
        return "-"
    low, high = percent_text(area.share_low), percent_text(area.share_high)
    return f"{percent_text(area.share)} ({low} to {high}) of {area.site}"


def _unchecked(results: Sequence[Result]) -> str:
    """Return what is to be said about cycle counts that no RTL has confirmed."""
    unchecked = sorted({result.place for result in results if not result.rtl_checked})
    if not unchecked:
        return ""
    if not any(result.rtl_checked for result in results):
        return ", no cycle count is RTL-checked yet"
    return f", cycle counts at {' and '.join(unchecked)} level are not RTL-checked yet"


def fill(readme: str, results: Sequence[Result]) -> str:
    """Return ``readme`` with the text between the markers replaced by the table.

    Raises
    ------
    LoadError
        The markers are missing.
    """
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise LoadError(f"README: needs the lines {BEGIN} and {END}")
    return f"{before}{begin}\n{table(results)}\n{end}{after}"


def main() -> int:
    """Fill the README of the working folder; return the exit code."""
    path = Path("README.md")
    try:
        results = load_results(RESULTS)
        write_atomic(FIGURE, speedup_svg(results).encode())
        write_atomic(path, fill(path.read_text(encoding="utf-8"), results).encode())
    except (PimError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201 - a command of its own
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
