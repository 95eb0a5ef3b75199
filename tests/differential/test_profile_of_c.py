"""Profiles of C programs: whose calls cost what, and the command with its files."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from mapreduce.program import build_program
from pim.config import load_system, with_overrides
from pim.errors import LoadError
from pim.isa import load_elf
from pim.isa.debug import load_debug
from pim.system import BareMachine
from pim.system.profile import Hot, profile_bare
from study.cli import run_command

pytestmark = pytest.mark.toolchain

SOURCE = """
#define APART __attribute__((noinline))
static volatile int sink;
APART void work(int n) {
  while (n--)
    sink += n;                    // the loop
}
static inline __attribute__((always_inline)) void merged(int n) {
  sink = n;                       // inlined
}
APART void few(void) { for (int i = 0; i < 10; i++) work(20); sink = 0; }
APART void many(void) { for (int i = 0; i < 30; i++) work(20); merged(5); }
APART int down(int n) { if (n == 0) return 0; int below = down(n - 1); sink = below; return below + 1; }
int main(void) {
  few();
  many();
  int depth = down(7);
  sink = depth;
  return depth;
}
"""


@pytest.fixture(scope="module", params=["rv64imc", "rv32imc"])
def extensions(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def elf(tmp_path_factory: pytest.TempPathFactory, extensions: str) -> bytes:
    path = tmp_path_factory.mktemp("profile") / "calls.c"
    path.write_text(SOURCE)
    return build_program([path], extensions)


@pytest.fixture(scope="module")
def hot(elf: bytes, extensions: str) -> list[Hot]:
    system = with_overrides(load_system("bank"), {"core.extensions": extensions})
    run, rows = profile_bare(BareMachine(system, load_elf(elf, bare=True), memory_bytes=1 << 20), elf)
    assert run.exit_code == 7
    return rows


def line_of(comment: str) -> int:
    (line,) = (i for i, text in enumerate(SOURCE.splitlines(), start=1) if text.endswith(f"// {comment}"))
    return line


def instructions(hot: list[Hot], *path: str, line: int | None = None) -> int:
    wanted = [row for row in hot if (*row.path, *row.place.inlined) == path and line in (None, row.place.line)]
    return sum(row.costs.instructions for row in wanted)


def test_costs_go_to_the_caller_that_caused_them(hot: list[Hot]) -> None:
    loop = line_of("the loop")
    few, many = (instructions(hot, "_start", "main", caller, "work", line=loop) for caller in ("few", "many"))
    assert few > 10 * 20
    assert many == 3 * few


def test_inlined_function_stands_on_the_one_it_is_in(hot: list[Hot]) -> None:
    assert instructions(hot, "_start", "main", "many", "merged", line=line_of("inlined")) > 0


def test_recursion_is_as_deep_as_it_is(hot: list[Hot]) -> None:
    depths = {len(row.path) for row in hot if row.path[-1] == "down"}
    assert depths == set(range(3, 11))  # _start, main, down(7) to down(0)


def test_every_function_has_its_name(hot: list[Hot]) -> None:
    names = {name for row in hot for name in (*row.path, *row.place.inlined)}
    assert names == {"_start", "main", "few", "many", "work", "merged", "down"}


def test_damaged_debugging_information_is_an_error_and_no_crash(elf: bytes) -> None:
    start = min(match.start() for match in re.finditer(rb"clang|GNU|calls\.c", elf))
    failed = 0
    for at in range(start, len(elf), max(1, (len(elf) - start) // 300)):
        damaged = bytearray(elf)
        damaged[at] ^= 0xFF
        try:
            load_debug(bytes(damaged), 0x8000_0000, 1000)
        except LoadError as error:
            assert "damaged debugging information" in str(error)  # noqa: PT017
            failed += 1
    assert failed > 0


def test_command_writes_table_flame_graph_and_numbers(
    elf: bytes, extensions: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("calls.elf").write_bytes(elf)
    Path("calls.c").write_text(SOURCE)
    machine = ["--set", f"core.extensions={extensions}", "--memory", "1MiB"]
    assert run_command(["profile", "calls.elf", *machine, "--svg", "out/f.svg", "--json", "out/p.json"]) == 0
    printed = capsys.readouterr().out
    assert re.search(rf"calls\.c:{line_of('the loop')} +\d+\.\d %", printed)
    assert "sink += n" in printed
    numbers = json.loads(Path("out/p.json").read_text())
    assert numbers["format"] == "scalein-profile"
    for part in ("lines", "paths"):
        assert sum(item["cycles"] for item in numbers[part]) == numbers["total"]["cycles"]
        for name, cycles in numbers["total"]["stack"].items():
            assert sum(item["stack"][name] for item in numbers[part]) == cycles
    assert sum(item["own"]["cycles"] for item in numbers["functions"]) == numbers["total"]["cycles"]
    assert {item["function"]: item["total_cycles"] for item in numbers["functions"]}["_start"] == (
        numbers["total"]["cycles"]
    )
    ET.parse("out/f.svg")
    assert run_command(["exec", "calls.elf", *machine, "--json", "exec.json"]) == 7
    (hart,) = json.loads(Path("exec.json").read_text())["harts"]
    assert numbers["total"]["stack"] == hart["stack"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.elf"], "none.elf: can't be read"),
        (["calls.elf", "--svg", "calls.elf/x"], "can't be written"),
        (["wordcount", "--kernel", "sort"], "kernel 'sort': must be one of map, reduce"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], message: str, elf: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("calls.elf").write_bytes(elf)
    assert run_command(["profile", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error
