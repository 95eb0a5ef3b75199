"""Every core of the default machines, on every workload: the check of sampling. Run by hand: ``pytest -m long``."""

import numpy as np
import pytest

from mapreduce import functional, jobs
from mapreduce.runtime import run_job
from pim.config import load_system
from spark_traces.generate import VERSION, generate

SEED = 11
BYTES = 4 << 20
SELECTION = {"first_day": 8766, "end_day": 9131, "least_discount": 5, "most_discount": 7, "quantity_limit": 2400}
WORKLOADS = {
    "wordcount": ("text", {"n_bytes": BYTES}, {}),
    "kmeans": ("points", {"n": BYTES // 64, "d": 8, "k": 8}, {"d": 8, "k": 8, "iterations": 1}),
    "q6": ("lineitem", {"n": BYTES // 28}, SELECTION),
}

pytestmark = pytest.mark.long


@pytest.mark.parametrize("level", ["bank", "chip", "rank"])
@pytest.mark.parametrize("name", sorted(WORKLOADS))
def test_bound_from_a_sample_holds_for_the_whole_machine(name: str, level: str) -> None:
    generator, size, parameters = WORKLOADS[name]
    inputs = generate(generator, VERSION, SEED, size)
    job, system = jobs.get(name), load_system(level)
    whole = run_job(job, inputs, parameters, system, sample_groups=None)
    sampled = run_job(job, inputs, parameters, system, sample_groups=2)
    assert whole.result == sampled.result == functional.result(job, inputs, parameters)
    for of_whole, of_sample in zip(whole.kernels, sampled.kernels, strict=True):
        assert of_whole.sampling.cores_simulated == of_whole.sampling.cores_total
        slowest, of_sampled = of_whole.sampling.max_cycles, of_sample.sampling
        print(f"{level} {of_whole.kernel}: slowest of all {slowest} cycles; sampled {of_sampled}")
        assert of_sampled.max_cycles <= slowest
        assert of_sampled.max_bound_cycles is None or slowest <= of_sampled.max_bound_cycles * (1 + 1e-9)
    assert np.isclose(sampled.kernels[0].counters["instructions"], whole.kernels[0].counters["instructions"], rtol=0.1)
