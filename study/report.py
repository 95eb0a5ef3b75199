"""Results to one HTML page that needs nothing else: styles, pictures and text in a single file, no request to anywhere.

The page shows what the result files say and computes nothing new; figures come from ``figures.py``, the text's
frame from ``templates/``. Everything from a result is escaped.
"""

import base64
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import jinja2
from markupsafe import Markup

from pim.files import write_atomic
from study import delivery, equal, figures
from study.glossary import GLOSSARY
from study.numbers import is_slower, percent_text, seconds_text, speedup_text
from study.parts import Label
from study.results import LEVELS, PHASES, REMAINDER_LABEL, Result

KINDS = get_args(Label.model_fields["kind"].annotation)
"""Kinds of caveat, the gravest first."""


def write_report(results: Sequence[Result], path: Path, command: str) -> None:
    """Write the page about ``results`` (at least one); ``command`` is what the reader may run to get it again."""
    write_atomic(path, render(results, command).encode())


def render(results: Sequence[Result], command: str) -> str:
    """Return the page as HTML text.

    Parameters
    ----------
    results : sequence of Result
        At least one, as `study.store.load_results` orders them.
    command : str
        How the results were made.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("study"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "times": speedup_text,
        "percent": percent_text,
        "seconds": seconds_text,
        "count": lambda value: f"{value:,.0f}",
    }
    environment.tests["slower"] = is_slower
    return environment.get_template("report.html").render(
        results=results,
        baselines=results[0].baselines,
        workloads=_by_workload(results),
        highlights=_highlights(results),
        command=command,
        phases=PHASES,
        remainder_label=REMAINDER_LABEL,
        causes=_union(r.cpi_stack for r in results),
        counters=_union(k.counters for r in results for k in r.kernels),
        commands=_union(k.dram_commands for r in results for k in r.kernels),
        speedup_figure=Markup(figures.speedup_svg(results)),
        time_figures={w: Markup(figures.time_svg(rs)) for w, rs in _by_workload(results).items()},
        cpi_figure=Markup(figures.cpi_svg(results)) if any(r.cpi_stack for r in results) else "",
        thermal_notes=_union((t.note,) for r in results for t in r.thermals),
        power_notes=_union(r.power.notes for r in results if r.power),
        thermal_figures=_thermal_figures(results),
        areas=_areas(results),
        delivery=[(r, delivery.lines(r.delivery)) for r in results if r.delivery],
        equal=equal.compare(_by_workload(results)),
        labels=_labels(results),
        configurations=_configurations(results),
        bundles={r.workload: r.bundle for r in results},
        provenances=_provenances(results),
        glossary=GLOSSARY,
    )


def _by_workload(results: Sequence[Result]) -> dict[str, list[Result]]:
    grouped: dict[str, list[Result]] = {}
    for result in results:
        grouped.setdefault(result.workload, []).append(result)
    return grouped


def _highlights(results: Sequence[Result]) -> list[str]:
    """Return the range of speedups over each baseline, in words."""
    lines = []
    for index, baseline in enumerate(results[0].baselines):

        def whole(result: Result, index: int = index) -> float:
            return result.speedups[index].application

        least, most = min(results, key=whole), max(results, key=whole)
        parts = [result.speedups[index].offloadable for result in results]
        low, high = (f"{speedup_text(whole(r))} ({r.workload}, {r.place})" for r in (least, most))
        range_text = f"offloadable parts {speedup_text(min(parts))} to {speedup_text(max(parts))}"
        lines.append(f"Against {baseline.label}: whole applications {low} to {high}; {range_text}.")
    return lines


def _union(groups: Iterable[Iterable[str]]) -> list[str]:
    """Return all words of the groups, in order of first appearance."""
    return list(dict.fromkeys(word for group in groups for word in group))


def _thermal_figures(results: Sequence[Result]) -> dict[str, str]:
    """Return one picture per workload as a data URI."""
    pictures = {}
    for workload, group in _by_workload(results).items():
        maps = [(f"{r.place}, {t.die}", t) for r in group for t in r.thermals]
        if maps:
            encoded = base64.b64encode(figures.thermal_png(maps)).decode()
            pictures[workload] = f"data:image/png;base64,{encoded}"
    return pictures


def _areas(results: Sequence[Result]) -> list[Result]:
    """Return one result per distinct area; it depends on the machine, not on the workload."""
    distinct: dict[str, Result] = {}
    for result in sorted(results, key=lambda r: LEVELS.index(r.level)):
        if result.area is not None:
            distinct.setdefault(result.area.model_dump_json(), result)
    return list(distinct.values())


def _labels(results: Sequence[Result]) -> dict[tuple[str, str], list[str]]:
    """Return (kind, text) of every caveat -> the levels or results it stands on, shortest way to say it."""
    where: dict[tuple[str, str], list[Result]] = {}
    for result in results:
        for label in result.labels:
            where.setdefault((label.kind, label.text), []).append(result)
    said = {}
    for key, marked in sorted(where.items(), key=lambda item: KINDS.index(item[0][0])):
        levels = [level for level in LEVELS if any(r.level == level for r in marked)]
        if len(marked) == len(results):
            said[key] = ["all results"]
        elif len(marked) == sum(r.level in levels for r in results):
            said[key] = [f"{level} level" for level in levels]
        else:
            said[key] = [f"{r.workload} at {r.place}" for r in marked]
    return said


def _configurations(results: Sequence[Result]) -> tuple[list[str], list[tuple[str, list[Any], bool]]]:
    """Return the names of the distinct machines and rows (key, value on each, whether they differ)."""
    machines: dict[str, dict[str, Any]] = {}
    for result in sorted(results, key=lambda r: LEVELS.index(r.level)):
        flat = _flat(result.config)
        name = result.machine
        if name in machines and machines[name] != flat:
            name = f"{result.machine} ({result.workload})"
        machines[name] = flat
    rows = []
    for key in _union(machines.values()):
        values = [machine.get(key, "") for machine in machines.values()]
        rows.append((key, values, any(value != values[0] for value in values)))
    return list(machines), sorted(rows, key=lambda row: not row[2])


def _flat(config: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in config.items():
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


def _provenances(results: Sequence[Result]) -> list[tuple[Any, list[str]]]:
    """Return the distinct origins of the results and which results have each, command and time aside."""
    origins: dict[str, tuple[Any, list[str]]] = {}
    for result in results:
        key = result.provenance.model_dump_json(exclude={"created_utc"})
        origins.setdefault(key, (result.provenance, []))[1].append(f"{result.workload}, {result.place}")
    return list(origins.values())
