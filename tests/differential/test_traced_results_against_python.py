"""A workload traced for real: Spark's result against plain Python on the same input, and the bundle end to end."""

from collections import Counter
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from spark_traces.capture import capture
from spark_traces.schedule import replay_application

N_BYTES = 2_000_000
N_PARTITIONS = 3


def words_of(bundle):
    text = bundle.inputs()["text"].tobytes().decode("ascii")
    return sorted([word, count] for word, count in Counter(text.split()).items())


def centroids_of(bundle):
    """Lloyd's iterations on fixed-point integers; distances and means in exact rational numbers, vectorised."""
    n, d, k, iterations = (bundle.parameters[key] for key in ("n", "d", "k", "iterations"))
    points = (bundle.inputs()["points"].reshape(n, d) * 2**20).astype(np.int64)
    centroids = [[Fraction(int(x)) for x in row] for row in points[:k]]
    for _ in range(iterations):
        # distance**2 up to the point's own norm, in float64 with an exact second look at near ties
        approximate = np.array([[float(x) for x in row] for row in centroids])
        distance = ((points[:, None, :] - approximate) ** 2).sum(axis=2)
        nearest = distance.argmin(axis=1)
        two = np.sort(distance, axis=1)[:, :2]
        for i in np.flatnonzero(two[:, 1] - two[:, 0] < 1e-9 * two[:, 1]):
            exact = [sum((int(x) - c) ** 2 for x, c in zip(points[i], row, strict=True)) for row in centroids]
            nearest[i] = exact.index(min(exact))
        counts = np.bincount(nearest, minlength=k)
        for cluster in np.flatnonzero(counts):
            total = points[nearest == cluster].sum(axis=0)
            centroids[cluster] = [Fraction(int(x), int(counts[cluster])) for x in total]
    # the sums are exact in float64, so Spark's centroid is the quotient rounded once
    return {
        "centroids": [[float(x / 2**20).hex() for x in row] for row in centroids],
        "counts": counts.tolist(),
    }


def revenue_of(bundle):
    rows = bundle.inputs()
    first, end = date(1994, 1, 1).toordinal() - 719163, date(1995, 1, 1).toordinal() - 719163
    total = 0
    for day, discount, quantity, price in zip(
        *(rows[c].tolist() for c in ("shipdate", "discount", "quantity", "extendedprice")), strict=True
    ):
        if first <= day < end and 5 <= discount <= 7 and quantity < 2400:
            total += price * discount
    return {"revenue": str(Decimal(total).scaleb(-4))}


EXPECTED = {"wordcount": words_of, "kmeans": centroids_of, "q6": revenue_of}


@pytest.mark.spark
@pytest.mark.parametrize("name", EXPECTED)
def test_tracing_end_to_end(name, tmp_path):
    steps = []
    bundle = capture(
        name, tmp_path / "b", n_bytes=N_BYTES, n_partitions=N_PARTITIONS, driver_memory="1g", progress=steps.append
    )
    assert bundle.result == EXPECTED[name](bundle)
    assert sum(array.nbytes for array in bundle.inputs().values()) >= N_BYTES
    assert [s for s in steps if s in bundle.windows_ms] == ["warmup", "load", "repeat-0", "repeat-1", "repeat-2"]

    roles = {}
    for (group, _), kernel in bundle.bindings.items():
        roles.setdefault(group, []).append(kernel)
    n_jobs = bundle.parameters.get("iterations", 1)
    assert roles == {f"repeat-{i}": [f"{name}.map", f"{name}.reduce"] * n_jobs for i in range(3)}
    replay = replay_application(bundle.app, bundle.bindings, 16, bundle.windows_ms)
    maps = [row for row in replay.stages if row.kernel == f"{name}.map"]
    assert [row.n_tasks for row in maps] == [N_PARTITIONS] * n_jobs
    assert 0 < replay.offloadable_seconds < replay.seconds
    window = bundle.manifest.windows[replay.repeat.group]
    assert 0 < window.spark_cpu_seconds <= window.machine_cpu_seconds + 0.1

    log = b"".join(path.read_bytes() for path in (tmp_path / "b").iterdir())
    assert str(tmp_path).encode() not in log
    assert len(log) < 1 << 20
