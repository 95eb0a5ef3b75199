"""``scalein interfere`` as it is typed: both sides' figures, and input it refuses."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pim.config import load_system
from pim.isa import load_elf
from pim.system import STACK, CoreTask, Engine, run_cores
from pim.system.host import claim_banks, host_rules
from study.cli import run_command
from study.host_trace import Synthetic
from tests.support.assembly import MEMORY_AT
from tests.support.elf_image import EXECUTE, READ, WRITE, Part, elf_image
from tests.support.guest_loops import DATA_AT, random_access

CORES = 3


@pytest.fixture(scope="module")
def elf(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the file of a program that reads 600 words of 32 KiB at random."""
    parts = [
        Part(MEMORY_AT, random_access(600, 15).text, flags=READ | EXECUTE),
        Part(DATA_AT, bytes(8), memory_bytes=1 << 15, flags=READ | WRITE),
    ]
    path = tmp_path_factory.mktemp("program") / "program.elf"
    path.write_bytes(elf_image(parts, MEMORY_AT))
    return str(path)


def figures(elf: str, folder: Path, *options: str) -> dict[str, Any]:
    report = folder / "figures.json"
    arguments = ["interfere", elf, "--engine", "interpreter", "--cores", str(CORES), "--json", str(report), *options]
    assert run_command(arguments) == 0
    found: dict[str, Any] = json.loads(report.read_text())
    return found


def test_both_ownerships_are_compared(elf: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = figures(elf, tmp_path, "--rate", "4")
    exclusive, concurrent = found["beside"]
    assert [exclusive["ownership"], concurrent["ownership"]] == ["exclusive", "concurrent"]
    assert exclusive["requests"] > exclusive["locked_out"] > 0  # of 16 banks three are the cores'
    assert exclusive["locked_out"] / exclusive["requests"] == pytest.approx(CORES / 16, abs=0.05)
    assert exclusive["cores"]["cpi_stack"]["host"] == 0
    assert concurrent["locked_out"] == 0
    assert concurrent["claims"] > 100
    assert concurrent["cores"]["cpi_stack"]["host"] > 0
    assert concurrent["slowdown"] > exclusive["slowdown"] >= 1
    for outcome in found["beside"]:
        beside, alone = (outcome["latency_ns"][name] for name in ("beside", "alone"))
        assert list(beside) == ["p50", "p90", "p99", "p99.9", "max"]
        assert list(beside.values()) == sorted(beside.values())
        assert all(beside[name] > alone[name] for name in beside)
        assert sum(outcome["cores"]["cpi_stack"].values()) == pytest.approx(np.mean(outcome["cores"]["cycles"]))
        assert list(outcome["cores"]["cpi_stack"]) == list(STACK)
    assert concurrent["latency_ns"]["beside"]["p50"] > found["tclaim_ns"]
    assert exclusive["latency_ns"]["beside"]["max"] > 0.9 * exclusive["cores"]["seconds"] * 1e9
    printed = capsys.readouterr().out
    assert "3 cores of a chip of 'bank'" in printed


def test_all_cores_of_a_chip_lock_the_host_out(elf: str, tmp_path: Path) -> None:
    (outcome,) = figures(elf, tmp_path, "--cores", "16", "--ownership", "exclusive")["beside"]
    assert outcome["locked_out"] == outcome["requests"] > 0
    assert outcome["slowdown"] == 1
    assert outcome["claims"] == 0


def test_more_traffic_slows_the_cores_more(elf: str, tmp_path: Path) -> None:
    options = ("--ownership", "concurrent", "--rate")
    slow = [figures(elf, tmp_path, *options, rate)["beside"][0]["slowdown"] for rate in ("0.05", "1", "8")]
    assert 1 <= slow[0] < slow[1] < slow[2]


def test_trace_is_replayed(elf: str, tmp_path: Path) -> None:
    trace = tmp_path / "host.csv"
    trace.write_text("".join(f"{i * 8192 * 2:#x},{'read' if i % 3 else 'write'},{1000 + 400 * i}\n" for i in range(40)))
    found = figures(elf, tmp_path, "--host-trace", str(trace))
    assert found["host"] == {"trace": str(trace)}
    assert [outcome["requests"] for outcome in found["beside"]] == [40, 40]


def test_nothing_happens_beside_a_host_that_comes_later(elf: str, tmp_path: Path) -> None:
    trace = tmp_path / "host.csv"
    trace.write_text("0,read,1e9\n")
    for outcome in figures(elf, tmp_path, "--host-trace", str(trace))["beside"]:
        assert outcome["requests"] == 0
        assert outcome["slowdown"] == 1
        assert outcome["latency_ns"] == {"alone": None, "beside": None}


def test_threads_change_nothing(elf: str) -> None:
    """Chips of a rank beside the same host, in one thread and in three."""
    system, program = load_system("bank"), load_elf(elf)
    rules = host_rules(system, drains=True)
    use = claim_banks(system, Synthetic(4.0).requests(system, 3e5), rules).by_rank[0, 0]

    def run(n_cores: int) -> tuple[int, tuple[int, ...]]:
        tasks = [CoreTask(())] * n_cores
        done = run_cores(system, program, tasks, engine=Engine.INTERPRETER, host_use=use, rules=rules)
        return done.nck, tuple(core.cycles for core in done.cores)

    sizes = (1, 16, 5, 9, 16, 2)
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(run, sizes)) == [run(size) for size in sizes]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ownership", "shared"], "--ownership 'shared': must be exclusive, concurrent or both"),
        (["--host-trace", "missing.csv"], "missing.csv"),
        (["--host-trace", "bad.csv"], "bad.csv:2: must be read or write, got 'peek'"),
        (["--map", "RoBaX"], "unknown map"),
        (["--rate", "0"], "--rate: must be above 0"),
        (["--rate", "nan"], "--rate: must be above 0"),
        (["--reads", "2"], "--reads: must be 0 to 1"),
        (["--pattern", "zigzag"], "--pattern 'zigzag'"),
        (["--seed", "-4"], "--seed: must be 0 or more"),
        (["--cores", "17"], "--cores: a chip of 'bank' has 1 to 16, got 17"),
        (["--json", "/proc/x/y"], "/proc/x/y: can't be written"),
        (["--set", "interface.ownership=shared"], "interface.ownership"),
        (["--set", "timing.trefi_ns=1000"], "no claim fits between refreshes"),
        (["--machine", "rank", "--set", "window_map=all-banks"], "concurrent ownership needs window_map 'own-banks'"),
        (["--max-cycles", "10"], "cycle limit 10 reached"),
    ],
)
def test_wrong_input_is_one_line(
    elf: str,
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text("0,read,1\n0,peek,2\n")
    options = [] if "--map" not in arguments else ["--host-trace", str(tmp_path / "good.csv")]
    (tmp_path / "good.csv").write_text("0,read,1\n")
    assert run_command(["interfere", elf, "--engine", "interpreter", *options, *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert len([line for line in error.splitlines() if line.startswith("scalein: ")]) == 1


def test_program_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["interfere", "nowhere.elf"]) == 2
    assert "nowhere.elf" in capsys.readouterr().err
