"""The pictures of the report and of a sweep; every axis has its unit, every speedup its baseline.

What is drawn is decided here, colours and file formats in ``style.py``, where it stands on the page in ``report.py``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from study.numbers import seconds_text
from study.parts import Thermal
from study.results import LEVELS, Result
from study.style import CYCLE, INK, LEVEL_MARKER, PHASE_ORDER, PHASE_STYLE, colour, new_figure, styled, to_png, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH_IN = 7.2
ROW_IN = 0.26
"""Height of one bar with its gap."""


@dataclass(frozen=True)
class ParetoSeries:
    """One workload's points: added area (mm2) and speedup, and which of them are optimal (indices, by area)."""

    workload: str
    baseline: str
    areas_mm2: Sequence[float]
    speedups: Sequence[float]
    levels: Sequence[str]
    front: Sequence[int]


def speedup_svg(results: Sequence[Result]) -> str:
    """Return all speedups on one logarithmic axis: baseline by colour, part or whole by filling."""
    from matplotlib.ticker import LogLocator, NullFormatter  # noqa: PLC0415 (0.5 s)

    with styled():
        figure = new_figure(WIDTH_IN, 1.35 + ROW_IN * len(results))
        axes = figure.subplots()
        names = [b.name for b in results[0].baselines]
        for index, name in enumerate(names):
            tint = colour(("vermillion", "blue")[index % 2])
            rows = np.arange(len(results)) + 0.14 * (2 * index - 1)
            parts = [r.speedup(name).offloadable for r in results]
            wholes = [r.speedup(name).application for r in results]
            axes.hlines(rows, np.minimum(parts, wholes), np.maximum(parts, wholes), color=tint, linewidth=1.2)
            label = results[0].speedup(name).baseline
            axes.plot(wholes, rows, "o", color=tint, markersize=5.5, label=f"whole application vs {label}")
            axes.plot(parts, rows, "D", markerfacecolor="none", markeredgecolor=tint, markersize=5,
                      label=f"offloadable part vs {label}")  # fmt: skip
        axes.axvline(1.0, color=INK, linewidth=0.9)
        axes.set_xscale("log")
        low, high = axes.get_xlim()
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high < 500 * low else (1,), numticks=20))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}x")
        axes.xaxis.set_minor_formatter(NullFormatter())
        for row in range(1, len(results)):
            if results[row].workload != results[row - 1].workload:
                axes.axhline(row - 0.5, color=INK, linewidth=0.6, alpha=0.3)
        axes.set_yticks(range(len(results)), [f"{r.workload}, {r.place}" for r in results])
        axes.invert_yaxis()
        axes.set_xlabel("speedup (x times faster than the named baseline; left of 1x: slower)")
        axes.grid(visible=True, axis="x")
        figure.legend(loc="outside upper left", ncols=2, fontsize=8)
        text = "Speedups of every workload and level over both baselines; the numbers are in the table above."
        return to_svg(figure, text)


def time_svg(results: Sequence[Result]) -> str:
    """Return where the time of one workload's application goes: both baselines, then every level, in seconds.

    Parameters
    ----------
    results : sequence of Result
        One workload's, any number of levels; baselines and remainder are taken from each.
    """
    rows: list[tuple[str, dict[str, float]]] = []
    first = results[0]
    for baseline in first.baselines:
        rows.append((baseline.label, {"baseline": baseline.offloadable_seconds}))
    rows += [(_at(r), dict(r.phases)) for r in results]
    with styled():
        figure = new_figure(WIDTH_IN, 1.75 + 2 * ROW_IN * len(rows))
        whole, part = figure.subplots(2, 1, height_ratios=(len(rows), len(results)))
        remainder = first.application.remainder_seconds
        _stack(whole, [(name, {**times, "remainder": remainder}) for name, times in rows])
        whole.set_title("whole application")
        whole.set_xlabel("time (s)")
        _stack(part, rows[len(first.baselines) :], normalise=True)
        part.set_title("offloaded part, inside the memory")
        part.set_xlabel("share of the offloaded part's time (%)")
        part.set_xlim(0, 100)
        handles, labels = whole.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=5, fontsize=8)
        text = f"Where the time of {first.workload} goes, phase by phase; the seconds are in the table below."
        return to_svg(figure, text)


def _at(result: Result) -> str:
    return f"{result.level} level" if result.machine == result.level else result.place


