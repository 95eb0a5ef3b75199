"""The program that runs inside Spark: ``python -m spark_traces.run_workload JOB.json``.

Job group ``warmup`` loads the input, runs once and drops the cache, so that class loading, code generation and the
start of Python workers are over. Then ``load`` loads it again and ``repeat-0`` to ``repeat-2`` run; what was seen goes
to the file named in the job description. Started by `spark_traces.capture` in a process of its own; progress goes to
standard output, one line per step.
"""

import platform
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from spark_traces import workloads
from spark_traces.cpu_time import machine_seconds, session_seconds

FINISHED = "finished"
"""Last line of progress: the event log and the outcome are complete; what is left is the JVM's end."""

REPEATS = ("repeat-0", "repeat-1", "repeat-2")


def main(job_path: str) -> None:
    """Run the job described in the JSON file ``job_path``."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 - only this process needs PySpark

    job = orjson.loads(Path(job_path).read_bytes())
    workload = workloads.get(job["workload"])
    builder = SparkSession.builder.appName(f"scalein-{workload.name}")
    for key, value in job["conf"].items():
        builder = builder.config(key, value)
    _say("starting Spark")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    windows: dict[str, dict[str, int | float | None]] = {}

    @contextmanager
    def group(name: str) -> Iterator[None]:
        _say(name)
        spark.sparkContext.setJobGroup(name, f"{workload.name}: {name}")
        spark_before, machine_before = session_seconds(), machine_seconds()
        start = time.time_ns() // 1_000_000
        yield
        windows[name] = {
            "start_ms": start,
            "end_ms": -(-time.time_ns() // 1_000_000),
            "spark_cpu_seconds": _since(spark_before, session_seconds()),
            "machine_cpu_seconds": _since(machine_before, machine_seconds()),
        }

    parameters = job["parameters"]

    def load() -> Any:
        return workload.load(spark, job["input"], parameters, job["n_partitions"])

    with group("warmup"):
        handle = load()
        expected, _ = workload.run(spark, handle, parameters)
        workload.unload(handle)
    with group("load"):
        handle = load()
    plans: dict[str, Any] = {}
    for name in REPEATS:
        with group(name):
            result, describe = workload.run(spark, handle, parameters)
        plans[name] = describe()
        if result != expected:
            raise SystemExit(f"{workload.name}: {name} gave another result than the warm-up")
    versions = {
        "spark": spark.version,
        "java": _java_version(spark),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    spark.stop()
    outcome = {"windows": windows, "result": expected, "plans": plans, "versions": versions}
    Path(job["outcome"]).write_bytes(orjson.dumps(outcome))
    _say(FINISHED)


def _java_version(spark: Any) -> str:
    system = spark.sparkContext._jvm.java.lang.System
    return f"{system.getProperty('java.version')} ({system.getProperty('java.vm.name')})"


def _since(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else round(after - before, 2)


def _say(step: str) -> None:
    sys.stdout.write(f"{step}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
