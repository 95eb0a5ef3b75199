"""Replays of shipped traces against what Spark computed and measured, and against deliberate damage."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from pim.config import load_system
from pim.errors import LoadError, ResultMismatchError
from spark_traces import codecs
from spark_traces.bundle import open_bundle, shipped_bundles, write_bundle
from study import physical, replay
from study.bind import bind
from study.cli import run_command
from study.store import load_results

LEVELS = ("bank", "chip", "rank")
SHIPPED = shipped_bundles()
pytestmark = pytest.mark.skipif(not SHIPPED, reason="no traces are shipped")


def test_q6_equals_sparks_result_at_every_level(tmp_path: Path) -> None:
    assert run_command(["replay", str(SHIPPED["q6"]), "--results", str(tmp_path)]) == 0
    results = load_results(tmp_path)
    assert [r.level for r in results] == list(LEVELS)
    assert all(r.check.outcome == "equal" for r in results)
    assert (tmp_path / "report.html").stat().st_size > 100_000


@pytest.mark.parametrize("name", list(SHIPPED))
def test_offloadable_time_lies_between_all_tasks_in_a_row_and_the_longest_of_each_stage(name: str) -> None:
    """Each stage waits for the one before. Task times are cut where a core's next task starts: up to a tenth less."""
    app = open_bundle(SHIPPED[name], check_input=False).app
    in_a_row, longest = [], []
    for group in ("repeat-0", "repeat-1", "repeat-2"):
        stages = [stage for job in app.jobs_of_group(group) for stage in app.stages_of_job(job)]
        durations = [[task.duration_ms / 1e3 for task in stage.tasks] for stage in stages]
        in_a_row.append(sum(map(sum, durations)))
        longest.append(sum(map(max, durations)))
    one, many = (bind(SHIPPED[name], n).application.offloadable_seconds for n in (1, 10_000))
    assert 0.9 * min(in_a_row) <= one <= max(in_a_row)
    assert 0.9 * min(longest) <= many <= max(longest)


@pytest.mark.parametrize("level", LEVELS)
def test_result_that_differs_from_sparks_is_an_error(level: str, tmp_path: Path) -> None:
    forged = _forge(SHIPPED["q6"], tmp_path / "q6", {"revenue": "1.0000"})
    with pytest.raises(ResultMismatchError) as caught:
        replay.replay_one(forged, load_system(level), replay.Options())
    message = str(caught.value)
    assert message.startswith(f"q6 at {level} level: output['revenue']: Spark has '1.0000', scale-in has '")
    assert message.endswith("must be equal")


def test_one_changed_byte_of_the_result_file_fails_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = tmp_path / "q6"
    shutil.copytree(SHIPPED["q6"], bundle)
    path = bundle / "result.json.zst"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    assert run_command(["replay", str(bundle), "--results", str(tmp_path / "results"), "--levels", "bank"]) == 2
    error = capsys.readouterr().err
    assert "result.json.zst" in error
    assert "digest" in error
    assert not (tmp_path / "results").exists()


def test_hot_dram_is_refreshed_more_often_and_the_job_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    real = physical.temperatures

    def hot(system: Any, *rest: Any) -> Any:
        seen.append(system.timing.trefi_ns)
        return [t.model_copy(update={"refresh_window_ms": 32.0, "warning": "hot"}) for t in real(system, *rest)]

    monkeypatch.setattr(physical, "temperatures", hot)
    result = replay.replay_one(SHIPPED["q6"], load_system("bank"), replay.Options())
    assert seen == [7800.0, 3900.0]
    assert result.config["timing"]["trefi_ns"] == 3900.0
    assert any(label.kind == "warning" and "shorter refresh interval" in label.text for label in result.labels)
    monkeypatch.undo()
    cool = replay.replay_one(SHIPPED["q6"], load_system("bank"), replay.Options())
    refreshes = [sum(k.dram_commands["REF"] for k in r.kernels) for r in (result, cool)]
    assert refreshes[0] >= 1.9 * refreshes[1]
    assert result.phases["map_combine"] > cool.phases["map_combine"]


def test_bundle_without_offloadable_time_is_refused(tmp_path: Path) -> None:
    bundle = open_bundle(SHIPPED["q6"], check_input=False)
    values = bundle.manifest.model_dump(mode="json") | {"bindings": []}
    path = _rewrite(bundle.path, tmp_path / "q6", values, bundle.result)
    with pytest.raises(LoadError, match="no measurable time in stages bound to kernels"):
        replay.replay_one(path, load_system("bank"), replay.Options())


def _forge(source: Path, target: Path, result: Any) -> Path:
    """Write a consistent bundle with another result."""
    bundle = open_bundle(source, check_input=False)
    return _rewrite(source, target, bundle.manifest.model_dump(mode="json"), result)


def _rewrite(source: Path, target: Path, values: dict[str, Any], result: Any) -> Path:
    bundle = open_bundle(source, check_input=False)
    for field in ("files", "result_sha256", "digest"):
        values.pop(field)
    log = codecs.read_bytes(source / "eventlog.zst", 1 << 30)
    return write_bundle(target, values, log, bundle.plans, result)


@pytest.mark.long
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", list(SHIPPED))
def test_every_core_simulated_gives_sparks_result_close_to_the_samples_bound(name: str, level: str) -> None:
    """The bound takes times as normal. Word count's are not: few cores double their table once more than the others."""
    system = load_system(level)
    everything = replay.replay_one(SHIPPED[name], system, replay.Options(sample_groups=None))
    sampled = replay.replay_one(SHIPPED[name], system, replay.Options(sample_groups=4))
    assert everything.check.outcome == "equal"
    assert all(kernel.cores_simulated == kernel.cores_total for kernel in everything.kernels)
    assert everything.scale_in_seconds >= sampled.scale_in_seconds
    bound = sampled.scale_in_seconds_bound
    assert bound is not None
    excess = everything.scale_in_seconds / bound - 1
    print(f"{name} at {level}: all {everything.scale_in_seconds:.6g} s, bound {bound:.6g} s, {100 * excess:+.3f} %")
    if (name, level) == ("wordcount", "bank"):
        assert excess <= 0.005, "known to exceed the bound by 0.1 %"
    else:
        assert excess <= 0


@pytest.mark.long
@pytest.mark.parametrize("level", LEVELS)
def test_first_iteration_of_kmeans_stands_for_the_others(level: str) -> None:
    first, everything = (
        replay.replay_one(SHIPPED["kmeans"], load_system(level), replay.Options(sample_iterations=n)) for n in (1, None)
    )
    assert first.scale_in_seconds == pytest.approx(everything.scale_in_seconds, rel=0.005)
    assert first.kernels[0].launches_total == everything.kernels[0].launches == 3
