"""Fused multiply-add with one rounding, to nearest even: the host's instruction, or exact fractions as plain Python."""

import math
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numba.extending import intrinsic, overload

Number = TypeVar("Number", float, np.float32)


def fused_multiply_add(a: Number, b: Number, c: Number) -> Number:
    """Return a * b + c, rounded once; all three float64, or all three float32.

    In a kernel this is LLVM's ``fma``; as plain Python it is computed exactly and is slow.
    """
    kind = type(a)
    product_sign = math.copysign(1.0, a) * math.copysign(1.0, b)
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        # The product of finite numbers is only asked for its sign: it may overflow, but not cancel an infinite c.
        product = product_sign if math.isfinite(a) and math.isfinite(b) else float(a) * float(b)
        return kind(product + float(c))
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if exact:
        return round_to_nearest_even(exact, kind)
    zero_sign = product_sign if product_sign == math.copysign(1.0, c) and c == 0 else 1.0
    return kind(math.copysign(0.0, zero_sign))


def round_to_nearest_even(exact: Fraction, kind: type[Number]) -> Number:
    """Return the number of type ``kind`` nearest to ``exact``, which is not 0; infinite beyond the largest."""
    info = np.finfo(kind)
    numerator, denominator = abs(exact.numerator), exact.denominator
    exponent = numerator.bit_length() - denominator.bit_length()
    if Fraction(numerator, denominator) < Fraction(2) ** exponent:
        exponent -= 1
    last_place = max(exponent, int(info.minexp)) - info.nmant
    steps = round(abs(exact) / Fraction(2) ** last_place)  # Python rounds halves to even
    magnitude = steps * Fraction(2) ** last_place
    value = math.inf if magnitude > Fraction(float(info.max)) else float(magnitude)
    return kind(value if exact > 0 else -value)


@intrinsic  # type: ignore[untyped-decorator]
def _llvm_fma(_typing: Any, a: Any, b: Any, c: Any) -> Any:
    """Return LLVM's fma of three floats of one type."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.fma(*arguments)

    return a(a, b, c), generate


@overload(fused_multiply_add)  # type: ignore[untyped-decorator]
def _overload_fused_multiply_add(a: Any, b: Any, c: Any) -> Any:
    """Let kernels call `fused_multiply_add`."""

    def call(a: Any, b: Any, c: Any) -> Any:
        return _llvm_fma(a, b, c)

    return call
