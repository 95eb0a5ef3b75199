"""Trace bundles: a folder with an event log, executed plans, Spark's result and the way to make the input again.

Opening one checks every file against the manifest, the result's and the regenerated input's digests, and that
bindings and event log fit together. Nothing in it is executed or unpickled, and what decompression may yield is
bounded. The manifest's form is decided in `spark_traces.manifest`; results are compared in `study`.
"""

import hashlib
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from pim.errors import LoadError
from pim.files import check_writable, read_bounded
from spark_traces import codecs
from spark_traces.bundle_checks import check_groups, check_names, check_tasks
from spark_traces.eventlog import read_event_log
from spark_traces.generate import Arrays, generate, input_digest
from spark_traces.manifest import FILE_NAMES, MANIFEST_NAME, Manifest, canonical, manifest_digest, parse_manifest
from spark_traces.schema import App

# assumption: bounds far above what a trace of a few hundred stages needs
MAX_MANIFEST_BYTES = 1 << 20
MAX_FILE_BYTES = 1 << 30  # on disk, each
MAX_EVENT_LOG_BYTES = 8 << 30  # decompressed
MAX_JSON_BYTES = 512 << 20  # decompressed, plans and result each

SHIPPED = Path(__file__).parent / "bundles"


@dataclass(frozen=True)
class Bundle:
    """An opened and checked bundle.

    Attributes
    ----------
    path : Path
        Its folder.
    manifest : Manifest
        What it says about itself.
    app : App
        Its event log.
    result : JSON value
        Spark's result in canonical form: wordcount a sorted list of [word, count]; kmeans ``{"centroids": k rows of
        d hexadecimal floats, "counts": k integers}``; q6 ``{"revenue": decimal string}``.
    plans : JSON value
        Per job group the lineage or executed plans, and the event log's plans per SQL execution.
    """

    path: Path
    manifest: Manifest
    app: App
    result: Any
    plans: Any
    _inputs: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def workload(self) -> str:
        """Name of the workload."""
        return self.manifest.workload

    @property
    def parameters(self) -> dict[str, int]:
        """Parameters of the program."""
        return dict(self.manifest.parameters)

    @property
    def versions(self) -> dict[str, str]:
        """Versions of Spark, Java, Python and NumPy at the capture."""
        return dict(self.manifest.versions)

    @property
    def digest(self) -> str:
        """SHA-256 of the manifest, which holds the digests of everything else."""
        return self.manifest.digest

    @property
    def bindings(self) -> Mapping[tuple[str, int], str]:
        """(job group, stage id) -> kernel role, such as ``wordcount.map``."""
        return {(b.job_group, b.stage_id): b.kernel for b in self.manifest.bindings}

    @property
    def windows_ms(self) -> Mapping[str, tuple[int, int]]:
        """When the driver program began and ended each job group, ms since 1970."""
        return {group: (w.start_ms, w.end_ms) for group, w in self.manifest.windows.items()}

    def inputs(self) -> Arrays:
        """Return the input arrays, made on first use and checked against their digest; callers share them."""
        if not self._inputs:
            source = self.manifest.input
            arrays = generate(source.generator, source.version, source.seed, source.parameters)
            got = input_digest(arrays)
            if got != source.sha256:
                raise LoadError(
                    f"{self.path / MANIFEST_NAME}: the regenerated input has digest {got}, "
                    f"the bundle says {source.sha256}"
                )
            n_bytes = sum(array.nbytes for array in arrays.values())
            if n_bytes != source.n_bytes:
                raise LoadError(
                    f"{self.path / MANIFEST_NAME}: the regenerated input has {n_bytes} bytes, "
                    f"the bundle says {source.n_bytes}"
                )
            self._inputs.update(arrays)
        return dict(self._inputs)


def shipped_bundles() -> dict[str, Path]:
    """Return the bundles in the package by name."""
    return {path.parent.name: path.parent for path in sorted(SHIPPED.glob(f"*/{MANIFEST_NAME}"))}


