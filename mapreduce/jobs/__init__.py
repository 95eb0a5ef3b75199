"""The shipped jobs, by name."""

from mapreduce.api import Job
from mapreduce.jobs.kmeans import KMeans
from mapreduce.jobs.q6 import Q6
from mapreduce.jobs.wordcount import WordCount
from pim.errors import ConfigError

_JOBS: dict[str, Job] = {job.name: job for job in (WordCount(), KMeans(), Q6())}


def names() -> list[str]:
    """Return the names of the shipped jobs."""
    return list(_JOBS)


def get(name: str) -> Job:
    """Return the job of this name."""
    if name not in _JOBS:
        raise ConfigError(f"job {name!r} is unknown; allowed are {', '.join(_JOBS)}")
    return _JOBS[name]
