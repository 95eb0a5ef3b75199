"""The C text around a C kernel: from mailbox words, or from this process's arrays, to the call of the function.

The text includes the user's file, so that the compiler checks the call against the function as it is written there: an
argument of another type or number, and a value that would be cut off, are errors. Which integer types are signed is not
looked at: a length may be an ``int64_t`` or a ``size_t``, bytes may be ``char`` or ``uint8_t``.
"""

from mapreduce.abi import ARGUMENTS, ENTRY, RETURN, argument_words
from mapreduce.kernel import Kernel, Parameter
from pim.errors import ConfigError

NATIVE_NAME = "scalein_call"
"""Name of the function in a native library."""

_STRICT = """
#include <stdint.h>
#pragma clang diagnostic error "-Wconversion"
#pragma clang diagnostic error "-Wincompatible-pointer-types"
#pragma clang diagnostic error "-Wint-conversion"
#pragma clang diagnostic ignored "-Wsign-conversion"
#pragma clang diagnostic ignored "-Wpointer-sign"
"""


def core_source(kernel: Kernel) -> str:
    """Return the text of the function that a core's program calls."""
    argument_words(kernel)
    lines, passed, word = [], [], 0
    for i, parameter in enumerate(kernel.parameters):
        lines.append(f"  const uint64_t w{i} = {_word(word)};")
        word += 1
        if parameter.is_array:
            passed.append(f"({c_type(kernel, parameter)} *)(uintptr_t)w{i}, (intptr_t){_word(word)}")
            word += 1
        elif parameter.dtype.kind == "f":
            # over the stack: the mailbox takes integer loads only, and a plain cast becomes one of a double
            lines.append(f"  volatile union {{ uint64_t word; double value; }} d{i} = {{ w{i} }};")
            passed.append(f"d{i}.value")
        else:
            passed.append(f"(int64_t)w{i}")
    body = "\n".join(lines)
    return f"""{_included(kernel)}
long {ENTRY}(void) {{
{body}
  const int64_t result = {kernel.name}({", ".join(passed)});
  *(volatile int64_t *){RETURN:#x} = result;
  return 0;
}}
"""


def native_source(kernel: Kernel) -> str:
    """Return the text of the function that this process calls: an array is its address and its number of items."""
    declared, passed = [], []
    for i, parameter in enumerate(kernel.parameters):
        if parameter.is_array:
            declared.append(f"{c_type(kernel, parameter)} *a{i}, intptr_t n{i}")
            passed.append(f"a{i}, n{i}")
        else:
            declared.append(f"{c_type(kernel, parameter)} a{i}")
            passed.append(f"a{i}")
    return f"""{_included(kernel)}
int64_t {NATIVE_NAME}({", ".join(declared) or "void"}) {{
  const int64_t result = {kernel.name}({", ".join(passed)});
  return result;
}}
"""


def c_type(kernel: Kernel, parameter: Parameter) -> str:
    """Return the C type of a scalar, or of an array's items."""
    kind, n_bytes = parameter.dtype.kind, parameter.dtype.itemsize
    match kind:
        case "f" if n_bytes in (4, 8):
            return {4: "float", 8: "double"}[n_bytes]
        case "i" | "u":
            return f"{'u' if kind == 'u' else ''}int{8 * n_bytes}_t"
    raise ConfigError(f"kernel {kernel.name}: {parameter.name} of {parameter.dtype} has no C type here")


def _included(kernel: Kernel) -> str:
    # errors of the call are those of the signature: the line says so
    return f'#include "{kernel.origin}"\n{_STRICT}#line 1 "signature {" ".join(kernel.signature.split())}"'


def _word(number: int) -> str:
    return f"*(volatile uint64_t *){ARGUMENTS + 8 * number:#x}"
