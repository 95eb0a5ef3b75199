"""Runs a workload in Spark's local mode with the event log on and writes a trace bundle.

Spark runs in a process of its own (`spark_traces.run_workload`); this one makes the input, waits, takes identifying
text out of the log, binds stages to kernels and writes the bundle. It needs PySpark and Java; opening a bundle
needs neither.
"""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from pim.errors import LoadError
from spark_traces import codecs, generate, workloads
from spark_traces.bundle import Bundle, check_destination, open_bundle, write_bundle
from spark_traces.eventlog import read_event_log
from spark_traces.machine import PACKAGE_ROOT, describe_machine, machine_scrubber
from spark_traces.manifest import FORMAT, VERSION
from spark_traces.run_workload import FINISHED
from spark_traces.schema import App
from spark_traces.workloads.workload import Workload

DEFAULT_PARTITIONS = 48  # three tasks per core of the 16-core baseline
DEFAULT_CORES = 2  # threads of the local mode: those of a small machine, all of them busy
DRIVER_MEMORY = "6g"
EXIT_SECONDS = 20  # a JVM usually ends within two seconds; one was seen to take seven minutes

Progress = Callable[[str], None]


def capture(
    workload_name: str,
    out: Path | str,
    *,
    n_bytes: int,
    seed: int = 1,
    n_partitions: int = DEFAULT_PARTITIONS,
    n_cores: int = DEFAULT_CORES,
    driver_memory: str = DRIVER_MEMORY,
    progress: Progress = lambda _step: None,
) -> Bundle:
    """Trace a workload for real and return the bundle written to ``out``.

    Parameters
    ----------
    workload_name : str
        One of `spark_traces.workloads.WORKLOADS`.
    out : Path or str
        The bundle's folder; an existing bundle is replaced.
    n_bytes : int
        Size of the input in memory, bytes.
    seed : int
        Seed of the input's generator.
    n_partitions, n_cores : int
        Partitions of the input, and threads of Spark's local mode.
    driver_memory : str
        Heap of the JVM, as Spark writes it.
    progress : callable
        Called with one line per step.

    Raises
    ------
    LoadError
        If PySpark or Java is absent, ``out`` is something else than a bundle, or Spark fails; the message then has
        Spark's own output.
    """
    check_destination(Path(out))
    java_home = _require_spark()
    workload = workloads.get(workload_name)
    input_parameters = workload.input_parameters(n_bytes)
    parameters = workload.parameters(input_parameters)
    progress("making the input")
    arrays = generate.generate(workload.generator, generate.VERSION, seed, input_parameters)
    source = {
        "generator": workload.generator,
        "version": generate.VERSION,
        "seed": seed,
        "parameters": input_parameters,
        "sha256": generate.input_digest(arrays),
        "n_bytes": sum(array.nbytes for array in arrays.values()),
    }
    with tempfile.TemporaryDirectory(prefix="scalein-trace-") as name:
        work = Path(name)
        for folder in ("input", "events", "local"):
            (work / folder).mkdir()
        workload.write_input(arrays, parameters, work / "input", n_partitions)
        del arrays
        job = {
            "workload": workload.name,
            "parameters": parameters,
            "input": str(work / "input"),
            "n_partitions": n_partitions,
            "outcome": str(work / "outcome.json"),
            "conf": _spark_conf(work, n_cores, driver_memory),
        }
        (work / "job.json").write_bytes(orjson.dumps(job))
        _run_spark(work, java_home, progress)
        outcome = orjson.loads((work / "outcome.json").read_bytes())
        (log,) = (path for path in (work / "events").iterdir() if not path.name.startswith("."))
        progress("writing the bundle")
        app = read_event_log(log)
        scrubber = machine_scrubber(work, java_home)
        event_log = scrubber.event_log(codecs.read_lines(log), log.name)
        plans = {
            "groups": outcome["plans"],
            "sql_executions": {str(sql.execution_id): dict(sql.plan) for sql in app.sql_executions},
        }
    values = {
        "format": FORMAT,
        "version": VERSION,
        "workload": workload.name,
        "parameters": parameters,
        "input": source,
        "bindings": bind_stages(app, workload),
        "windows": outcome["windows"],
        "versions": outcome["versions"],
        "machine": describe_machine(),
        "measurement": {
            "date": datetime.now(UTC).date().isoformat(),
            "n_partitions": n_partitions,
            "n_cores": n_cores,
        },
    }
    write_bundle(out, values, event_log, scrubber.value(plans), outcome["result"])
    return open_bundle(out)


