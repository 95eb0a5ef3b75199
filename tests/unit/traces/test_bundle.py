"""Opening a bundle finds every kind of damage and says where; nothing in a bundle is run."""

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import orjson
import pytest
import zstandard

from pim.errors import LoadError
from spark_traces import workloads
from spark_traces.bundle import open_bundle, result_digest, write_bundle
from spark_traces.bundle_checks import check_names
from spark_traces.generate import generate, input_digest
from spark_traces.manifest import canonical, manifest_digest, parse_manifest
from tests.unit.traces.spark_log_lines import app_start, job

N = 1000
FILES = ("bundle.json", "eventlog.zst", "plans.json.zst", "result.json.zst")


def values():
    arrays = generate("lineitem", 1, 5, {"n": N})
    window = {"start_ms": 0, "end_ms": 40, "spark_cpu_seconds": 0.5, "machine_cpu_seconds": None}
    return {
        "format": "scalein-bundle",
        "version": 1,
        "workload": "q6",
        "parameters": workloads.get("q6").parameters({"n": N}),
        "input": {
            "generator": "lineitem",
            "version": 1,
            "seed": 5,
            "parameters": {"n": N},
            "sha256": input_digest(arrays),
            "n_bytes": 28 * N,
        },
        "bindings": [{"job_group": "repeat-0", "stage_id": 1, "kernel": "q6.map"}],
        "windows": {"load": window, "repeat-0": {**window, "start_ms": 50, "end_ms": 90}},
        "versions": {"spark": "4.3.0"},
        "machine": {"cpu": "c", "n_cores": 2, "memory_bytes": 1, "system": "Linux x86_64"},
        "measurement": {"date": "2026-01-31", "n_partitions": 2, "n_cores": 2},
    }


def event_log():
    events = app_start() + job(0, "load", 0, 40, [(0, [], [(1, 30)])])
    events += job(1, "repeat-0", 50, 90, [(1, [], [(51, 80)])])
    return "".join(json.dumps(event) + "\n" for event in events).encode()


@pytest.fixture
def bundle(tmp_path):
    return write_bundle(tmp_path / "b", values(), event_log(), {"groups": {}}, {"revenue": "12.3400"})


def rewrite(bundle, change):
    """Apply ``change`` to the manifest and seal it again, as a careless or hostile writer could."""
    manifest = json.loads((bundle / "bundle.json").read_text())
    change(manifest)
    manifest["digest"] = manifest_digest(manifest)
    (bundle / "bundle.json").write_bytes(canonical(manifest))


def test_what_was_written_is_read(bundle):
    opened = open_bundle(bundle)
    assert (opened.workload, opened.result, opened.plans) == ("q6", {"revenue": "12.3400"}, {"groups": {}})
    assert opened.parameters["n"] == N
    assert opened.bindings == {("repeat-0", 1): "q6.map"}
    assert opened.windows_ms == {"load": (0, 40), "repeat-0": (50, 90)}
    assert [job.group for job in opened.app.jobs] == ["load", "repeat-0"]
    again = generate("lineitem", 1, 5, {"n": N})
    assert all(np.array_equal(opened.inputs()[name], again[name]) for name in again)


def test_writing_twice_gives_the_same_bytes(bundle):
    before = {name: (bundle / name).read_bytes() for name in FILES}
    write_bundle(bundle, values(), event_log(), {"groups": {}}, {"revenue": "12.3400"})
    assert {path.name: path.read_bytes() for path in bundle.iterdir()} == before
    assert [path.name for path in bundle.parent.iterdir()] == ["b"]  # nothing is left beside it


def test_a_failed_write_leaves_the_old_bundle(bundle):
    before = (bundle / "bundle.json").read_bytes()
    with pytest.raises(LoadError, match=r"field 'machine\.n_cores'"):
        write_bundle(bundle, {**values(), "machine": {**values()["machine"], "n_cores": 0}}, b"", {}, {})
    assert (bundle / "bundle.json").read_bytes() == before
    assert [path.name for path in bundle.parent.iterdir()] == ["b"]


def test_a_folder_that_is_no_bundle_is_not_replaced(tmp_path):
    (tmp_path / "precious").mkdir()
    with pytest.raises(LoadError, match="exists and is not a bundle"):
        write_bundle(tmp_path / "precious", values(), b"", {}, {})


