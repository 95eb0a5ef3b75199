"""Whole programs in C: built, and run on cores of both widths, alone and together."""

import json
from pathlib import Path

import pytest

from mapreduce.program import MAX_HARTS, build_program
from pim.config import load_system, with_overrides
from pim.errors import ConfigError, GuestTrap, LoadError
from pim.isa import load_elf
from pim.system import BareMachine, BareRun
from study.cli import run_command

pytestmark = pytest.mark.toolchain

MAIN = r"""
#include <scalein.h>
#include <string.h>
#include "other.h"

static int zeroed[100];
static int counted = 40;

int main(int argc, char **argv) {
  volatile char stack[5000];  /* more than the scratchpad has */
  memset((char *)stack, 1, sizeof stack);
  for (unsigned i = 0; i < sizeof stack; i++) counted += stack[i];
  scalein_return(scalein_argument(1) + twice(21) + (uint64_t)argc + (argv != 0));
  const uint64_t before = scalein_cycles();
  return scalein_cycles() > before && zeroed[99] == 0 && counted == 5040 ? EXIT : 1;
}
"""
ASSEMBLY = """
    .globl twice
twice:
#ifdef PLUS
    add a0, a0, a0
#endif
    ret
"""


@pytest.fixture
def sources(tmp_path: Path) -> list[Path]:
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "other.h").write_text("int twice(int);\n")
    (tmp_path / "twice.S").write_text(ASSEMBLY)
    return [tmp_path / "main.c", tmp_path / "twice.S"]


def run(elf: bytes, extensions: str, level: str = "bank", **options: object) -> BareRun:
    system = with_overrides(load_system(level), {"core.extensions": extensions, "cores_per_location": 1})
    return BareMachine(system, load_elf(elf, bare=True), **{"memory_bytes": 1 << 20, **options}).run()


@pytest.mark.parametrize("extensions", ["rv64imc", "rv64imafdc", "rv64i", "rv32imc", "rv32i", "rv32imafdc"])
def test_program_of_several_files_runs(sources: list[Path], extensions: str) -> None:
    elf = build_program(sources, extensions, flags="-DEXIT='(5 + 4)' -DPLUS")
    done = run(elf, extensions, arguments=(0, 1 << 40))
    assert done.exit_code == 9
    assert done.group.cores[0].return_value == (1 << 40) + 42


def test_every_hart_has_a_stack_of_its_own(tmp_path: Path) -> None:
    """All fill their stack frames at the same time; a shared one would show another's number."""
    (tmp_path / "harts.c").write_text(r"""
#include <scalein.h>
int main(void) {
  volatile unsigned long frame[2000];
  for (int i = 0; i < 2000; i++) frame[i] = scalein_hart();
  for (int i = 0; i < 2000; i++) if (frame[i] != scalein_hart()) return 1;
  scalein_fence();
  scalein_return(scalein_hart() + 100);
  return 0;
}
""")
    elf = build_program([tmp_path / "harts.c"], "rv64imc")
    system = with_overrides(load_system("chip"), {"core.extensions": "rv64imc", "cores_per_location": MAX_HARTS})
    machine = BareMachine(system, load_elf(elf, bare=True), n_harts=MAX_HARTS, memory_bytes=1 << 20)
    done = machine.run()
    assert [core.return_value for core in done.group.cores] == [100 + hart for hart in range(MAX_HARTS)]
    assert done.exit_code == 0


def test_command_builds_what_exec_runs(sources: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, numbers = tmp_path / "made" / "own.elf", tmp_path / "numbers.json"
    built = run_command(
        ["build", *map(str, sources), "-o", str(out), "--extensions", "rv32imc", "--flags", "-DEXIT=7 -DPLUS"]
    )
    assert built == 0
    assert "own.elf: " in capsys.readouterr().out
    assert run_command(["exec", str(out), "--set", "core.extensions=rv32imc", "--json", str(numbers)]) == 7
    assert json.loads(numbers.read_text())["harts"][0]["return_value"] == 42


def test_errors_name_file_and_line_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.c").write_text("int main(void) {\n  return x;\n}\n")
    assert run_command(["build", "bad.c"]) == 2
    message = capsys.readouterr().err
    assert "bad.c:2:10: error: use of undeclared identifier 'x'" in message
    assert message.count("\n") == 1
    assert not Path("program.elf").exists()


@pytest.mark.parametrize(
    ("name", "text", "options", "error", "message"),
    [
        ("a.c", "int f(void) { return 0; }", {}, LoadError, r"linking a\.c for rv64imc: .*undefined symbol: main"),
        ("a.c", "int main(void) {}", {"flags": "'"}, LoadError, "compiler flags .*No closing quotation"),
        ("a.c", "int main(void) {}", {"flags": "-fno-such-flag"}, LoadError, "no-such-flag"),
        ("a.c", "int main(void) {}", {"extensions": "rv64x"}, ConfigError, "target: extensions: must be rv32 or rv64"),
        ("a.cpp", "int main() {}", {}, LoadError, r"a\.cpp: must be a C or assembly file"),
        ("a.s", "main: addq a0, a0", {}, LoadError, r"a\.s:1:7: error: unrecognized instruction"),
    ],
)
def test_bad_sources_are_refused(
    tmp_path: Path, name: str, text: str, options: dict[str, str], error: type[Exception], message: str
) -> None:
    (tmp_path / name).write_text(text + "\n")
    with pytest.raises(error, match=message):
        build_program([tmp_path / name], **{"extensions": "rv64imc", **options})


def test_missing_source_is_named(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"none\.c: no such file"):
        build_program([tmp_path / "none.c"], "rv64imc")


def test_program_for_more_than_the_core_has_traps(tmp_path: Path) -> None:
    (tmp_path / "float.c").write_text("volatile double x = 2; int main(void) { return (int)(x * 3); }\n")
    elf = build_program([tmp_path / "float.c"], "rv64imafdc")
    assert run(elf, "rv64imafdc").exit_code == 6
    with pytest.raises(GuestTrap, match="illegal instruction"):
        run(elf, "rv64imc")


DMA = r"""
#include <scalein.h>

static uint64_t words[70];

int main(void) {
  uint64_t *const fast = (uint64_t *)(uintptr_t)SCALEIN_SCRATCHPAD;
  for (int i = 0; i < 70; i++) words[i] = i;
  scalein_dma(fast, words + 2, 64 * sizeof *words);
  for (int i = 0; i < 64; i++) fast[i] *= 3;
  scalein_dma(words + 1, fast, 64 * sizeof *words);
  int wrong = words[0] != 0 || words[65] != 65;
  for (int i = 0; i < 64; i++) wrong += words[i + 1] != 3 * (uint64_t)(i + 2);
  return wrong;
}
"""


@pytest.mark.parametrize("extensions", ["rv64imc", "rv32imc"])
def test_data_moves_to_the_scratchpad_and_back(tmp_path: Path, extensions: str) -> None:
    (tmp_path / "main.c").write_text(DMA)
    assert run(build_program([tmp_path / "main.c"], extensions), extensions).exit_code == 0
