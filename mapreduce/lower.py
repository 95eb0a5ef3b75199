"""One kernel as a RISC-V object file; runs as a process of its own: ``python -m mapreduce.lower``.

A process of its own because LLVM aborts on some of its errors, and because Numba must not optimise here: its pipeline
vectorises for this host. With ``NUMBA_OPT=0`` the module comes out as Numba wrote it, helpers included, and only the
RISC-V machine's pipeline optimises it, without vectorisers.

One kernel per process: Numba keeps what it has compiled, and with it the numbers of another kernel's exceptions.
"""

import importlib
import importlib.util
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import llvmlite.binding as llvm
import numba
from numba.core import dispatcher

from mapreduce.abi import ENTRY
from mapreduce.entry import entry_ir
from mapreduce.exceptions import table_text
from mapreduce.kernel import PythonKernel
from mapreduce.lower_exceptions import ExceptionTable
from mapreduce.target import Target, target_of

DATA_LAYOUT = "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128"


def native_ir(kernel: PythonKernel) -> tuple[str, str]:
    """Return (symbol, LLVM IR) of the kernel's native function as Numba wrote it, with line numbers."""
    if numba.config.OPT != 0:
        raise RuntimeError(f"NUMBA_OPT must be 0 here, got {numba.config.OPT!r}")
    cast(Any, dispatcher)._FunctionCompiler._customize_flags = _with_lines
    compiled = numba.njit(kernel.signature, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(
        kernel.function
    )
    (signature,) = compiled.signatures
    return compiled.overloads[signature].fndesc.llvm_func_name, compiled.inspect_llvm(signature)


def _with_lines(_: Any, flags: Any) -> Any:
    """Ask for line numbers only: variables for a debugger would change the code."""
    flags.debuginfo = flags.dbg_directives_only = True
    return flags


def riscv_object(kernel: PythonKernel, symbol: str, ir: str, target: Target, *, raises: bool) -> bytes:
    """Return a relocatable object that holds the entry function, the kernel within it and what they call.

    Parameters
    ----------
    kernel : PythonKernel
    symbol, ir : str
        From `native_ir`.
    target : Target
    raises : bool
        Whether there is an exception that the kernel may raise.
    """
    ir = re.sub(r"target triple = .*", f'target triple = "{target.triple}"', ir)
    ir = re.sub(r"target datalayout = .*", f'target datalayout = "{DATA_LAYOUT}"', ir)
    # Folders are this machine's.
    ir = re.sub(r'(!DIFile\(filename: "[^"]*", directory: )"[^"]*"', r'\1""', ir)
    ir = ir.replace("emissionKind: DebugDirectivesOnly", "emissionKind: LineTablesOnly")
    ir = re.sub(r"\n[^\n]*(?:#dbg_declare|call void @llvm\.dbg\.declare)\([^\n]*", "", ir)
    # A core has no heap: arrays are views, their reference counts have no meaning.
    ir = re.sub(
        r"define [^\n]*@(NRT_(?:inc|dec)ref)\([^)]*\)[^{]*\{.*?\n\}",
        r"define internal void @\1(ptr %p) alwaysinline { ret void }",
        ir,
        flags=re.DOTALL,
    )
    module = llvm.parse_assembly(ir)
    entry = entry_ir(kernel, symbol, Path(kernel.origin).name, raises=raises)
    header = f'target datalayout = "{DATA_LAYOUT}"\ntarget triple = "{target.triple}"\n'
    module.link_in(llvm.parse_assembly(header + entry))
    for function in module.functions:
        if not function.is_declaration and function.name != ENTRY:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu="generic-rv64", features=target.features, opt=3, reloc="static", codemodel="medium", abiname=target.abi
    )
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    tuning.loop_vectorization = tuning.slp_vectorization = False
    passes = llvm.create_pass_builder(machine, tuning)
    passes.getModulePassManager().run(module, passes)
    return bytes(machine.emit_object(module))


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
    """Write an object file for each target, and the exceptions that the kernel may raise to stdout.

    Stdin has ``{module, path, name, signature, outputs}``.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    job = json.load(sys.stdin)
    kernel = PythonKernel(import_function(job["module"], job["path"], job["name"]), job["signature"])
    table = ExceptionTable(job["path"])
    table.install()
    symbol, ir = native_ir(kernel)
    for target, output in job["outputs"].items():
        made = riscv_object(kernel, symbol, ir, target_of(target), raises=bool(table.items))
        Path(output).write_bytes(made)
    sys.stdout.write(table_text(table.items))


if __name__ == "__main__":
    main()