@pytest.mark.parametrize("name", FILES)
def test_any_changed_byte_is_found_and_its_file_named(bundle, name):
    data = (bundle / name).read_bytes()
    for position in {0, 1, *range(2, len(data) - 1, max(1, len(data) // 60)), len(data) - 1}:
        for change in (0x01, 0x20, 0x80):
            (bundle / name).write_bytes(data[:position] + bytes([data[position] ^ change]) + data[position + 1 :])
            with pytest.raises(LoadError, match=name):
                open_bundle(bundle, check_input=False)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("keep", [0, 1, -1])
def test_a_truncated_file_is_found(bundle, name, keep):
    (bundle / name).write_bytes((bundle / name).read_bytes()[:keep])
    with pytest.raises(LoadError, match=name):
        open_bundle(bundle)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(bundle, name):
    (bundle / name).unlink()
    with pytest.raises(LoadError, match=rf"{name}: can't be read: No such file"):
        open_bundle(bundle)


def test_no_folder(tmp_path):
    with pytest.raises(LoadError, match=r"none: does not exist; a bundle is a folder with bundle\.json"):
        open_bundle(tmp_path / "none")
    (tmp_path / "file").write_text("x")
    with pytest.raises(LoadError, match="file: is not a folder"):
        open_bundle(tmp_path / "file")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "not JSON"),
        ("not json", "not JSON"),
        ("[]", "not a trace bundle: 'format' must be 'scalein-bundle'"),
        ('{"format": "zip"}', "not a trace bundle"),
        ('{"format": "scalein-bundle"}', "bundle version None; this program reads version 1"),
        ('{"format": "scalein-bundle", "version": 2}', "bundle version 2; this program reads version 1"),
        ('{"format": "scalein-bundle", "version": true}', "bundle version True; this program reads version 1"),
        ('{"format": "scalein-bundle", "version": 1.0}', "bundle version 1.0; this program reads version 1"),
        ('{"format": "scalein-bundle", "version": 1}', "changed after it was written"),
        ("[" * 100_000, "not JSON"),
        ('{"format": "scalein-bundle", "version": 1, "x": ' + "[" * 500 + "]" * 500 + "}", "not a manifest"),
    ],
)
def test_what_is_no_manifest(bundle, content, message):
    (bundle / "bundle.json").write_text(content)
    with pytest.raises(LoadError, match=message):
        open_bundle(bundle)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(workload="sort"), "unknown workload 'sort'; known: wordcount, kmeans, q6"),
        (lambda m: m.update(extra=1), "field 'extra': Extra inputs are not permitted"),
        (lambda m: m.pop("machine"), "field 'machine': Field required"),
        (lambda m: m.update(parameters={"n": "many"}), "field 'parameters.n'"),
        (lambda m: m.update(parameters={}), r"q6 has parameters \['end_day'"),
        (lambda m: m["parameters"].update(n=7), "parameter n is 7, but 1000 for the generator"),
        (lambda m: m["input"].update(generator="text"), "q6 needs input from generator 'lineitem', got 'text'"),
        (lambda m: m["input"].update(version=9), "input generator 'lineitem': unknown version 9"),
        (lambda m: m["input"].update(seed=6), "the regenerated input has digest"),
        (lambda m: m["input"].update(sha256="0" * 64), "the regenerated input has digest .* says 0000"),
        (lambda m: m["input"].update(n_bytes=27 * N), "the regenerated input has 28000 bytes"),
        (lambda m: m.update(result_sha256="0" * 64), "result has digest"),
        (lambda m: m["files"].update({"../x": "0" * 64}), "'files' must list"),
        (lambda m: m["bindings"][0].update(kernel="q6.sort"), "no kernel 'q6.sort'; it has q6.map, q6.reduce"),
        (lambda m: m["bindings"][0].update(stage_id=0), "event log has no stage 0 in job group 'repeat-0'"),
        (lambda m: m["bindings"].append(m["bindings"][0]), "stage 1 in job group 'repeat-0' is bound twice"),
        (lambda m: m["parameters"].update(end_day=1 << 63), "field 'parameters.end_day': .* less than"),
        (lambda m: m["windows"]["load"].update(end_ms=-1), "field 'windows.load.end_ms'"),
        (lambda m: m["windows"]["load"].update(end_ms=1 << 62), "field 'windows.load.end_ms'"),
        (lambda m: m["windows"].update(x=m["windows"]["load"]), "window of 'x': no such job group"),
    ],
)
def test_a_sealed_but_wrong_manifest_is_refused(bundle, change, message):
    rewrite(bundle, change)
    with pytest.raises(LoadError, match=message):
        open_bundle(bundle)


def replace_file(bundle, name, data):
    (bundle / name).write_bytes(data)
    rewrite(bundle, lambda m: m["files"].update({name: hashlib.sha256(data).hexdigest()}))


def test_an_unasked_size_of_input_is_refused_before_it_is_made(bundle):
    rewrite(bundle, lambda m: (m["input"]["parameters"].update(n=1 << 50), m["parameters"].update(n=1 << 50)))
    with pytest.raises(LoadError, match="bytes asked for, at most"):
        open_bundle(bundle)


def test_a_decompression_bomb_is_refused(bundle, monkeypatch):
    monkeypatch.setattr("spark_traces.bundle.MAX_JSON_BYTES", 1 << 20)
    replace_file(bundle, "result.json.zst", zstandard.compress(b" " * (2 << 20)))
    with pytest.raises(LoadError, match=r"result\.json\.zst: decompresses to more than the 1048576 bytes allowed"):
        open_bundle(bundle)


def test_what_grows_far_more_than_an_event_log_is_a_bomb(bundle):
    replace_file(bundle, "eventlog.zst", zstandard.compress(b"\n" * (65 << 20)))
    with pytest.raises(LoadError, match=r"eventlog\.zst: decompresses to more than the 67108864 bytes allowed"):
        open_bundle(bundle)


