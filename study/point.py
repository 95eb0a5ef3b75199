"""One design point: a trace on one machine, from names to a result."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pim.config import SystemConfig, load_system, with_overrides
from pim.errors import LoadError
from spark_traces.bundle import shipped_bundles
from spark_traces.manifest import MANIFEST_NAME
from study import replay
from study.provenance import code_digest
from study.results import Result
from study.space import PointSpec, Scalar
from study.sweep import point_key


def machine(base: str, overrides: Mapping[str, Scalar]) -> SystemConfig:
    """Return the machine of a preset or file with overrides.

    Raises
    ------
    ConfigError
        There is no such machine, or the overrides make it inconsistent.
    """
    system = load_system(base)
    return with_overrides(system, overrides, f"machine {base}") if overrides else system


def settings(base: str) -> dict[str, Any]:
    """Return all settings of a preset or machine file."""
    return machine(base, {}).model_dump(mode="json")


def trace_path(trace: str) -> Path:
    """Return the folder of a shipped trace's name, or the path itself."""
    return shipped_bundles().get(trace, Path(trace))


def check_trace(trace: str) -> None:
    """Raise LoadError for a workload that is not shipped (a path is checked when it is opened)."""
    shipped = shipped_bundles()
    if trace not in shipped and not Path(trace).exists():
        known = ", ".join(shipped) or "none"
        raise LoadError(f"trace {trace!r}: neither a shipped workload ({known}) nor a bundle's folder")


def key(options: replay.Options, spec: PointSpec) -> str:
    """Return the digest of everything the point's numbers depend on.

    Raises
    ------
    PimError
        The machine is inconsistent or the trace missing.
    """
    check_trace(spec.trace)
    system = machine(spec.base, dict(spec.overrides))
    manifest = trace_path(spec.trace) / MANIFEST_NAME
    try:
        trace = manifest.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LoadError(f"{manifest}: can't be read: {error}") from None
    sampled = [options.sample_groups, options.sample_iterations]
    baselines = [options.executor_cores, options.threads]
    return point_key(system.model_dump(mode="json"), trace, sampled, baselines, code_digest())


def evaluate(options: replay.Options, spec: PointSpec) -> Result:
    """Return the result of a point."""
    system = machine(spec.base, dict(spec.overrides))
    return replay.replay_one(trace_path(spec.trace), system, options)
