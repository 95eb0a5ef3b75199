"""Scan, filter and aggregate in the shape of TPC-H Q6, as a DataFrame with decimal(12,2) columns.

``select sum(extendedprice * discount) where shipdate in [first_day, end_day) and discount between least and most
and quantity < limit``; the parameters are days since 1970-01-01 and unscaled decimals.

References
----------
TPC-H specification 3.0.1, clause 2.4.6 (forecasting revenue change query), validation values.
"""

import re
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from spark_traces.workloads.plans import plan_fragments
from spark_traces.workloads.workload import Arrays, Parameters, Plans, Workload

ROW_BYTES = 28  # one int32 and three int64
FIRST_DAY = 8766  # 1994-01-01
END_DAY = 9131  # 1995-01-01
LEAST_DISCOUNT, MOST_DISCOUNT = 5, 7  # 0.06 - 0.01 .. 0.06 + 0.01
QUANTITY_LIMIT = 2400  # 24.00
_DECIMALS = ("discount", "quantity", "extendedprice")


def _input_parameters(n_bytes: int) -> dict[str, int]:
    return {"n": -(-n_bytes // ROW_BYTES)}


def _parameters(generated: Parameters) -> dict[str, int]:
    return {
        **generated,
        "first_day": FIRST_DAY,
        "end_day": END_DAY,
        "least_discount": LEAST_DISCOUNT,
        "most_discount": MOST_DISCOUNT,
        "quantity_limit": QUANTITY_LIMIT,
    }


def _write_input(arrays: Arrays, _parameters: Parameters, folder: Path, n_partitions: int) -> None:
    import pyarrow as pa  # noqa: PLC0415 - slow import, needed here only
    import pyarrow.parquet as pq  # noqa: PLC0415

    (folder / "lineitem").mkdir()
    n = len(arrays["shipdate"])
    bounds = [n * i // n_partitions for i in range(n_partitions + 1)]
    for i in range(n_partitions):
        part = slice(bounds[i], bounds[i + 1])
        columns = {"shipdate": pa.array(arrays["shipdate"][part]).cast(pa.date32())}
        for name in _DECIMALS:
            low = arrays[name][part].astype(np.int64)
            words = np.stack([low, low >> 63], axis=1)  # 128-bit two's complement, little-endian
            buffers = [None, pa.py_buffer(words.tobytes())]
            columns[name] = pa.Array.from_buffers(pa.decimal128(12, 2), len(low), buffers)
        pq.write_table(pa.table(columns), folder / "lineitem" / f"part-{i:05}.parquet")


def _load(spark: Any, folder: str, _parameters: Parameters, _n_partitions: int) -> Any:
    rows = spark.read.parquet(f"{folder}/lineitem").cache()
    rows.count()
    return rows


def _unload(rows: Any) -> None:
    rows.unpersist(blocking=True)


def _run(_spark: Any, rows: Any, parameters: Parameters) -> tuple[Any, Plans]:
    from pyspark.sql import functions as F  # noqa: PLC0415 - PySpark's own idiom

    def day(n: int) -> date:
        return date(1970, 1, 1) + timedelta(days=n)

    def hundredths(n: int) -> Decimal:
        return Decimal(n).scaleb(-2)

    revenue = rows.where(
        (F.col("shipdate") >= F.lit(day(parameters["first_day"])))
        & (F.col("shipdate") < F.lit(day(parameters["end_day"])))
        & (F.col("discount") >= F.lit(hundredths(parameters["least_discount"])))
        & (F.col("discount") <= F.lit(hundredths(parameters["most_discount"])))
        & (F.col("quantity") < F.lit(hundredths(parameters["quantity_limit"])))
    ).agg(F.sum(F.col("extendedprice") * F.col("discount")).alias("revenue"))
    total = revenue.collect()[0]["revenue"]
    result = {"revenue": f"{Decimal(0) if total is None else total:.4f}"}
    execution = revenue._jdf.queryExecution()
    return result, lambda: {
        "executed_plans": plan_fragments(execution.executedPlan()),
        "plans": [execution.toString()],
    }


def _check_result(value: Any, _parameters: Parameters) -> str | None:
    match value:
        case {"revenue": str(revenue), **rest} if not rest and re.fullmatch(r"(0|[1-9]\d*)\.\d{4}", revenue):
            return None
    return "must be {'revenue': decimal with 4 places}"


WORKLOAD = Workload(
    name="q6",
    generator="lineitem",
    input_parameters=_input_parameters,
    parameters=_parameters,
    write_input=_write_input,
    load=_load,
    unload=_unload,
    run=_run,
    check_result=_check_result,
)
