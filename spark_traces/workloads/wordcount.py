"""Word count on RDDs: ``flatMap(split)``, ``map``, ``reduceByKey``, as in Spark's own example ``wordcount.py``."""

from operator import add
from pathlib import Path
from typing import Any

from spark_traces.workloads.workload import Arrays, Parameters, Plans, Workload


def _input_parameters(n_bytes: int) -> dict[str, int]:
    return {"n_bytes": n_bytes}


def _parameters(_generated: Parameters) -> dict[str, int]:
    return {}


def _write_input(arrays: Arrays, _parameters: Parameters, folder: Path, _n_partitions: int) -> None:
    (folder / "text.txt").write_bytes(arrays["text"].tobytes())


def _load(spark: Any, folder: str, _parameters: Parameters, n_partitions: int) -> Any:
    lines = spark.sparkContext.textFile(f"{folder}/text.txt", n_partitions).cache()
    lines.count()
    return lines


def _unload(lines: Any) -> None:
    lines.unpersist(blocking=True)


def _run(_spark: Any, lines: Any, _parameters: Parameters) -> tuple[Any, Plans]:
    counts = lines.flatMap(lambda line: line.split(" ")).map(lambda word: (word, 1)).reduceByKey(add)
    result = sorted([word, count] for word, count in counts.collect())
    return result, lambda: {"lineage": [counts.toDebugString().decode()]}


def _check_result(value: Any, _parameters: Parameters) -> str | None:
    if not isinstance(value, list):
        return "must be a list of [word, count]"
    previous = ""
    for row in value:
        match row:
            case [str(word), int(count)] if word > previous and type(count) is int and count > 0:
                previous = word
            case _:
                return f"must be [word, count > 0] in ascending order of words, got {row!r:.60}"
    return None


WORKLOAD = Workload(
    name="wordcount",
    generator="text",
    input_parameters=_input_parameters,
    parameters=_parameters,
    write_input=_write_input,
    load=_load,
    unload=_unload,
    run=_run,
    check_result=_check_result,
)
