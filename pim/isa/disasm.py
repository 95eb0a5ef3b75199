"""Instructions as text for messages: GNU's operand order, ABI register names, no pseudo-instructions."""

from pim.isa.decode import Instruction, decode
from pim.isa.encoding import ENCODINGS
from pim.isa.ops import Op

INTEGER_REGISTERS = (
    *("zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1"),
    *(f"a{number}" for number in range(8)),
    *(f"s{number}" for number in range(2, 12)),
    *(f"t{number}" for number in range(3, 7)),
)
"""ABI names of x0 to x31 (RISC-V ELF psABI, "Integer Register Convention")."""

FLOAT_REGISTERS = (
    *(f"ft{number}" for number in range(8)),
    *("fs0", "fs1"),
    *(f"fa{number}" for number in range(8)),
    *(f"fs{number}" for number in range(2, 12)),
    *(f"ft{number}" for number in range(8, 12)),
)
"""ABI names of f0 to f31 (RISC-V ELF psABI, "Floating-point Register Convention")."""

ROUNDING_MODES = {0: "rne", 1: "rtz", 2: "rdn", 3: "rup", 4: "rmm", 7: ""}
"""Names as the assembler writes them; the dynamic mode is the one it leaves out."""

CSR_NAMES = {
    0x001: "fflags",
    0x002: "frm",
    0x003: "fcsr",
    0x300: "mstatus",
    0x301: "misa",
    0x304: "mie",
    0x305: "mtvec",
    0x340: "mscratch",
    0x341: "mepc",
    0x342: "mcause",
    0x343: "mtval",
    0x344: "mip",
    0xB00: "mcycle",
    0xB02: "minstret",
    0xC00: "cycle",
    0xC01: "time",
    0xC02: "instret",
    0xF14: "mhartid",
}
"""Names of the control registers that programs for these cores use; others are printed as a number."""


def disassemble(instruction: Instruction | int, pc: int | None = None, xlen: int = 64) -> str:
    """Return the text of an instruction, for example ``addi a0, a0, 1``.

    Parameters
    ----------
    instruction : Instruction or int
        A decoded instruction, or its bits; a compressed one is shown as the operation it stands for.
    pc : int, optional
        Its address: branch targets become absolute. Without it they are offsets in bytes, such as ``. + 16``.
    xlen : int
        32 or 64 bits, if bits are given.
    """
    if isinstance(instruction, int):
        instruction = decode(instruction, xlen)
    if instruction.op is Op.ILLEGAL:
        return f".{instruction.size}byte 0x{instruction.imm:0{2 * instruction.size}x}"
    operands = (
        "".join(_operand(code, instruction, pc) for code in operand)
        for operand in ENCODINGS[instruction.op].syntax.split(",")
    )
    return f"{instruction.op.mnemonic} {', '.join(filter(None, operands))}".rstrip()


def _operand(code: str, instruction: Instruction, pc: int | None) -> str:  # noqa: PLR0911 - one return per operand kind
    """Return the text of one character of the table's operand syntax."""
    if code in _REGISTERS:
        field, names = _REGISTERS[code]
        number: int = getattr(instruction, field)
        return names[number]
    match code:
        case "j" | ">" | "o":
            return str(instruction.imm)
        case "u":
            return hex(instruction.imm >> 12 & 0xFFFFF)
        case "p":
            return f". {instruction.imm:+d}" if pc is None else hex(pc + instruction.imm)
        case "m":
            return ROUNDING_MODES[instruction.rm]
        case "E":
            return CSR_NAMES.get(instruction.imm, hex(instruction.imm))
        case "Z":
            return str(instruction.rs1)
        case "P":
            return f"{_fence_set(instruction.imm >> 4)}, {_fence_set(instruction.imm)}"
        case _:
            return code


_REGISTERS = {
    "d": ("rd", INTEGER_REGISTERS),
    "s": ("rs1", INTEGER_REGISTERS),
    "t": ("rs2", INTEGER_REGISTERS),
    "D": ("rd", FLOAT_REGISTERS),
    "S": ("rs1", FLOAT_REGISTERS),
    "T": ("rs2", FLOAT_REGISTERS),
    "R": ("rs3", FLOAT_REGISTERS),
}
"""Operand character: field of the instruction and names."""


def _fence_set(value: int) -> str:
    """Return a fence's set of accesses, some of ``iorw``; 0 for none."""
    return "".join(letter for bit, letter in zip((8, 4, 2, 1), "iorw", strict=True) if value & bit) or "0"
