"""``scalein rtl lockstep``: a program on the model and on the RTL, and where they part."""

from collections.abc import Sequence
from pathlib import Path

import typer

from pim.config import load_system, with_overrides
from pim.errors import ConfigError
from pim.isa import load_elf
from pim.system.bare import BareMachine
from study.exec_command import parse_settings, parse_words
from study.lockstep import Guest, Run, build, claiming_host, rtl_parameters, run_lockstep

HOST_SEED, HOST_CLOCKS, HOST_PAUSE = 1, 4_000_000, 1000
"""What the claiming host draws from, until which clock it claims, and most clocks that its ACTs are farther apart."""


def lockstep(
    elf: Path,
    machine: str,
    *,
    settings: Sequence[str] = (),
    arguments: str = "",
    simulator: str = "icarus",
    memory_bytes: int,
    max_cycles: int,
    n_cores: int = 1,
    ownership: str | None = None,
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
    n_cores : int
        Cores of a die; each runs the program in its own bank.
    ownership : str, optional
        exclusive, or concurrent: a host claims banks at random meanwhile. Default: the machine's.
    wave : Path, optional
        Where the RTL's waves go (FST).
    """
    if wave is not None and simulator != "icarus":
        raise ConfigError(f"wave: only Icarus writes waves here, got simulator {simulator!r}")
    system = with_overrides(load_system(machine), parse_settings(settings), "--set")
    if ownership is not None:
        system = with_overrides(system, {"interface.ownership": ownership}, "--ownership")
    is_claimed = system.interface.ownership == "concurrent"
    parameters = rtl_parameters(system, memory_bytes, n_cores, concurrent=is_claimed)
    program = load_elf(elf, bare=True)
    words = parse_words(arguments)
    guests = [
        Guest(
            elf.name,
            BareMachine(
                system,
                program,
                arguments=words,
                memory_bytes=memory_bytes,
                single_step=True,
                cycle_limit=max_cycles,
            ),
        )
        for _ in range(n_cores)
    ]
    host = claiming_host(system, n_cores, HOST_SEED, HOST_CLOCKS, pause=HOST_PAUSE) if is_claimed else None
    plusargs = {} if wave is None else {"wave": str(wave.resolve())}
    [results] = run_lockstep([Run(guests, host)], build(parameters, simulator), plusargs=plusargs)
    for result in results:
        if result.difference:
            typer.echo(f"{result.name}: model and RTL differ\n{result.difference.text}")
        else:
            typer.echo(
                f"{result.name}: {result.n_same:,} instructions and traps the same in model and RTL, "
                f"the last at core cycle {result.cycles:,}"
            )
    return not any(result.difference for result in results)
