"""Run the points of a study and keep each finished one.

A finished point is one file named by a digest of everything its numbers depend on: the machine, the trace, what is
sampled, the baselines' N and the code. A killed sweep therefore resumes where it was, and a changed configuration
makes new points beside the old ones. A point that fails is reported and tried again next time.
"""

import functools
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from pim.errors import LoadError, PimError
from pim.files import write_atomic
from study.engines import local
from study.results import Result
from study.space import PointSpec
from study.store import load_result, result_bytes


@dataclass(frozen=True)
class Finished:
    """A point with its result and where that is kept."""

    spec: PointSpec
    key: str
    result: Result


@dataclass(frozen=True)
class SweepReport:
    """What a sweep did.

    Attributes
    ----------
    finished : list of Finished
        All points that have a result, in the study's order.
    n_reused : int
        How many of them were there already.
    failures : list of (PointSpec, str)
        Points without a result and why.
    """

    finished: list[Finished]
    n_reused: int
    failures: list[tuple[PointSpec, str]]


def point_key(*parts: object) -> str:
    """Return the digest of everything a point's numbers depend on (64 hex digits); parts are JSON values."""
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def run(
    specs: Sequence[PointSpec],
    *,
    key_of: Callable[[PointSpec], str],
    evaluate: Callable[[PointSpec], Result],
    folder: Path,
    workers: int,
    progress: Callable[[PointSpec, str | None], None] = lambda _spec, _error: None,
) -> SweepReport:
    """Evaluate the points that have no result yet, in ``workers`` processes.

    Parameters
    ----------
    specs : sequence of PointSpec
        The study's points.
    key_of : callable
        Digest of a point (`point_key`); a PimError it raises makes the point fail.
    evaluate : callable
        Importable by name in a fresh process; returns a point's result.
    folder : Path
        Finished points go to ``<folder>/points/<key>.json``.
    workers : int
        Number of processes.
    progress : callable
        Called for each point that ends now, with its error or None.
    """
    failures: dict[PointSpec, str] = {}
    keys: dict[PointSpec, str] = {}
    results: dict[PointSpec, Result] = {}
    to_run = []
    for spec in specs:
        try:
            keys[spec] = key_of(spec)
        except PimError as error:
            failures[spec] = str(error)
            progress(spec, str(error))
            continue
        kept = _kept(folder, keys[spec])
        if kept is None:
            to_run.append(spec)
        else:
            results[spec] = kept
            progress(spec, None)
    n_reused = len(results)
    paths = {spec: _point_path(folder, keys[spec]) for spec in to_run}
    work = functools.partial(_evaluate_and_keep, evaluate)
    tasks = [(spec, paths[spec]) for spec in to_run]
    for outcome in local.run(work, tasks, workers):
        spec = outcome.task[0]
        if outcome.failure is None:
            results[spec] = load_result(paths[spec])
            progress(spec, None)
        else:
            failures[spec] = outcome.failure.text
            progress(spec, outcome.failure.text)
    return SweepReport(
        finished=[Finished(spec, keys[spec], results[spec]) for spec in specs if spec in results],
        n_reused=n_reused,
        failures=[(spec, failures[spec]) for spec in specs if spec in failures],
    )


def _point_path(folder: Path, key: str) -> Path:
    return folder / "points" / f"{key}.json"


def _kept(folder: Path, key: str) -> Result | None:
    """Return a point's kept result; a damaged file counts as none and is replaced."""
    path = _point_path(folder, key)
    if not path.is_file():
        return None
    try:
        return load_result(path)
    except LoadError:
        return None


def _evaluate_and_keep(evaluate: Callable[[PointSpec], Result], task: tuple[PointSpec, Path]) -> None:
    """Evaluate a point and write its file from the process that did the work, so that no later death loses it."""
    spec, path = task
    write_atomic(path, result_bytes(evaluate(spec)))
