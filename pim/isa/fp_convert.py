"""Conversions between floating point and integers, and between precisions, in every rounding mode.

References
----------
The RISC-V Instruction Set Manual, volume I (unprivileged), chapter "F" Extension, table "Domains of float-to-integer
conversions and behavior for invalid inputs".
"""

import numpy as np

from pim.isa.alu import LOW_WORD, bit_length, ltu, sext32, srl, zext32
from pim.isa.fp_bits import is_nan, is_signaling, with_sign
from pim.isa.fp_format import NV, NX, Precision
from pim.isa.fp_round import LEADING, pack, round_off, shift_right, unpack
from pim.isa.muldiv import magnitude
from pim.jit import kernel


@kernel
def to_integer(bits: int, width: int, is_signed: bool, mode: int, f: Precision) -> tuple[int, int]:
    """Return a number as an integer of 32 or 64 bits, as registers hold it, and flags.

    What is out of range, or NaN, is invalid and gives the nearest integer, or the largest.
    """
    is_negative = bits & f.sign != 0 and not is_nan(bits, f)
    size = bits & ~f.sign
    if size == 0:
        return 0, 0
    exponent, significand = unpack(size, f)
    steps, is_inexact, limit = 0, False, largest(width, is_signed, is_negative)
    if exponent <= LEADING:
        discarded = LEADING - exponent
        if discarded > LEADING + 1:
            significand = shift_right(significand, discarded - LEADING - 1)
            discarded = LEADING + 1
        steps, _, is_inexact = round_off(significand, discarded, is_negative, mode)
    elif exponent < 64:
        steps = int(np.int64(significand) << np.int64(exponent - LEADING))
    flags = NX if is_inexact else 0
    if exponent >= 64 or ltu(limit, steps):
        steps, flags = limit, NV
    value = int(-np.int64(steps)) if is_negative else steps
    return sext32(value) if width == 32 else value, flags


@kernel
def largest(width: int, is_signed: bool, is_negative: bool) -> int:
    """Return the largest magnitude of a sign that an integer can have, as an unsigned number of 64 bits."""
    if is_signed:
        limit = np.int64(1) << np.int64(width - 1)
        return int(limit if is_negative else limit - 1)
    if is_negative:
        return 0
    return LOW_WORD if width == 32 else -1


@kernel
def from_integer(value: int, width: int, is_signed: bool, mode: int, f: Precision) -> tuple[int, int]:
    """Return the bits of an integer of 32 or 64 bits (what is above them is ignored), and flags."""
    if width == 32:
        value = sext32(value) if is_signed else zext32(value)
    is_negative = is_signed and value < 0
    size = magnitude(value) if is_negative else value
    if size == 0:
        return 0, 0
    length = bit_length(size)
    shift = length - LEADING - 1
    significand = size << -shift if shift <= 0 else srl(size, shift) | (1 if size & ((1 << shift) - 1) else 0)
    return pack(is_negative, length - 1, significand, mode, f)


@kernel
def to_precision(bits: int, source: Precision, mode: int, target: Precision) -> tuple[int, int]:
    """Return the bits of a number in another precision, and flags."""
    is_negative = bits & source.sign != 0
    size = bits & ~source.sign
    if size > source.infinity:
        return target.nan, NV if is_signaling(bits, source) else 0
    if size == source.infinity:
        return with_sign(target.infinity, is_negative, target), 0
    if size == 0:
        return with_sign(0, is_negative, target), 0
    exponent, significand = unpack(size, source)
    return pack(is_negative, exponent, significand, mode, target)
