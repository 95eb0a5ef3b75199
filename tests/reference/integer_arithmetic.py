"""RV32/RV64 M and shifts in exact integers, straight from the manual's sentences."""


def signed(value: int, bits: int) -> int:
    """Return the low bits as a two's complement number."""
    value %= 1 << bits
    return value - (1 << bits) if value >> (bits - 1) else value


def unsigned(value: int, bits: int) -> int:
    return value % (1 << bits)


def upper_product(left: int, right: int, bits: int, *, left_signed: bool, right_signed: bool) -> int:
    a = signed(left, bits) if left_signed else unsigned(left, bits)
    b = signed(right, bits) if right_signed else unsigned(right, bits)
    return signed(a * b >> bits, bits)


def divide(dividend: int, divisor: int, bits: int, *, is_signed: bool) -> tuple[int, int]:
    """Return (quotient, remainder), both as signed numbers of that width."""
    view = signed if is_signed else unsigned
    a, b = view(dividend, bits), view(divisor, bits)
    if b == 0:
        return -1, signed(a, bits)
    quotient = abs(a) // abs(b)
    if (a < 0) != (b < 0):
        quotient = -quotient
    return signed(quotient, bits), signed(a - quotient * b, bits)
