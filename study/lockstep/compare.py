"""Two traces of one program, entry by entry: where they part for the first time, and what came before."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pim.errors import LoadError
from pim.isa import disassemble
from pim.isa.decode import decode
from pim.system.record import LOAD, RETIRED, STORE, TRAP

FIELDS = ("cycle", "pc", "word", "kind", "rd", "value", "address", "stored")
_DIGITS = (16, 16, 8, 2, 2, 16, 16, 16)
_LINE = sum(_DIGITS) + 1
_CONTEXT = 5


@dataclass(frozen=True)
class End:
    """How a run ended: 0 by tohost or not at all, 2 by exit, 3 by a trap; exit code or cause; RETURN; memory's sum."""

    state: int
    code: int
    returned: int
    memory: int


@dataclass(frozen=True)
class Difference:
    """The first entry in which model and RTL differ, or how they ended."""

    at: int
    fields: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Comparison:
    """One program: entries that are the same, last cycle, and the first difference if there is one.

    ``act_waits`` counts the tCK in which the RTL's bank could have taken an ACT and the die's budget or the order of
    requests held it back.
    """

    name: str
    n_same: int
    cycles: int
    difference: Difference | None
    act_waits: int


def read_trace(path: Path) -> tuple[Any, End, int, int]:
    """Return the RTL's entries, a record array ``RETIRED``, its end, the tCK it waited for ACTs, and the last clock.

    Raises
    ------
    LoadError
        If the file is not a whole trace.
    """
    content = path.read_bytes()
    n_rows = content.count(b"\n") - 1
    rows, end = content[: n_rows * _LINE], content[n_rows * _LINE :].split()
    if n_rows < 0 or len(end) != 7 or end[0] != b"end":
        raise LoadError(f"rtl: {path.name} is no whole trace: the simulation was cut off")
    if any(set(word) & set(b"xXzZ") for word in (rows, *end)):
        raise LoadError(f"rtl: {path.name} has unknown values (x or z)")
    text = np.frombuffer(rows, np.uint8).reshape(n_rows, _LINE)[:, :-1]
    nibbles = np.where(text > ord("9"), text - ord("a") + 10, text - ord("0")).astype(np.uint64)
    table = np.zeros(n_rows, RETIRED).view(np.recarray)
    start = 0
    for name, digits in zip(FIELDS, _DIGITS, strict=True):
        table[name] = _number(nibbles[:, start : start + digits])
        start += digits
    *ended, act_waits, clock = (int(word, 16) for word in end[1:])
    return table, End(*ended), act_waits, clock


def _number(nibbles: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    value = np.zeros(len(nibbles), np.uint64)
    for column in nibbles.T:
        value = value << np.uint64(4) | column
    return value.view(np.int64)


def compare(
    name: str, model: tuple[Any, End], rtl: tuple[Any, End], xlen: int, extensions: str, act_waits: int
) -> Comparison:
    """Compare what both retired, and how they ended; a run ended by ``tohost`` has no end in the RTL to compare."""
    (expected, expected_end), (got, got_end) = model, rtl
    n = min(len(expected), len(got))
    by_tohost = expected_end.state == 0
    differs = np.zeros(n, bool)
    for field in FIELDS:
        unequal = expected[field][:n] != got[field][:n]
        if by_tohost and field == "cycle" and n == len(expected):
            unequal[-1] = False  # the model's last store waits until all is written back
        differs |= unequal
    cycles = int(expected.cycle[-1]) if len(expected) else 0
    if differs.any() or len(expected) != len(got):
        at = int(np.flatnonzero(differs)[0]) if differs.any() else n
        return Comparison(name, at, cycles, _difference(at, expected, got, xlen, extensions), act_waits)
    if expected_end != got_end and not by_tohost:
        text = f"{name}: the same instructions, but another end\n  model {expected_end}\n  RTL   {got_end}"
        return Comparison(name, n, cycles, Difference(n, ("end",), text), act_waits)
    return Comparison(name, n, cycles, None, act_waits)


def _difference(at: int, expected: Any, got: Any, xlen: int, extensions: str) -> Difference:
    pair = [rows[at] if at < len(rows) else None for rows in (expected, got)]
    fields = tuple(f for f in FIELDS if pair[0] is None or pair[1] is None or pair[0][f] != pair[1][f])
    lines = [f"entry {at} differs in {', '.join(fields)}"]
    lines += [f"  both  {_line(row, xlen, extensions)}" for row in expected[max(0, at - _CONTEXT) : at]]
    for who, row in zip(("model", "RTL  "), pair, strict=True):
        lines.append(f"  {who} {'has ended' if row is None else _line(row, xlen, extensions)}")
    return Difference(at, fields, "\n".join(lines))


def _line(row: Any, xlen: int, extensions: str) -> str:
    """Return an entry for people."""
    word, mask = int(row.word) & 0xFFFF_FFFF, (1 << 64) - 1
    pc = int(row.pc) & mask
    parts = [f"{int(row.cycle):9} {pc:0{xlen // 4}x} {disassemble(decode(word, xlen, extensions), pc)}"]
    if row.rd:
        parts.append(f"x{int(row.rd)}={int(row.value) & mask:x}")
    if row.kind in (LOAD, STORE):
        parts.append(
            f"at {int(row.address) & mask:x}" + (f" store {int(row.stored) & mask:x}" if row.kind == STORE else "")
        )
    if row.kind & TRAP:
        parts.append(f"trap {int(row.kind) & ~TRAP}")
    return "  ".join(parts)
