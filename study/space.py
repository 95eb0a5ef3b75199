"""A study file and the design points it spans.

A study is YAML: which traces, which base machines, which axes, how much is simulated. This file decides which keys
there are and which points follow; what a point costs to evaluate is `point.py`'s, the running `sweep.py`'s.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from pim.config.checked import checked, did_you_mean
from pim.config.document import Document, KeyPath, read_mapping
from pim.errors import ConfigError
from study.defaults import (
    EXECUTOR_CORES,
    MAX_EXECUTOR_CORES,
    MAX_THREADS,
    SAMPLE_GROUPS,
    SAMPLE_ITERATIONS,
    THREADS,
)
from study.results import LEVELS

Scalar = str | int | float | bool

MAX_POINTS = 100_000
"""A grid larger than this is taken for a slip of the pen (points; a point costs seconds)."""


class Study(BaseModel):
    """The keys of a study file.

    Attributes
    ----------
    name : str
        Names the outputs; default: the file's name without suffix.
    workloads : list of str
        Shipped traces by workload name.
    bundles : list of str
        Trace bundles by path, relative to the study file.
    base : list of str
        Presets or machine files the grid starts from; not together with ``grid.level``.
    grid : mapping
        Axis -> values. ``level`` picks the preset of that name; every other axis is a key of the machine's
        configuration with dots (``core.clock_mhz``).
    exclude : list of mappings
        Points that have all the given values are left out.
    sample_groups : int or "all"
        Groups (at bank level: chips) simulated per launch; the rest is taken from them.
    sample_iterations : int or "all"
        First iterations of an iterative job simulated; the rest is taken from them.
    executor_cores, threads : int
        N of the Spark and of the native baseline.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(default="", pattern=r"^([A-Za-z0-9_-][A-Za-z0-9._-]*)?$", max_length=80)
    workloads: list[str] = []
    bundles: list[str] = []
    base: list[str] = []
    grid: dict[str, list[Scalar]] = {}
    exclude: list[dict[str, Scalar]] = []
    sample_groups: int | str = SAMPLE_GROUPS
    sample_iterations: int | str = SAMPLE_ITERATIONS
    executor_cores: int = Field(default=EXECUTOR_CORES, gt=0, le=MAX_EXECUTOR_CORES)
    threads: int = Field(default=THREADS, gt=0, le=MAX_THREADS)


@dataclass(frozen=True)
class PointSpec:
    """One design point: a trace on one machine.

    Attributes
    ----------
    trace : str
        Workload name of a shipped trace, or path of a bundle.
    base : str
        Preset or path of a machine file.
    overrides : tuple of (str, scalar)
        Configuration keys that differ from the base, and their values.
    """

    trace: str
    base: str
    overrides: tuple[tuple[str, Scalar], ...] = ()

    @property
    def label(self) -> str:
        """Return the point in words, e.g. ``q6, bank, core.clock_mhz=400``."""
        changed = (f"{key}={value}" for key, value in self.overrides)
        return ", ".join((Path(self.trace).name, Path(self.base).stem, *changed))


def load_study(path: Path) -> tuple[Study, Document]:
    """Read and check a study file.

    Raises
    ------
    ConfigError
        With file and line: unknown key (and which is meant), wrong type, no trace, contradicting keys.
    """
    document = read_mapping(path, "study")
    content = document.content
    content = {**content, "base": [content["base"]]} if isinstance(content.get("base"), str) else content
    study = checked(Study, content, document)
    _check(study, document)
    name = study.name or path.stem
    if name.startswith(".") or not name.isprintable():
        raise document.error(("name",), f"give one: that of the file, {name!r}, can't be a folder's")
    return study.model_copy(update={"name": name}), document


def parse_count(value: int | str) -> int | None:
    """Return how many groups or iterations to simulate, None for all.

    Raises
    ------
    ValueError
        Neither a positive integer nor "all".
    """
    if value == "all":
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        value = int(value)
    if isinstance(value, int) and value > 0:
        return value
    raise ValueError(f"must be a positive number or 'all', got {value!r}")


