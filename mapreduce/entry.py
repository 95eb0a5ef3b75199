"""The entry function of a Python kernel's program, as LLVM IR: from mailbox words to Numba's calling convention."""

from mapreduce.abi import ARGUMENTS, ENTRY, RETURN, argument_words
from mapreduce.kernel import Kernel

RAISED = 1
"""Status of Numba's native function that has raised an exception."""


def entry_ir(kernel: Kernel, symbol: str, file: str, *, raises: bool) -> str:
    """Return LLVM IR of the function that calls Numba's native function ``symbol``.

    Numba passes an array as (meminfo, parent, nitems, itemsize, data, shape, stride) and returns a status, the value
    through a pointer. With ``raises`` an exception's number becomes the exit code. ``file`` is the kernel's, for the
    debugging information without which that of an inlined kernel is lost.
    """
    argument_words(kernel)
    body, passed, word = [], ["ptr %result", "ptr %exception"], 0
    for parameter in kernel.parameters:
        name = parameter.name
        body.append(_load(f"%{name}", word))
        word += 1
        if not parameter.is_array:
            if parameter.dtype.kind == "f":
                body += _moved_to_float(name)
            passed.append(f"double %{name}.value" if parameter.dtype.kind == "f" else f"i64 %{name}")
            continue
        size = parameter.dtype.itemsize
        body.append(f"  %{name}.data = inttoptr i64 %{name} to ptr")
        body.append(_load(f"%{name}.n", word))
        word += 1
        passed.append(f"ptr null, ptr null, i64 %{name}.n, i64 {size}, ptr %{name}.data, i64 %{name}.n, i64 {size}")
    kinds = ", ".join(p.rsplit(" ", 1)[0] for group in passed for p in group.split(", "))
    lines = "\n".join(body)
    code = _EXCEPTION_AS_CODE if raises else "  %code = sext i32 %status to i64"
    return f"""
declare i32 @{symbol}({kinds})
define i64 @{ENTRY}() !dbg !2 {{
  %result = alloca i64
  %exception = alloca ptr
  store ptr null, ptr %exception
{lines}
  %status = call i32 @{symbol}({", ".join(passed)}), !dbg !3
  %value = load i64, ptr %result
  store volatile i64 %value, ptr inttoptr (i64 {RETURN} to ptr)
{code}
  ret i64 %code
}}
!llvm.dbg.cu = !{{!0}}
!llvm.module.flags = !{{!4}}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, producer: "scalein", isOptimized: true, runtimeVersion: 0,
                             emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "{file}", directory: "")
!2 = distinct !DISubprogram(name: "{ENTRY}", scope: !1, file: !1, type: !DISubroutineType(types: !{{null}}),
                            spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)
!3 = !DILocation(line: 0, scope: !2)
!4 = !{{i32 2, !"Debug Info Version", i32 3}}
"""


_EXCEPTION_AS_CODE = f"""
  %status.code = sext i32 %status to i64
  %has.raised = icmp eq i32 %status, {RAISED}
  %which.pointer = load ptr, ptr %exception
  %which = ptrtoint ptr %which.pointer to i64
  %code = select i1 %has.raised, i64 %which, i64 %status.code"""


def _moved_to_float(name: str) -> list[str]:
    """Return IR that moves a word over the stack: the mailbox takes integer loads only, and LLVM merges a cast."""
    return [
        f"  %{name}.room = alloca i64",
        f"  store volatile i64 %{name}, ptr %{name}.room",
        f"  %{name}.value = load volatile double, ptr %{name}.room",
    ]


def _load(name: str, word: int) -> str:
    return f"  {name} = load volatile i64, ptr inttoptr (i64 {ARGUMENTS + 8 * word} to ptr)"
