"""What a sweep leaves behind: one table (Parquet and CSV) and one Pareto plot."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from pim.files import write_atomic
from study import figures, pareto
from study.delivery import contention_share
from study.results import PHASES
from study.sweep import Finished


def table(finished: Sequence[Finished]) -> list[dict[str, Any]]:
    """Return one row per point: its axes, then its figures with units in the names, then whether nothing beats it.

    ``is_pareto``: no point of the same workload has at most its area and at least its speedup of the offloadable part
    over the native baseline, one of the two better.
    """
    axes = list(dict.fromkeys(axis for point in finished for axis, _ in point.spec.overrides))
    rows = [_row(point, axes) for point in finished]
    for workload in dict.fromkeys(row["workload"] for row in rows):
        mine = [row for row in rows if row["workload"] == workload and row["area_mm2"] is not None]
        areas = [row["area_mm2"] for row in mine]
        for index in pareto.front(areas, [row["speedup_offloadable_vs_native"] for row in mine]):
            mine[index]["is_pareto"] = True
    return rows


def _row(point: Finished, axes: Sequence[str]) -> dict[str, Any]:
    result = point.result
    row: dict[str, Any] = {"workload": result.workload, "level": result.level, "machine": result.machine}
    row |= {axis: dict(point.spec.overrides).get(axis, _configured(result.config, axis)) for axis in axes}
    row |= {"cores": result.n_cores, "scale_in_s": result.scale_in_seconds, "in_place_s": result.seconds_in_place}
    row |= {f"{phase}_s": result.phases[phase] for phase in PHASES}
    row["host_remainder_s"] = result.application.remainder_seconds
    row["offloadable_share"] = result.application.offloadable_share
    for baseline, speedup in zip(result.baselines, result.speedups, strict=True):
        name = baseline.name.lower()
        row[f"{name}_{baseline.unit.replace(' ', '_')}"] = baseline.n
        row[f"{name}_offloadable_s"] = baseline.offloadable_seconds
        row[f"speedup_offloadable_vs_{name}"] = speedup.offloadable
        row[f"speedup_application_vs_{name}"] = speedup.application
    row["contention_share"] = contention_share(result.kernels)
    row["scale_in_bound_s"] = result.scale_in_seconds_bound
    row["area_mm2"] = result.area.total_mm2 if result.area else None
    row["area_share"] = result.area.share if result.area else None
    row["power_w"] = result.power.total_w if result.power else None
    row["temperature_rise_k"] = result.rise_k
    row["is_pareto"] = False
    row |= {"bundle_digest": result.bundle.digest, "point": point.key}
    return row


def _configured(config: Mapping[str, Any], axis: str) -> Any:
    value: Any = config
    for part in axis.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def output_paths(name: str, folder: Path) -> tuple[Path, Path, Path]:
    """Return where table (Parquet, CSV) and plot of the study ``name`` go."""
    return folder / f"{name}.parquet", folder / f"{name}.csv", folder / f"{name}-pareto.png"


def write_outputs(name: str, finished: Sequence[Finished], folder: Path) -> list[Path]:
    """Write ``<name>.parquet``, ``<name>.csv`` and ``<name>-pareto.png`` and return their paths."""
    rows = table(finished)
    parquet = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), parquet)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    contents = (parquet.getvalue(), text.getvalue().encode(), figures.pareto_png(_pareto_series(finished)))
    paths = output_paths(name, folder)
    for path, content in zip(paths, contents, strict=True):
        write_atomic(path, content)
    return list(paths)


def _pareto_series(finished: Sequence[Finished]) -> list[figures.ParetoSeries]:
    """Return one series per workload: speedup of the offloadable part over the native baseline, against area."""
    series = []
    for workload in dict.fromkeys(point.result.workload for point in finished):
        results = [p.result for p in finished if p.result.workload == workload and p.result.area is not None]
        areas = [r.area.total_mm2 for r in results if r.area is not None]
        gains = [r.speedup("native").offloadable for r in results]
        if results:
            series.append(
                figures.ParetoSeries(
                    workload=workload,
                    baseline=results[0].speedup("native").baseline,
                    areas_mm2=areas,
                    speedups=gains,
                    levels=[r.level for r in results],
                    front=pareto.front(areas, gains),
                )
            )
    return series
