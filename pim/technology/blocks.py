"""Gates of a bank core's blocks at any size: straight lines between synthesised sizes, and beyond the largest.

Linear are the number of line buffers, the sectors of each, the lines of the instruction buffer and the bits of an
address: each adds registers and comparators. The row port's part grows with the row's bytes (assumption: it is a
multiplexer of them). Tests compare the lines with configurations that they do not use.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cache

from pim.technology.band import Band
from pim.technology.synthesis import synthesis

BANK_ADDRESS_BITS = 26
"""Bits of an address in a bank of 64 MiB, with which sizes were synthesised."""

RANK_ADDRESS_BITS = 33
"""The widest addresses that were synthesised."""

SYNTHESISED_LINE_BYTES = 1024
SYNTHESISED_ROW_BYTES = 1024
SYNTHESISED_INSTRUCTION_LINE_BYTES = 64

_LINE_BUFFERS = (1, 5, 16)
_ROW_LINE_BUFFERS = (1, 5)
_SECTORS = (1, 16, 32)
_INSTRUCTION_LINES = (2, 16, 64)


def line_buffer_control(
    line_buffers: int, sectors: int, address_bits: int, line_bytes: int, row_port_bytes: int = 0
) -> Band:
    """Return kGE of line buffers without their SRAM: tags, states, order of use, requests.

    Parameters
    ----------
    line_buffers : int
        Their number, > 0.
    sectors : int
        Of each line; 1 with a row port.
    address_bits : int
        Bits of an address in the core's memory.
    line_bytes : int
        Bytes of a line.
    row_port_bytes : int
        Bytes of a row where the port moves a whole one, else 0.
    """
    gates = _line(_LINE_BUFFERS, line_buffers, lambda n: _line(_SECTORS, sectors, lambda s: _lines(n, s)))
    bit = (_lines(5, 16, RANK_ADDRESS_BITS) - _lines(5, 16)) * (1 / (RANK_ADDRESS_BITS - BANK_ADDRESS_BITS))
    tag_bits = address_bits - BANK_ADDRESS_BITS - _log2_ratio(line_bytes, SYNTHESISED_LINE_BYTES)
    gates = gates + bit * (tag_bits * line_buffers / 5)
    if row_port_bytes:
        wide = _line(
            _ROW_LINE_BUFFERS, line_buffers, lambda n: _lines(n, 1, port_bytes=SYNTHESISED_ROW_BYTES) - _lines(n, 1)
        )
        gates = gates + wide * (row_port_bytes / SYNTHESISED_ROW_BYTES)
    return gates


def fetch_control(lines: int, address_bits: int, line_bytes: int, fill_bytes: int, xlen: int) -> Band:
    """Return kGE of the fetch unit without its SRAM: program counter, window, tags of the instruction buffer.

    Parameters
    ----------
    lines : int
        Lines of the instruction buffer.
    address_bits : int
        Bits of an address in the core's memory.
    line_bytes : int
        Bytes of such a line.
    fill_bytes : int
        Bytes of it that one column brings.
    xlen : int
        Bits of a register.
    """
    filled = _line((8, 64), fill_bytes, lambda fill: _fetch(16, fill=fill, xlen=xlen))
    sized = _line(_INSTRUCTION_LINES, lines, _fetch) - _fetch(16)
    bit = (_fetch(16, RANK_ADDRESS_BITS) - _fetch(16)) * (1 / (RANK_ADDRESS_BITS - BANK_ADDRESS_BITS))
    tag_bits = address_bits - BANK_ADDRESS_BITS - _log2_ratio(line_bytes, SYNTHESISED_INSTRUCTION_LINE_BYTES)
    return filled + sized + bit * (tag_bits * lines / 16)


def bank_block(block: str, xlen: int, port: str = "column") -> Band:
    """Return kGE of one block of the default bank core with registers of `xlen` bits, and with the port it has."""
    return synthesis().bank(f"rv{xlen}, {port}").band(block)


def bank_blocks(xlen: int) -> tuple[str, ...]:
    """Return the names of the blocks of the default bank core with registers of `xlen` bits."""
    return tuple(synthesis().bank(f"rv{xlen}, column").osu018.blocks)


@cache
def _lines(line_buffers: int, sectors: int, address_bits: int = BANK_ADDRESS_BITS, port_bytes: int = 8) -> Band:
    return synthesis().point(
        "pim_line_buffers",
        LineBuffers=line_buffers,
        SectorBytes=SYNTHESISED_LINE_BYTES // sectors,
        MemoryBits=address_bits,
        PortBytes=port_bytes,
    )


@cache
def _fetch(lines: int, address_bits: int = BANK_ADDRESS_BITS, fill: int = 8, xlen: int = 64) -> Band:
    size = SYNTHESISED_INSTRUCTION_LINE_BYTES * lines
    return synthesis().point("pim_fetch", BufferBytes=size, MemoryBits=address_bits, FillBytes=fill, Xlen=xlen)


def _line(at: Sequence[int], wanted: int, area: Callable[[int], Band]) -> Band:
    """Return the area at `wanted` on the line through its neighbours in `at`, or through the two nearest."""
    above = min(max(bisect_right(at, wanted), 1), len(at) - 1)
    low, high = at[above - 1], at[above]
    if wanted == low:
        return area(low)
    share = (wanted - low) / (high - low)
    return area(low) * (1 - share) + area(high) * share


def _log2_ratio(bytes_: int, reference: int) -> int:
    return bytes_.bit_length() - reference.bit_length()
