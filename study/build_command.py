"""``scalein build``: C and assembly files to a bare-metal program for ``scalein exec``."""

from collections.abc import Sequence
from pathlib import Path

import typer

from mapreduce.program import build_program
from pim.files import write_atomic
from pim.isa import load_elf


def run(sources: Sequence[Path], out: Path, extensions: str, flags: str) -> None:
    """Build a program and say how large it is.

    Raises
    ------
    PimError
        See `build_program`; the file can't be written.
    """
    elf = build_program(sources, extensions, flags=flags)
    program = load_elf(elf, bare=True)
    write_atomic(out, elf)
    size = sum(len(segment.content) for segment in program.segments)
    typer.echo(
        f"{out}: {size:,} B of code and data for {extensions} "
        f"(run it with `scalein exec {out} --set core.extensions={extensions}`)"
    )
