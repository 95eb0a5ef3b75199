"""What floating-point instructions do to a core: registers read and written, rounding mode, accrued flags.

What the operations themselves are is in `pim.isa.fpu`.
"""

from typing import Any

from pim.core.state import Core
from pim.isa.fp_format import RoundingMode
from pim.isa.fpu import has_integer_result, operate
from pim.jit import inlined_kernel


@inlined_kernel
def float_operation(op: int, core: Core, code: Any, index: int) -> bool:
    """Execute one F or D operation other than loads and stores; return False if its rounding mode is reserved.

    Updates registers and fflags of ``core``.
    """
    hart, x, f_bits = core.hart, core.x, core.f_bits
    mode = code.rm[index]
    if mode == RoundingMode.DYNAMIC:
        mode = hart.frm
    if mode > RoundingMode.RMM:
        return False
    rd, rs1, rs2, rs3 = code.rd[index], code.rs1[index], code.rs2[index], code.rs3[index]
    value, flags = operate(op, f_bits[rs1], f_bits[rs2], f_bits[rs3], x[rs1], mode, hart.fflags)
    if flags & ~hart.fflags:
        hart.fflags |= flags
    if not has_integer_result(op):
        f_bits[rd] = value
    elif rd:
        x[rd] = value
    return True
