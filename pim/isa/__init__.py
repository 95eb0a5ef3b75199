"""RISC-V instructions: encodings, decoding, arithmetic and program files."""

from pim.isa.decode import Decoded, Instruction, decode_text
from pim.isa.disasm import disassemble
from pim.isa.elf import Program, Segment, load_elf
from pim.isa.ops import Op, OpClass

__all__ = [
    "Decoded",
    "Instruction",
    "Op",
    "OpClass",
    "Program",
    "Segment",
    "decode_text",
    "disassemble",
    "load_elf",
]
