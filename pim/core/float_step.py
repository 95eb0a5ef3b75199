"""What floating-point instructions do: which function of pim.isa an operation calls, and where its result goes.

Arithmetic rounds to nearest, ties to even; an instruction that asks for another rounding of anything but a conversion
to an integer is not executed, and neither are exception flags kept.
"""

from typing import Any

from pim.core.state import Core
from pim.isa import Op
from pim.isa.fp_bits import box, fclass_d, fclass_s, fmv_x_w, fsgnj_d, fsgnj_s, fsgnjn_d, fsgnjn_s, fsgnjx_d, fsgnjx_s
from pim.isa.fp_convert import (
    fcvt_d_l,
    fcvt_d_lu,
    fcvt_d_s,
    fcvt_d_w,
    fcvt_d_wu,
    fcvt_l_d,
    fcvt_l_s,
    fcvt_lu_d,
    fcvt_lu_s,
    fcvt_s_d,
    fcvt_s_l,
    fcvt_s_lu,
    fcvt_s_w,
    fcvt_s_wu,
    fcvt_w_d,
    fcvt_w_s,
    fcvt_wu_d,
    fcvt_wu_s,
)
from pim.isa.fpu import (
    fadd_d,
    fadd_s,
    fdiv_d,
    fdiv_s,
    feq_d,
    feq_s,
    fle_d,
    fle_s,
    flt_d,
    flt_s,
    fmadd_d,
    fmadd_s,
    fmax_d,
    fmax_s,
    fmin_d,
    fmin_s,
    fmsub_d,
    fmsub_s,
    fmul_d,
    fmul_s,
    fnmadd_d,
    fnmadd_s,
    fnmsub_d,
    fnmsub_s,
    fsqrt_d,
    fsqrt_s,
    fsub_d,
    fsub_s,
)
from pim.jit import kernel

_RNE, _DYNAMIC = 0, 7


@kernel
def float_operation(op: int, core: Core, code: Any, index: int) -> bool:
    """Execute one F or D operation other than loads and stores; return False if its rounding mode can't be done.

    Updates ``core``.
    """
    rounding_mode = int(code.rm[index]) if code.rm[index] != _DYNAMIC else _RNE
    rd = code.rd[index]
    if Op.FSGNJ_S <= op <= Op.FMAX_D or op == Op.FMV_W_X or op == Op.FMV_D_X:
        core.f_bits[rd] = moved(op, core, code, index)
    elif Op.FEQ_S <= op <= Op.FCVT_LU_D or op == Op.FMV_X_W or op == Op.FMV_X_D:
        value = to_integer(op, core, code, index, rounding_mode)
        if rd:
            core.x[rd] = value
    elif rounding_mode != _RNE:
        return False
    elif op >= Op.FCVT_S_W:
        core.f_bits[rd] = converted(op, core, code, index)
    else:
        core.f_bits[rd] = arithmetic(op, core, code, index)
    return True


@kernel
def arithmetic(op: int, core: Core, code: Any, index: int) -> int:
    """Return the register result of an arithmetic operation."""
    a = core.f_bits[code.rs1[index]]
    b = core.f_bits[code.rs2[index]]
    c = core.f_bits[code.rs3[index]]
    if op == Op.FADD_D:
        return fadd_d(a, b)
    if op == Op.FADD_S:
        return fadd_s(a, b)
    if op == Op.FMUL_D:
        return fmul_d(a, b)
    if op == Op.FMUL_S:
        return fmul_s(a, b)
    if op == Op.FSUB_D:
        return fsub_d(a, b)
    if op == Op.FSUB_S:
        return fsub_s(a, b)
    if op == Op.FDIV_D:
        return fdiv_d(a, b)
    if op == Op.FDIV_S:
        return fdiv_s(a, b)
    if op == Op.FSQRT_D:
        return fsqrt_d(a)
    if op == Op.FSQRT_S:
        return fsqrt_s(a)
    if op == Op.FMADD_D:
        return fmadd_d(a, b, c)
    if op == Op.FMADD_S:
        return fmadd_s(a, b, c)
    if op == Op.FMSUB_D:
        return fmsub_d(a, b, c)
    if op == Op.FMSUB_S:
        return fmsub_s(a, b, c)
    if op == Op.FNMSUB_D:
        return fnmsub_d(a, b, c)
    if op == Op.FNMSUB_S:
        return fnmsub_s(a, b, c)
    if op == Op.FNMADD_D:
        return fnmadd_d(a, b, c)
    return fnmadd_s(a, b, c)  # FNMADD_S


