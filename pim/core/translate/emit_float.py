"""Native code of floating-point operations, where no program can read the flags and the rounding mode stays RNE.

Results are those of `pim.isa.fpu`: the host's IEEE 754 arithmetic, with the canonical NaN for every NaN.
"""

from pim.core.translate.emit_memory import NAN_BOX
from pim.core.translate.emitter import Emitter
from pim.core.translate.live import FLOAT
from pim.core.translate.plan import Instruction
from pim.isa import Op
from pim.isa.fp_format import DOUBLE, SINGLE, RoundingMode

_ARITHMETIC = {
    Op.FADD_S: "fadd",
    Op.FADD_D: "fadd",
    Op.FSUB_S: "fsub",
    Op.FSUB_D: "fsub",
    Op.FMUL_S: "fmul",
    Op.FMUL_D: "fmul",
    Op.FDIV_S: "fdiv",
    Op.FDIV_D: "fdiv",
}
_FUSED = {  # whether product and addend are negated
    Op.FMADD_S: (False, False),
    Op.FMADD_D: (False, False),
    Op.FMSUB_S: (False, True),
    Op.FMSUB_D: (False, True),
    Op.FNMSUB_S: (True, False),
    Op.FNMSUB_D: (True, False),
    Op.FNMADD_S: (True, True),
    Op.FNMADD_D: (True, True),
}
_ROOTS = (Op.FSQRT_S, Op.FSQRT_D)
_SIGNS = (Op.FSGNJ_S, Op.FSGNJ_D, Op.FSGNJN_S, Op.FSGNJN_D, Op.FSGNJX_S, Op.FSGNJX_D)
_EXTREMES = {  # when the first operand is taken, and what becomes of the signs of zeros
    Op.FMIN_S: ("olt", "or"),
    Op.FMIN_D: ("olt", "or"),
    Op.FMAX_S: ("ogt", "and"),
    Op.FMAX_D: ("ogt", "and"),
}
_CLASSES = (Op.FCLASS_S, Op.FCLASS_D)
_COMPARISONS = {
    Op.FEQ_S: "oeq",
    Op.FEQ_D: "oeq",
    Op.FLT_S: "olt",
    Op.FLT_D: "olt",
    Op.FLE_S: "ole",
    Op.FLE_D: "ole",
}
_TO_INTEGER = {
    Op.FCVT_W_S: ("s", 32),
    Op.FCVT_W_D: ("s", 32),
    Op.FCVT_WU_S: ("u", 32),
    Op.FCVT_WU_D: ("u", 32),
    Op.FCVT_L_S: ("s", 64),
    Op.FCVT_L_D: ("s", 64),
    Op.FCVT_LU_S: ("u", 64),
    Op.FCVT_LU_D: ("u", 64),
}
_FROM_INTEGER = {
    Op.FCVT_S_W: ("sitofp", 32),
    Op.FCVT_D_W: ("sitofp", 32),
    Op.FCVT_S_WU: ("uitofp", 32),
    Op.FCVT_D_WU: ("uitofp", 32),
    Op.FCVT_S_L: ("sitofp", 64),
    Op.FCVT_D_L: ("sitofp", 64),
    Op.FCVT_S_LU: ("uitofp", 64),
    Op.FCVT_D_LU: ("uitofp", 64),
}
_MOVES = (Op.FCVT_S_D, Op.FCVT_D_S, Op.FMV_X_W, Op.FMV_X_D, Op.FMV_W_X, Op.FMV_D_X)
_LARGEST = {("s", 32): (1 << 31) - 1, ("u", 32): -1, ("s", 64): (1 << 63) - 1, ("u", 64): -1}

FLOAT_OPS = frozenset(
    {
        *_ARITHMETIC,
        *_FUSED,
        *_ROOTS,
        *_SIGNS,
        *_EXTREMES,
        *_CLASSES,
        *_COMPARISONS,
        *_TO_INTEGER,
        *_FROM_INTEGER,
        *_MOVES,
    }
)


def is_exact(it: Instruction) -> bool:
    """Tell whether the host rounds as the instruction says: to nearest even, or to zero for an integer."""
    if it.op in _TO_INTEGER:
        return it.rm == RoundingMode.RTZ
    rounds = it.op in _ARITHMETIC or it.op in _FUSED or it.op in _ROOTS or it.op in (*_FROM_INTEGER, *_MOVES[:2])
    return not rounds or it.rm in (RoundingMode.RNE, RoundingMode.DYNAMIC)


