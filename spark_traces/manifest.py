"""The form of ``bundle.json``: what a trace bundle says about itself, and its canonical bytes.

The manifest carries a digest over the rest of it and is stored in one canonical form only, so any changed byte is
found. Digests protect against damage and mix-ups, not against a forger. Files are checked by `spark_traces.bundle`.
"""

import hashlib
from typing import Annotated, Any, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pim.errors import LoadError

FORMAT = "scalein-bundle"
VERSION = 1
MANIFEST_NAME = "bundle.json"
FILE_NAMES = ("eventlog.zst", "plans.json.zst", "result.json.zst")

END_OF_TIME_MS = 1 << 42  # assumption: no trace is from after 2109; what is larger is no time

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Int64 = Annotated[int, Field(ge=-(1 << 63), lt=1 << 63)]
Count = Annotated[int, Field(ge=0, lt=1 << 63)]
Instant = Annotated[int, Field(ge=0, lt=END_OF_TIME_MS)]
Text = Annotated[str, Field(min_length=1, max_length=200)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class InputSource(_Model):
    """How to make the input again, and the SHA-256 of its arrays (`spark_traces.generate.input_digest`)."""

    generator: Text
    version: int
    seed: int
    parameters: dict[str, Int64]
    sha256: Sha256
    n_bytes: Count


class Binding(_Model):
    """A stage and the kernel role that replaces it."""

    job_group: Text
    stage_id: Count
    kernel: Text


class Window(_Model):
    """When the driver program began and ended one job group, ms since 1970 on the event log's clock.

    ``spark_cpu_seconds`` is the CPU time of the driver program, the JVM and the Python workers; ``machine_cpu_seconds``
    that of everything on the machine: the difference is other load. None where the system does not tell.
    """

    start_ms: Instant
    end_ms: Instant
    spark_cpu_seconds: Annotated[float, Field(ge=0)] | None
    machine_cpu_seconds: Annotated[float, Field(ge=0)] | None


class Machine(_Model):
    """The machine that the trace was captured on."""

    cpu: Text
    n_cores: Annotated[int, Field(ge=1)]
    memory_bytes: Count
    system: Text


class Measurement(_Model):
    """How the capture was done."""

    date: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\d$")]
    n_partitions: Annotated[int, Field(ge=1)]
    n_cores: Annotated[int, Field(ge=1)]


class Manifest(_Model):
    """Everything in ``bundle.json``."""

    format: Literal["scalein-bundle"]
    version: Literal[1]
    workload: Text
    parameters: dict[str, Int64]
    input: InputSource
    files: dict[str, Sha256]
    result_sha256: Sha256
    bindings: list[Binding]
    windows: dict[str, Window]
    versions: dict[str, Text]
    machine: Machine
    measurement: Measurement
    digest: Sha256


def manifest_digest(values: dict[str, Any]) -> str:
    """Return the SHA-256 over the canonical form of everything but ``digest`` itself."""
    rest = {key: value for key, value in values.items() if key != "digest"}
    return hashlib.sha256(canonical(rest)).hexdigest()


def canonical(value: Any) -> bytes:
    """Return the one form in which a manifest is stored: sorted keys, two spaces, a final newline."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"


def parse_manifest(data: bytes, where: str) -> Manifest:
    """Return the manifest in ``data``; ``where`` names the file in messages.

    Raises
    ------
    LoadError
        If it is not JSON, not a bundle, of another version, changed, or has a missing, unknown or wrong field.
    """
    try:
        values = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise LoadError(f"{where}: not JSON: {error}") from error
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise LoadError(f"{where}: not a trace bundle: 'format' must be {FORMAT!r}")
    if type(values.get("version")) is not int or values["version"] != VERSION:
        raise LoadError(f"{where}: bundle version {values.get('version')!r:.40}; this program reads version {VERSION}")
    try:
        digest, stored = manifest_digest(values), canonical(values)
    except orjson.JSONEncodeError as error:  # nested deeper than any manifest
        raise LoadError(f"{where}: not a manifest: {error}") from error
    if values.get("digest") != digest:
        raise LoadError(
            f"{where}: changed after it was written: its content has digest {digest}, "
            f"it says {values.get('digest')!r:.70}"
        )
    if stored != data:
        raise LoadError(f"{where}: changed after it was written: not in canonical form")
    try:
        return Manifest.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise LoadError(f"{where}: field '{field}': {first['msg']}, got {first['input']!r:.60}") from error