@pytest.mark.parametrize("name", FILES)
def test_a_pipe_in_place_of_a_file_is_not_waited_for(bundle, name):
    (bundle / name).unlink()
    os.mkfifo(bundle / name)
    with pytest.raises(LoadError, match=rf"{name}: can't be read: not a regular file"):
        open_bundle(bundle)


def with_task(change):
    """Return the event log with ``change`` made to its last task."""
    events = [json.loads(line) for line in event_log().splitlines()]
    change([event for event in events if event["Event"] == "SparkListenerTaskEnd"][-1])
    return "".join(json.dumps(event) + "\n" for event in events).encode()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t["Task Info"].update({"Task ID": 0}), "task 0 of stage 1: ended twice"),
        (lambda t: t["Task Info"].update({"Launch Time": -1}), "task 1000 of stage 1: 'Launch Time' must be a time"),
        (lambda t: t["Task Info"].update({"Finish Time": 1 << 62}), "'Finish Time' must be a time from 0 to the year"),
        (lambda t: t["Task Metrics"].update({"Executor CPU Time": -5}), "'Executor CPU Time' must be a time .* -1 ms"),
        (lambda t: t["Task Metrics"].update({"Executor Run Time": -5}), "'Executor Run Time' must be a time .* -5 ms"),
    ],
)
def test_task_times_that_cannot_be_are_refused(bundle, change, message):
    replace_file(bundle, "eventlog.zst", zstandard.compress(with_task(change)))
    with pytest.raises(LoadError, match=rf"eventlog\.zst: .*{message}"):
        open_bundle(bundle)


def test_event_log_without_the_stage_a_binding_names(bundle):
    events = [json.loads(line) for line in event_log().splitlines()]
    kept = [event for event in events if event.get("Stage Info", {}).get("Stage ID") != 1]
    replace_file(bundle, "eventlog.zst", zstandard.compress("\n".join(map(json.dumps, kept)).encode()))
    with pytest.raises(LoadError, match=r"binding of 'q6\.map': event log has no stage 1 in job group 'repeat-0'"):
        open_bundle(bundle)


def test_iterations_without_end_are_refused():
    manifest = {**values(), "workload": "kmeans", "files": dict.fromkeys(FILES[1:], "0" * 64)}
    generated = {"n": 10, "d": 1, "k": 1}
    manifest["input"] = {**manifest["input"], "generator": "points", "parameters": generated}
    manifest |= {"parameters": {**generated, "iterations": 10**9}, "bindings": [], "result_sha256": "0" * 64}
    manifest["digest"] = manifest_digest(manifest)
    with pytest.raises(LoadError, match="parameter iterations must be 1 to 1000, got 1000000000"):
        check_names(parse_manifest(canonical(manifest), "m"), Path("m"))


@pytest.mark.parametrize(
    "result",
    [{"revenue": 12.34}, {"revenue": "12.34"}, {"revenue": "1.0000", "x": 1}, [], None, {"revenue": "-1.0000"}],
)
def test_a_result_of_another_form_is_refused(bundle, result):
    data = orjson.dumps(result)
    replace_file(bundle, "result.json.zst", zstandard.compress(data))
    rewrite(bundle, lambda m: m.update(result_sha256=result_digest(result)))
    with pytest.raises(LoadError, match=r"result of q6 must be {'revenue': decimal with 4 places}"):
        open_bundle(bundle)


def test_pickles_in_place_of_json_are_only_bytes(bundle):
    replace_file(bundle, "plans.json.zst", zstandard.compress(b"cos\nsystem\n(S'touch /tmp/owned'\ntR."))
    with pytest.raises(LoadError, match=r"plans\.json\.zst: not JSON"):
        open_bundle(bundle)


@pytest.mark.parametrize(
    ("workload", "good", "bad"),
    [
        (
            "wordcount",
            [["ab", 2], ["b", 1]],
            [[["b", 1], ["ab", 2]], [["a", 0]], [["a"]], {}, [["a", "1"]], [["a", True]]],
        ),
        (
            "kmeans",
            {"centroids": [["0x1.0000000000000p+0"], ["-0x1.8000000000000p+1"]], "counts": [3, 0]},
            [
                {"centroids": [["0x1.0000000000000p+0"]], "counts": [3]},
                {"centroids": [["1.0"], ["0x0.0p+0"]], "counts": [3, 0]},
                {"centroids": [["nan"], ["0x0.0p+0"]], "counts": [3, 0]},
                {"centroids": [["0x0.0p+0"], ["0x0.0p+0"]], "counts": [1, 1]},
                {"centroids": [["0x0.0p+0"], ["0x0.0p+0"]], "counts": [3.0, 0]},
                {"counts": [3, 0]},
            ],
        ),
    ],
)
def test_result_forms(workload, good, bad):
    check = workloads.get(workload).check_result
    parameters = {"n": 3, "d": 1, "k": 2, "iterations": 1}
    assert check(good, parameters) is None
    for value in bad:
        assert check(value, parameters), value
