"""Replay traces on machines: the job inside the memory, its output against Spark's, both baselines, one result each.

A result is only made when the output equals Spark's. What the application and its Spark baseline are is decided in
``bind.py``, what a job costs in `mapreduce.runtime`, what it costs besides time in ``physical.py``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mapreduce import jobs
from mapreduce.functional import Work
from mapreduce.host import Calibration, load_calibration, native_seconds, native_work
from mapreduce.runtime import JobRun, run_job
from pim.config import SystemConfig
from pim.engines import DEFAULT_ENGINE, Engine
from spark_traces.bundle import Bundle
from study import delivery, physical, projection, provenance
from study.at_temperature import Runner, run_at_temperature
from study.bind import Bound, bind, trace_name
from study.check import compare
from study.defaults import EXECUTOR_CORES, SAMPLE_GROUPS, SAMPLE_ITERATIONS, THREADS
from study.parts import KernelFigures
from study.results import PHASES, Baseline, Result, speedups

Progress = Callable[[str, int, int], None]
"""Called with what is simulated, how much of it is done, and of how much."""


@dataclass(frozen=True)
class Options:
    """How a replay is done.

    Attributes
    ----------
    sample_groups : int or None
        Groups of cores simulated per launch; None for all.
    sample_iterations : int or None
        Iterations of an iterative job that are simulated, the first ones; None for all.
    executor_cores, threads : int
        N of the Spark and of the native baseline.
    command : str
        The command line, for the result.
    calibration : Path or None
        Calibration of the native baseline; None for the shipped one.
    engine : Engine
        What simulates the cores' instructions; no number depends on it.
    delivery : bool
        Whether to simulate the job also under other limits of the die's power delivery.
    """

    sample_groups: int | None = SAMPLE_GROUPS
    sample_iterations: int | None = SAMPLE_ITERATIONS
    executor_cores: int = EXECUTOR_CORES
    threads: int = THREADS
    command: str = ""
    calibration: Path | None = None
    engine: Engine = DEFAULT_ENGINE
    delivery: bool = False

    def load_calibration(self) -> Calibration:
        """Return the calibration of the native baseline."""
        return load_calibration(self.calibration) if self.calibration else load_calibration()


def replay_one(path: Path, system: SystemConfig, options: Options, progress: Progress | None = None) -> Result:
    """Return the result of one trace on one machine.

    Parameters
    ----------
    path : Path
        The bundle's folder.
    system : SystemConfig
        The machine.
    options : Options
    progress : callable, optional
        See `Progress`.

    Raises
    ------
    PimError
        The bundle is damaged, its data does not fit, a core went wrong, or the output differs from Spark's
        (ResultMismatchError).
    """
    bound = bind(path, options.executor_cores)
    bundle = bound.bundle
    runner = _runner(bundle, options, progress)
    ran = run_at_temperature(system, runner)
    system, run = ran.system, ran.run
    check = compare(
        workload=bundle.workload,
        level=system.level.value,
        expected=bundle.result,
        got=run.result,
        inputs=bundle.inputs(),
    )
    baselines = [bound.spark, native_baseline(bound, options)]
    return Result(
        workload=trace_name(path),
        level=system.level.value,
        machine=system.name,
        config=system.model_dump(mode="json"),
        n_cores=system.n_cores,
        provenance=provenance.collect(options.command, options.engine),
        bundle=bound.info,
        application=bound.application,
        baselines=baselines,
        phases={phase: run.phases[phase] for phase in PHASES},
        placement_seconds=run.placement_seconds,
        scale_in_seconds=run.seconds,
        speedups=speedups(bound.application, baselines, run.seconds),
        kernels=ran.kernels,
        area=physical.area(system),
        power=physical.power(ran.drawn),
        thermals=tuple(ran.thermals),
        delivery=delivery.measure(system, _kernels(runner)) if options.delivery else (),
        rtl_checked=system.rtl_checked,
        labels=(*bound.labels, *projection.labels(system, run, ran.kernels, ran.thermals)),
        check=check,
    )


def _kernels(runner: Runner) -> Callable[[SystemConfig], list[KernelFigures]]:
    """Return what gives the figures of a job's kernels on a machine."""

    def run(system: SystemConfig) -> list[KernelFigures]:
        ran = runner(system)
        return projection.kernel_figures(ran.kernels, len(ran.iterations))

    return run


def _runner(bundle: Bundle, options: Options, progress: Progress | None) -> Runner:
    """Return how a bundle's job is run on a given machine."""
    calibration = options.load_calibration()

    def run(system: SystemConfig) -> JobRun:
        return run_job(
            jobs.get(bundle.workload),
            bundle.inputs(),
            bundle.parameters,
            system,
            sample_groups=options.sample_groups,
            sample_iterations=options.sample_iterations,
            progress=progress,
            calibration=calibration,
            host_threads=options.threads,
            engine=options.engine,
        )

    return run


def native_baseline(bound: Bound, options: Options) -> Baseline:
    """Return the native baseline of a trace on ``options.threads`` threads."""
    calibration = options.load_calibration()
    host = calibration.machine
    return Baseline(
        name="native",
        n=options.threads,
        unit="threads",
        machine=f"{host.cpu}, {calibration.memory_bandwidth_gb_s:.1f} GB/s measured, calibrated {host.date}",
        offloadable_seconds=_native_seconds(bound, calibration, options.threads),
        how=(
            f"The same kernels compiled for the host: work counted on the same input, time per unit measured on one "
            f"thread, divided by {options.threads} threads, never faster than the memory's bandwidth."
        ),
    )


_counted: dict[tuple[str, int], list[Work]] = {}
"""Work by trace and threads: the same at every level, seconds to count."""


def _native_seconds(bound: Bound, calibration: Calibration, threads: int) -> float:
    key = (bound.bundle.digest, threads)
    if key not in _counted:
        job = jobs.get(bound.bundle.workload)
        _counted[key] = native_work(job, bound.bundle.inputs(), bound.bundle.parameters, threads)
    return native_seconds(calibration, _counted[key], threads)