def emit_float(e: Emitter, it: Instruction) -> None:
    """Write a floating-point operation."""
    op = Op(it.op)
    kind = "double" if (op - Op.FADD_S) % 2 else "float"
    if op in _TO_INTEGER or op in _COMPARISONS:
        e.write(it.rd, _integer_result(e, it, op, kind))
    elif op in _CLASSES:
        e.write(it.rd, _class(e, _operand(e, it.rs1, kind), kind))
    elif op in _SIGNS:
        e.write(it.rd + FLOAT, _signed(e, it, op, kind))
    elif op in _MOVES:
        _move(e, it, op)
    else:
        e.write(it.rd + FLOAT, _result(e, _number(e, it, op, kind), kind))


def _number(e: Emitter, it: Instruction, op: Op, kind: str) -> str:
    """Return the number that an operation gives, of the host's type ``kind``."""
    if op in _FROM_INTEGER:
        convert, width = _FROM_INTEGER[op]
        value = e.read(it.rs1) if width == 64 else e.word(e.read(it.rs1))
        return e.value(f"{convert} i{width} {value} to {kind}")
    a = _operand(e, it.rs1, kind)
    suffix = "f64" if kind == "double" else "f32"
    if op in _ROOTS:
        return e.value(f"call {kind} @llvm.sqrt.{suffix}({kind} {a})")
    b = _operand(e, it.rs2, kind)
    if op in _ARITHMETIC:
        return e.value(f"{_ARITHMETIC[op]} {kind} {a}, {b}")
    if op in _EXTREMES:
        return _extreme(e, *_EXTREMES[op], a, b, kind)
    negates_product, negates_addend = _FUSED[op]
    c = _operand(e, it.rs3, kind)
    if negates_product:
        a = e.value(f"fneg {kind} {a}")
    if negates_addend:
        c = e.value(f"fneg {kind} {c}")
    return e.value(f"call {kind} @llvm.fma.{suffix}({kind} {a}, {kind} {b}, {kind} {c})")


def _extreme(e: Emitter, condition: str, signs: str, a: str, b: str, kind: str) -> str:
    """Return the smaller or larger of two numbers; the other one for a NaN, and zeros by their signs."""
    width = "i64" if kind == "double" else "i32"
    picked = e.value(f"select i1 {e.value(f'fcmp {condition} {kind} {a}, {b}')}, {kind} {a}, {kind} {b}")
    bits = [e.value(f"bitcast {kind} {number} to {width}") for number in (a, b)]
    both = e.value(f"bitcast {width} {e.value(f'{signs} {width} {bits[0]}, {bits[1]}')} to {kind}")
    picked = e.value(f"select i1 {e.value(f'fcmp oeq {kind} {a}, {b}')}, {kind} {both}, {kind} {picked}")
    picked = e.value(f"select i1 {e.value(f'fcmp uno {kind} {b}, {b}')}, {kind} {a}, {kind} {picked}")
    return e.value(f"select i1 {e.value(f'fcmp uno {kind} {a}, {a}')}, {kind} {b}, {kind} {picked}")


def _class(e: Emitter, number: str, kind: str) -> str:
    """Return a number's class, one bit of ten: the compiler's classes, but that its NaNs are the lowest two bits."""
    suffix = "f64" if kind == "double" else "f32"
    result = "0"
    for bit in range(10):
        mask = 1 << (bit + 2) % 10
        is_in = e.value(f"call i1 @llvm.is.fpclass.{suffix}({kind} {number}, i32 {mask})")
        result = e.value(f"select i1 {is_in}, i64 {1 << bit}, i64 {result}")
    return result


def _single_bits(e: Emitter, register: int) -> str:
    """Return the bits of a single, i32; the canonical NaN where it is not boxed."""
    bits = e.read(register + FLOAT)
    is_boxed = e.value(f"icmp eq i64 {e.value(f'ashr i64 {bits}, 32')}, -1")
    return e.value(f"select i1 {is_boxed}, i32 {e.word(bits)}, i32 {SINGLE.nan}")


