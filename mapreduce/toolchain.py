"""Zig's C compiler, assembler and linker: what makes programs for the cores, and C kernels for this host.

Needs the ``toolchain`` extra (ziglang).
"""

import hashlib
import importlib.util
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from mapreduce.abi import ENTRY, STACK_BYTES
from mapreduce.target import Target
from pim.core.settings import MEMORY_BASE, SCRATCHPAD_BASE
from pim.errors import LoadError
from pim.files import write_atomic
from pim.jit import cache_root
from pim.this_machine import cpu_model

HEADERS = Path(__file__).parent / "include"
"""C headers of what is there without a C library."""

C_FLAGS = (
    "-std=c11", "-g", "-ffp-contract=off", "-fno-math-errno", "-fsigned-char", "-fomit-frame-pointer",
    "-ffunction-sections", "-fdata-sections", "-fno-stack-protector", "-fno-sanitize=undefined", "-nostdlib",
    "-isystem", str(HEADERS),
)  # fmt: skip
"""For C on cores and host alike: results must not depend on where it runs (no fused products, char is signed)."""

KERNEL_START = f"""
    .section .text.start, "ax"
    .globl _start
_start:
    li sp, {SCRATCHPAD_BASE + STACK_BYTES:#x}
    call {ENTRY}
    li a7, 93
    ecall
"""

KERNEL_LAYOUT = f"""
ENTRY(_start)
SECTIONS {{
  . = {MEMORY_BASE:#x};
  .text : {{ *(.text.start) *(.text .text.*) }}
  .rodata : ALIGN(8) {{ *(.rodata .rodata.* .srodata .srodata.*) }}
  .data : ALIGN(8) {{ *(.data .data.* .sdata .sdata.*) }}
  .bss : ALIGN(8) {{ *(.bss .bss.* .sbss .sbss.*) }}
  /DISCARD/ : {{ *(.comment) *(.eh_frame*) *(.note*) *(.riscv.attributes) }}
}}
"""

_ROOT = Path(__file__).resolve().parent.parent
_MAX_ERRORS = 3


def toolchain(what: str) -> Path:
    """Return the folder of Zig.

    Raises
    ------
    LoadError
        It is not installed; ``what`` needs it.
    """
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise LoadError(f"{what} needs the toolchain extra: pip install 'scalein[toolchain]'")
    return Path(spec.origin).parent


def zig(what: str, command: Sequence[str | Path], work: Path) -> str:
    """Run a command of Zig in folder ``work``; return its standard output.

    Raises
    ------
    LoadError
        It failed: ``what``, and the first errors.
    """
    toolchain(what)
    caches = {"ZIG_GLOBAL_CACHE_DIR": str(cache_root() / "zig"), "ZIG_LOCAL_CACHE_DIR": str(cache_root() / "zig-local")}
    return run_python(what, ["-m", "ziglang", *map(str, command)], work, **caches)


def run_python(what: str, command: list[str], folder: Path, stdin: str = "", **environment: str) -> str:
    """Run a program of this Python; return its standard output.

    Raises
    ------
    LoadError
        It failed: ``what``, and the first errors.
    """
    python_path = os.pathsep.join([str(_ROOT), *(p for p in sys.path if p)])
    # The program must not depend on how Numba is set up for the caller (NUMBA_DISABLE_JIT, NUMBA_BOUNDSCHECK, ...).
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**inherited, "PYTHONPATH": python_path, **environment},
    )
    if done.returncode != 0:
        raise LoadError(f"{what}: {_errors(done.stderr) or f'failed with exit code {done.returncode}'}")
    return done.stdout


def _errors(output: str) -> str:
    """Return the first errors in what a compiler or linker wrote; the last lines where none is marked as such."""
    lines = output.strip().splitlines()
    marked = [i for i, line in enumerate(lines) if "error: " in line]
    texts = []
    for i in marked[:_MAX_ERRORS]:
        following = lines[i + 1] if i + 1 < len(lines) and lines[i + 1].startswith(">>> ") else ""
        texts.append(lines[i].strip() + following.replace(">>> ", ", "))
    return "; ".join(texts) or "\n".join(lines[-12:])


