"""Every F and D instruction that computes, on the 64 bits of registers, from exact fractions."""

from tests.reference import floating_point as exact
from tests.reference.floating_point import DOUBLE, SINGLE
from tests.reference.integer_arithmetic import signed, unsigned

FORMATS = {"s": SINGLE, "d": DOUBLE}
BOX = 0xFFFFFFFF << 32
_TWO = {"fadd": exact.add, "fsub": exact.subtract, "fmul": exact.multiply, "fdiv": exact.divide}
_WITHOUT_MODE = {
    **{"fmin": exact.minimum, "fmax": exact.maximum},
    **{"feq": exact.equal, "flt": exact.less, "fle": exact.less_or_equal},
}
_NEGATED = {"fmadd": "", "fmsub": "c", "fnmsub": "a", "fnmadd": "ac"}
_INTEGERS = {"w": (32, True), "wu": (32, False), "l": (64, True), "lu": (64, False)}


def boxed(f, bits):
    return bits | BOX if f is SINGLE else bits


def unboxed(f, register):
    if f is DOUBLE:
        return register
    return register & 0xFFFFFFFF if register >> 32 == 0xFFFFFFFF else SINGLE.nan


def execute(mnemonic, a, b, c, integer, mode):
    """Return the result register and the flags; a, b, c are floating-point registers and `integer` is rs1."""
    name, *kinds = mnemonic.split(".")
    if name == "fmv":
        return _moved(kinds, a, integer), 0
    if name == "fcvt":
        return _converted(kinds, a, integer, mode)
    f = FORMATS[kinds[0]]
    a, b, c = (unboxed(f, register) for register in (a, b, c))
    if name in _WITHOUT_MODE:
        result, flags = _WITHOUT_MODE[name](f, a, b)
        return boxed(f, result) if name in ("fmin", "fmax") else result, flags
    if name == "fclass":
        return exact.classify(f, a), 0
    if name.startswith("fsgnj"):
        sign_a, sign_b = a & f.sign_bit, b & f.sign_bit
        sign = {"fsgnj": sign_b, "fsgnjn": sign_b ^ f.sign_bit, "fsgnjx": sign_a ^ sign_b}[name]
        return boxed(f, f.magnitude(a) | sign), 0
    if name == "fsqrt":
        result, flags = exact.square_root(f, a, mode)
    elif name in _TWO:
        result, flags = _TWO[name](f, a, b, mode)
    else:
        a = f.negated(a) if "a" in _NEGATED[name] else a
        c = f.negated(c) if "c" in _NEGATED[name] else c
        result, flags = exact.fused_multiply_add(f, a, b, c, mode)
    return boxed(f, result), flags


def _moved(kinds, a, integer):
    match kinds:
        case ["x", "w"]:
            return unsigned(signed(a, 32), 64)
        case ["w", "x"]:
            return boxed(SINGLE, integer & 0xFFFFFFFF)
        case ["x", "d"]:
            return a
        case ["d", "x"]:
            return integer
        case _:
            raise ValueError(f"fmv.{'.'.join(kinds)} is no instruction")


def _converted(kinds, a, integer, mode):
    target, source = kinds
    if target in _INTEGERS:
        bits, is_signed = _INTEGERS[target]
        value, flags = exact.to_integer(FORMATS[source], unboxed(FORMATS[source], a), mode, bits, is_signed=is_signed)
        return unsigned(signed(value, bits), 64), flags
    if source in _INTEGERS:
        bits, is_signed = _INTEGERS[source]
        value = signed(integer, bits) if is_signed else unsigned(integer, bits)
        result, flags = exact.from_integer(FORMATS[target], value, mode)
    else:
        result, flags = exact.convert(FORMATS[source], FORMATS[target], unboxed(FORMATS[source], a), mode)
    return boxed(FORMATS[target], result), flags
