"""Kernel to RISC-V ELF: looked up among the shipped ones, then in the disk cache, else compiled and linked.

An ELF's key is a digest of the kernel's source, its signature, the target and `RECIPE`, so an ELF in either place is
right by its name. Compiling needs the ``toolchain`` extra (ziglang) and takes seconds.
``python -m mapreduce.compile`` makes the shipped ELFs anew.
"""

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mapreduce.abi import argument_words
from mapreduce.c_entry import core_source
from mapreduce.c_kernel import CKernel, compile_c
from mapreduce.exceptions import table_assembly
from mapreduce.kernel import Kernel, PythonKernel, shipped_kernels
from mapreduce.target import SHIPPED_TARGETS, Target, target_of
from mapreduce.toolchain import (
    KERNEL_LAYOUT,
    KERNEL_START,
    assemble,
    link,
    machine_flags,
    run_python,
    runtime_objects,
    toolchain,
)
from pim.errors import LoadError
from pim.files import write_atomic
from pim.jit import cache_root

RECIPE = "2"
"""Version of how ELFs are made: counts up when lowering, start routine, linker script or toolchain change them."""

COMPILERS = 2  # assumption: as many as the smallest machines have cores
"""Kernels compiled at the same time."""

LOWERING = "SCALEIN_LOWERING"
"""Variable of the environment of a process that imports a kernel's file to compile it."""

SHIPPED_ELFS = Path(__file__).parent / "kernels" / "elf"


def elf_name(kernel: Kernel, target: str) -> str:
    """Return the file name of the kernel's ELF, which holds its key."""
    _check_width(kernel, target_of(target))
    return f"{kernel.name}-{target}-{kernel.digest(target, RECIPE)}.elf"


def kernel_elf(kernel: Kernel, target: str) -> bytes:
    """Return the kernel's ELF for ``target``, the extensions of a core such as ``rv64imc``.

    Raises
    ------
    LoadError
        It is neither shipped nor cached and can't be compiled.
    CapacityError
        The arguments exceed the mailbox.
    """
    argument_words(kernel)
    name = elf_name(kernel, target)
    cached = cache_root() / "elf" / name
    for path in (SHIPPED_ELFS / name, cached):
        if path.exists():
            return path.read_bytes()
    elf = compile_elf(kernel, target)
    write_atomic(cached, elf)
    return elf


def compile_elf(kernel: Kernel, target: str) -> bytes:
    """Compile and link one kernel, see `compile_elfs`."""
    return compile_elfs([kernel], [target])[0]


def compile_elfs(kernels: Sequence[Kernel], targets: Sequence[str]) -> list[bytes]:
    """Return the ELFs of every kernel for every target; the same sources and tools give the same bytes.

    Raises
    ------
    LoadError
        The toolchain is absent, or a kernel can't be compiled or linked.
    """
    names = ", ".join(kernel.name for kernel in kernels)
    if LOWERING in os.environ:
        raise LoadError(
            f"kernel {names}: its file is imported to compile a kernel, and compiles one itself then; "
            'what runs kernels belongs under `if __name__ == "__main__":`'
        )
    toolchain(f"kernel {names}: no shipped ELF fits its source, and compiling it")
    machines = [target_of(target) for target in targets]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        with ThreadPoolExecutor(COMPILERS) as pool:
            objects = list(pool.map(lambda kernel: _objects(kernel, machines, work), kernels))
        starts = {target: assemble("start", target, KERNEL_START, work) for target in machines}
        runtimes = {target: runtime_objects(target, work) for target in machines}
        return [
            link(
                f"kernel {kernel.name}, target {target.name}",
                target,
                [starts[target], *made[target], *runtimes[target]],
                KERNEL_LAYOUT,
                work,
            )
            for kernel, made in zip(kernels, objects, strict=True)
            for target in machines
        ]


def _objects(kernel: Kernel, targets: Sequence[Target], work: Path) -> dict[Target, list[Path]]:
    """Return the object files of a kernel for each target: its code, and its table of exceptions if it has one."""
    for target in targets:
        _check_width(kernel, target)
    code = {target: work / f"{kernel.name}-{target.name}.o" for target in targets}
    made = {target: [path] for target, path in code.items()}
    if isinstance(kernel, PythonKernel):
        if kernel.function.__qualname__ != kernel.name:
            raise LoadError(f"kernel {kernel.name}: must be defined at the top level of a module")
        job = {
            "module": kernel.function.__module__,
            "path": kernel.origin,
            "name": kernel.name,
            "signature": kernel.signature,
            "outputs": {target.name: str(path) for target, path in code.items()},
        }
        what = f"kernel {kernel.name}"
        settings = {"NUMBA_OPT": "0", LOWERING: "1"}
        table = run_python(what, ["-m", "mapreduce.lower"], work, stdin=json.dumps(job), **settings)
        if json.loads(table):
            for target in targets:
                made[target].append(assemble(f"{kernel.name}-exceptions", target, table_assembly(table), work))
    elif isinstance(kernel, CKernel):
        for target, path in code.items():
            compile_c(kernel, core_source(kernel), [*machine_flags(target), "-O2", "-c"], path, work)
    else:
        raise TypeError(f"kernel {kernel.name}: can't compile a {type(kernel).__name__}")
    return made


def _check_width(kernel: Kernel, target: Target) -> None:
    if target.xlen != 64 and isinstance(kernel, PythonKernel):
        raise LoadError(
            f"kernel {kernel.name}: Python kernels are for 64-bit cores, got {target.name}; "
            "a kernel for 32 bits is written in C (docs/kernels.md)"
        )


def main() -> None:
    """Compile every shipped kernel for every target and leave exactly these ELFs in `SHIPPED_ELFS`."""
    kernels = shipped_kernels()
    names = [elf_name(kernel, target) for kernel in kernels for target in SHIPPED_TARGETS]
    made = dict(zip(names, compile_elfs(kernels, SHIPPED_TARGETS), strict=True))
    for path in SHIPPED_ELFS.glob("*.elf"):
        if path.name not in made:
            path.unlink()
    for name, elf in made.items():
        write_atomic(SHIPPED_ELFS / name, elf)
        sys.stdout.write(f"{name}: {len(elf)} bytes\n")


if __name__ == "__main__":
    main()
