"""The commands about programs for the cores: build, run, profile, compare with the RTL, and where an address is.

Part of the command line (``study/cli.py``), which turns their errors into one line; each command's work is in a module
of its own, imported when it runs.
"""

from pathlib import Path
from typing import Annotated

import typer

from pim.engines import DEFAULT_ENGINE, Engine
from pim.errors import PimError, one_line
from pim.files import check_writable
from study.exit_codes import FAILED, NOT_THE_GUESTS

programs = typer.Typer()

Machine = Annotated[str, typer.Option(help="bank, chip, rank, or a machine file (YAML).")]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="Override of the machine, such as core.clock_mhz=400.")
]
Arguments = Annotated[
    str, typer.Option("--args", help="Mailbox words of a program, such as 1,0x8000_1000; at most 16.")
]
MaxCycles = Annotated[
    int | None,
    typer.Option(min=1, help="Core cycles after which a program's run fails; default: 5 s at 200 MHz."),
]
ProgramOrTrace = Annotated[str, typer.Argument(help="Program (ELF), trace bundle (folder), or a shipped trace's name.")]
KernelOfTrace = Annotated[str, typer.Option(help="Of a trace: map or reduce.")]
NumbersFile = Annotated[Path | None, typer.Option(help="File for the numbers.")]
EngineName = Annotated[Engine, typer.Option(help="What simulates instructions; no result depends on it.")]


