"""Native code of integer arithmetic; results are those of `pim.core.step`."""

from pim.core.translate.emitter import Emitter
from pim.core.translate.plan import Instruction
from pim.isa import Op

_SIMPLE = {
    Op.ADDI: "add",
    Op.ADD: "add",
    Op.SUB: "sub",
    Op.ANDI: "and",
    Op.AND: "and",
    Op.ORI: "or",
    Op.OR: "or",
    Op.XORI: "xor",
    Op.XOR: "xor",
    Op.MUL: "mul",
}
_SHIFTS = {
    Op.SLLI: "shl",
    Op.SLL: "shl",
    Op.SRLI: "lshr",
    Op.SRL: "lshr",
    Op.SRAI: "ashr",
    Op.SRA: "ashr",
}
_WORDS = {Op.ADDIW: "add", Op.ADDW: "add", Op.SUBW: "sub", Op.MULW: "mul"}
_WORD_SHIFTS = {
    Op.SLLIW: "shl",
    Op.SLLW: "shl",
    Op.SRLIW: "lshr",
    Op.SRLW: "lshr",
    Op.SRAIW: "ashr",
    Op.SRAW: "ashr",
}
_COMPARISONS = {Op.SLTI: "slt", Op.SLT: "slt", Op.SLTIU: "ult", Op.SLTU: "ult"}
_UPPER = {Op.MULH: ("sext", "sext"), Op.MULHSU: ("sext", "zext"), Op.MULHU: ("zext", "zext")}
_DIVISIONS = {
    Op.DIV: ("sdiv", "i64"),
    Op.DIVU: ("udiv", "i64"),
    Op.REM: ("srem", "i64"),
    Op.REMU: ("urem", "i64"),
    Op.DIVW: ("sdiv", "i32"),
    Op.DIVUW: ("udiv", "i32"),
    Op.REMW: ("srem", "i32"),
    Op.REMUW: ("urem", "i32"),
}
_SMALLEST = {"i64": -(1 << 63), "i32": -(1 << 31)}

INTEGER_OPS = frozenset(
    {Op.LUI, *_SIMPLE, *_SHIFTS, *_WORDS, *_WORD_SHIFTS, *_COMPARISONS, *_UPPER, *_DIVISIONS}
)  # fmt: skip


def emit_integer(e: Emitter, it: Instruction) -> None:
    """Write an operation on integer registers."""
    a = e.read(it.rs1)
    b = str(it.imm) if it.op < Op.ADD else e.read(it.rs2)
    e.write(it.rd, integer_result(e, Op(it.op), a, b))


def integer_result(e: Emitter, op: Op, a: str, b: str) -> str:  # noqa: PLR0911 - one return per group
    """Return the result of an operation on two i64."""
    if op is Op.LUI:
        return e.value(f"add i64 {b}, 0")
    if op in _SIMPLE:
        return e.value(f"{_SIMPLE[op]} i64 {a}, {b}")
    if op in _SHIFTS:
        return e.value(f"{_SHIFTS[op]} i64 {a}, {e.value(f'and i64 {b}, 63')}")
    if op in _WORDS:
        return e.extended(e.word(e.value(f"{_WORDS[op]} i64 {a}, {b}")))
    if op in _WORD_SHIFTS:
        steps = e.value(f"and i32 {e.word(b)}, 31")
        return e.extended(e.value(f"{_WORD_SHIFTS[op]} i32 {e.word(a)}, {steps}"))
    if op in _COMPARISONS:
        return e.extended(e.value(f"icmp {_COMPARISONS[op]} i64 {a}, {b}"), "i1", is_signed=False)
    if op in _UPPER:
        return _upper_product(e, *_UPPER[op], a, b)
    return _division(e, *_DIVISIONS[op], a, b)


def _upper_product(e: Emitter, extend_a: str, extend_b: str, a: str, b: str) -> str:
    """Return the upper half of a product; RV32's factors have 32 bits."""
    if e.xlen == 32:
        wide_a = e.value(f"{extend_a} i32 {e.word(a)} to i64")
        wide_b = e.value(f"{extend_b} i32 {e.word(b)} to i64")
        product = e.value(f"mul i64 {wide_a}, {wide_b}")
        return e.extended(e.word(e.value(f"lshr i64 {product}, 32")))
    wide_a = e.value(f"{extend_a} i64 {a} to i128")
    wide_b = e.value(f"{extend_b} i64 {b} to i128")
    product = e.value(f"mul i128 {wide_a}, {wide_b}")
    return e.value(f"trunc i128 {e.value(f'lshr i128 {product}, 64')} to i64")


def _division(e: Emitter, instruction: str, kind: str, a: str, b: str) -> str:
    """Return a quotient or remainder, with the manual's results for a divisor of 0 and for overflow."""
    if kind == "i32":
        a, b = e.word(a), e.word(b)
    by_zero = e.value(f"icmp eq {kind} {b}, 0")
    harmless = by_zero
    if instruction in ("sdiv", "srem"):
        is_least = e.value(f"icmp eq {kind} {a}, {_SMALLEST[kind]}")
        by_minus_one = e.value(f"icmp eq {kind} {b}, -1")
        harmless = e.value(f"or i1 {by_zero}, {e.value(f'and i1 {is_least}, {by_minus_one}')}")
    divisor = e.value(f"select i1 {harmless}, {kind} 1, {kind} {b}")
    result = e.value(f"{instruction} {kind} {a}, {divisor}")
    special = "-1" if instruction.endswith("div") else a
    result = e.value(f"select i1 {by_zero}, {kind} {special}, {kind} {result}")
    return e.extended(result) if kind == "i32" else result
