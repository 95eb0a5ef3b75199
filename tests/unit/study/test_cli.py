import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from study.cli import run_command
from study.store import save_result
from tests.unit.study.factory import make_result

ROOT = Path(__file__).resolve().parents[3]
SCALEIN = [sys.executable, "-c", "from study.cli import main\nif __name__ == '__main__': main()"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["replay", "/nowhere"], "bundle /nowhere: does not exist"),
        (["replay", "x", "--levels", "bank,board"], "machine 'board': neither a file nor a preset"),
        (["replay", "x", "--levels", "bank,bank"], "--levels 'bank,bank': must name each level once"),
        (["replay", "x", "--levels", ""], "--levels ''"),
        (["replay", "a/x", "b/x"], "two results would go to x-bank.json, x-chip.json, x-rank.json"),
        (["replay", "x", "--sample-groups", "0"], "--sample-groups: must be a positive number or 'all'"),
        (["replay", "x", "--calibration", "/nowhere"], "calibration /nowhere"),
        (["sweep", "/nowhere.yaml"], "study /nowhere.yaml: can't be read"),
        (["report", "/nowhere"], "/nowhere: no result files"),
        (["trace", "wordcount", "--size", "200XB"], "size '200XB': unknown unit 'XB'"),
        (["trace", "wordle", "--size", "1MB"], "workload 'wordle' is unknown"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with contextlib.chdir(tmp_path):
        assert run_command([*arguments, "--results", "r"] if arguments[0] == "replay" else arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    lines = [line for line in error.splitlines() if line.startswith("scalein: ")]
    assert len(lines) == 1
    assert "Traceback" not in error
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [["replay"], ["bogus"], ["run", "--threads", "0"], ["run", "--no-such"]])
def test_wrong_usage_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(arguments) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_help_lists_what_works_and_only_that(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["--help"]) == 0
    listed = capsys.readouterr().out.partition("Commands:")[2].split("\n")
    names = [line.split()[0] for line in listed if line.startswith("  ") and not line.startswith("   ")]
    assert names == [
        *("run", "replay", "trace", "sweep", "report", "calibrate"),
        *("build", "exec", "profile", "interfere", "map", "rtl"),
    ]
    assert run_command(["--version"]) == 0
    assert capsys.readouterr().out.startswith("scalein ")


def test_report_is_made_from_result_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_result(make_result(), tmp_path)
    assert run_command(["report", str(tmp_path)]) == 0
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    shown = capsys.readouterr().out
    assert "Spark, 16 executor cores: host A." in shown
    assert "native, 16 threads: host B." in shown


def test_ctrl_c_ends_replay_and_its_workers_at_once(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs behind a shell begins by ignoring it
    process = subprocess.Popen(
        [*SCALEIN, "replay", "spark_traces/bundles/kmeans", "--results", str(tmp_path), "--workers", "1"],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    signal.signal(signal.SIGINT, before)
    deadline = time.monotonic() + 60
    while not _children(process.pid):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(1)  # the worker is importing or simulating
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in error
    assert not _group_members(process.pid)


def _children(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in children.read_text().split()] if children.exists() else []


def _group_members(group: int) -> list[int]:
    deadline = time.monotonic() + 10
    members = [0]
    while members and time.monotonic() < deadline:
        members = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                fields = stat.read_text().rpartition(")")[2].split()
                if int(fields[2]) == group and fields[0] != "Z":
                    members.append(int(stat.parent.name))
        time.sleep(0.1)
    return members
