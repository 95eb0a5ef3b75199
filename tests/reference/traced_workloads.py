"""What the traced workloads compute, in plain Python on a bundle's input."""

from collections import Counter
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np


def words_of(bundle):
    text = bundle.inputs()["text"].tobytes().decode("ascii")
    return sorted([word, count] for word, count in Counter(text.split()).items())


def centroids_of(bundle):
    """Lloyd's iterations on fixed-point integers; near ties and means are decided in exact rational numbers."""
    n, d, k, iterations = (bundle.parameters[key] for key in ("n", "d", "k", "iterations"))
    points = (bundle.inputs()["points"].reshape(n, d) * 2**20).astype(np.int64)
    centroids = [[Fraction(int(x)) for x in row] for row in points[:k]]
    for _ in range(iterations):
        approximate = np.array([[float(x) for x in row] for row in centroids])
        distance = np.stack([((points - row) ** 2).sum(axis=1) for row in approximate])
        nearest = distance.argmin(axis=0)
        two = np.partition(distance, 1, axis=0)[:2]
        for i in np.flatnonzero(two[1] - two[0] < 1e-9 * two[1]):
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
    epoch = date(1970, 1, 1).toordinal()
    first, end = date(1994, 1, 1).toordinal() - epoch, date(1995, 1, 1).toordinal() - epoch
    total = 0
    columns = (rows[c].tolist() for c in ("shipdate", "discount", "quantity", "extendedprice"))
    for day, discount, quantity, price in zip(*columns, strict=True):
        if first <= day < end and 5 <= discount <= 7 and quantity < 2400:
            total += price * discount
    return {"revenue": str(Decimal(total).scaleb(-4))}


EXPECTED = {"wordcount": words_of, "kmeans": centroids_of, "q6": revenue_of}
