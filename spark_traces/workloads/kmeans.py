"""k-means (Lloyd) on an RDD of NumPy points, as in Spark's own example ``kmeans.py`` but with fixed iterations.

The input's coordinates are fixed-point numbers, so cluster sums are exact in any order and the centroids do not
depend on the schedule.
"""

from pathlib import Path
from typing import Any

import numpy as np

from spark_traces.workloads.workload import Arrays, Parameters, Plans, Workload

DIMENSIONS = 8
CLUSTERS = 8
ITERATIONS = 3


def _input_parameters(n_bytes: int) -> dict[str, int]:
    return {"n": max(CLUSTERS, -(-n_bytes // (8 * DIMENSIONS))), "d": DIMENSIONS, "k": CLUSTERS}


def _parameters(generated: Parameters) -> dict[str, int]:
    return {**generated, "iterations": ITERATIONS}


def _write_input(arrays: Arrays, parameters: Parameters, folder: Path, n_partitions: int) -> None:
    points = arrays["points"].reshape(parameters["n"], parameters["d"])
    (folder / "points").mkdir()
    for i, part in enumerate(np.array_split(points, n_partitions)):  # Spark makes one partition per file
        (folder / "points" / f"part-{i:05}.bin").write_bytes(part.astype("<f8").tobytes())
    np.save(folder / "initial.npy", arrays["initial"].reshape(parameters["k"], parameters["d"]))


def _load(spark: Any, folder: str, parameters: Parameters, _n_partitions: int) -> Any:
    record_bytes = 8 * parameters["d"]
    records = spark.sparkContext.binaryRecords(f"{folder}/points", record_bytes)
    points = records.map(lambda record: np.frombuffer(record, dtype="<f8")).cache()
    points.count()
    return points, np.load(Path(folder) / "initial.npy")


def _unload(handle: Any) -> None:
    handle[0].unpersist(blocking=True)


def _run(_spark: Any, handle: Any, parameters: Parameters) -> tuple[Any, Plans]:
    points, centroids = handle
    counts = np.zeros(len(centroids), dtype=np.int64)
    rdds = []
    for _ in range(parameters["iterations"]):

        def assign(p: Any, centers: Any = centroids) -> Any:
            return int(np.argmin(((centers - p) ** 2).sum(axis=1))), (p, 1)

        sums = points.map(assign).reduceByKey(lambda a, b: (a[0] + b[0], a[1] + b[1]))
        centroids, counts = centroids.copy(), np.zeros_like(counts)
        for cluster, (total, count) in sums.collect():  # a cluster without points keeps its centroid
            centroids[cluster], counts[cluster] = total / count, count
        rdds.append(sums)
    result = {
        "centroids": [[float(x).hex() for x in row] for row in centroids],
        "counts": [int(count) for count in counts],
    }
    return result, lambda: {"lineage": [rdd.toDebugString().decode() for rdd in rdds]}


def _check_result(value: Any, parameters: Parameters) -> str | None:
    match value:
        case {"centroids": list(centroids), "counts": list(counts), **rest} if not rest:
            pass
        case _:
            return "must be {'centroids': rows of hexadecimal floats, 'counts': integers}"
    k, d = parameters["k"], parameters["d"]
    if len(centroids) != k or not all(isinstance(row, list) and len(row) == d for row in centroids):
        return f"centroids must be {k} rows of {d} values"
    if not all(isinstance(x, str) and _is_hex_float(x) for row in centroids for x in row):
        return "centroids must be finite floats written by float.hex"
    if len(counts) != k or not all(type(count) is int and count >= 0 for count in counts):
        return f"counts must be {k} integers >= 0"
    if sum(counts) != parameters["n"]:
        return f"counts must add up to n = {parameters['n']}, got {sum(counts)}"
    return None


def _is_hex_float(text: str) -> bool:
    try:
        return bool(np.isfinite(float.fromhex(text))) and float.fromhex(text).hex() == text
    except (ValueError, OverflowError):
        return False


WORKLOAD = Workload(
    name="kmeans",
    generator="points",
    input_parameters=_input_parameters,
    parameters=_parameters,
    write_input=_write_input,
    load=_load,
    unload=_unload,
    run=_run,
    check_result=_check_result,
)