def bind_stages(app: App, workload: Workload) -> list[dict[str, Any]]:
    """Return the bindings of the repeats: stages that write a shuffle are the map kernel's, the others the reduce's."""
    bindings = []
    for job in app.jobs:
        if not job.group or not job.group.startswith("repeat-"):
            continue
        for stage in app.stages_of_job(job):
            writes = any(task.task_type == "ShuffleMapTask" for task in stage.tasks)
            kernel = workload.map_kernel if writes else workload.reduce_kernel
            bindings.append({"job_group": job.group, "stage_id": stage.stage_id, "kernel": kernel})
    return bindings


def _require_spark() -> Path:
    """Return Java's home; `LoadError` if it or PySpark is absent."""
    if importlib.util.find_spec("pyspark") is None:
        raise LoadError("tracing needs PySpark, which is not installed: pip install 'scalein[spark]'")
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if java is None:
        where = f"JAVA_HOME={home} has no bin/java" if home else "no 'java' in PATH"
        raise LoadError(f"tracing needs Java 17 or newer: {where}; install a JRE, or set JAVA_HOME")
    return Path(java).resolve().parent.parent


def _spark_conf(work: Path, n_cores: int, driver_memory: str) -> dict[str, str]:
    return {
        "spark.master": f"local[{n_cores}]",
        "spark.driver.memory": driver_memory,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.local.dir": str(work / "local"),
        "spark.sql.warehouse.dir": str(work / "local" / "warehouse"),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": (work / "events").as_uri(),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        # one partition per input file: the cost of opening a file is set above any partition's size
        "spark.sql.files.openCostInBytes": str(1 << 30),
    }


def _run_spark(work: Path, java_home: Path, progress: Progress) -> None:
    """Run the job in ``work``; the end of Spark's own output ends up in the exception."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(PACKAGE_ROOT), os.environ.get("PYTHONPATH")])),
        "PYTHONHASHSEED": "0",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "JAVA_HOME": str(java_home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        # one thread per task, as Spark sets it for executors
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "spark_traces.run_workload", str(work / "job.json")]
    with (
        (work / "stderr.txt").open("w+b") as errors,
        subprocess.Popen(
            command,
            env=environment,
            cwd=work,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,  # its CPU time is counted by session, and it can be ended as a whole
        ) as process,
    ):
        assert process.stdout is not None
        code = None
        try:
            for line in process.stdout:
                step = line.rstrip()
                if step == FINISHED:
                    code = 0  # all is written; how long the JVM takes to end does not matter
                    break
                progress(step)
            if code is None:
                code = process.wait()
        finally:
            _end(process, grace_seconds=0 if code is None else EXIT_SECONDS)
        if code:
            errors.seek(0)
            lines = errors.read().decode(errors="replace").splitlines()
            if len(lines) > 16:  # Java's word stands first, Python's last
                lines[6:-9] = ["..."]
            raise LoadError(f"tracing: Spark ended with exit code {code}; what it said:\n" + "\n".join(lines))


def _end(process: subprocess.Popen[str], grace_seconds: float) -> None:
    """Wait until the process and its group (Spark's JVM) are gone; kill what is left after the grace."""
    deadline = time.monotonic() + grace_seconds
    with contextlib.suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            process.poll()
            os.killpg(process.pid, 0)  # raises once the group is empty
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
