"""TPC-H Q6 as a job: four columns in, revenue out."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from mapreduce.api import Arrays, Job, Parameters
from mapreduce.call import Call, Input, Outcome, Output
from mapreduce.kernels.q6 import q6_map, q6_reduce
from mapreduce.split import block_bounds
from pim.errors import ConfigError

COLUMNS = ("shipdate", "discount", "quantity", "extendedprice")
SELECTION = ("first_day", "end_day", "least_discount", "most_discount", "quantity_limit")


class Q6(Job):
    """Revenue of selected line items.

    Inputs: ``shipdate`` int32 (days since 1970-01-01), ``discount``, ``quantity`` and ``extendedprice`` int64
    (multiples of 0.01). Parameters: the selection, in the same units.
    """

    name = "q6"
    map_kernel = q6_map
    reduce_kernel = q6_reduce
    inputs = {"shipdate": "int32", "discount": "int64", "quantity": "int64", "extendedprice": "int64"}  # noqa: RUF012
    map_unit = "row"
    reduce_unit = "partial revenue"

    def check(self, inputs: Arrays, parameters: Parameters) -> None:
        """Raise ConfigError where columns differ in length or the revenue might not fit int64.

        The bound is number of rows times largest selected discount times largest price.
        """
        super().check(inputs, parameters)
        for key in SELECTION:
            if not isinstance(parameters.get(key), int):
                raise ConfigError(f"job q6: parameter {key} must be an int, got {parameters.get(key)!r}")
        lengths = {name: len(inputs[name]) for name in COLUMNS}
        if len(set(lengths.values())) > 1:
            raise ConfigError(f"job q6: columns must have the same number of rows, got {lengths}")
        price = inputs["extendedprice"]
        if not price.size:
            return
        largest = max(int(price.max()), -int(price.min()))
        discount = max(abs(parameters["least_discount"]), abs(parameters["most_discount"]))
        bound = price.size * largest * discount
        if bound >= 2**63:
            raise ConfigError(
                f"job q6: the revenue may not fit int64: {price.size} rows x price {largest} x discount {discount} = "
                f"{bound}, must be below 2**63"
            )

    def split(self, inputs: Arrays, parameters: Parameters, n: int) -> list[Arrays]:
        """Return blocks of rows of every column."""
        del parameters
        bounds = pairwise(block_bounds(len(inputs["shipdate"]), n))
        return [{name: inputs[name][a:b] for name in COLUMNS} for a, b in bounds]

    def start(self, inputs: Arrays, parameters: Parameters) -> Arrays:
        """Return no revenue."""
        del inputs, parameters
        return {"revenue": np.zeros(1, np.int64)}

    def map_call(self, part: Arrays, state: Arrays, parameters: Parameters) -> Call:
        """Return the call that scans the part."""
        del state
        columns = [Input(part[name], resident=True) for name in COLUMNS]
        return Call(q6_map, (*columns, *(parameters[key] for key in SELECTION), Output("i8", 1)))

    def shuffle(self, outcomes: Sequence[Outcome], n: int) -> list[Arrays | None]:
        """Return all partial revenues for the first core: there is one key."""
        partials = np.concatenate([outcome.outputs[0] for outcome in outcomes])
        return [{"partials": partials}, *[None] * (n - 1)]

    def reduce_call(self, part: Arrays) -> Call:
        """Return the call that adds partial revenues."""
        return Call(q6_reduce, (Input(part["partials"]), Output("i8", 1)))

    def update(self, outcomes: Sequence[Outcome], state: Arrays) -> Arrays:
        """Return the revenue."""
        del state
        return {"revenue": outcomes[0].outputs[0]}

    def result(self, state: Arrays) -> Any:
        """Return the revenue as a decimal with four places."""
        total = int(state["revenue"][0])
        whole, fraction = divmod(abs(total), 10_000)
        return {"revenue": f"{'-' if total < 0 else ''}{whole}.{fraction:04}"}
