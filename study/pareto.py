"""The points no other point beats in both area and speedup."""

from collections.abc import Sequence


def front(costs: Sequence[float], gains: Sequence[float]) -> list[int]:
    """Return the indices of the Pareto-optimal points, by rising cost.

    A point is optimal when no other has at most its cost and at least its gain with one of the two better. Of
    points equal in both, the first is returned.

    Parameters
    ----------
    costs : sequence of float
        To be small, for example added area in mm2.
    gains : sequence of float
        To be large, for example speedup; as long as ``costs``.
    """
    order = sorted(range(len(costs)), key=lambda i: (costs[i], -gains[i], i))
    optimal: list[int] = []
    for index in order:
        if not optimal or gains[index] > gains[optimal[-1]]:
            optimal.append(index)
    return optimal
