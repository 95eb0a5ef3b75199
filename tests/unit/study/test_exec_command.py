"""``scalein exec`` as it is typed: output, files, exit codes, and input it refuses."""

import json
import re
from pathlib import Path

import pytest

from pim.isa import Op
from pim.system import STACK
from study.cli import run_command
from tests.support.assembly import MAILBOX_AT, MEMORY_AT, Assembly
from tests.support.elf_image import EXECUTE, READ, WRITE, Part, elf_image

T0, T1, A0, A1 = 5, 6, 10, 11
DATA = MEMORY_AT + 0x1000


@pytest.fixture
def elf(tmp_path: Path):
    """Return a function that writes a program's file, with its labels as symbols."""

    def write(text: Assembly, **symbols: int) -> str:
        path = tmp_path / "program.elf"
        labels = {name: MEMORY_AT + offset for name, offset in text.labels.items()}
        parts = [
            Part(MEMORY_AT, text.text(), flags=READ | EXECUTE),
            Part(DATA, bytes(range(16)), memory_bytes=0x100, flags=READ | WRITE),
        ]
        path.write_bytes(elf_image(parts, MEMORY_AT, xlen=text.xlen, symbols=labels | symbols))
        return str(path)

    return write


def exits(code: int, xlen: int = 64) -> Assembly:
    text = Assembly(xlen)
    text.exit(code)
    return text


@pytest.mark.parametrize(("code", "ours"), [(0, 0), (1, 1), (2, 2), (255, 255), (256, 255), (-1, 255)])
def test_exit_code_is_the_programs(elf, code: int, ours: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["exec", elf(exits(code))]) == ours
    assert f"exit code {code}\n" in capsys.readouterr().out


