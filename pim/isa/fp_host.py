"""Sums, products, quotients and square roots by the host's arithmetic, where that gives result and flags for certain.

That is: rounding to nearest even, a normal result (or an exact zero), and an inexactness that is either flagged already
or seen in the error, which the host computes exactly as long as nothing is near the ends of the exponent's range. For
the rest, flags are `UNKNOWN` and `pim.isa.fp_soft` has to do it. Functions ending in ``_bits`` take and return bits as
in `pim.isa.fp_format`; the others float64 or float32, whose smallest normal number they get as ``smallest``, and as
``safe`` the smallest product that has a normal error; 1 / safe is taken as the largest.

References
----------
S. Boldo and J.-M. Muller, "Exact and Approximated Error of the FMA", IEEE Transactions on Computers 60(2), 2011,
algorithm ErrFmaNearest; D. E. Knuth, The Art of Computer Programming, volume 2, section 4.2.2 (error of a sum);
P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", IBM Journal of Research and
Development 34(1), 1990 (remainders of quotient and square root).
"""

import numpy as np

from pim.isa.fma import Number, fused_multiply_add
from pim.isa.fp_format import DOUBLE, NX, Precision
from pim.jit import kernel

UNKNOWN = -1
"""Flags that the host can't tell."""

_SMALLEST_DOUBLE, _SMALLEST_SINGLE = 2.0**-1022, 2.0**-126
_SAFE_DOUBLE, _SAFE_SINGLE = 2.0**-916, 2.0**-78  # the smallest times 2**(2 p), with p = 53 and 24 digits


@kernel
def multiply_add_bits(a: int, b: int, c: int, accrued: int, f: Precision) -> tuple[int, int]:
    """Return a * b + c, and flags or UNKNOWN; ``accrued`` are the flags raised before."""
    if f.fraction_bits == DOUBLE.fraction_bits:
        x, y, z = to_double(a), to_double(b), to_double(c)
        double, flags = multiply_add(x, y, z, accrued, _SMALLEST_DOUBLE, _SAFE_DOUBLE)
        return bits_of_double(double), flags
    single, flags = multiply_add(to_single(a), to_single(b), to_single(c), accrued, _SMALLEST_SINGLE, _SAFE_SINGLE)
    return bits_of_single(single), flags


@kernel
def divide_bits(a: int, b: int, accrued: int, f: Precision) -> tuple[int, int]:
    """Return a / b, and flags or UNKNOWN; ``accrued`` are the flags raised before."""
    if f.fraction_bits == DOUBLE.fraction_bits:
        double, flags = divide(to_double(a), to_double(b), accrued, _SMALLEST_DOUBLE, _SAFE_DOUBLE)
        return bits_of_double(double), flags
    single, flags = divide(to_single(a), to_single(b), accrued, _SMALLEST_SINGLE, _SAFE_SINGLE)
    return bits_of_single(single), flags


@kernel
def square_root_bits(a: int, f: Precision) -> tuple[int, int]:
    """Return the square root of ``a``, and flags or UNKNOWN."""
    if f.fraction_bits == DOUBLE.fraction_bits:
        double, flags = square_root(to_double(a), _SAFE_DOUBLE)
        return bits_of_double(double), flags
    single, flags = square_root(to_single(a), _SAFE_SINGLE)
    return bits_of_single(single), flags


@kernel
def multiply_add(a: Number, b: Number, c: Number, accrued: int, smallest: float, safe: float) -> tuple[Number, int]:
    """Return a * b + c, and flags or UNKNOWN."""
    result = fused_multiply_add(a, b, c)
    if accrued & NX and smallest < abs(result) < np.inf:
        return result, NX
    product = a * b
    if not (safe <= abs(product) <= 1 / safe or a == 0 or b == 0) or not abs(result) <= 1 / safe:
        return result, UNKNOWN
    product_error = fused_multiply_add(a, b, -product)
    low_sum, lowest = two_sum(c, product_error)
    high_sum, low = two_sum(product, low_sum)
    error = (high_sum - result) + low  # the exact error is error + lowest
    return result, 0 if error == -lowest else NX


@kernel
def two_sum(a: Number, b: Number) -> tuple[Number, Number]:
    """Return the rounded sum and its exact error."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


@kernel
def divide(a: Number, b: Number, accrued: int, smallest: float, safe: float) -> tuple[Number, int]:
    """Return a / b, and flags or UNKNOWN."""
    result = a / b
    if not smallest < abs(result) < np.inf:
        return result, UNKNOWN
    if accrued & NX:
        return result, NX
    if not safe <= abs(a) <= 1 / safe:
        return result, UNKNOWN
    return result, 0 if fused_multiply_add(-result, b, a) == 0 else NX


@kernel
def square_root(a: Number, safe: float) -> tuple[Number, int]:
    """Return the square root of ``a``, and flags or UNKNOWN."""
    result = np.sqrt(a)
    if not safe <= a <= 1 / safe:
        return result, UNKNOWN
    return result, 0 if fused_multiply_add(-result, result, a) == 0 else NX


@kernel
def to_double(bits: int) -> float:
    """Return a double as the host's."""
    return np.int64(bits).view(np.float64)


@kernel
def to_single(bits: int) -> np.float32:
    """Return a single as the host's."""
    return np.int32(np.int64(bits)).view(np.float32)


@kernel
def bits_of_double(value: float) -> int:
    """Return the bits of a double."""
    return int(np.float64(value).view(np.int64))


@kernel
def bits_of_single(value: np.float32) -> int:
    """Return the bits of a single."""
    return int(np.int64(np.float32(value).view(np.uint32)))
