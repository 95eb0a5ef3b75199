"""Kernel to RISC-V ELF: looked up among the shipped ones, then in the disk cache, else compiled and linked.

An ELF's key is a digest of the kernel's normalised source, its signature, the target and `RECIPE`, so an ELF in either
place is right by its name. Compiling needs the ``toolchain`` extra (ziglang) and takes seconds.
``python -m mapreduce.compile`` makes the shipped ELFs anew.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from mapreduce.abi import LINKER_SCRIPT, START_ASSEMBLY, TARGETS, argument_words
from mapreduce.kernel import Kernel, shipped_kernels
from pim.errors import LoadError
from pim.files import write_atomic
from pim.jit import cache_root

RECIPE = "1"
"""Version of how ELFs are made: counts up when lowering, start routine, linker script or toolchain change them."""

SHIPPED_ELFS = Path(__file__).parent / "kernels" / "elf"
_ROOT = Path(__file__).resolve().parent.parent


def elf_name(kernel: Kernel, target: str) -> str:
    """Return the file name of the kernel's ELF, which holds its key."""
    if target not in TARGETS:
        raise LoadError(f"kernel {kernel.name}: unknown target {target!r}, allowed are {', '.join(TARGETS)}")
    return f"{kernel.name}-{target}-{kernel.digest(target, RECIPE)}.elf"


def kernel_elf(kernel: Kernel, target: str) -> bytes:
    """Return the kernel's ELF for ``target`` (``"rv64imc"`` or ``"rv64imafdc"``).

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
    _toolchain(f"kernel {names}: no shipped ELF fits its source, and compiling it")
    for kernel in kernels:
        if kernel.function.__qualname__ != kernel.name:
            raise LoadError(f"kernel {kernel.name}: must be defined at the top level of a module")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        jobs = [
            {
                "module": kernel.function.__module__,
                "path": kernel.function.__code__.co_filename,
                "name": kernel.name,
                "signature": kernel.signature,
                "target": target,
                "output": str(work / f"{kernel.name}-{target}.o"),
            }
            for kernel in kernels
            for target in targets
        ]
        _run(f"kernel {names}", ["-m", "mapreduce.lower"], work, stdin=json.dumps(jobs), NUMBA_OPT="0")
        for target in targets:
            _build_runtime(target, work)
        return [_link(kernel, target, work) for kernel in kernels for target in targets]


def _build_runtime(target: str, work: Path) -> None:
    """Make the start routine and compiler-rt (soft-float, memcpy, exp, ...) as ``start-*.o`` and ``librt-*.a``.

    compiler-rt is built from the toolchain's source: the library its C driver would add addresses data absolutely,
    which fails above 2 GB, and keeps frame pointers.
    """
    (work / "start.s").write_text(START_ASSEMBLY)
    machine = ["-target", "riscv64-freestanding", f"-mcpu={TARGETS[target].zig_cpu}"]
    runtime = ["build-lib", str(_toolchain("compiler-rt") / "lib" / "compiler_rt.zig"), *machine, "-mcmodel=medium"]
    runtime += ["-O", "ReleaseFast", "-fomit-frame-pointer", "-ffunction-sections", "-fno-stack-check", "-fstrip"]
    _zig(f"runtime for {target}", [*runtime, "--name", f"rt-{target}"], work)
    start = ["cc", *machine, f"-mabi={TARGETS[target].abi}", "-c", "start.s", "-o", f"start-{target}.o"]
    _zig(f"start routine for {target}", start, work)


def _link(kernel: Kernel, target: str, work: Path) -> bytes:
    (work / "kernel.ld").write_text(LINKER_SCRIPT)
    command = [
        "ld.lld",
        "-m",
        "elf64lriscv",
        "--gc-sections",
        "--build-id=none",
        "--strip-debug",
        "--discard-all",
        "-n",
        "-T",
        "kernel.ld",
    ]
    command += [f"start-{target}.o", f"{kernel.name}-{target}.o", f"librt-{target}.a", "-o", "kernel.elf"]
    _zig(f"kernel {kernel.name}, target {target}", command, work)
    return (work / "kernel.elf").read_bytes()


def _zig(what: str, command: list[str], work: Path) -> None:
    caches = {"ZIG_GLOBAL_CACHE_DIR": str(cache_root() / "zig"), "ZIG_LOCAL_CACHE_DIR": str(work / "zig")}
    _run(what, ["-m", "ziglang", *command], work, **caches)


def _toolchain(what: str) -> Path:
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise LoadError(f"{what} needs the toolchain extra: pip install 'scalein[toolchain]'")
    return Path(spec.origin).parent


def _run(what: str, command: list[str], folder: Path, stdin: str = "", **environment: str) -> None:
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
        tail = "\n".join(done.stderr.strip().splitlines()[-12:])
        raise LoadError(f"{what}: python {' '.join(command[:3])} failed with exit code {done.returncode}:\n{tail}")


def main() -> None:
    """Compile every shipped kernel for every target and leave exactly these ELFs in `SHIPPED_ELFS`."""
    kernels = shipped_kernels()
    names = [elf_name(kernel, target) for kernel in kernels for target in TARGETS]
    made = dict(zip(names, compile_elfs(kernels, list(TARGETS)), strict=True))
    for path in SHIPPED_ELFS.glob("*.elf"):
        if path.name not in made:
            path.unlink()
    for name, elf in made.items():
        write_atomic(SHIPPED_ELFS / name, elf)
        sys.stdout.write(f"{name}: {len(elf)} bytes\n")


if __name__ == "__main__":
    main()
