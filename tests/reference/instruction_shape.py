"""What the timing of an IMAFDC instruction depends on, from its bits: its class and the registers it names.

Written from the manual's opcode map and listings (volume I, chapters "RV32/64G Instruction Set Listings" and "C").
"""

from typing import NamedTuple

Register = tuple[str, int]  # ("x" or "f", number)


class Shape(NamedTuple):
    kind: str
    reads: frozenset[Register]
    loaded: Register | None = None  # target of a load, unless it is x0
    atomic: str | None = None  # "lr", "sc" or "amo"
    is_ordered: bool = False  # aq or rl


ATOMICS = {2: "lr", 3: "sc"}
"""By funct5."""


def shape(word: int, size: int, xlen: int = 64) -> Shape:
    return _wide(word) if size == 4 else _compressed(word, xlen)


def _wide(word: int) -> Shape:  # noqa: PLR0911, PLR0912 - one return per opcode
    rd, rs1, rs2, rs3 = (word >> low & 31 for low in (7, 15, 20, 27))
    x1, x2, f1, f2 = ("x", rs1), ("x", rs2), ("f", rs1), ("f", rs2)
    funct3, funct7 = word >> 12 & 7, word >> 25
    match word & 0x7F:
        case 0x03:
            return _shape("load", x1, loaded=("x", rd))
        case 0x07:
            return _shape("load", x1, loaded=("f", rd))
        case 0x23:
            return _shape("store", x1, x2)
        case 0x27:
            return _shape("store", x1, f2)
        case 0x63:
            return _shape("branch", x1, x2)
        case 0x6F:
            return _shape("jump")
        case 0x67:
            return _shape("jump", x1)
        case 0x37 | 0x17:
            return _shape("alu")
        case 0x13 | 0x1B:
            return _shape("alu", x1)
        case 0x33 | 0x3B if funct7 == 1:
            return _shape("mul" if funct3 < 4 else "div", x1, x2)
        case 0x33 | 0x3B:
            return _shape("alu", x1, x2)
        case 0x0F:
            return _shape("fence.i" if funct3 == 1 else "fence")
        case 0x2F:
            ordered = funct7 & 3 != 0
            return _shape("amo", x1, x2, atomic=ATOMICS.get(funct7 >> 2, "amo"), is_ordered=ordered)
        case 0x73 if funct3 == 0:
            return _shape({0x302: "mret", 0x105: "wfi"}.get(word >> 20, "system"))
        case 0x73:
            return _shape("csr", *((x1,) if funct3 < 4 else ()))
        case 0x43 | 0x47 | 0x4B | 0x4F:
            return _shape("fp_fma", f1, f2, ("f", rs3))
        case 0x53:
            return _float(funct7 >> 2, x1, f1, f2)
    return _shape("illegal")


def _float(funct5: int, x1: Register, f1: Register, f2: Register) -> Shape:  # noqa: PLR0911 - one return per operation
    match funct5:
        case 0x00 | 0x01:
            return _shape("fp_add", f1, f2)
        case 0x02:
            return _shape("fp_mul", f1, f2)
        case 0x03:
            return _shape("fp_div", f1, f2)
        case 0x0B:
            return _shape("fp_sqrt", f1)
        case 0x04:
            return _shape("fp_move", f1, f2)  # sign injection
        case 0x05 | 0x14:
            return _shape("fp_compare", f1, f2)  # minimum and maximum too
        case 0x08 | 0x18:
            return _shape("fp_convert", f1)
        case 0x1A:
            return _shape("fp_convert", x1)
        case 0x1C:
            return _shape("fp_move", f1)  # classification too
        case 0x1E:
            return _shape("fp_move", x1)
    raise ValueError(f"floating-point funct5 {funct5:#x}: no instruction of these cores")


def _compressed(word: int, xlen: int) -> Shape:  # noqa: PLR0911, PLR0912 - one return per row
    sp = ("x", 2)
    full, low = word >> 7 & 31, word >> 2 & 31  # rd or rs1; rs2
    short, low_short = (word >> 7 & 7) + 8, (word >> 2 & 7) + 8
    match word & 3, word >> 13:
        case 0, 3 if xlen == 32:
            return _shape("load", ("x", short), loaded=("f", low_short))  # c.flw, where RV64 has c.ld
        case 0, 7 if xlen == 32:
            return _shape("store", ("x", short), ("f", low_short))
        case 1, 1 if xlen == 32:
            return _shape("jump")  # c.jal, where RV64 has c.addiw
        case 2, 3 if xlen == 32:
            return _shape("load", sp, loaded=("f", full))
        case 2, 7 if xlen == 32:
            return _shape("store", sp, ("f", low))
        case 0, 0:
            return _shape("alu", sp)  # c.addi4spn
        case 0, 1:
            return _shape("load", ("x", short), loaded=("f", low_short))
        case 0, 2 | 3:
            return _shape("load", ("x", short), loaded=("x", low_short))
        case 0, 5:
            return _shape("store", ("x", short), ("f", low_short))
        case 0, 6 | 7:
            return _shape("store", ("x", short), ("x", low_short))
        case 1, 0 | 1:
            return _shape("alu", ("x", full))  # c.addi, c.addiw
        case 1, 2:
            return _shape("alu")  # c.li
        case 1, 3:
            return _shape("alu", *((sp,) if full == 2 else ()))  # c.addi16sp, c.lui
        case 1, 4 if word >> 10 & 3 == 3:
            return _shape("alu", ("x", short), ("x", low_short))
        case 1, 4:
            return _shape("alu", ("x", short))
        case 1, 5:
            return _shape("jump")
        case 1, 6 | 7:
            return _shape("branch", ("x", short))
        case 2, 0:
            return _shape("alu", ("x", full))  # c.slli
        case 2, 1:
            return _shape("load", sp, loaded=("f", full))
        case 2, 2 | 3:
            return _shape("load", sp, loaded=("x", full))
        case 2, 4 if low == 0:
            return _shape("jump", ("x", full))  # c.jr, c.jalr
        case 2, 4:
            return _shape("alu", ("x", low), *((("x", full),) if word >> 12 & 1 else ()))  # c.mv, c.add
        case 2, 5:
            return _shape("store", sp, ("f", low))
        case 2, 6 | 7:
            return _shape("store", sp, ("x", low))
    raise ValueError(f"{word:#06x}: no instruction of these cores")


def _shape(
    kind: str,
    *reads: Register,
    loaded: Register | None = None,
    atomic: str | None = None,
    is_ordered: bool = False,
) -> Shape:
    return Shape(kind, frozenset(reads), None if loaded == ("x", 0) else loaded, atomic, is_ordered)
