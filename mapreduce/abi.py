"""The border between a kernel and its core: memory map, argument words, the start routine.

A kernel's arguments are 64-bit words in the mailbox: an array is its address and its number of items, a scalar is its
value (a float64 as its bits). The start routine puts the stack into the scratchpad, rebuilds from the words what
Numba's calling convention wants, calls the kernel, stores its value to RETURN and exits with its status.
"""

from dataclasses import dataclass

import numpy as np

from mapreduce.kernel import Kernel, Parameter
from pim.core.settings import MAILBOX_BASE, MEMORY_BASE, SCRATCHPAD_BASE
from pim.errors import CapacityError

RETURN = MAILBOX_BASE + 0x18
ARGUMENTS = MAILBOX_BASE + 0x80
MAX_ARGUMENT_WORDS = 16
STACK_BYTES = 1024
"""The start routine puts the stack at the end of this much scratchpad; it traps below the scratchpad's start."""

ENTRY = "kernel_entry"


@dataclass(frozen=True)
class Target:
    """A RISC-V target: LLVM features, calling convention and ``zig cc`` machine."""

    features: str
    abi: str
    zig_cpu: str


TARGETS = {
    "rv64imc": Target("+m,+c", "lp64", "generic_rv64+m+c"),
    "rv64imafdc": Target("+m,+a,+f,+d,+c", "lp64d", "generic_rv64+m+a+f+d+c"),
}

START_ASSEMBLY = f"""
    .section .text.start, "ax"
    .globl _start
_start:
    li sp, {SCRATCHPAD_BASE + STACK_BYTES:#x}
    call {ENTRY}
    li a7, 93
    ecall
"""

LINKER_SCRIPT = f"""
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


def argument_words(kernel: Kernel) -> int:
    """Return how many mailbox words the kernel's arguments take.

    Raises
    ------
    CapacityError
        More than the mailbox holds.
    """
    words = sum(2 if p.is_array else 1 for p in kernel.parameters)
    if words > MAX_ARGUMENT_WORDS:
        raise CapacityError(
            f"kernel {kernel.name}: arguments take {words} words, the mailbox holds {MAX_ARGUMENT_WORDS} "
            "(an array takes 2, a scalar 1)"
        )
    return words


def scalar_word(parameter: Parameter, value: float) -> int:
    """Return the 64-bit word (unsigned) of a scalar argument."""
    return int(np.array(value, dtype=parameter.dtype).view(np.uint64))


def entry_ir(kernel: Kernel, symbol: str) -> str:
    """Return LLVM IR of the function that calls Numba's native function ``symbol``.

    Numba passes an array as (meminfo, parent, nitems, itemsize, data, shape, stride) and returns a status, the value
    through a pointer.
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
    return f"""
declare i32 @{symbol}({kinds})
define i64 @{ENTRY}() {{
  %result = alloca i64
  %exception = alloca ptr
{lines}
  %status = call i32 @{symbol}({", ".join(passed)})
  %value = load i64, ptr %result
  store volatile i64 %value, ptr inttoptr (i64 {RETURN} to ptr)
  %code = sext i32 %status to i64
  ret i64 %code
}}
"""


def _moved_to_float(name: str) -> list[str]:
    """Return IR that moves a word over the stack: the mailbox takes integer loads only, and LLVM merges a cast."""
    return [
        f"  %{name}.room = alloca i64",
        f"  store volatile i64 %{name}, ptr %{name}.room",
        f"  %{name}.value = load volatile double, ptr %{name}.room",
    ]


def _load(name: str, word: int) -> str:
    return f"  {name} = load volatile i64, ptr inttoptr (i64 {ARGUMENTS + 8 * word} to ptr)"