def open_bundle(path: Path | str, *, check_input: bool = True) -> Bundle:
    """Return the bundle in folder ``path``, fully checked.

    Parameters
    ----------
    path : Path or str
        The bundle's folder.
    check_input : bool
        Whether to make the input and check its digest now (100 MB take one to two seconds) or at the first use of
        `Bundle.inputs`.

    Raises
    ------
    LoadError
        If anything is missing, changed, truncated, of another version or inconsistent; says where and what.
    """
    path = Path(path)
    if not path.is_dir():
        what = "is not a folder" if path.exists() else "does not exist"
        raise LoadError(f"bundle {path}: {what}; a bundle is a folder with {MANIFEST_NAME}")
    manifest_path = path / MANIFEST_NAME
    manifest = parse_manifest(read_bounded(manifest_path, MAX_MANIFEST_BYTES, str(manifest_path)), str(manifest_path))
    workload = check_names(manifest, manifest_path)
    for name, expected in manifest.files.items():
        got = hashlib.sha256(read_bounded(path / name, MAX_FILE_BYTES, str(path / name))).hexdigest()
        if got != expected:
            raise LoadError(f"{path / name}: has digest {got}, {MANIFEST_NAME} says {expected}")
    result_path = path / "result.json.zst"
    result = _read_json(result_path)
    wrong = workload.check_result(result, manifest.parameters)
    if wrong:
        raise LoadError(f"{result_path}: result of {workload.name} {wrong}")
    digest = result_digest(result)
    if digest != manifest.result_sha256:
        raise LoadError(f"{result_path}: result has digest {digest}, {MANIFEST_NAME} says {manifest.result_sha256}")
    log_path = path / "eventlog.zst"
    app = read_event_log(log_path, MAX_EVENT_LOG_BYTES)
    check_tasks(app, log_path)
    check_groups(manifest, app, manifest_path)
    bundle = Bundle(path, manifest, app, result, _read_json(path / "plans.json.zst"))
    if check_input:
        bundle.inputs()
    return bundle


def _read_json(path: Path) -> Any:
    try:
        return orjson.loads(codecs.read_bytes(path, MAX_JSON_BYTES))
    except orjson.JSONDecodeError as error:
        raise LoadError(f"{path}: not JSON: {error}") from error


def result_digest(result: Any) -> str:
    """Return the SHA-256 of a result's compact JSON form."""
    return hashlib.sha256(orjson.dumps(result)).hexdigest()


def check_destination(path: Path) -> None:
    """Raise if no bundle can be written to ``path`` or something other than a bundle is there; one may be replaced.

    Raises
    ------
    LoadError, ConfigError
    """
    if not path.exists():
        check_writable(path)
    elif not (path / MANIFEST_NAME).is_file():
        raise LoadError(f"bundle {path}: exists and is not a bundle; it is left as it is")
    else:
        check_writable(path / MANIFEST_NAME)


def write_bundle(path: Path | str, values: dict[str, Any], event_log: bytes, plans: Any, result: Any) -> Path:
    """Write a bundle atomically and return its folder; an existing bundle there is replaced.

    Parameters
    ----------
    path : Path or str
        The bundle's folder.
    values : dict
        The manifest's fields but ``files``, ``result_sha256`` and ``digest``.
    event_log : bytes
        The event log, plain.
    plans, result : JSON value
        As in `Bundle`.

    Raises
    ------
    LoadError
        If ``path`` exists and is not a bundle.
    """
    path = Path(path)
    check_destination(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    try:
        contents = (event_log, orjson.dumps(plans), orjson.dumps(result))
        files = {}
        for name, content in zip(FILE_NAMES, contents, strict=True):
            data = codecs.compress(content)
            (folder / name).write_bytes(data)
            files[name] = hashlib.sha256(data).hexdigest()
        values = {**values, "files": files, "result_sha256": result_digest(result)}
        values["digest"] = manifest_digest(values)
        data = canonical(values)
        parse_manifest(data, str(path / MANIFEST_NAME))
        (folder / MANIFEST_NAME).write_bytes(data)
        folder.chmod(0o755)
        if path.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{path.name}-old-", dir=path.parent))
            path.rename(old / path.name)
            folder.rename(path)
            shutil.rmtree(old)
        else:
            folder.rename(path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return path
