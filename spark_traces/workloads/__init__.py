"""The PySpark programs that can be traced, by name; importing them needs no PySpark."""

from pim.errors import LoadError
from spark_traces.workloads import kmeans, q6, wordcount
from spark_traces.workloads.workload import Workload

WORKLOADS: dict[str, Workload] = {w.name: w for w in (wordcount.WORKLOAD, kmeans.WORKLOAD, q6.WORKLOAD)}


def get(name: str) -> Workload:
    """Return the workload ``name``; `LoadError` if there is none."""
    if name not in WORKLOADS:
        raise LoadError(f"workload {name!r} is unknown; known: {', '.join(WORKLOADS)}")
    return WORKLOADS[name]
