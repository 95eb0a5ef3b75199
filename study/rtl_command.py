"""``scalein rtl lockstep``: a program on the model and on the RTL, and where they part."""

from collections.abc import Sequence
from pathlib import Path

import typer

from pim.config import load_system, with_overrides
from pim.errors import ConfigError
from pim.isa import load_elf
from pim.system.bare import BareMachine
from study.exec_command import parse_settings, parse_words
from study.lockstep import Guest, Run, build, rtl_parameters, run_lockstep


def lockstep(
    elf: Path,
    machine: str,
    *,
    settings: Sequence[str] = (),
    arguments: str = "",
    simulator: str = "icarus",
    memory_bytes: int,
    max_cycles: int,
    wave: Path | None = None,
) -> bool:
    """Run a program on both and say whether all they retired is the same.

    Parameters
    ----------
    elf : Path
        Bare-metal program.
    machine : str
        Preset or machine file; a bank core.
    settings : sequence of str
        ``key=value`` overrides of the machine.
    arguments : str
        Mailbox words, separated by commas.
    simulator : str
        icarus, or verilator for long programs.
    memory_bytes : int
        Memory of the bank, a power of two.
    max_cycles : int
        Core cycles.
    wave : Path, optional
        Where the RTL's waves go (FST).
    """
    if wave is not None and simulator != "icarus":
        raise ConfigError(f"wave: only Icarus writes waves here, got simulator {simulator!r}")
    system = with_overrides(load_system(machine), parse_settings(settings), "--set")
    parameters = rtl_parameters(system, memory_bytes)
    program = load_elf(elf, bare=True)
    made = BareMachine(
        system,
        program,
        arguments=parse_words(arguments),
        memory_bytes=memory_bytes,
        single_step=True,
        cycle_limit=max_cycles,
    )
    plusargs = {} if wave is None else {"wave": str(wave.resolve())}
    [[result]] = run_lockstep([Run([Guest(elf.name, made)])], build(parameters, simulator), plusargs=plusargs)
    if result.difference:
        typer.echo(f"{elf.name}: model and RTL differ\n{result.difference.text}")
        return False
    typer.echo(
        f"{elf.name}: {result.n_same:,} instructions and traps the same in model and RTL, "
        f"the last at core cycle {result.cycles:,}"
    )
    return True
