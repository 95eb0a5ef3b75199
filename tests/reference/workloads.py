"""The shipped workloads, slow and obvious; imports nothing of the packages it judges."""

from collections import Counter
from datetime import date
from fractions import Fraction


def word_counts(text: bytes) -> dict[bytes, int]:
    """Words separated by spaces and newlines, and how often each occurs."""
    return dict(Counter(word for line in text.split(b"\n") for word in line.split(b" ") if word))


def records(items: list[int]) -> list[tuple[bytes, int]]:
    """Packed records (count, hash << 32 | length, word in eights) as (word, count), in order."""
    found = []
    at = 0
    while at < len(items):
        length = items[at + 1] % 2**32
        n_words = (length + 7) // 8
        packed = b"".join((item % 2**64).to_bytes(8, "little") for item in items[at + 2 : at + 2 + n_words])
        assert not any(packed[length:]), "padding is zero"
        found.append((packed[:length], items[at]))
        at += 2 + n_words
    return found


def nearest(point: list[float], centroids: list[list[float]]) -> int:
    """Index of the first centroid at the least squared distance, in exact arithmetic."""
    distances = [
        sum((Fraction(x) - Fraction(c)) ** 2 for x, c in zip(point, centroid, strict=True)) for centroid in centroids
    ]
    return distances.index(min(distances))


def kmeans(
    points: list[list[float]], initial: list[list[float]], iterations: int
) -> tuple[list[list[float]], list[int]]:
    """Centroids and the counts of the last iteration; sums are exact, then rounded once, then divided."""
    centroids = initial
    counts = [0] * len(initial)
    for _ in range(iterations):
        members: list[list[list[float]]] = [[] for _ in initial]
        for point in points:
            members[nearest(point, centroids)].append(point)
        counts = [len(group) for group in members]
        centroids = [
            [float(sum(Fraction(x) for x in column)) / len(group) for column in zip(*group, strict=True)]
            if group
            else centroid
            for group, centroid in zip(members, centroids, strict=True)
        ]
    return centroids, counts


def q6_revenue(rows: list[tuple[int, int, int, int]]) -> int:
    """TPC-H Q6 over (shipdate in days since 1970, discount, quantity, price), decimals as multiples of 0.01."""
    epoch = date(1970, 1, 1).toordinal()
    first, end = date(1994, 1, 1).toordinal(), date(1995, 1, 1).toordinal()
    return sum(
        price * discount
        for day, discount, quantity, price in rows
        if first <= epoch + day < end and 5 <= discount <= 7 and quantity < 2400
    )
