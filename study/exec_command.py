"""``scalein exec``: one bare-metal program on one machine; what it did, printed and written."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

import typer
import yaml
from rich.console import Console
from rich.table import Table

from pim.config import SystemConfig, load_system, with_overrides
from pim.engines import DEFAULT_ENGINE, Engine
from pim.errors import ConfigError, LoadError
from pim.files import check_writable, write_atomic
from pim.isa import load_elf
from pim.system import ARGUMENT_WORDS, STACK, BareMachine, BareRun
from pim.system.bare import BARE_CYCLE_LIMIT
from pim.system.trace import steps

HIGHEST_EXIT_CODE = 255
"""What a process can return; a larger or negative exit code of the guest becomes this."""

_SIGNATURE = ("begin_signature", "end_signature")
_SIGNATURE_BYTES = 4


def run(
    elf: Path,
    machine: str,
    *,
    settings: Sequence[str] = (),
    arguments: str = "",
    signature: Path | None = None,
    trace: str | None = None,
    max_cycles: int | None = None,
    n_harts: int = 1,
    memory_bytes: int | None = None,
    report: Path | None = None,
    engine: Engine = DEFAULT_ENGINE,
) -> int:
    """Run a program and say what it did; return its exit code, 0 to 255.

    Parameters
    ----------
    elf : Path
        Bare-metal program.
    machine : str
        Preset or machine file.
    settings : sequence of str
        ``key=value`` overrides of the machine.
    arguments : str
        Mailbox words, separated by commas.
    signature : Path, optional
        Where to write the words between the symbols begin_signature and end_signature.
    trace : str, optional
        Where to write one line per instruction; ``-`` is standard output.
    max_cycles : int, optional
        Core cycles; default: BARE_CYCLE_LIMIT.
    n_harts : int
        Cores.
    memory_bytes : int, optional
        See `BareMachine`.
    report : Path, optional
        Where to write the numbers as JSON.
    engine : Engine
        What simulates instructions, where it can; a trace is the interpreter's.

    Raises
    ------
    PimError
        If the program can't be loaded, traps without a handler or runs past the limit; see `BareMachine`.
    """
    for path in (signature, report):
        if path:
            check_writable(path)
    system = with_overrides(load_system(machine), parse_settings(settings), "--set")
    program = load_elf(elf, bare=True)
    if signature and not all(name in program.symbols for name in _SIGNATURE):
        raise LoadError(f"{elf}: --signature needs the symbols {' and '.join(_SIGNATURE)}")
    loaded = BareMachine(
        system,
        program,
        n_harts=n_harts,
        arguments=parse_words(arguments),
        cycle_limit=BARE_CYCLE_LIMIT if max_cycles is None else max_cycles,
        memory_bytes=memory_bytes,
        single_step=trace is not None,
        engine=engine,
    )
    if trace is None:
        outcome = loaded.run()
    else:
        with _opened(trace) as file:
            for step in steps(loaded):
                print(step.line(program.xlen), file=file)
        outcome = loaded.result()
    if signature:
        write_atomic(signature, signature_text(loaded).encode())
    if report:
        write_atomic(report, f"{json.dumps(as_json(outcome, system, loaded.engine), indent=2)}\n".encode())
    for race in outcome.races:
        typer.echo(f"warning: {race}", err=True)
    _show(outcome, system, loaded.engine, sys.stderr if trace == "-" else sys.stdout)
    return outcome.exit_code if 0 <= outcome.exit_code <= HIGHEST_EXIT_CODE else HIGHEST_EXIT_CODE


def parse_settings(settings: Sequence[str]) -> dict[str, Any]:
    """Return the overrides in ``key=value`` texts; values are read as in a machine file."""
    overrides = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise ConfigError(f"--set {text!r}: must be key=value, such as core.clock_mhz=400")
        try:
            overrides[key] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise ConfigError(f"--set {text!r}: the value is not valid YAML") from error
    return overrides


def parse_words(arguments: str) -> tuple[int, ...]:
    """Return the mailbox words in a text such as ``1,-2,0x8000_1000``: 64 bits each, at most 16."""
    words = []
    for text in arguments.split(",") if arguments else ():
        try:
            word = int(text, 0)
        except ValueError as error:
            raise ConfigError(f"--args {arguments!r}: {text!r} is not an integer") from error
        if not -(1 << 63) <= word < 1 << 64:
            raise ConfigError(f"--args {arguments!r}: {text} does not fit 64 bits")
        words.append(word)
    if len(words) > ARGUMENT_WORDS:
        raise ConfigError(f"--args: at most {ARGUMENT_WORDS} words, got {len(words)}")
    return tuple(words)


def signature_text(machine: BareMachine) -> str:
    """Return the words between begin_signature and end_signature, 8 hexadecimal digits a line."""
    begin, end = (machine.program.symbols[name] for name in _SIGNATURE)
    if begin > end or (end - begin) % _SIGNATURE_BYTES:
        raise LoadError(f"signature {begin:#x} to {end:#x}: must be a whole number of 4-byte words")
    content = machine.read(begin, end - begin)
    words = (content[i : i + _SIGNATURE_BYTES] for i in range(0, len(content), _SIGNATURE_BYTES))
    return "".join(f"{int.from_bytes(word, 'little'):08x}\n" for word in words)


def as_json(outcome: BareRun, system: SystemConfig, engine: Engine) -> dict[str, Any]:
    """Return what a run did, the machine and the engine it ran on, as JSON values; time in core cycles and seconds."""
    group = outcome.group
    harts = []
    for core in group.cores:
        numbers = asdict(core)
        del numbers["outputs"]
        harts.append(numbers | {"stack": dict(zip(STACK, core.stack, strict=True))})
    return {
        "exit_code": outcome.exit_code,
        "seconds": group.seconds,
        "dram_clocks": group.nck,
        "dram_commands": group.commands,
        "harts": harts,
        "races": [asdict(race) | {"text": str(race)} for race in outcome.races],
        "machine": system.model_dump(mode="json"),
        "engine": engine.value,
    }


def _show(outcome: BareRun, system: SystemConfig, engine: Engine, file: TextIO) -> None:
    """Print a table with a column per core, and the DRAM's commands."""
    group, cores = outcome.group, outcome.group.cores
    table = Table(show_header=len(cores) > 1, box=None, pad_edge=False)
    table.add_column("hart")
    for hart_id in range(len(cores)):
        table.add_column(str(hart_id), justify="right")
    table.add_row("exit code", *(str(core.exit_code) for core in cores))
    table.add_row("instructions", *(f"{core.instructions:,}" for core in cores))
    table.add_row("cycles", *(f"{core.cycles:,}" for core in cores))
    table.add_row("CPI", *(_ratio(core.cycles, core.instructions) for core in cores))
    for part, name in enumerate(STACK):
        table.add_row(f"  {name}", *(_ratio(core.stack[part], core.instructions) for core in cores))
    commands = ", ".join(f"{name} {count:,}" for name, count in group.commands.items())
    console = Console(file=file, highlight=False)
    console.print(table)
    console.print(f"DRAM commands: {commands}")
    console.print(f"{group.seconds:.6g} s on {system.name!r} at {system.core.clock_mhz} MHz, by the {engine}")
    console.print(f"exit code {outcome.exit_code}")


def _ratio(cycles: int, instructions: int) -> str:
    return f"{cycles / instructions:.3f}" if instructions else "-"


@contextmanager
def _opened(trace: str) -> Iterator[TextIO]:
    """Open the trace's file, written line by line, up to a trap that ends the run; ``-`` is standard output."""
    if trace == "-":
        yield sys.stdout
        return
    try:
        with Path(trace).open("w", encoding="utf-8") as file:
            yield file
    except OSError as error:
        raise ConfigError(f"{trace}: can't be written: {error.strerror}") from error
