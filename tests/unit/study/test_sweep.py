import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet

from study import sweep, sweep_table
from study.space import PointSpec
from tests.unit.study import points
from tests.unit.study.factory import make_result

ROOT = Path(__file__).resolve().parents[3]


def swept(folder: Path, *traces: str, log: Path | None = None, workers: int = 1) -> sweep.SweepReport:
    overrides = (("log", str(log)),) if log else ()
    specs = [PointSpec(trace, "bank", overrides) for trace in traces]
    return sweep.run(specs, key_of=points.key, evaluate=points.evaluate, folder=folder, workers=workers)


def test_failing_and_dying_points_do_not_lose_the_others(tmp_path: Path) -> None:
    traces = ("a", "too large", "dies", "defect", "no machine", "b", "c")
    report = swept(tmp_path, *traces, workers=2)
    assert [point.spec.trace for point in report.finished] == ["a", "b", "c"]
    failures = {spec.trace: why for spec, why in report.failures}
    assert failures == {
        "too large": "does not fit",
        "dies": "its process died (killed, or out of memory)",
        "defect": "ZeroDivisionError: division by zero",
        "no machine": "no such machine",
    }


def test_finished_points_are_not_run_again_failed_ones_are(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert swept(tmp_path, "a", "too large", log=log).n_reused == 0
    assert swept(tmp_path, "a", "too large", "b", log=log).n_reused == 1
    assert log.read_text().split("\n")[:-1] == ["a", "too large", "too large", "b"]


def test_damaged_point_is_made_again(tmp_path: Path) -> None:
    swept(tmp_path, "a")
    (path,) = (tmp_path / "points").iterdir()
    path.write_bytes(path.read_bytes()[:100])
    assert swept(tmp_path, "a").n_reused == 0
    assert swept(tmp_path, "a").n_reused == 1


def test_killed_sweep_keeps_what_was_finished(tmp_path: Path) -> None:
    script = (
        "from tests.unit.study.test_sweep import swept; from pathlib import Path\n"
        f"if __name__ == '__main__': swept(Path({str(tmp_path)!r}), 'a', 'slow')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, start_new_session=True)
    deadline = time.monotonic() + 60
    while not (tmp_path / "points" / "a-bank.json").exists():
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert swept(tmp_path, "a").n_reused == 1


def test_key_changes_with_every_part() -> None:
    keys = {
        sweep.point_key({"core": {"clock_mhz": 200}}, "digest", 1),
        sweep.point_key({"core": {"clock_mhz": 400}}, "digest", 1),
        sweep.point_key({"core": {"clock_mhz": 200}}, "other", 1),
        sweep.point_key({"core": {"clock_mhz": 200}}, "digest", None),
    }
    assert len(keys) == 4
    assert sweep.point_key({"a": 1, "b": 2}) == sweep.point_key({"b": 2, "a": 1})


def test_table_is_the_same_in_csv_and_parquet_and_the_plot_is_a_picture(tmp_path: Path) -> None:
    report = swept(tmp_path, "q6", "kmeans")
    parquet, table, plot = sweep_table.write_outputs("s", report.finished, tmp_path)
    columns = pyarrow.parquet.read_table(parquet).to_pylist()
    with table.open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["workload"] for row in rows] == [row["workload"] for row in columns] == ["q6", "kmeans"]
    for row, column in zip(rows, columns, strict=True):
        assert float(row["speedup_application_vs_spark"]) == column["speedup_application_vs_spark"]
        expected = column["host_remainder_s"] + column["native_offloadable_s"]
        expected /= column["host_remainder_s"] + column["scale_in_s"]
        assert column["speedup_application_vs_native"] == expected
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_rows_nothing_beats_are_marked() -> None:
    """Same area everywhere, so one row per workload: the fastest, the first of equals."""
    specs = [PointSpec(w, "bank", (("n", i),)) for w in ("a", "b") for i in range(3)]
    speed = {("a", 1): 0.5, ("b", 0): 0.5, ("b", 2): 0.5}
    finished = [
        sweep.Finished(
            spec, "", make_result(spec.trace, scale=speed.get((spec.trace, int(dict(spec.overrides)["n"])), 1))
        )
        for spec in specs
    ]
    assert [row["is_pareto"] for row in sweep_table.table(finished)] == [False, True, False, True, False, False]
