"""How long programs take until native code runs: compiled, and with their machine code on disk.

Compiling is done into an empty folder, and starting in another process that finds it there. Times are CPU time; what
Python takes to import the packages, and Numba to load the simulator's own kernels, is in neither.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

from benchmarks.cases import Case, cases, system_for
from mapreduce.compile import kernel_elf
from pim.config import load_system
from pim.core.translate.compile import compile_function
from pim.core.translate.function import NAME
from pim.core.translate.native import make_native
from pim.core.translate.program import is_compiled, kernel_key, machinecode, plan_kernel
from pim.isa import load_elf
from pim.system.run import prepare_group

SCALE = 1e-5
"""Data hardly matters, but it has to be there."""


def start_seconds(case: Case) -> float:
    """Return the CPU time from a loaded program to its first native instruction."""
    system = system_for(case, load_system("bank"))
    program = load_elf(kernel_elf(case.kernel, system.core.extensions))
    group, code, settings = prepare_group(system, program, [case.task()], 1_000_000)
    start = time.process_time()
    key = kernel_key(program.text, program.entry, program.symbols.values(), system.core)
    is_compiled(key)
    plan = plan_kernel(code, program.entry, program.symbols.values(), has_short=settings.odd_target == 0)
    make_native(machinecode(plan, code, key), plan, code, group, settings)
    return time.process_time() - start


def measure_starts() -> dict[str, tuple[float, float]]:
    """Return, by case, the seconds of a start that compiles, and of one that finds machine code on disk."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"SCALEIN_CACHE": folder}
        runs = []
        for _ in range(2):
            command = [sys.executable, "-m", "benchmarks.starts", "--here"]
            output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
            runs.append(json.loads(output))
    return {name: (runs[0][name], runs[1][name]) for name in runs[0]}


def print_starts() -> None:
    """Print a table."""
    print(f"{'':24}{'compile, s':>14}{'cached start, s':>18}")
    for name, (compiling, cached) in measure_starts().items():
        print(f"{name:24}{compiling:14.3f}{cached:18.3f}", flush=True)


def main() -> None:
    """Print a table, or with ``--here`` the seconds of one start of each case as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--here", action="store_true", help="start each case in this process, print seconds as JSON")
    if not parser.parse_args().here:
        print_starts()
        return
    found: dict[str, float] = {}
    compile_function("empty", f"define i64 @{NAME}(ptr %frame) {{ ret i64 0 }}")  # LLVM starts up once
    texts = set()
    for case in cases(SCALE):
        if (case.kernel, case.fpu) not in texts:
            texts.add((case.kernel, case.fpu))
            found[case.name] = start_seconds(case)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
