"""TPC-H Q6: revenue of the selected line items added on the core (map with combine), and partial revenues added.

Decimals are int64 multiples of 0.01; a product is a multiple of 0.0001. The caller makes sure that sums fit int64.
"""

from typing import Any

import numpy as np

from mapreduce.kernel import kernel

Array = np.ndarray[tuple[int], np.dtype[Any]]


@kernel(
    "int64(int32[::1], int64[::1], int64[::1], int64[::1], int64, int64, int64, int64, int64, int64[::1])",
)
def q6_map(
    shipdate: Array,
    discount: Array,
    quantity: Array,
    extendedprice: Array,
    first_day: int,
    end_day: int,
    least_discount: int,
    most_discount: int,
    quantity_limit: int,
    revenue: Array,
) -> int:
    """Set ``revenue[0]`` to the sum of price times discount over the selected rows.

    Parameters
    ----------
    shipdate : int32 array
        Days since 1970-01-01.
    discount, quantity, extendedprice : int64 array
        Multiples of 0.01.
    first_day, end_day : int
        Selected days: first, and the one after the last.
    least_discount, most_discount : int
        Selected discounts, both included, multiples of 0.01.
    quantity_limit : int
        Quantities below it are selected, multiples of 0.01.
    revenue : int64 array, 1
        Updated, multiple of 0.0001.

    Returns
    -------
    int
        Number of selected rows.
    """
    total = np.int64(0)
    selected = 0
    for row in range(len(shipdate)):
        if (
            first_day <= shipdate[row] < end_day
            and least_discount <= discount[row] <= most_discount
            and quantity[row] < quantity_limit
        ):
            total += extendedprice[row] * discount[row]
            selected += 1
    revenue[0] = total
    return selected


@kernel("int64(int64[::1], int64[::1])")
def q6_reduce(partials: Array, revenue: Array) -> int:
    """Set ``revenue[0]`` to the sum of ``partials`` (multiples of 0.0001); return how many there are."""
    total = np.int64(0)
    for i in range(len(partials)):
        total += partials[i]
    revenue[0] = total
    return len(partials)
