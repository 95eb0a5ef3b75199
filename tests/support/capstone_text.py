"""Capstone's disassembly, with its spelling turned into ours: no pseudo-instructions, decimal numbers."""

import re

import capstone

_MODES = {32: capstone.CS_MODE_RISCV32, 64: capstone.CS_MODE_RISCV64}

PSEUDO = {  # capstone's mnemonic: ours, with its operands by position
    "neg": "sub {0}, zero, {1}",
    "negw": "subw {0}, zero, {1}",
    "sltz": "slt {0}, {1}, zero",
    "sgtz": "slt {0}, zero, {1}",
    "nop": "addi zero, zero, 0",
    "mv": "addi {0}, {1}, 0",
    "not": "xori {0}, {1}, -1",
    "sext.w": "addiw {0}, {1}, 0",
    "ret": "jalr zero, 0(ra)",
    "seqz": "sltiu {0}, {1}, 1",
    "snez": "sltu {0}, zero, {1}",
    "beqz": "beq {0}, zero, {1}",
    "bnez": "bne {0}, zero, {1}",
    "bgtz": "blt zero, {0}, {1}",
    "bltz": "blt {0}, zero, {1}",
    "blez": "bge zero, {0}, {1}",
    "bgez": "bge {0}, zero, {1}",
    "j": "jal zero, {0}",
    "jalr": "jalr {0}, {2}({1})",
    "fmv.s": "fsgnj.s {0}, {1}, {1}",
    "fmv.d": "fsgnj.d {0}, {1}, {1}",
    "fneg.s": "fsgnjn.s {0}, {1}, {1}",
    "fneg.d": "fsgnjn.d {0}, {1}, {1}",
    "fabs.s": "fsgnjx.s {0}, {1}, {1}",
    "fabs.d": "fsgnjx.d {0}, {1}, {1}",
    "csrr": "csrrs {0}, {1}, zero",
    "csrw": "csrrw zero, {0}, {1}",
    "csrs": "csrrs zero, {0}, {1}",
    "csrc": "csrrc zero, {0}, {1}",
    "csrwi": "csrrwi zero, {0}, {1}",
    "csrsi": "csrrsi zero, {0}, {1}",
    "csrci": "csrrci zero, {0}, {1}",
    "fcvt.d.s": "fcvt.d.s {0}, {1}, rne",
    "fcvt.d.w": "fcvt.d.w {0}, {1}, rne",
    "fcvt.d.wu": "fcvt.d.wu {0}, {1}, rne",
    "c.addi4spn": "addi {0}, {1}, {2}",
    "c.addi16sp": "addi {0}, {0}, {1}",
    "c.li": "addi {0}, zero, {1}",
    "c.mv": "add {0}, zero, {1}",
    "c.j": "jal zero, {0}",
    "c.jal": "jal ra, {0}",
    "c.jr": "jalr zero, 0({0})",
    "c.jalr": "jalr ra, 0({0})",
    "c.beqz": "beq {0}, zero, {1}",
    "c.bnez": "bne {0}, zero, {1}",
    **{f"c.{op}": op + " {0}, {0}, {1}" for op in ("addi", "addiw", "slli", "srli", "srai", "andi")},
    **{f"c.{op}": op + " {0}, {0}, {1}" for op in ("add", "sub", "xor", "or", "and", "addw", "subw")},
    **{f"c.{op}": op + " {0}, {1}" for op in ("lw", "ld", "flw", "fld", "sw", "sd", "fsw", "fsd", "lui")},
    **{f"c.{op}sp": op + " {0}, {1}" for op in ("lw", "ld", "flw", "fld", "sw", "sd", "fsw", "fsd")},
    "c.ebreak": "ebreak",
}

UNNAMED_CSRS = {784: "mstatush", 800: "mcountinhibit", 3861: "mconfigptr"}
"""Control registers that capstone prints as a number."""


class Capstone:
    """Capstone for one register width."""

    def __init__(self, xlen: int) -> None:
        self._engine = capstone.Cs(capstone.CS_ARCH_RISCV, _MODES[xlen] | capstone.CS_MODE_RISCVC)

    def text(self, word: int, size: int) -> str | None:
        """Return an instruction in our spelling, None if capstone does not know it."""
        for _, _, mnemonic, operands in self._engine.disasm_lite(word.to_bytes(size, "little"), 0, 1):
            return _in_our_spelling(mnemonic, operands)
        return None


def decimal(text: str) -> str:
    """Return ``text`` with its hexadecimal numbers in decimal."""
    return re.sub(r"-?0x[0-9a-f]+", lambda number: str(int(number[0], 16)), text)


def _in_our_spelling(mnemonic: str, operands: str) -> str:
    if mnemonic == "jal" and "," not in operands:
        mnemonic = "c.jal"
    pseudo = PSEUDO.get(mnemonic)
    text = pseudo.format(*operands.split(", ")) if pseudo else f"{mnemonic} {operands}".rstrip()
    text = decimal(text.replace("unknown", "0"))  # an empty set of a fence
    if text.startswith("csr"):
        text = re.sub(r"(?<=, )\d+(?=, )", lambda number: UNNAMED_CSRS.get(int(number[0]), number[0]), text)
    return text
