"""Instructions as text for messages: GNU's operand order, ABI register names, no pseudo-instructions."""

from pim.isa.csr import Csr
from pim.isa.decode import Instruction, decode
from pim.isa.encoding import ENCODINGS, FORMATS, Format
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

CSR_NAMES: dict[int, str] = {csr: csr.name.lower() for csr in Csr}
"""Names of the control registers that these cores have; others are printed as a number."""


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
    mnemonic = instruction.op.mnemonic
    if FORMATS[instruction.op] == Format.AMO:
        mnemonic += ("", ".rl", ".aq", ".aqrl")[instruction.imm]
    return f"{mnemonic} {', '.join(filter(None, operands))}".rstrip()


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
