"""A workload traced for real: Spark's result against plain Python on the same input, and the bundle end to end."""

import pytest

from spark_traces.capture import capture
from spark_traces.schedule import replay_application
from tests.reference.traced_workloads import EXPECTED

N_BYTES = 2_000_000
N_PARTITIONS = 3


@pytest.mark.spark
@pytest.mark.parametrize("name", EXPECTED)
def test_tracing_end_to_end(name, tmp_path):
    steps = []
    bundle = capture(
        name, tmp_path / "b", n_bytes=N_BYTES, n_partitions=N_PARTITIONS, driver_memory="1g", progress=steps.append
    )
    assert bundle.result == EXPECTED[name](bundle)
    assert sum(array.nbytes for array in bundle.inputs().values()) >= N_BYTES
    assert [s for s in steps if s in bundle.windows_ms] == ["warmup", "load", "repeat-0", "repeat-1", "repeat-2"]

    roles = {}
    for (group, _), kernel in bundle.bindings.items():
        roles.setdefault(group, []).append(kernel)
    n_jobs = bundle.parameters.get("iterations", 1)
    assert roles == {f"repeat-{i}": [f"{name}.map", f"{name}.reduce"] * n_jobs for i in range(3)}
    replay = replay_application(bundle.app, bundle.bindings, 16, bundle.windows_ms)
    maps = [row for row in replay.stages if row.kernel == f"{name}.map"]
    assert [row.n_tasks for row in maps] == [N_PARTITIONS] * n_jobs
    assert 0 < replay.offloadable_seconds < replay.seconds
    window = bundle.manifest.windows[replay.repeat.group]
    assert 0 < window.spark_cpu_seconds <= window.machine_cpu_seconds + 0.1

    log = b"".join(path.read_bytes() for path in (tmp_path / "b").iterdir())
    assert str(tmp_path).encode() not in log
    assert len(log) < 1 << 20
