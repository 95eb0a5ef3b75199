"""The F and D extensions: what each operation makes of its operands, in every rounding mode, with its flags.

One function per group of operations; both precisions share the code. Loads, stores and registers are for the core.

References
----------
The RISC-V Instruction Set Manual, volume I (unprivileged), chapters "F" and "D"; IEEE 754-2019.
"""

from pim.isa import fp_host, fp_soft
from pim.isa.alu import sext32
from pim.isa.fp_bits import box, classify, equal, extreme, less, less_or_equal, unbox
from pim.isa.fp_convert import from_integer, to_integer, to_precision
from pim.isa.fp_format import DOUBLE, SINGLE, Precision, RoundingMode
from pim.isa.ops import Op
from pim.jit import kernel


@kernel
def is_double(op: int) -> bool:
    """Tell the precision of an operation: `Op` lists them in pairs, single first; a conversion counts as its result."""
    return (op - Op.FADD_S) % 2 == 1


@kernel
def has_integer_result(op: int) -> bool:
    """Tell whether a floating-point operation writes an integer register."""
    return Op.FEQ_S <= op <= Op.FCVT_LU_D or Op.FMV_X_W <= op <= Op.FMV_X_D


@kernel
def operate(op: int, a: int, b: int, c: int, integer: int, mode: int, accrued: int) -> tuple[int, int]:
    """Return the register result of an F or D operation, and the flags it raises.

    Parameters
    ----------
    op : int
        From Op.FADD_S to Op.FMV_D_X.
    a, b, c : int
        Floating-point registers rs1, rs2, rs3.
    integer : int
        Integer register rs1.
    mode : int
        Rounding mode, RNE to RMM.
    accrued : int
        Flags raised before. One of them may come up again, or not: the inexactness of common results need not be found
        out twice.
    """
    if op >= Op.FCVT_S_D:
        return move(op, a, integer, mode)
    f = DOUBLE if is_double(op) else SINGLE
    if not is_double(op):
        a, b, c = unbox(a), unbox(b), unbox(c)
    if op <= Op.FNMADD_D:
        bits, flags = sum_or_product(op, a, b, c, mode, accrued, f)
    elif op <= Op.FDIV_D:
        bits, flags = quotient(a, b, mode, accrued, f)
    elif op <= Op.FSQRT_D:
        bits, flags = square_root(a, mode, f)
    elif op <= Op.FSGNJX_D:
        bits, flags = inject_sign(op, a, b, f), 0
    elif op <= Op.FMAX_D:
        bits, flags = extreme(a, b, op >= Op.FMAX_S, f)
    elif op <= Op.FCVT_LU_D:
        return compare_or_convert(op, a, b, mode, f)
    else:
        width = 32 if op < Op.FCVT_S_L else 64
        is_signed = op < Op.FCVT_S_WU or Op.FCVT_S_L <= op < Op.FCVT_S_LU
        bits, flags = from_integer(integer, width, is_signed, mode, f)
    return bits if is_double(op) else box(bits), flags


@kernel
def sum_or_product(op: int, a: int, b: int, c: int, mode: int, accrued: int, f: Precision) -> tuple[int, int]:
    """Return the bits of a sum, difference, product or fused multiply-add, and flags.

    All are a * b + c: with b = 1, or c = 0 of the product's sign.
    """
    if op <= Op.FSUB_D:
        c = b if op <= Op.FADD_D else b ^ f.sign
        b = f.bias << f.fraction_bits
    elif op <= Op.FMUL_D:
        c = (a ^ b) & f.sign
    else:
        if op >= Op.FNMSUB_S:
            a ^= f.sign
        if Op.FMSUB_S <= op <= Op.FMSUB_D or op >= Op.FNMADD_S:
            c ^= f.sign
    if mode == RoundingMode.RNE:
        bits, flags = fp_host.multiply_add_bits(a, b, c, accrued, f)
        if flags != fp_host.UNKNOWN:
            return bits, flags
    return fp_soft.multiply_add(a, b, c, mode, f)


@kernel
def quotient(a: int, b: int, mode: int, accrued: int, f: Precision) -> tuple[int, int]:
    """Return the bits of a quotient, and flags."""
    if mode == RoundingMode.RNE:
        bits, flags = fp_host.divide_bits(a, b, accrued, f)
        if flags != fp_host.UNKNOWN:
            return bits, flags
    return fp_soft.divide(a, b, mode, f)


@kernel
def square_root(a: int, mode: int, f: Precision) -> tuple[int, int]:
    """Return the bits of a square root, and flags."""
    if mode == RoundingMode.RNE:
        bits, flags = fp_host.square_root_bits(a, f)
        if flags != fp_host.UNKNOWN:
            return bits, flags
    return fp_soft.square_root(a, mode, f)


@kernel
def inject_sign(op: int, a: int, b: int, f: Precision) -> int:
    """Return ``a`` with the sign of ``b``, its opposite, or the product of both signs."""
    if op <= Op.FSGNJ_D:
        return (a & ~f.sign) | (b & f.sign)
    if op <= Op.FSGNJN_D:
        return (a & ~f.sign) | (~b & f.sign)
    return a ^ (b & f.sign)


@kernel
def compare_or_convert(op: int, a: int, b: int, mode: int, f: Precision) -> tuple[int, int]:
    """Return the integer result of a comparison, classification or conversion, and flags."""
    if op <= Op.FEQ_D:
        return equal(a, b, f)
    if op <= Op.FLT_D:
        return less(a, b, f)
    if op <= Op.FLE_D:
        return less_or_equal(a, b, f)
    if op <= Op.FCLASS_D:
        return classify(a, f), 0
    width = 32 if op < Op.FCVT_L_S else 64
    is_signed = op < Op.FCVT_WU_S or Op.FCVT_L_S <= op < Op.FCVT_LU_S
    return to_integer(a, width, is_signed, mode, f)


@kernel
def move(op: int, a: int, integer: int, mode: int) -> tuple[int, int]:
    """Return the register result of a conversion between precisions or a move between register files, and flags."""
    if op == Op.FCVT_S_D:
        bits, flags = to_precision(a, DOUBLE, mode, SINGLE)
        return box(bits), flags
    if op == Op.FCVT_D_S:
        return to_precision(unbox(a), SINGLE, mode, DOUBLE)
    if op == Op.FMV_X_W:
        return sext32(a), 0
    if op == Op.FMV_X_D:
        return a, 0
    return box(integer) if op == Op.FMV_W_X else integer, 0