def _stack(axes: "Axes", rows: Sequence[tuple[str, Mapping[str, float]]], *, normalise: bool = False) -> None:
    """Draw horizontal stacked bars with their total at the end; phases in the order they happen."""
    positions = np.arange(len(rows))
    left = np.zeros(len(rows))
    totals = np.array([sum(times.values()) for _, times in rows])
    scale = 100.0 / totals if normalise else np.ones(len(rows))
    for key, label in PHASE_ORDER.items():
        widths = np.array([times.get(key, 0.0) for _, times in rows]) * scale
        if not widths.any():
            continue
        tint, hatch = PHASE_STYLE[key]
        axes.barh(positions, widths, left=left, height=0.72, color=colour(tint), hatch=hatch, label=label)
        left += widths
    for position, total, end in zip(positions, totals, left, strict=True):
        axes.annotate(seconds_text(total), (end, position), (4, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_yticks(positions, [name for name, _ in rows])
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=True, axis="x")
    axes.margins(x=0.1)


def cpi_svg(results: Sequence[Result]) -> str:
    """Return the CPI stacks: core cycles per instruction, by what they were spent on."""
    causes = list(dict.fromkeys(cause for r in results for cause in r.cpi_stack))
    with styled():
        figure = new_figure(WIDTH_IN, 1.3 + ROW_IN * len(results))
        axes = figure.subplots()
        positions = np.arange(len(results))
        left = np.zeros(len(results))
        for index, cause in enumerate(causes):
            widths = np.array([r.cpi_stack.get(cause, 0.0) for r in results])
            hatch = "" if index < len(CYCLE) else "////"
            axes.barh(positions, widths, left=left, height=0.72, color=colour(CYCLE[index % len(CYCLE)]),
                      hatch=hatch, label=cause)  # fmt: skip
            left += widths
        for position, end in zip(positions, left, strict=True):
            axes.annotate(f"{end:.2f}", (end, position), (4, 0), textcoords="offset points", va="center", fontsize=8)
        axes.set_yticks(positions, [f"{r.workload}, {r.place}" for r in results])
        axes.invert_yaxis()
        axes.tick_params(axis="y", length=0)
        axes.margins(x=0.1)
        axes.grid(visible=True, axis="x")
        axes.set_xlabel("CPI (core cycles per retired instruction)")
        figure.legend(loc="outside upper left", ncols=5, fontsize=8)
        return to_svg(figure, "CPI stack of every workload and level; the numbers are in the table below.")


def thermal_png(thermals: Sequence[tuple[str, Thermal]]) -> bytes:
    """Return temperature maps of dies side by side, in degrees Celsius over millimetres.

    Every map has a colour scale of its own: silicon spreads heat, so the differences on one die are far smaller than
    those between dies, whose peaks stand in the titles.
    """
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 (0.5 s)

    with styled():
        figure = new_figure(2.5 * max(len(thermals), 2), 3.0)
        panels = figure.subplots(1, len(thermals), squeeze=False)[0]
        for axes, (name, thermal) in zip(panels, thermals, strict=True):
            grid = np.array(thermal.map_c)
            picture = axes.imshow(
                grid, origin="lower", cmap="inferno", interpolation="nearest",
                vmin=grid.min(), vmax=max(grid.max(), grid.min() + 0.1),
                extent=(0, thermal.width_mm, 0, thermal.height_mm),
            )  # fmt: skip
            axes.set_title(f"{name}\npeak {thermal.peak_c:.1f} °C", fontsize=9)
            axes.set_xlabel("x (mm)")
            axes.spines[["top", "right"]].set_visible(True)
            bar = figure.colorbar(picture, ax=axes, orientation="horizontal", label="temperature (°C)", shrink=0.9)
            bar.ax.xaxis.set_major_locator(MaxNLocator(3))
        panels[0].set_ylabel("y (mm)")
        return to_png(figure)


def pareto_png(series: Sequence[ParetoSeries]) -> bytes:
    """Return speedup against area, one panel per workload, optimal points joined; levels by marker and colour."""
    with styled():
        n_panels = max(len(series), 1)
        figure = new_figure(max(3.4 * n_panels, 4.6), 3.8)
        panels = figure.subplots(1, n_panels, squeeze=False)[0]
        handles: dict[str, Any] = {}
        for axes, one in zip(panels, series, strict=False):
            _pareto_panel(axes, one)
            handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        if series:
            panels[0].set_ylabel(f"speedup of the offloadable part\nvs {series[0].baseline} (x)")
            figure.legend(handles.values(), handles.keys(), loc="outside upper left", ncols=4, fontsize=8)
        else:
            panels[0].text(0.5, 0.5, "no point has an area", ha="center")
        return to_png(figure)


def _pareto_panel(axes: "Axes", one: ParetoSeries) -> None:
    areas, gains = np.array(one.areas_mm2), np.array(one.speedups)
    best = list(one.front)
    axes.step(areas[best], gains[best], where="post", color=INK, linewidth=1, label="Pareto front")
    for level, tint in zip(LEVELS, ("orange", "blue", "green"), strict=True):
        chosen = [i for i, at in enumerate(one.levels) if at == level]
        if chosen:
            axes.plot(areas[chosen], gains[chosen], LEVEL_MARKER[level], color=colour(tint), markersize=6,
                      markeredgecolor="white", markeredgewidth=0.5, label=f"{level} level")  # fmt: skip
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set_title(one.workload)
    axes.set_xlabel("area of all cores (mm²)")
    axes.grid(visible=True, axis="both")