def _operand(e: Emitter, register: int, kind: str) -> str:
    if kind == "double":
        return e.value(f"bitcast i64 {e.read(register + FLOAT)} to double")
    return e.value(f"bitcast i32 {_single_bits(e, register)} to float")


def _boxed(e: Emitter, bits: str) -> str:
    return e.value(f"or i64 {e.extended(bits, is_signed=False)}, {NAN_BOX}")


def _result(e: Emitter, number: str, kind: str) -> str:
    """Return the register that holds a number."""
    is_nan = e.value(f"fcmp uno {kind} {number}, {number}")
    if kind == "double":
        bits = e.value(f"bitcast double {number} to i64")
        return e.value(f"select i1 {is_nan}, i64 {DOUBLE.nan}, i64 {bits}")
    bits = e.value(f"bitcast float {number} to i32")
    return _boxed(e, e.value(f"select i1 {is_nan}, i32 {SINGLE.nan}, i32 {bits}"))


def _integer_result(e: Emitter, it: Instruction, op: Op, kind: str) -> str:
    a = _operand(e, it.rs1, kind)
    if op in _COMPARISONS:
        b = _operand(e, it.rs2, kind)
        return e.extended(e.value(f"fcmp {_COMPARISONS[op]} {kind} {a}, {b}"), "i1", is_signed=False)
    sign, width = _TO_INTEGER[op]
    suffix = "f64" if kind == "double" else "f32"
    value = e.value(f"call i{width} @llvm.fpto{sign}i.sat.i{width}.{suffix}({kind} {a})")
    is_nan = e.value(f"fcmp uno {kind} {a}, {a}")
    value = e.value(f"select i1 {is_nan}, i{width} {_LARGEST[sign, width]}, i{width} {value}")
    return value if width == 64 else e.extended(value)


def _signed(e: Emitter, it: Instruction, op: Op, kind: str) -> str:
    """Return a number with another's sign, its opposite, or the product of both signs."""
    if kind == "double":
        a, b, width, sign = e.read(it.rs1 + FLOAT), e.read(it.rs2 + FLOAT), "i64", DOUBLE.sign
    else:
        a, b, width, sign = _single_bits(e, it.rs1), _single_bits(e, it.rs2), "i32", SINGLE.sign
    if op in (Op.FSGNJX_S, Op.FSGNJX_D):
        value = e.value(f"xor {width} {a}, {e.value(f'and {width} {b}, {sign}')}")
    else:
        if op in (Op.FSGNJN_S, Op.FSGNJN_D):
            b = e.value(f"xor {width} {b}, -1")
        magnitude = e.value(f"and {width} {a}, {~sign}")
        value = e.value(f"or {width} {magnitude}, {e.value(f'and {width} {b}, {sign}')}")
    return value if kind == "double" else _boxed(e, value)


def _move(e: Emitter, it: Instruction, op: Op) -> None:
    """Write a conversion between precisions, or a move between register files."""
    match op:
        case Op.FCVT_S_D:
            number = e.value(f"fptrunc double {_operand(e, it.rs1, 'double')} to float")
            e.write(it.rd + FLOAT, _result(e, number, "float"))
        case Op.FCVT_D_S:
            number = e.value(f"fpext float {_operand(e, it.rs1, 'float')} to double")
            e.write(it.rd + FLOAT, _result(e, number, "double"))
        case Op.FMV_X_W:
            e.write(it.rd, e.extended(e.word(e.read(it.rs1 + FLOAT))))
        case Op.FMV_X_D:
            e.write(it.rd, e.read(it.rs1 + FLOAT))
        case Op.FMV_W_X:
            e.write(it.rd + FLOAT, _boxed(e, e.word(e.read(it.rs1))))
        case _:
            e.write(it.rd + FLOAT, e.read(it.rs1))


DECLARATIONS = "\n".join(
    [f"declare {kind} @llvm.sqrt.{suffix}({kind})\ndeclare {kind} @llvm.fma.{suffix}({kind}, {kind}, {kind})\n"
     f"declare i1 @llvm.is.fpclass.{suffix}({kind}, i32 immarg)"
     for kind, suffix in (("double", "f64"), ("float", "f32"))]
    + [f"declare i{width} @llvm.fpto{sign}i.sat.i{width}.{suffix}({kind})"
       for kind, suffix in (("double", "f64"), ("float", "f32")) for width in (32, 64) for sign in "su"]
)  # fmt: skip
