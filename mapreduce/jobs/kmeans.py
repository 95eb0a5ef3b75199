"""k-means as a job: points and initial centroids in, centroids and cluster sizes out."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from mapreduce.api import Arrays, Job, Parameters
from mapreduce.call import Call, Input, Outcome, Output
from mapreduce.kernels.kmeans import kmeans_map, kmeans_reduce
from mapreduce.shuffle import range_bounds
from mapreduce.split import block_bounds
from pim.errors import ConfigError


class KMeans(Job):
    """Lloyd's iterations with fixed ``initial`` centroids (float64, k * d) over ``points`` (float64, n * d).

    Parameters ``d``, ``k`` and ``iterations``. A cluster without points keeps its centroid. New centroids are
    computed on the host, as Spark's driver does.
    """

    name = "kmeans"
    map_kernel = kmeans_map
    reduce_kernel = kmeans_reduce
    inputs = {"points": "float64", "initial": "float64"}  # noqa: RUF012
    map_unit = "coordinate difference (points x clusters x dimensions)"
    reduce_unit = "partial sum"

    def check(self, inputs: Arrays, parameters: Parameters) -> None:
        """Raise ConfigError where sizes don't fit."""
        super().check(inputs, parameters)
        for key in ("d", "k", "iterations"):
            if not isinstance(parameters.get(key), int) or parameters[key] < 1:
                raise ConfigError(f"job kmeans: parameter {key} must be an int >= 1, got {parameters.get(key)!r}")
        d, k = parameters["d"], parameters["k"]
        if len(inputs["points"]) % d:
            raise ConfigError(f"job kmeans: points must be a multiple of d = {d} values, got {len(inputs['points'])}")
        if len(inputs["initial"]) != k * d:
            raise ConfigError(f"job kmeans: initial must be k * d = {k * d} values, got {len(inputs['initial'])}")

    def iterations(self, parameters: Parameters) -> int:
        """Return the parameter ``iterations``."""
        return int(parameters["iterations"])

    def split(self, inputs: Arrays, parameters: Parameters, n: int) -> list[Arrays]:
        """Return blocks of whole points."""
        points, d = inputs["points"], parameters["d"]
        return [{"points": points[d * a : d * b]} for a, b in pairwise(block_bounds(len(points) // d, n))]

    def start(self, inputs: Arrays, parameters: Parameters) -> Arrays:
        """Return the initial centroids."""
        return {"centroids": inputs["initial"], "counts": np.zeros(parameters["k"], np.int64)}

    def map_call(self, part: Arrays, state: Arrays, parameters: Parameters) -> Call:
        """Return the call that sums the part's points by cluster."""
        d, k = parameters["d"], parameters["k"]
        return Call(
            kmeans_map,
            (Input(part["points"], resident=True), Input(state["centroids"]), d, Output("f8", k * d), Output("i8", k)),
        )

    def shuffle(self, outcomes: Sequence[Outcome], n: int) -> list[Arrays | None]:
        """Return the partial sums by ranges of clusters."""
        counts = np.stack([outcome.outputs[1] for outcome in outcomes])
        k = counts.shape[1]
        sums = np.stack([outcome.outputs[0] for outcome in outcomes]).reshape(len(outcomes), k, -1)
        owned = [slice(a, b) for a, b in pairwise(range_bounds(k, n))]
        return [{"sums": sums[:, c], "counts": counts[:, c]} if c.stop > c.start else None for c in owned]

    def reduce_call(self, part: Arrays) -> Call:
        """Return the call that adds the partial sums of the owned clusters."""
        _, n_clusters, d = part["sums"].shape
        arrays = (np.ravel(part["sums"]), np.ravel(part["counts"]))
        return Call(kmeans_reduce, (*map(Input, arrays), Output("f8", n_clusters * d), Output("i8", n_clusters)))

    def update(self, outcomes: Sequence[Outcome], state: Arrays) -> Arrays:
        """Return the means of the clusters."""
        counts = np.concatenate([outcome.outputs[1] for outcome in outcomes])
        sums = np.concatenate([outcome.outputs[0] for outcome in outcomes]).reshape(len(counts), -1)
        centroids = state["centroids"].reshape(sums.shape).copy()
        filled = counts > 0
        centroids[filled] = sums[filled] / counts[filled, None]
        return {"centroids": centroids.reshape(-1), "counts": counts}

    def result(self, state: Arrays) -> Any:
        """Return centroids as rows of hexadecimal floats, and the counts of the last iteration."""
        counts = state["counts"].tolist()
        rows = state["centroids"].reshape(len(counts), -1).tolist()
        return {"centroids": [[x.hex() for x in row] for row in rows], "counts": counts}

    def map_units(self, call: Call) -> int:
        """Return points times clusters times dimensions."""
        points, centroids = call.inputs
        d = call.arguments[2]
        assert isinstance(d, int), d
        return points.size * (centroids.size // d)
