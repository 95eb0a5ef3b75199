"""Jobs on simulated cores: kernels compiled to RISC-V against the host's, results against the reference."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from mapreduce import jobs, launch, runtime
from mapreduce.api import Arrays, Parameters
from mapreduce.call import Call, Outcome
from mapreduce.runtime import run_job
from pim.config import SystemConfig, load_system, with_overrides
from pim.errors import CapacityError, ConfigError, CycleLimitError, GuestTrap, ResultMismatchError
from tests.reference import workloads

SMALL = {
    "geometry.channels": 1, "geometry.ranks_per_channel": 2, "geometry.chips_per_rank": 1, "geometry.bank_groups": 1,
}  # fmt: skip
"""8 cores at the bank (2 chips of 4 banks), 2 at the chip, 8 at the rank (2 ranks)."""

Q6 = {"first_day": 8766, "end_day": 9131, "least_discount": 5, "most_discount": 7, "quantity_limit": 2400}


def machine(level: str, **overrides: Any) -> SystemConfig:
    changes = {**SMALL, "geometry.chips_per_rank": 8} if level == "rank" else SMALL
    return with_overrides(load_system(level), {**changes, **overrides})


def workload(name: str, size: int, seed: int = 3) -> tuple[Arrays, Parameters, Any]:
    """Inputs, parameters and expected result of about ``size`` words, points or rows."""
    rng = np.random.default_rng(seed)
    match name:
        case "wordcount":
            words = [b"w%d" % (i * i) * (1 + i % 4) for i in rng.integers(0, 30, size)]
            text = b"".join(word + rng.choice([b" ", b"\n", b"  "]) for word in words)
            counts = sorted([word.decode(), n] for word, n in workloads.word_counts(text).items())
            return {"text": np.frombuffer(text, np.uint8)}, {}, counts
        case "kmeans":
            points = rng.integers(-(2**25), 2**25, (size, 2)) / 2**20
            initial = rng.integers(-(2**25), 2**25, (3, 2)) / 2**20
            centroids, sizes = workloads.kmeans(points.tolist(), initial.tolist(), 2)
            result = {"centroids": [[x.hex() for x in row] for row in centroids], "counts": sizes}
            inputs = {"points": points.ravel(), "initial": initial.ravel()}
            return inputs, {"d": 2, "k": 3, "iterations": 2}, result
    rows = np.stack([rng.integers(8700, 9200, size), rng.integers(4, 9, size), rng.integers(2300, 2500, size),
                     rng.integers(1, 10**7, size)])  # fmt: skip
    names = ("shipdate", "discount", "quantity", "extendedprice")
    inputs = {name: row.astype("i4" if name == "shipdate" else "i8") for name, row in zip(names, rows, strict=True)}
    revenue = workloads.q6_revenue([tuple(row) for row in rows.T.tolist()])
    return inputs, Q6, {"revenue": f"{revenue // 10_000}.{revenue % 10_000:04}"}


@pytest.mark.parametrize("level", ["bank", "chip", "rank"])
@pytest.mark.parametrize("name", jobs.names())
def test_every_core_agrees_with_the_host_and_the_result_with_the_reference(name: str, level: str) -> None:
    inputs, parameters, expected = workload(name, 100)
    system = machine(level)
    run = run_job(jobs.get(name), inputs, parameters, system, sample_groups=None)
    assert run.result == expected
    assert set(run.phases) == set(runtime.PHASES)
    assert all(run.phases[phase] > 0 for phase in ("copy", "flush", "launch", "map_combine", "shuffle", "reduce"))
    assert run.seconds == pytest.approx(sum(sum(iteration.values()) for iteration in run.iterations))
    for kernel in run.kernels:
        assert kernel.sampling.cores_simulated == kernel.sampling.cores_total
        assert kernel.sampling.max_bound_cycles == kernel.sampling.max_cycles
        assert math.isclose(sum(kernel.cpi_stack.values()), kernel.counters["cycles"])
    assert run.kernels[0].sampling.cores_total == system.n_cores


@pytest.mark.parametrize("level", ["bank", "rank"])
@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize("name", jobs.names())
def test_fewer_records_than_cores(name: str, size: int, level: str) -> None:
    inputs, parameters, expected = workload(name, size)
    assert run_job(jobs.get(name), inputs, parameters, machine(level), sample_groups=None).result == expected


@pytest.mark.parametrize("extensions", ["rv64imc", "rv64imafdc"])
def test_both_targets_give_the_same_bits(extensions: str) -> None:
    inputs, parameters, expected = workload("kmeans", 60)
    system = machine("bank", **{"core.extensions": extensions})
    assert run_job(jobs.get("kmeans"), inputs, parameters, system, sample_groups=None).result == expected


def test_sampling_and_threads_change_neither_result_nor_what_was_simulated() -> None:
    inputs, parameters, expected = workload("kmeans", 100)
    system = machine("bank")
    runs = [
        run_job(jobs.get("kmeans"), inputs, parameters, system, sample_groups=groups, threads=threads)
        for groups, threads in ((None, 1), (None, 3), (1, 1), (1, 3))
    ]
    assert all(run.result == expected for run in runs)
    assert runs[0] == runs[1]
    assert runs[2] == runs[3]
    whole, sampled = runs[0].kernels[0], runs[2].kernels[0]
    assert sampled.sampling.groups_simulated == 1
    assert sampled.sampling.cores_simulated == 4
    assert sampled.seconds <= whole.seconds
    assert sampled.sampling.max_bound_cycles >= sampled.sampling.max_cycles


def test_resident_inputs_are_placed_once_and_known_as_placement() -> None:
    inputs, parameters, _ = workload("kmeans", 4000)
    run = run_job(jobs.get("kmeans"), inputs, {**parameters, "iterations": 3}, machine("rank"))
    first, second, third = (iteration["copy"] for iteration in run.iterations)
    assert second == third
    moved = inputs["points"].nbytes
    system = machine("rank")
    assert first - second == pytest.approx(2 * moved / (system.channel_gb_s * 1e9 * system.host.copy_fraction))
    placing = [sum(iteration[phase] for phase in ("copy", "layout", "flush")) for iteration in run.iterations]
    assert run.placement_seconds == pytest.approx(placing[0] - placing[1])


def test_unsimulated_iterations_last_as_long_as_the_last_simulated_one() -> None:
    inputs, parameters, expected = workload("kmeans", 100)
    whole = run_job(jobs.get("kmeans"), inputs, parameters, machine("bank"))
    first = run_job(jobs.get("kmeans"), inputs, parameters, machine("bank"), sample_iterations=1)
    assert first.result == whole.result == expected
    assert (len(whole.kernels), len(first.kernels)) == (4, 2)
    assert first.iterations[0] == whole.iterations[0]
    assert first.iterations[1]["map_combine"] == first.iterations[0]["map_combine"]
    assert first.iterations[1]["map_combine"] != whole.iterations[1]["map_combine"], "iterations differ"


def test_progress_counts_groups() -> None:
    inputs, parameters, _ = workload("q6", 50)
    seen: list[tuple[str, int, int]] = []
    system = machine("bank")
    run_job(jobs.get("q6"), inputs, parameters, system, sample_groups=None, progress=lambda *step: seen.append(step))
    assert seen == [("q6_map", 1, 2), ("q6_map", 2, 2), ("q6_reduce", 1, 1)]


def corrupt(outcome: Outcome) -> Outcome:
    """Flip the last bit of the last output."""
    *others, last = outcome.outputs
    changed = last.copy()
    changed.view(np.uint8)[-1] ^= 1
    return dataclasses.replace(outcome, outputs=(*others, changed))


@pytest.mark.parametrize("name", jobs.names())
def test_one_wrong_byte_is_an_error(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs, parameters, _ = workload(name, 50)
    run_native = Call.run_native
    monkeypatch.setattr(Call, "run_native", lambda call, hart: corrupt(run_native(call, hart)))
    with pytest.raises(ResultMismatchError, match=rf"core \d: kernel {name}_map, .*item .*1 of \d+ items differ"):
        run_job(jobs.get(name), inputs, parameters, machine("bank"), sample_groups=None)


def test_wrong_value_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    inputs, parameters, _ = workload("q6", 50)
    run_native = Call.run_native

    def one_more(call: Call, hart: int) -> Outcome:
        outcome = run_native(call, hart)
        return dataclasses.replace(outcome, value=outcome.value + 1)

    monkeypatch.setattr(Call, "run_native", one_more)
    with pytest.raises(ResultMismatchError, match=r"kernel q6_map returned \d+, on the host \d+"):
        run_job(jobs.get("q6"), inputs, parameters, machine("bank"))


def test_more_data_than_the_memory_holds() -> None:
    system = machine("bank", **{"geometry.device_gbit": 2})
    n = 8 * system.window_bytes // 28 + 8
    inputs = {name: np.zeros(n, "i4" if name == "shipdate" else "i8") for name in workload("q6", 0)[0]}
    needs = r"core 0, kernel q6_map: needs [\d,]+ B, available are 67,107,840 B per core at level bank"
    with pytest.raises(CapacityError, match=needs):
        run_job(jobs.get("q6"), inputs, Q6, system)


def test_cycle_limit_ends_a_run() -> None:
    inputs, parameters, _ = workload("q6", 1000)
    with pytest.raises(CycleLimitError, match=r"cycle limit 100 reached; 4 of 4 harts"):
        run_job(jobs.get("q6"), inputs, parameters, machine("bank"), cycle_limit=100)


def test_settings_that_cannot_work_are_refused() -> None:
    inputs, parameters, _ = workload("q6", 10)
    with pytest.raises(ConfigError, match="sample_groups must be 1 or more, or None for all, got 0"):
        run_job(jobs.get("q6"), inputs, parameters, machine("bank"), sample_groups=0)
    with pytest.raises(ConfigError, match="sample_iterations must be 1 or more"):
        run_job(jobs.get("q6"), inputs, parameters, machine("bank"), sample_iterations=0)
    system = machine("bank", **{"core.scratchpad_bytes": 512})
    with pytest.raises(ConfigError, match=r"1024 B of scratchpad, got core\.scratchpad_bytes = 512"):
        run_job(jobs.get("q6"), inputs, parameters, system)


def test_store_out_of_range_names_core_and_address(monkeypatch: pytest.MonkeyPatch) -> None:
    place = launch.place

    def misplaced(*arguments: Any) -> Any:
        placed = place(*arguments)
        return dataclasses.replace(placed, addresses=(*placed.addresses[:-1], placed.end + 4096))

    monkeypatch.setattr(launch, "place", misplaced)
    inputs, parameters, _ = workload("q6", 10)
    monkeypatch.setattr(launch.Placed, "task", without_reads)
    with pytest.raises(GuestTrap, match=r"hart \d, pc 0x800000.*store access at 0x8000"):
        run_job(jobs.get("q6"), inputs, parameters, machine("bank"))


TASK = launch.Placed.task


def without_reads(placed: Any, expected: Outcome) -> Any:
    return dataclasses.replace(TASK(placed, expected), reads=((placed.end, 0),))


def test_choices_of_the_interface_change_what_they_say() -> None:
    inputs, parameters, expected = workload("q6", 100)
    usual = phases_with(inputs, parameters, expected)
    alert = phases_with(inputs, parameters, expected, {"interface.completion": "alert"})
    broadcast = phases_with(inputs, parameters, expected, {"interface.launch": "broadcast"})
    slow = phases_with(inputs, parameters, expected, {"interface.poll_interval_nck": 2400})
    concurrent = phases_with(inputs, parameters, expected, {"interface.ownership": "concurrent"})
    assert {name for name in usual if alert[name] != usual[name]} == {"launch"}
    assert {name for name in usual if broadcast[name] != usual[name]} == {"launch"}
    assert usual["launch"] - alert["launch"] == pytest.approx(2 * 600 * 0.833e-9)  # map and reduce
    assert slow["launch"] - usual["launch"] == pytest.approx(2 * 1200 * 0.833e-9)
    assert broadcast["launch"] < usual["launch"]
    assert concurrent["launch"] < usual["launch"]
    assert {name for name in usual if concurrent[name] > usual[name]} == {"copy", "shuffle", "gather"}


def phases_with(
    inputs: Arrays, parameters: Parameters, expected: Any, changes: dict[str, Any] | None = None
) -> dict[str, float]:
    run = run_job(jobs.get("q6"), inputs, parameters, machine("bank", **(changes or {})))
    assert run.result == expected
    return run.phases
