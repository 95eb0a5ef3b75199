"""One kernel as a RISC-V object file; runs as a process of its own: ``python -m mapreduce.lower``.

A process of its own because LLVM aborts on some of its errors, and because Numba must not optimise here: its pipeline
vectorises for this host. With ``NUMBA_OPT=0`` the module comes out as Numba wrote it, helpers included, and only the
RISC-V machine's pipeline optimises it, without vectorisers.
"""

import importlib
import importlib.util
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba

from mapreduce.abi import ENTRY, TARGETS, Target, entry_ir
from mapreduce.kernel import Kernel

TRIPLE = "riscv64-unknown-elf"
DATA_LAYOUT = "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128"


def native_ir(kernel: Kernel) -> tuple[str, str]:
    """Return (symbol, LLVM IR) of the kernel's native function as Numba wrote it."""
    if numba.config.OPT != 0:
        raise RuntimeError(f"NUMBA_OPT must be 0 here, got {numba.config.OPT!r}")
    compiled = numba.njit(kernel.signature, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(
        kernel.function
    )
    (signature,) = compiled.signatures
    return compiled.overloads[signature].fndesc.llvm_func_name, compiled.inspect_llvm(signature)


def riscv_object(kernel: Kernel, symbol: str, ir: str, target: Target) -> bytes:
    """Return a relocatable object that holds the entry function, the kernel within it and what they call."""
    ir = re.sub(r"target triple = .*", f'target triple = "{TRIPLE}"', ir)
    ir = re.sub(r"target datalayout = .*", f'target datalayout = "{DATA_LAYOUT}"', ir)
    # A core has no heap: arrays are views, their reference counts have no meaning.
    ir = re.sub(
        r"define [^\n]*@(NRT_(?:inc|dec)ref)\([^)]*\)[^{]*\{.*?\n\}",
        r"define internal void @\1(ptr %p) alwaysinline { ret void }",
        ir,
        flags=re.DOTALL,
    )
    module = llvm.parse_assembly(ir)
    module.link_in(llvm.parse_assembly(_with_target(entry_ir(kernel, symbol))))
    for function in module.functions:
        if not function.is_declaration and function.name != ENTRY:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(
        cpu="generic-rv64", features=target.features, opt=3, reloc="static", codemodel="medium", abiname=target.abi
    )
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    tuning.loop_vectorization = tuning.slp_vectorization = False
    passes = llvm.create_pass_builder(machine, tuning)
    passes.getModulePassManager().run(module, passes)
    return bytes(machine.emit_object(module))


def _with_target(ir: str) -> str:
    return f'target datalayout = "{DATA_LAYOUT}"\ntarget triple = "{TRIPLE}"\n{ir}'


def import_function(module: str, path: str, name: str) -> Callable[..., int]:
    """Return function ``name`` of ``module``, imported by name if that leads to ``path``, else from the file."""
    spec = importlib.util.find_spec(module) if module != "__main__" else None
    if spec is not None and spec.origin == path:
        found: Any = importlib.import_module(module)
    else:
        spec = importlib.util.spec_from_file_location("_kernel_file", path)
        if spec is None or spec.loader is None:
            raise ImportError(f"no Python module in {path}")
        found = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
    kernel_or_function: Any = getattr(found, name)
    function: Callable[..., int] = getattr(kernel_or_function, "function", kernel_or_function)
    return function


def main() -> None:
    """Read a list of ``{module, path, name, signature, target, output}`` from stdin and write the object files."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    compiled: dict[tuple[str, str], tuple[Kernel, str, str]] = {}
    for job in json.load(sys.stdin):
        key = job["path"], job["name"]
        if key not in compiled:
            kernel = Kernel(import_function(job["module"], *key), job["signature"])
            compiled[key] = kernel, *native_ir(kernel)
        Path(job["output"]).write_bytes(riscv_object(*compiled[key], TARGETS[job["target"]]))


if __name__ == "__main__":
    main()
