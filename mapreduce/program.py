"""Whole bare-metal programs in C or assembly: compiled, and linked with a start routine, for ``scalein exec``.

The start routine gives each core a stack of its own in memory, calls ``main`` with no arguments, and ends the program
with its value as exit code.
"""

import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mapreduce.target import Target, target_of
from mapreduce.toolchain import (
    C_FLAGS,
    assemble,
    link,
    machine_flags,
    portable_names,
    runtime_objects,
    toolchain,
    zig,
)
from pim.core.settings import MEMORY_BASE
from pim.errors import LoadError

STACK_SHIFT = 15
MAX_HARTS = 16
"""Each of 16 cores, the most that share a memory, has 32 KiB of stack."""

START = f"""
    .section .text.start, "ax"
    .globl _start
_start:
    csrr t0, mhartid
    slli t0, t0, {STACK_SHIFT}
    la sp, stacks_end
    sub sp, sp, t0
    li a0, 0
    li a1, 0
    call main
    li a7, 93
    ecall
"""

LAYOUT = f"""
ENTRY(_start)
SECTIONS {{
  . = {MEMORY_BASE:#x};
  .text : {{ KEEP(*(.text.start)) *(.text .text.*) }}
  .rodata : ALIGN(8) {{ *(.rodata .rodata.* .srodata .srodata.*) }}
  .data : ALIGN(8) {{ *(.data .data.* .sdata .sdata.*) }}
  .tohost : ALIGN(64) {{ KEEP(*(.tohost)) }}
  .bss : ALIGN(8) {{ *(.bss .bss.* .sbss .sbss.* COMMON) }}
  .stacks (NOLOAD) : ALIGN(16) {{ . += {MAX_HARTS << STACK_SHIFT}; stacks_end = .; }}
  /DISCARD/ : {{ *(.comment) *(.eh_frame*) *(.note*) *(.riscv.attributes) }}
}}
"""


def build_program(sources: Sequence[Path], extensions: str, *, flags: str = "") -> bytes:
    """Return the ELF of a program.

    Parameters
    ----------
    sources : sequence of Path
        C (``.c``) and assembly (``.s``, with preprocessor ``.S``) files.
    extensions : str
        Of the core, such as ``rv32imc``.
    flags : str
        More flags of the C compiler, quoted as in a shell; they come after ``-O2``.

    Raises
    ------
    LoadError
        A file can't be read, compiled or linked, or the toolchain is absent.
    ConfigError
        No core has these extensions.
    """
    target = target_of(extensions)
    try:
        more = shlex.split(flags)
    except ValueError as error:
        raise LoadError(f"compiler flags {flags!r}: {error}") from error
    for source in sources:
        if not source.is_file():
            raise LoadError(f"{source}: no such file")
        if source.suffix not in (".c", ".s", ".S"):
            raise LoadError(f"{source}: must be a C or assembly file, .c, .s or .S")
    toolchain(f"building {', '.join(map(str, sources))}")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        objects = [assemble("start", _with_csrs(target), START, work)]
        for i, source in enumerate(sources):
            objects.append(_compile(source, target, more, work / f"{i}-{source.stem}.o", work))
        what = f"linking {', '.join(source.name for source in sources)} for {extensions}"
        return link(what, target, [*objects, *runtime_objects(target, work)], LAYOUT, work)


def _compile(source: Path, target: Target, flags: Sequence[str], made: Path, work: Path) -> Path:
    path = source.resolve()
    what, machine = f"compiling for {target.name}", machine_flags(_with_csrs(target))
    try:
        options = [*C_FLAGS, *portable_names(what, work, path.parent), *machine, "-O2", *flags]
        zig(what, ["cc", *options, "-c", str(path), "-o", str(made)], work)
    except LoadError as error:
        raise LoadError(str(error).replace(str(path), str(source))) from None
    return made


def _with_csrs(target: Target) -> Target:
    """Return the target with what every core has beside its name: the assembler must know CSR instructions."""
    return CsrTarget(target.name)


class CsrTarget(Target):
    """A target whose assembler knows Zicsr and Zifencei."""

    @property
    def zig_cpu(self) -> str:
        """The machine as ``zig`` takes it."""
        return f"{super().zig_cpu}+zicsr+zifencei"
