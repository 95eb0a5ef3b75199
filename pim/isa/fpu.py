"""Arithmetic, comparison, minimum and maximum of the F and D extensions, on registers as in `pim.isa.fp_bits`.

Arithmetic rounds to nearest even, whatever rounding mode the instruction asks for, and raises no exception flags: the
host's arithmetic does the work. Conversions, which know all rounding modes, are in `pim.isa.fp_convert`.

References
----------
The RISC-V Instruction Set Manual, volume I (unprivileged), chapters "F" and "D"; IEEE 754-2019 (minimumNumber, 9.6).
"""

import numpy as np

from pim.isa.fma import fused_multiply_add
from pim.isa.fp_bits import fmv_x_w, register_d, register_s, value_d, value_s
from pim.jit import kernel


@kernel
def fadd_d(left: int, right: int) -> int:
    """Return the sum."""
    return register_d(value_d(left) + value_d(right))


@kernel
def fsub_d(left: int, right: int) -> int:
    """Return the difference."""
    return register_d(value_d(left) - value_d(right))


@kernel
def fmul_d(left: int, right: int) -> int:
    """Return the product."""
    return register_d(value_d(left) * value_d(right))


@kernel
def fdiv_d(left: int, right: int) -> int:
    """Return the quotient."""
    return register_d(value_d(left) / value_d(right))


@kernel
def fsqrt_d(register: int) -> int:
    """Return the square root."""
    return register_d(np.sqrt(value_d(register)))


@kernel
def fmadd_d(left: int, right: int, addend: int) -> int:
    """Return left * right + addend, rounded once."""
    return register_d(fused_multiply_add(value_d(left), value_d(right), value_d(addend)))


@kernel
def fmsub_d(left: int, right: int, addend: int) -> int:
    """Return left * right - addend, rounded once."""
    return register_d(fused_multiply_add(value_d(left), value_d(right), -value_d(addend)))


@kernel
def fnmsub_d(left: int, right: int, addend: int) -> int:
    """Return -(left * right) + addend, rounded once."""
    return register_d(fused_multiply_add(-value_d(left), value_d(right), value_d(addend)))


@kernel
def fnmadd_d(left: int, right: int, addend: int) -> int:
    """Return -(left * right) - addend, rounded once."""
    return register_d(fused_multiply_add(-value_d(left), value_d(right), -value_d(addend)))


@kernel
def feq_d(left: int, right: int) -> int:
    """Return 1 if ``left`` equals ``right``, else 0, also for NaN."""
    return int(value_d(left) == value_d(right))


@kernel
def flt_d(left: int, right: int) -> int:
    """Return 1 if ``left`` is below ``right``, else 0, also for NaN."""
    return int(value_d(left) < value_d(right))


@kernel
def fle_d(left: int, right: int) -> int:
    """Return 1 if ``left`` is at most ``right``, else 0, also for NaN."""
    return int(value_d(left) <= value_d(right))


@kernel
def fadd_s(left: int, right: int) -> int:
    """Return the sum."""
    return register_s(value_s(left) + value_s(right))


@kernel
def fsub_s(left: int, right: int) -> int:
    """Return the difference."""
    return register_s(value_s(left) - value_s(right))


@kernel
def fmul_s(left: int, right: int) -> int:
    """Return the product."""
    return register_s(value_s(left) * value_s(right))


@kernel
def fdiv_s(left: int, right: int) -> int:
    """Return the quotient."""
    return register_s(value_s(left) / value_s(right))


@kernel
def fsqrt_s(register: int) -> int:
    """Return the square root."""
    return register_s(np.sqrt(value_s(register)))


@kernel
def fmadd_s(left: int, right: int, addend: int) -> int:
    """Return left * right + addend, rounded once."""
    return register_s(fused_multiply_add(value_s(left), value_s(right), value_s(addend)))


@kernel
def fmsub_s(left: int, right: int, addend: int) -> int:
    """Return left * right - addend, rounded once."""
    return register_s(fused_multiply_add(value_s(left), value_s(right), -value_s(addend)))


@kernel
def fnmsub_s(left: int, right: int, addend: int) -> int:
    """Return -(left * right) + addend, rounded once."""
    return register_s(fused_multiply_add(-value_s(left), value_s(right), value_s(addend)))


@kernel
def fnmadd_s(left: int, right: int, addend: int) -> int:
    """Return -(left * right) - addend, rounded once."""
    return register_s(fused_multiply_add(-value_s(left), value_s(right), -value_s(addend)))


@kernel
def feq_s(left: int, right: int) -> int:
    """Return 1 if ``left`` equals ``right``, else 0, also for NaN."""
    return int(value_s(left) == value_s(right))


@kernel
def flt_s(left: int, right: int) -> int:
    """Return 1 if ``left`` is below ``right``, else 0, also for NaN."""
    return int(value_s(left) < value_s(right))


@kernel
def fle_s(left: int, right: int) -> int:
    """Return 1 if ``left`` is at most ``right``, else 0, also for NaN."""
    return int(value_s(left) <= value_s(right))


@kernel
def fmin_d(left: int, right: int) -> int:
    """Return the smaller number; -0 is below +0; of a number and a NaN the number; of two NaNs the canonical one."""
    a, b = value_d(left), value_d(right)
    if a < b or (a == b and left < 0) or b != b:  # noqa: PLR0124 - NaN
        return register_d(a)
    return register_d(b)


@kernel
def fmax_d(left: int, right: int) -> int:
    """Return the larger number; +0 is above -0; of a number and a NaN the number; of two NaNs the canonical one."""
    a, b = value_d(left), value_d(right)
    if a > b or (a == b and left >= 0) or b != b:  # noqa: PLR0124 - NaN
        return register_d(a)
    return register_d(b)


@kernel
def fmin_s(left: int, right: int) -> int:
    """Return the smaller number; -0 is below +0; of a number and a NaN the number; of two NaNs the canonical one."""
    a, b = value_s(left), value_s(right)
    if a < b or (a == b and fmv_x_w(left) < 0) or b != b:  # noqa: PLR0124 - NaN
        return register_s(a)
    return register_s(b)


@kernel
def fmax_s(left: int, right: int) -> int:
    """Return the larger number; +0 is above -0; of a number and a NaN the number; of two NaNs the canonical one."""
    a, b = value_s(left), value_s(right)
    if a > b or (a == b and fmv_x_w(left) >= 0) or b != b:  # noqa: PLR0124 - NaN
        return register_s(a)
    return register_s(b)
