"""A trace bundle bound to what runs it here: its application on Spark, its offloadable stages, its Spark baseline.

The definitions are the project's: the application is the load stage plus the median measured repeat, the driver's gaps
included; its offloadable part is the time in which only stages bound to kernels run; the rest is the host remainder.
"""

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

from pim.errors import LoadError
from spark_traces.bundle import Bundle, open_bundle
from spark_traces.schedule import replay_application
from study.parts import BundleInfo, Label
from study.results import Application, Baseline


@dataclass(frozen=True)
class Bound:
    """An opened bundle and what its event log says about the application on N executor cores."""

    bundle: Bundle
    application: Application
    spark: Baseline
    info: BundleInfo
    labels: tuple[Label, ...]


def trace_name(path: Path) -> str:
    """Return the name of a bundle in results: that of its folder.

    Raises
    ------
    LoadError
        The name is not made of printable characters.
    """
    name = Path(os.path.abspath(path)).name  # noqa: PTH100 - resolve() fails where links go in circles
    if not name or not name.isprintable():
        raise LoadError(f"bundle {path}: its folder's name is to be used in tables and must be printable text")
    return name


@lru_cache(maxsize=1)
def bind(path: Path, executor_cores: int) -> Bound:
    """Open a bundle and schedule its application on ``executor_cores``; the last one is kept open.

    Raises
    ------
    LoadError
        The bundle is missing, damaged or of another version, or its log lacks the load stage or the repeats.
    """
    bundle = open_bundle(path)
    replay = replay_application(bundle.app, bundle.bindings, executor_cores, bundle.windows_ms)
    if replay.offloadable_seconds <= 0:
        raise LoadError(f"bundle {path}: no measurable time in stages bound to kernels; nothing to offload")
    machine, measured = bundle.manifest.machine, bundle.manifest.measurement
    offloaded = [row for row in replay.stages if row.kernel]
    application = Application(
        seconds=replay.offloadable_seconds + replay.host_remainder_seconds,
        offloadable_seconds=replay.offloadable_seconds,
        remainder_seconds=replay.host_remainder_seconds,
        offloadable_share=replay.offloadable_seconds / (replay.offloadable_seconds + replay.host_remainder_seconds),
        stages=[f"{row.stage_id}: {_stage_name(row.name)} ({row.kernel}, {row.n_tasks} tasks)" for row in offloaded],
    )
    n_tasks = sum(row.n_tasks for row in replay.stages)
    spark = Baseline(
        name="Spark",
        n=executor_cores,
        unit="executor cores",
        machine=f"{machine.cpu}, {machine.n_cores} cores, {machine.system}",
        offloadable_seconds=replay.offloadable_seconds,
        how=(
            f"{n_tasks} task times measured on {measured.n_cores} cores ({measured.date}), "
            f"list-scheduled on {executor_cores}; median of {len(replay.repeat_seconds)} repeats."
        ),
        cpu_seconds=replay.jvm_cpu_seconds,
    )
    return Bound(bundle, application, spark, _info(bundle), _labels(bundle))


QUIET = 0.05
"""Share of a machine's CPU time that other programs may take before a capture counts as disturbed. Assumption."""


def other_load(bundle: Bundle) -> float | None:
    """Return the share of the machine's CPU time that other programs took while Spark was measured, None if unknown."""
    windows = [window for group, window in bundle.manifest.windows.items() if group != "warmup"]
    taken = available = 0.0
    for window in windows:
        if window.spark_cpu_seconds is None or window.machine_cpu_seconds is None:
            return None
        taken += max(0.0, window.machine_cpu_seconds - window.spark_cpu_seconds)
        available += (window.end_ms - window.start_ms) / 1e3 * bundle.manifest.machine.n_cores
    return taken / available if available else None


def _labels(bundle: Bundle) -> tuple[Label, ...]:
    load = other_load(bundle)
    if load is None:
        return (Label(kind="note", text="it is not known what else ran on the machine when Spark was measured"),)
    if load <= QUIET:
        return ()
    text = f"other programs took {100 * load:.0f} % of the machine while Spark was measured: its times are too long"
    return (Label(kind="warning", text=text),)


def _stage_name(name: str) -> str:
    """Return Spark's name of a stage, ``<operation> at <file>:<line>``, without the file's folder."""
    operation, _, place = name.partition(" at ")
    return f"{operation} at {PurePosixPath(place).name}" if place else name


def _info(bundle: Bundle) -> BundleInfo:
    source = bundle.manifest.input
    return BundleInfo(
        program=bundle.workload,
        digest=bundle.digest,
        input_digest=source.sha256,
        n_input_bytes=source.n_bytes,
        parameters={**source.parameters, **bundle.parameters, "seed": source.seed},
        versions=bundle.versions,
    )
