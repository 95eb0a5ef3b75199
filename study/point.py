"""One design point: a trace on one machine, from names to a result."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pim.config import SystemConfig, load_system, with_overrides
from pim.config.checked import did_you_mean
from pim.config.document import Document
from pim.errors import LoadError
from spark_traces.bundle import shipped_bundles
from spark_traces.manifest import MANIFEST_NAME
from study import replay
from study.bind import trace_name
from study.provenance import code_digest
from study.results import Result
from study.space import PointSpec, Scalar, Study
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


def check_traces(study: Study, document: Document) -> None:
    """Raise ConfigError, with the line, for a workload that is not shipped or a path where no bundle is."""
    shipped = shipped_bundles()
    for index, name in enumerate(study.workloads):
        if name not in shipped:
            raise document.error(("workloads", index), f"no trace {name!r} is shipped{did_you_mean(name, shipped)}")
    for index, name in enumerate(study.bundles):
        folder = document.path.parent / name
        try:
            trace_name(folder)
            is_bundle = (folder / MANIFEST_NAME).is_file()
        except LoadError as error:
            raise document.error(("bundles", index), str(error)) from None
        except OSError as error:
            raise document.error(("bundles", index), f"{name!r}: {error.strerror}") from None
        if not is_bundle:
            raise document.error(("bundles", index), f"{str(folder)!r}: no bundle here, there is no {MANIFEST_NAME}")


def key(options: replay.Options, spec: PointSpec) -> str:
    """Return the digest of everything the point's numbers depend on.

    Raises
    ------
    PimError
        The machine is inconsistent or the trace missing.
    """
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
