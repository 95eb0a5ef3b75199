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
from pim.jit import inlined_kernel, kernel


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
        Flags raised before. Where NX is among them, NX in the result means nothing: common results are not checked for
        inexactness again.
    """
    if op >= Op.FCVT_S_D:
        return move(op, a, integer, mode)
    if is_double(op):
        return compute(op, a, b, c, integer, mode, accrued, DOUBLE)
    value, flags = compute(op, unbox(a), unbox(b), unbox(c), integer, mode, accrued, SINGLE)
    return value if has_integer_result(op) else box(value), flags


@inlined_kernel
def compute(  # noqa: PLR0911 - one return per group of operations
    op: int, a: int, b: int, c: int, integer: int, mode: int, accrued: int, f: Precision
) -> tuple[int, int]:
    """Return the result of an operation within one precision, of numbers as bits, and flags.

    It is merged into its caller once for each precision, whose parameters are constants there: 10 to 15 % faster.
    """
    if op <= Op.FNMADD_D:
        return sum_or_product(op, a, b, c, mode, accrued, f)
    if op <= Op.FDIV_D:
        return quotient(a, b, mode, accrued, f)
    if op <= Op.FSQRT_D:
        return square_root(a, mode, f)
    if op <= Op.FSGNJX_D:
        return inject_sign(op, a, b, f), 0
    if op <= Op.FMAX_D:
        return extreme(a, b, op >= Op.FMAX_S, f)
    if op <= Op.FEQ_D:
        return equal(a, b, f)
    if op <= Op.FLT_D:
        return less(a, b, f)
    if op <= Op.FLE_D:
        return less_or_equal(a, b, f)
    if op <= Op.FCLASS_D:
        return classify(a, f), 0
    if op <= Op.FCVT_LU_D:
        is_signed = op < Op.FCVT_WU_S or Op.FCVT_L_S <= op < Op.FCVT_LU_S
        return to_integer(a, 32 if op < Op.FCVT_L_S else 64, is_signed, mode, f)
    is_signed = op < Op.FCVT_S_WU or Op.FCVT_S_L <= op < Op.FCVT_S_LU
    return from_integer(integer, 32 if op < Op.FCVT_S_L else 64, is_signed, mode, f)


@inlined_kernel
def as_multiply_add(op: int, a: int, b: int, c: int, f: Precision) -> tuple[int, int, int]:
    """Return x, y, z so that x * y + z is the sum, difference, product or fused product that ``op`` asks for."""
    if op <= Op.FSUB_D:
        return a, f.bias << f.fraction_bits, b if op <= Op.FADD_D else b ^ f.sign  # a * 1 + b
    if op <= Op.FMUL_D:
        return a, b, (a ^ b) & f.sign  # the zero of the product's sign changes no product
    negates_product = op >= Op.FNMSUB_S
    negates_addend = Op.FMSUB_S <= op <= Op.FMSUB_D or op >= Op.FNMADD_S
    return a ^ f.sign if negates_product else a, b, c ^ f.sign if negates_addend else c


@inlined_kernel
def sum_or_product(op: int, a: int, b: int, c: int, mode: int, accrued: int, f: Precision) -> tuple[int, int]:
    """Return the bits of a sum, difference, product or fused product, and flags."""
    x, y, z = as_multiply_add(op, a, b, c, f)
    if mode == RoundingMode.RNE:
        bits, flags = fp_host.multiply_add_bits(x, y, z, accrued, f)
        if flags != fp_host.UNKNOWN:
            return bits, flags
    return fp_soft.multiply_add(x, y, z, mode, f)


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