def _check(study: Study, document: Document) -> None:
    if not study.workloads and not study.bundles:
        raise document.error((), "no trace: give `workloads` (shipped traces) or `bundles` (paths)")
    if study.base and "level" in study.grid:
        raise document.error(("base",), "`grid.level` picks the base machines itself: give one of the two")
    for key in ("workloads", "bundles", "base"):
        _require_distinct(document, (key,), getattr(study, key))
    for axis, values in study.grid.items():
        if not values:
            raise document.error(("grid", axis), "an axis needs at least one value")
        _require_distinct(document, ("grid", axis), values)
    for index, level in enumerate(study.grid.get("level", [])):
        if level not in LEVELS:
            raise document.error(("grid", "level", index), f"unknown level {level!r}{did_you_mean(str(level), LEVELS)}")
    _check_exclude(study, document)
    for key in ("sample_groups", "sample_iterations"):
        try:
            parse_count(getattr(study, key))
        except ValueError as error:
            raise document.error((key,), str(error)) from None


def _check_exclude(study: Study, document: Document) -> None:
    for index, pattern in enumerate(study.exclude):
        for key in pattern:
            if key not in study.grid:
                raise document.error(("exclude", index, key), f"not an axis of the grid{did_you_mean(key, study.grid)}")
            if pattern[key] not in study.grid[key]:
                known = did_you_mean(str(pattern[key]), map(str, study.grid[key]))
                raise document.error(("exclude", index, key), f"the axis has no value {pattern[key]!r}{known}")


def _require_distinct(document: Document, where: KeyPath, values: Sequence[Scalar]) -> None:
    """Raise ConfigError for the second of two values that are the same setting, as 200 and "200" are."""
    seen: set[str] = set()
    for index, value in enumerate(values):
        text = str(int(value) if isinstance(value, float) and value.is_integer() else value)
        if text in seen:
            raise document.error((*where, index), f"given twice: {value!r}")
        seen.add(text)


def points(study: Study, document: Document, settings: Callable[[str], Mapping[str, Any]]) -> list[PointSpec]:
    """Return the design points of a study, in the order of its file, last axis fastest.

    Parameters
    ----------
    study, document
        From `load_study`.
    settings : callable
        Base -> all settings of that machine, nested; raises ConfigError for a machine that does not exist.

    Raises
    ------
    ConfigError
        A base that does not exist, an axis that is no setting of the machines, or more than `MAX_POINTS` points.
    """
    axes = {axis: values for axis, values in study.grid.items() if axis != "level"}
    folder = document.path.parent
    traces = [*study.workloads, *(str(folder / bundle) for bundle in study.bundles)]
    bases = [str(level) for level in study.grid.get("level", study.base or ["bank"])]
    n_points = math.prod(map(len, axes.values())) * len(traces) * len(bases)
    if n_points > MAX_POINTS:
        raise document.error(("grid",), f"spans more than the {MAX_POINTS} points allowed")
    bases = [str(folder / base) if base.endswith((".yaml", ".yml")) else base for base in bases]
    for index, base in enumerate(bases):
        try:
            known = _dotted(settings(base))
        except ConfigError as error:
            raise document.error(("base", index), str(error)) from None
        for axis in axes:
            if axis not in known:
                raise document.error(("grid", axis), f"not a setting of machine {base}{did_you_mean(axis, known)}")
    spanned = [
        PointSpec(trace, base, tuple(zip(axes, combination, strict=True)))
        for trace in traces
        for base in bases
        for combination in itertools.product(*axes.values())
    ]
    return [point for point in spanned if not _is_excluded(point, study.exclude)]


def _dotted(settings: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Return the names of all settings, groups with dots."""
    names: list[str] = []
    for key, value in settings.items():
        names += _dotted(value, f"{prefix}{key}.") if isinstance(value, Mapping) else [prefix + key]
    return names


def _is_excluded(point: PointSpec, patterns: list[dict[str, Any]]) -> bool:
    values = {"level": point.base, **dict(point.overrides)}
    return any(all(values[key] == wanted for key, wanted in pattern.items()) for pattern in patterns)
