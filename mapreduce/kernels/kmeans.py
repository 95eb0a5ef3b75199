"""k-means (Lloyd): points assigned and summed per cluster on the core (map with combine), partial sums added."""

from typing import Any

import numpy as np

from mapreduce.kernel import index, kernel

Array = np.ndarray[tuple[int], np.dtype[Any]]


@kernel("int64(float64[::1], float64[::1], int64, float64[::1], int64[::1])")
def kmeans_map(points: Array, centroids: Array, d: int, sums: Array, counts: Array) -> int:
    """Add every point to the sum of its nearest centroid's cluster.

    Distances are squared Euclidean, added in the order of the dimensions; the first of equally near centroids wins.

    Parameters
    ----------
    points : float64 array
        n points of ``d`` values, one after the other.
    centroids : float64 array
        k centroids of ``d`` values.
    d : int
        Dimensions, 1 or more.
    sums : float64 array, k * d
        Set to the sum of each cluster's points.
    counts : int64 array, k
        Set to the number of each cluster's points.

    Returns
    -------
    int
        Number of points.
    """
    for i in range(len(sums)):
        sums[i] = 0.0
    for cluster in range(len(counts)):
        counts[cluster] = 0
    n_points = 0
    point = 0
    while point < len(points):
        nearest = 0
        nearest_distance = np.inf
        at = 0
        for cluster in range(len(counts)):
            distance = 0.0
            for i in range(d):
                difference = points[index(point + i)] - centroids[index(at + i)]
                distance += difference * difference
            if distance < nearest_distance:
                nearest = cluster
                nearest_distance = distance
            at += d
        counts[nearest] += 1
        at = nearest * d
        for i in range(d):
            sums[index(at + i)] += points[index(point + i)]
        point += d
        n_points += 1
    return n_points


@kernel("int64(float64[::1], int64[::1], float64[::1], int64[::1])")
def kmeans_reduce(partial_sums: Array, partial_counts: Array, sums: Array, counts: Array) -> int:
    """Add the partial sums of the clusters this core owns.

    Parameters
    ----------
    partial_sums : float64 array
        Per map output one after the other: the sums of the owned clusters.
    partial_counts : int64 array
        Likewise: their counts.
    sums, counts : float64 array, int64 array
        Set to the totals of the owned clusters.

    Returns
    -------
    int
        Number of owned clusters.
    """
    for i in range(len(sums)):
        sums[i] = 0.0
    for cluster in range(len(counts)):
        counts[cluster] = 0
    at = 0
    while at < len(partial_sums):
        for i in range(len(sums)):
            sums[i] += partial_sums[index(at + i)]
        at += len(sums)
    at = 0
    while at < len(partial_counts):
        for cluster in range(len(counts)):
            counts[cluster] += partial_counts[index(at + cluster)]
        at += len(counts)
    return len(counts)