@kernel
def moved(op: int, core: Core, code: Any, index: int) -> int:
    """Return the register result of a sign injection, minimum, maximum or move from an integer register."""
    a = core.f_bits[code.rs1[index]]
    b = core.f_bits[code.rs2[index]]
    x = core.x[code.rs1[index]]
    if op == Op.FSGNJ_D:
        return fsgnj_d(a, b)
    if op == Op.FSGNJ_S:
        return fsgnj_s(a, b)
    if op == Op.FSGNJN_D:
        return fsgnjn_d(a, b)
    if op == Op.FSGNJN_S:
        return fsgnjn_s(a, b)
    if op == Op.FSGNJX_D:
        return fsgnjx_d(a, b)
    if op == Op.FSGNJX_S:
        return fsgnjx_s(a, b)
    if op == Op.FMIN_D:
        return fmin_d(a, b)
    if op == Op.FMIN_S:
        return fmin_s(a, b)
    if op == Op.FMAX_D:
        return fmax_d(a, b)
    if op == Op.FMAX_S:
        return fmax_s(a, b)
    if op == Op.FMV_W_X:
        return box(x)
    return int(x)  # FMV_D_X


@kernel
def to_integer(op: int, core: Core, code: Any, index: int, rounding_mode: int) -> int:
    """Return the integer result of a comparison, classification, conversion or move."""
    a = core.f_bits[code.rs1[index]]
    b = core.f_bits[code.rs2[index]]
    if op == Op.FEQ_D:
        return feq_d(a, b)
    if op == Op.FEQ_S:
        return feq_s(a, b)
    if op == Op.FLT_D:
        return flt_d(a, b)
    if op == Op.FLT_S:
        return flt_s(a, b)
    if op == Op.FLE_D:
        return fle_d(a, b)
    if op == Op.FLE_S:
        return fle_s(a, b)
    if op == Op.FCVT_W_D:
        return fcvt_w_d(a, rounding_mode)
    if op == Op.FCVT_W_S:
        return fcvt_w_s(a, rounding_mode)
    if op == Op.FCVT_WU_D:
        return fcvt_wu_d(a, rounding_mode)
    if op == Op.FCVT_WU_S:
        return fcvt_wu_s(a, rounding_mode)
    if op == Op.FCVT_L_D:
        return fcvt_l_d(a, rounding_mode)
    if op == Op.FCVT_L_S:
        return fcvt_l_s(a, rounding_mode)
    if op == Op.FCVT_LU_D:
        return fcvt_lu_d(a, rounding_mode)
    if op == Op.FCVT_LU_S:
        return fcvt_lu_s(a, rounding_mode)
    if op == Op.FCLASS_D:
        return fclass_d(a)
    if op == Op.FCLASS_S:
        return fclass_s(a)
    if op == Op.FMV_X_W:
        return fmv_x_w(a)
    return int(a)  # FMV_X_D


@kernel
def converted(op: int, core: Core, code: Any, index: int) -> int:
    """Return the register result of a conversion to floating point."""
    a = core.f_bits[code.rs1[index]]
    x = core.x[code.rs1[index]]
    if op == Op.FCVT_D_W:
        return fcvt_d_w(x)
    if op == Op.FCVT_S_W:
        return fcvt_s_w(x)
    if op == Op.FCVT_D_WU:
        return fcvt_d_wu(x)
    if op == Op.FCVT_S_WU:
        return fcvt_s_wu(x)
    if op == Op.FCVT_D_L:
        return fcvt_d_l(x)
    if op == Op.FCVT_S_L:
        return fcvt_s_l(x)
    if op == Op.FCVT_D_LU:
        return fcvt_d_lu(x)
    if op == Op.FCVT_S_LU:
        return fcvt_s_lu(x)
    if op == Op.FCVT_S_D:
        return fcvt_s_d(a)
    return fcvt_d_s(a)  # FCVT_D_S