def portable_names(what: str, work: Path, folder: Path) -> list[str]:
    """Return what makes Zig's C compiler name files without this machine's folders.

    Parameters
    ----------
    what : str
        What needs the toolchain, for the error where it is not installed.
    work, folder : Path
        Where it runs, and where the source is.
    """
    places = ((work, "."), (toolchain(what), "zig"), (HEADERS, "include"), (folder, "."))
    return [f"-ffile-prefix-map={place}={name}" for place, name in places]


def machine_flags(target: Target) -> list[str]:
    """Return what makes Zig's C compiler compile for a core."""
    machine = ["-target", f"riscv{target.xlen}-freestanding", f"-mcpu={target.zig_cpu}"]
    return [*machine, f"-mabi={target.abi}", "-mcmodel=medany"]


def runtime_objects(target: Target, work: Path) -> list[Path]:
    """Make what compiled code calls by itself: soft-float, long arithmetic, memcpy, exp and the like.

    It is compiler-rt, built from the toolchain's source: the library its C driver would add addresses data absolutely,
    which fails above 2 GB, and keeps frame pointers.
    """
    machine = ["-target", f"riscv{target.xlen}-freestanding", f"-mcpu={target.zig_cpu}", "-mcmodel=medium"]
    library = _runtime(f"runtime for {target.name}", target.name, machine, work)
    if target.xlen == 32 or "m" in target.extensions:
        return [library]
    made = work / f"without_m-{target.name}.o"
    command: list[str | Path] = [
        "cc",
        *C_FLAGS,
        "-g0",
        *machine_flags(target),
        "-O2",
        "-c",
        HEADERS / "without_m.c",
        "-o",
        made,
    ]
    zig(f"runtime for {target.name}", command, work)
    return [made, library]


def host_runtime_library(work: Path) -> Path:
    """Make compiler-rt for this host, so that C kernels compute with the same exp and the like as on the cores."""
    machine = ["-target", HOST, "-fPIC"]
    return _runtime("runtime for this host", f"host-{cpu_key()}", machine, work)


def cpu_key() -> str:
    """Return what tells processors apart that share a cache: code for one may not run on another."""
    return hashlib.sha256(f"{platform.machine()} {cpu_model()}".encode()).hexdigest()[:8]


HOST = "native-linux-none"
"""Zig's name of this host without its C library."""


def _runtime(what: str, name: str, machine: list[str], work: Path) -> Path:
    """Return compiler-rt for a machine: from the cache, else made, which takes seconds."""
    source = toolchain(what) / "lib" / "compiler_rt.zig"
    options = [
        "-O",
        "ReleaseFast",
        "-fomit-frame-pointer",
        "-ffunction-sections",
        "-fdata-sections",
        "-fno-stack-check",
        "-fstrip",
    ]
    key = hashlib.sha256("\0".join([version("ziglang"), *machine, *options]).encode()).hexdigest()[:16]
    cached = cache_root() / "zig" / f"librt-{name}-{key}.a"
    if not cached.exists():
        zig(what, ["build-lib", source, *machine, *options, "--name", f"rt-{name}"], work)
        write_atomic(cached, (work / f"librt-{name}.a").read_bytes())
    return cached


def assemble(name: str, target: Target, text: str, work: Path) -> Path:
    """Assemble a text, and return its object file."""
    source, made = work / f"{name}-{target.name}.s", work / f"{name}-{target.name}.o"
    source.write_text(text)
    zig(f"{name} for {target.name}", ["cc", *machine_flags(target), "-g0", "-c", source.name, "-o", made.name], work)
    return made


def link(what: str, target: Target, objects: Sequence[Path], script: str, work: Path) -> bytes:
    """Return the program of object files and libraries, with ``script`` to lay it out."""
    (work / "program.ld").write_text(script)
    options = ["--gc-sections", "--build-id=none", "--discard-all", "-n", "-T", "program.ld"]
    zig(what, ["ld.lld", "-m", target.emulation, *options, *objects, "-o", "program.elf"], work)
    return (work / "program.elf").read_bytes()
