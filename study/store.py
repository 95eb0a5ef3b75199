"""Result files: where they are kept, and how they are written and read."""

from collections.abc import Iterable
from pathlib import Path

import orjson
from pydantic import ValidationError

from pim.errors import LoadError
from pim.files import read_bounded, write_atomic
from study.results import LEVELS, Result

REPORT_NAME = "report.html"
MAX_RESULT_BYTES = 64 << 20  # assumption: a result has some 100 KB


def result_bytes(result: Result) -> bytes:
    """Return a result as indented JSON, keys in the schema's order."""
    return orjson.dumps(result.model_dump(mode="json"), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def result_path(folder: Path, workload: str, machine: str) -> Path:
    """Return where the result of a workload on a machine is kept; characters a file name can't hold become ``_``."""
    stem = "".join(c if c.isalnum() or c in "._-" else "_" for c in f"{workload}-{machine}")
    return folder / f"{stem}.json"


def save_result(result: Result, folder: Path) -> Path:
    """Write a result into ``folder`` and return the file's path."""
    path = result_path(folder, result.workload, result.machine)
    write_atomic(path, result_bytes(result))
    return path


def load_result(path: Path) -> Result:
    """Read one result file.

    Raises
    ------
    LoadError
        The file is missing, is not JSON, is of another schema version, or its numbers contradict each other.
    """
    try:
        document = orjson.loads(read_bounded(path, MAX_RESULT_BYTES, f"result {path}"))
    except orjson.JSONDecodeError as error:
        raise LoadError(f"result {path}: not JSON: {error}") from None
    try:
        return Result.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise LoadError(
            f"result {path}: {where}: {first['msg']} ({error.error_count()} problem(s) in this file)"
        ) from None


def load_results(folder: Path) -> list[Result]:
    """Read all results of a folder, by workload, then level (innermost first).

    Raises
    ------
    LoadError
        The folder holds no result, or one that can't be read.
    """
    paths: Iterable[Path] = sorted(folder.glob("*.json")) if folder.is_dir() else ()
    results = [load_result(path) for path in paths]
    if not results:
        raise LoadError(f"{folder}: no result files (*.json) here; make some with `scalein run`")
    return sorted(results, key=lambda r: (r.workload, LEVELS.index(r.level), r.machine))
