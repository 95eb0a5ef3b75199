"""Command lines that nobody means well: one line, exit code 2, at once, nothing left behind and nothing replaced."""

import contextlib
import os
from pathlib import Path

import pytest

from spark_traces.bundle import shipped_bundles
from study.cli import run_command
from study.store import save_result
from tests.unit.study.factory import make_result

Q6 = str(shipped_bundles()["q6"])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "empty").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "b\nad").symlink_to(Q6)
    os.mkfifo(tmp_path / "pipe")
    save_result(make_result(), tmp_path / "results")
    (tmp_path / "s.yaml").write_text("workloads: [q6]\n")
    (tmp_path / "none.yaml").write_text("workloads: [q6]\ngrid: {level: [bank]}\nexclude: [{level: bank}]\n")
    (tmp_path / "m.yaml").write_text("level: bank\nname: chip\n")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["replay", Q6, "--results", "file"], "file/q6-bank.json: can't be written: Not a directory"),
        (["replay", Q6, "--results", "/proc/x"], "/proc/x/q6-bank.json: can't be written: No such file or directory"),
        (["replay", Q6, "--results", "loop"], "loop/q6-bank.json: can't be written: Too many levels"),
        (["replay", Q6, "--results", "n" * 300], "can't be written: File name too long"),
        (["replay", Q6, "--levels", "chip,m.yaml"], "two results would go to q6-chip.json"),
        (["replay", Q6, "--levels", "pipe"], "machine 'pipe': neither a file nor a preset"),
        (["replay", Q6, "--calibration", "pipe"], "calibration pipe: can't be read: not a regular file"),
        (["replay", Q6, "--calibration", "file"], "calibration file: not JSON"),
        (["replay", "file"], "bundle file: is not a folder"),
        (["replay", "empty"], "empty/bundle.json: can't be read: No such file"),
        (["replay", "loop"], "bundle loop: does not exist"),
        (["replay", "pipe"], "bundle pipe: is not a folder"),
        (["replay", "/"], "bundle /: its folder's name is to be used in tables"),
        (["replay", "\udcff"], "bundle \\udcff: its folder's name is to be used in tables"),
        (["report", "empty"], "empty: no result files"),
        (["report", "--out", "empty"], "empty: can't be written: exists and is not a regular file"),
        (["report", "--out", "/dev/null"], "/dev/null: can't be written: exists and is not a regular file"),
        (["report", "--out", "file/x"], "file/x: can't be written: Not a directory"),
        (["sweep", "none.yaml"], "study none.yaml: no point is left: `exclude` matches all of the grid"),
        (["sweep", "s.yaml", "--out", "file"], "can't be written: Not a directory"),
        (["sweep", "pipe"], "study pipe: can't be read: not a regular file"),
        (["sweep", "empty"], "study empty: can't be read: Is a directory"),
        (["trace", "q6", "--out", "file/x"], "file/x: can't be written: Not a directory"),
        (["trace", "q6", "--out", "/proc/x"], "/proc/x: can't be written: No such file or directory"),
        (["trace", "q6", "--out", "empty"], "bundle empty: exists and is not a bundle"),
        (["trace", "q6", "--size", "9" * 5000], "not a size"),
        (["calibrate", "--out", "empty"], "empty: can't be written: exists and is not a regular file"),
        (["calibrate", "--out", "/proc/x/y"], "/proc/x/y: can't be written: No such file or directory"),
    ],
)
def test_is_refused_with_one_line_before_anything_runs(
    arguments: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}
    assert run_command(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("scalein: ")
    assert error.count("\n") == 1
    assert message in error
    assert {path: path.lstat().st_mtime_ns for path in folder.rglob("*")} == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["--threads", "0"],
        ["--threads", "99999999"],
        ["--executor-cores", "-1"],
        ["--executor-cores", "9" * 40],
        ["--executor-cores", "nan"],
        ["--workers", "0"],
        ["--sample-groups", "-1"],
        ["--sample-groups", "9" * 5000],
        ["--sample-iterations", "1.5"],
    ],
)
def test_numbers_out_of_range_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["replay", Q6, *arguments]) == 2
    error = capsys.readouterr().err
    assert arguments[0] in error
    assert "Traceback" not in error


def test_report_of_hostile_names_runs_none_of_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "<script>alert(1)</script>[/red]"
    save_result(make_result(name, machine=name), folder / "hostile")
    assert run_command(["report", "hostile"]) == 0
    page = (folder / "hostile" / "report.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "[/red]" in capsys.readouterr().out


def test_full_disk_is_one_line_and_exit_code_1(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert run_command(["report"]) == 1
    assert "scalein: system: No space left on device\n" in capsys.readouterr().err
    with contextlib.suppress(FileNotFoundError):
        (folder / "results" / "report.html").read_text()
        pytest.fail("half a report")