@programs.command()
def build(
    sources: Annotated[list[Path], typer.Argument(help="C (.c) and assembly (.s, .S) files.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="Program to write.")] = Path("program.elf"),
    extensions: Annotated[str, typer.Option(help="Extensions of the core, such as rv32imc.")] = "rv64imc",
    flags: Annotated[str, typer.Option(help="More flags of the C compiler, such as '-DN=100 -O3'.")] = "",
) -> None:
    """Compile a bare-metal C program for `scalein exec` (needs the extra 'toolchain')."""
    from study import build_command  # noqa: PLC0415

    build_command.run(sources, out, extensions, flags)


@programs.command(name="exec")
def execute(
    program: Annotated[Path, typer.Argument(help="Bare-metal RISC-V program (static ELF).")],
    *,
    machine: Machine = "bank",
    settings: Settings = None,
    arguments: Arguments = "",
    signature: Annotated[
        Path | None, typer.Option(help="File for the words between begin_signature and end_signature.")
    ] = None,
    trace: Annotated[str | None, typer.Option(help="File for one line per instruction; - is standard output.")] = None,
    max_cycles: MaxCycles = None,
    harts: Annotated[int, typer.Option(min=1, help="Cores, which share the memory of their chip or rank.")] = 1,
    memory: Annotated[
        str | None, typer.Option(help="Memory, such as 512MiB; default: the level's, up to 256MiB.")
    ] = None,
    json: NumbersFile = None,
    engine: EngineName = DEFAULT_ENGINE,
) -> None:
    """Run a bare-metal program and end with its exit code.

    A code that no process can have, below 0 or above 255, becomes 255; the output and the JSON file have it in full.
    125 says that the program gave no code: wrong input, a trap without a handler, or the cycle limit.
    """
    from study import exec_command  # noqa: PLC0415
    from study.sizes import parse_size  # noqa: PLC0415

    try:
        code = exec_command.run(
            program,
            machine,
            settings=settings or (),
            arguments=arguments,
            signature=signature,
            trace=trace,
            max_cycles=max_cycles,
            n_harts=harts,
            memory_bytes=parse_size(memory) if memory else None,
            report=json,
            engine=engine,
        )
    except PimError as error:
        typer.echo(f"scalein: {one_line(error)}", err=True)
        code = NOT_THE_GUESTS
    if code:
        raise typer.Exit(code)


@programs.command()
def profile(
    program: ProgramOrTrace,
    *,
    machine: Machine = "bank",
    settings: Settings = None,
    kernel: KernelOfTrace = "map",
    arguments: Arguments = "",
    max_cycles: MaxCycles = None,
    harts: Annotated[int, typer.Option(min=1, help="Of a program: cores that share its memory.")] = 1,
    memory: Annotated[str | None, typer.Option(help="Of a program: memory, such as 512MiB.")] = None,
    top: Annotated[int, typer.Option(min=1, help="Functions and lines shown.")] = 12,
    svg: Annotated[Path | None, typer.Option(help="File for a flame graph.")] = None,
    json: NumbersFile = None,
) -> None:
    """Show where the cycles of a program or of a trace's kernel go, by function and line."""
    from study import profile_command  # noqa: PLC0415
    from study.sizes import parse_size  # noqa: PLC0415

    profile_command.run(
        program,
        machine,
        settings=settings or (),
        kernel=kernel,
        arguments=arguments,
        max_cycles=max_cycles,
        n_harts=harts,
        memory_bytes=parse_size(memory) if memory else None,
        top=top,
        svg=svg,
        report=json,
    )


@programs.command()
def interfere(
    program: ProgramOrTrace,
    *,
    host_trace: Annotated[
        Path | None,
        typer.Option(help="Host's requests, lines address,read|write,time in ns; else synthetic ones."),
    ] = None,
    rate: Annotated[float, typer.Option(help="Synthetic: requests per us to the rank.")] = 1.0,
    reads: Annotated[float, typer.Option(help="Synthetic: share of reads.")] = 0.7,
    pattern: Annotated[str, typer.Option(help="Synthetic: random or stream.")] = "random",
    seed: Annotated[int, typer.Option(help="Synthetic: seed.")] = 1,
    ownership: Annotated[str, typer.Option(help="Of the banks: exclusive, concurrent, or both.")] = "both",
    machine: Machine = "bank",
    settings: Settings = None,
    map_name: Annotated[str, typer.Option("--map", help="Address map of the host's trace.")] = "RoBaRaCoCh",
    kernel: KernelOfTrace = "map",
    arguments: Arguments = "",
    cores: Annotated[int | None, typer.Option(min=1, help="Of a program: cores that run it; default: all.")] = None,
    max_cycles: MaxCycles = None,
    json: NumbersFile = None,
    engine: EngineName = DEFAULT_ENGINE,
) -> None:
    """Run a program on the cores of a chip or rank beside a host's requests, and show what each does to the other."""
    from study import interfere_command  # noqa: PLC0415
    from study.host_trace import Synthetic  # noqa: PLC0415

    interfere_command.run(
        program,
        machine,
        settings=settings or (),
        kernel=kernel,
        arguments=arguments,
        cores=cores,
        host_trace=host_trace,
        synthetic=Synthetic(rate, reads, pattern, seed),
        ownership=ownership,
        map_name=map_name,
        max_cycles=max_cycles,
        report=json,
        engine=engine,
    )


rtl_app = typer.Typer(help="The hardware of a bank core beside the model.", no_args_is_help=True)
programs.add_typer(rtl_app, name="rtl")


@rtl_app.callback()
def rtl() -> None:
    """Keep `scalein rtl` a group of commands, even of one."""


@rtl_app.command()
def lockstep(
    program: Annotated[Path, typer.Argument(help="Bare-metal RISC-V program (static ELF).")],
    *,
    machine: Annotated[str, typer.Option(help="bank, or a machine file (YAML) of a bank core.")] = "bank",
    settings: Settings = None,
    arguments: Arguments = "",
    simulator: Annotated[str, typer.Option(help="icarus; verilator for long programs.")] = "icarus",
    memory: Annotated[str, typer.Option(help="Memory of the bank, a power of two.")] = "1MiB",
    max_cycles: Annotated[int, typer.Option(min=1, help="Core cycles after which both stop.")] = 10_000_000,
    cores: Annotated[
        int, typer.Option(min=1, max=16, help="Cores of a die; each runs the program in its own bank.")
    ] = 1,
    ownership: Annotated[
        str | None, typer.Option(help="exclusive; concurrent: a host claims banks meanwhile. Default: the machine's.")
    ] = None,
    wave: Annotated[Path | None, typer.Option(help="File for the RTL's waves (FST).")] = None,
) -> None:
    """Run a program on model and RTL and compare all it retires; exit code 1 if they differ (needs Icarus Verilog)."""
    from study import rtl_command  # noqa: PLC0415
    from study.sizes import parse_size  # noqa: PLC0415

    if wave is not None:
        check_writable(wave)
    same = rtl_command.lockstep(
        program,
        machine,
        settings=settings or (),
        arguments=arguments,
        simulator=simulator,
        memory_bytes=parse_size(memory),
        max_cycles=max_cycles,
        n_cores=cores,
        ownership=ownership,
        wave=wave,
    )
    if not same:
        raise typer.Exit(FAILED)


@programs.command(name="map")
def map_address(
    address: Annotated[str, typer.Argument(help="Byte address, such as 0x1234_5678.")],
    *,
    machine: Machine = "bank",
    settings: Settings = None,
    name: Annotated[str | None, typer.Option("--map", help="One map, such as RoBaRaCoCh; default: all.")] = None,
    core: Annotated[int | None, typer.Option(help="A core of a group: the address is one of its memory.")] = None,
) -> None:
    """Show where an address is in the DRAM."""
    from study import map_command  # noqa: PLC0415

    map_command.run(address, machine, settings=settings or (), name=name, core=core)