def test_what_a_run_took_is_printed_and_written(elf, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "run.json"
    arguments = ["exec", elf(exits(3)), "--json", str(report), "--set", "core.clock_mhz=400"]
    assert run_command(arguments) == 3
    printed = capsys.readouterr().out
    found = json.loads(report.read_text())
    (hart,) = found["harts"]
    assert found["exit_code"] == hart["exit_code"] == 3
    assert hart["instructions"] == 3
    assert list(hart["stack"]) == list(STACK)
    assert sum(hart["stack"].values()) == hart["cycles"]
    assert found["machine"]["core"]["clock_mhz"] == 400
    assert found["seconds"] == pytest.approx(hart["cycles"] / 400e6, rel=0.01)
    assert re.search(rf"instructions +3\ncycles +{hart['cycles']}\nCPI +{hart['cycles'] / 3:.3f}\n", printed)
    assert f"ACT {found['dram_commands']['ACT']}, PRE" in printed
    assert f"{found['seconds']:.6g} s on 'bank' at 400 MHz" in printed


def test_signature_is_the_words_between_the_symbols(elf, tmp_path: Path) -> None:
    text = Assembly()
    text.li(T0, DATA)
    text.li(A0, 0x8765_4321)
    text.op(Op.SW, rs1=T0, rs2=A0, imm=4)
    text.exit(0)
    file = tmp_path / "signature"
    path = elf(text, begin_signature=DATA, end_signature=DATA + 20)
    assert run_command(["exec", path, "--signature", str(file)]) == 0
    assert file.read_text() == "03020100\n87654321\n0b0a0908\n0f0e0d0c\n00000000\n"


def test_arguments_arrive_in_the_mailbox(elf) -> None:
    text = Assembly()
    text.li(T0, MAILBOX_AT)
    for place, register in enumerate((A0, A1, T1)):
        text.op(Op.LD, rd=register, rs1=T0, imm=0x80 + 8 * place)
    text.op(Op.ADD, rd=A0, rs1=A0, rs2=A1)
    text.op(Op.SUB, rd=A0, rs1=A0, rs2=T1)
    text.exit()
    assert run_command(["exec", elf(text), "--args", "0x20,-6,0xffff_ffff_ffff_fff0"]) == 0x20 - 6 + 16


def test_rv32_program_runs_on_a_core_of_its_width(elf, capsys: pytest.CaptureFixture[str]) -> None:
    path = elf(exits(9, xlen=32))
    assert run_command(["exec", path]) == 125
    assert "core.extensions=rv32imc" in capsys.readouterr().err
    assert run_command(["exec", path, "--set", "core.extensions=rv32imc"]) == 9


TRACED = Assembly()
TRACED.li(T0, DATA)
TRACED.op(Op.LW, rd=A0, rs1=T0, imm=4)
TRACED.op(Op.SH, rs1=T0, rs2=A0, imm=2)
TRACED.op(Op.AMOADD_D, rd=A1, rs1=T0, rs2=A0)
TRACED.op(Op.FLD, rd=1, rs1=T0, imm=8)
TRACED.op(Op.FADD_D, rd=2, rs1=1, rs2=1, rm=7)
TRACED.op(Op.BEQ, imm=4)
TRACED.c("c.li", rd=A0, imm=0)
TRACED.exit()

LAST_LINES = [
    r"lw a0, 4\(t0\)  a0=0000000007060504  load 0000000080001004:07060504",
    r"sh a0, 2\(t0\)  store 0000000080001002:0504",
    r"amoadd.d a1, a0, \(t0\)  a1=0706050405040100  atomic 0000000080001000:070605040c0a0604",
    r"fld ft1, 8\(t0\)  ft1=0f0e0d0c0b0a0908  load 0000000080001008:0f0e0d0c0b0a0908",
    r"fadd.d ft2, ft1, ft1  ft2=0f1e0d0c0b0a0908",
    r"beq zero, zero, 0x[0-9a-f]+",
    r"4501     addi a0, zero, 0  a0=0000000000000000",
    r"addi a7, zero, 93  a7=000000000000005d",
    r"ecall",
]


@pytest.mark.parametrize("to_stdout", [False, True])
def test_trace_has_a_line_per_instruction(
    elf, to_stdout: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, file, plain = elf(TRACED), tmp_path / "trace", tmp_path / "plain.json"
    traced = tmp_path / "traced.json"
    machine = ["--set", "core.extensions=rv64imafdc"]
    assert run_command(["exec", path, *machine, "--json", str(plain)]) == 0
    capsys.readouterr()
    where = "-" if to_stdout else str(file)
    assert run_command(["exec", path, *machine, "--json", str(traced), "--trace", where]) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines() if to_stdout else file.read_text().splitlines()
    by_steps, at_once = json.loads(traced.read_text()), json.loads(plain.read_text())
    assert by_steps.pop("engine") == "interpreter"
    assert at_once.pop("engine") == "translator"
    assert by_steps == at_once, "tracing changes no number"
    numbers = json.loads(plain.read_text())["harts"][0]
    assert len(lines) == numbers["instructions"]
    head = re.compile(r" *(\d+)  0 ([0-9a-f]{16}) [0-9a-f]{4,8} ")
    cycles = [int(head.match(line)[1]) for line in lines]
    assert cycles == sorted(cycles)
    assert cycles[-1] == numbers["cycles"]
    assert head.match(lines[0])[2] == f"{MEMORY_AT:016x}"
    for line, pattern in zip(lines[-len(LAST_LINES) :], LAST_LINES, strict=True):
        assert re.search(f" {pattern}$", line), (line, pattern)
    assert "exit code 0" in (printed.err if to_stdout else printed.out)


def test_trace_shows_a_trap_and_goes_on_in_the_handler(elf, capsys: pytest.CaptureFixture[str]) -> None:
    text = Assembly()
    text.labels["handler"] = 0x40
    text.address_of(T0, "handler")
    text.op(Op.CSRRW, rs1=T0, imm=0x305)
    text.op(Op.EBREAK)
    while text.size < 0x40:
        text.raw(1, 2)
    text.op(Op.CSRRW, imm=0x305)
    text.exit(0)
    assert run_command(["exec", elf(text), "--trace", "-"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3].endswith("ebreak  trap: breakpoint")
    assert f"{MEMORY_AT + 0x40:016x} 30501073 csrrw zero, mtvec, zero" in lines[4]


def test_trace_is_kept_up_to_a_fatal_trap(elf, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = Assembly()
    text.op(Op.ADDI, rd=A0, imm=1)
    text.op(Op.LD, rd=A0)
    file = tmp_path / "trace"
    assert run_command(["exec", elf(text), "--trace", str(file)]) == 125
    first, last = file.read_text().splitlines()
    assert first.endswith("00100513 addi a0, zero, 1  a0=0000000000000001")
    assert last.endswith("00003503 ld a0, 0(zero)  trap: load access")
    assert "hart 0, pc 0x80000004 (ld a0, 0(zero)): load access at 0x0" in capsys.readouterr().err


def test_cores_share_the_memory_of_a_chip_and_races_are_warned_of(
    elf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = Assembly()
    text.li(T0, DATA)
    text.op(Op.SD, rs1=T0)
    text.exit(0)
    report = tmp_path / "run.json"
    path = elf(text)
    cores = ["--machine", "chip", "--set", "cores_per_location=2", "--harts", "2"]
    assert run_command(["exec", path, *cores, "--json", str(report)]) == 0
    printed = capsys.readouterr()
    assert "warning: race on 0x80001000: store by hart" in printed.err
    assert re.search(r"hart +0 +1\n", printed.out)
    (race,) = json.loads(report.read_text())["races"]
    assert race["address"] == DATA
    assert run_command(["exec", path, *cores, "--trace", str(tmp_path / "trace")]) == 0
    assert {line.split()[1] for line in (tmp_path / "trace").read_text().splitlines()} == {"0", "1"}


def loops() -> Assembly:
    text = Assembly()
    text.op(Op.JAL, imm=0)
    return text


def traps() -> Assembly:
    text = Assembly()
    text.op(Op.LD, rd=A0)
    return text


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (exits(0), ["--machine", "nowhere"], "machine 'nowhere': neither a file nor a preset"),
        (exits(0), ["--set", "core.clock_mhz"], "--set 'core.clock_mhz': must be key=value"),
        (exits(0), ["--set", "core.clock_mhz=[1"], "--set 'core.clock_mhz=[1': the value is not valid YAML"),
        (exits(0), ["--set", "core.clok_mhz=1"], "core.clok_mhz: unknown key, did you mean 'clock_mhz'?"),
        (exits(0), ["--set", "core.extensions=rv64cmi"], "core.extensions: must be rv32 or rv64, then i"),
        (exits(0), ["--args", "1,x"], "--args '1,x': 'x' is not an integer"),
        (exits(0), ["--args", ","], "--args ',': '' is not an integer"),
        (exits(0), ["--args", str(1 << 64)], "does not fit 64 bits"),
        (exits(0), ["--args", ",".join("1" * 17)], "--args: at most 16 words, got 17"),
        (exits(0), ["--harts", "2"], "harts: 'bank' has 1 to 1 that share memory, got 2"),
        (exits(0), ["--memory", "1TiB"], "memory: 8 to 67,108,864 B"),
        (exits(0), ["--memory", "many"], "size 'many': not a size"),
        (exits(0), ["--memory", "2KiB"], "segments outside the memory, 0x80000000 to 0x80000800: 0x80001000 to"),
        (exits(0), ["--signature", "s"], "--signature needs the symbols begin_signature and end_signature"),
        (exits(0), ["--json", "/dev/null/x"], "/dev/null/x: can't be written: Not a directory"),
        (exits(0), ["--json", "/dev/null"], "/dev/null: can't be written: exists and is not a regular file"),
        (exits(0), ["--trace", "/nowhere/x"], "/nowhere/x: can't be written: No such file or directory"),
        (loops(), ["--max-cycles", "5000"], "cycle limit 5_000 reached; 1 of 1 harts still running (0)"),
        (loops(), ["--max-cycles", "5000", "--trace", "/dev/null"], "cycle limit 5_000 reached"),
        (traps(), [], "hart 0, pc 0x80000000 (ld a0, 0(zero)): load access at 0x0"),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_125(
    elf, text: Assembly, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(["exec", elf(text), *options]) == 125
    error = capsys.readouterr().err
    assert message in error
    assert len(error.splitlines()) == 1


def test_exit_code_that_no_process_can_have_is_printed_and_written_in_full(
    elf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cut to eight bits, 256 would say success, and 381 what 125 says."""
    report = tmp_path / "run.json"
    for code in (256, 381, -1):
        assert run_command(["exec", elf(exits(code)), "--json", str(report)]) == 255
        assert f"exit code {code}\n" in capsys.readouterr().out
        assert json.loads(report.read_text())["exit_code"] == code


def test_outputs_are_refused_before_the_run(elf, capsys: pytest.CaptureFixture[str]) -> None:
    path = elf(loops(), begin_signature=DATA, end_signature=DATA + 4)
    for option in ("--json", "--signature"):
        assert run_command(["exec", path, option, "/dev/null/x"]) == 125  # else the cycle limit would end it
        assert "/dev/null/x: can't be written" in capsys.readouterr().err


def test_cycle_limit_is_the_models_unless_told(elf, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr("study.exec_command.BARE_CYCLE_LIMIT", 7000)
    assert run_command(["exec", elf(loops())]) == 125
    assert "cycle limit 7_000 reached" in capsys.readouterr().err


def test_signature_must_be_words_in_memory(elf, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for begin, end, message in (
        (DATA, DATA + 6, "must be a whole number of 4-byte words"),
        (DATA + 4, DATA, "must be a whole number of 4-byte words"),
        (0, 8, "0x0 to 0x8 is outside the memory"),
    ):
        path = elf(exits(0), begin_signature=begin, end_signature=end)
        assert run_command(["exec", path, "--signature", str(tmp_path / "s")]) == 125
        assert message in capsys.readouterr().err


def test_missing_file_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["exec", "/nowhere.elf"]) == 125
    assert "/nowhere.elf: can't be read" in capsys.readouterr().err
