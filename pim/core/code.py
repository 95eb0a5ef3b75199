"""A program's instructions as the interpreter reads them: decoded, with their cost in core cycles.

The whole text of a kernel is decoded before it runs. Other programs may load, write or jump to code anywhere in their
memory: there each instruction is decoded when it is first fetched, and again after a store to it.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pim.config import CoreConfig
from pim.core.pipeline import class_cycles, cost_table
from pim.core.settings import MEMORY_BASE
from pim.core.state import Memory
from pim.core.trap import Cause
from pim.isa import Op, OpClass, decode_text
from pim.isa.decode_word import DecodeTables, Fields, decode_tables, decode_word
from pim.isa.encoding import OP_CLASSES, REGISTER_FILES, RegisterFile
from pim.jit import kernel

STRADDLES = -2
"""An instruction whose halves are in two lines of the instruction buffer."""

ENTRY = -3
"""An instruction at which native code goes on, in whatever lines it is; see `pim.core.translate`."""

LOWERED_RV32 = {
    Op.ADDI: Op.ADDIW,
    Op.SLLI: Op.SLLIW,
    Op.SRLI: Op.SRLIW,
    Op.SRAI: Op.SRAIW,
    Op.ADD: Op.ADDW,
    Op.SUB: Op.SUBW,
    Op.SLL: Op.SLLW,
    Op.SRL: Op.SRLW,
    Op.SRA: Op.SRAW,
    Op.MUL: Op.MULW,
    Op.DIV: Op.DIVW,
    Op.DIVU: Op.DIVUW,
    Op.REM: Op.REMW,
    Op.REMU: Op.REMUW,
}
"""RV64's operations on 32 bits that RV32's are, its registers being kept sign-extended."""


class Rules(NamedTuple):
    """What turns an instruction of one core into an entry of `Code`."""

    tables: DecodeTables
    lowered: Any  # int16 by Op: the operation to execute
    op_class: Any  # uint8 by Op
    class_cycles: Any  # int64 by OpClass
    register_files: Any  # uint8 (n_ops, 4)
    load_use_penalty: int
    xlen: int
    instruction_line_shift: int


class Code(NamedTuple):
    """Instructions by parcel. auipc stands as lui of its result, which its place in the program decides."""

    op: Any  # int16; ILLEGAL also where nothing is decoded yet
    rd: Any  # uint8
    rs1: Any
    rs2: Any
    rs3: Any
    rm: Any
    imm: Any  # int64
    size: Any  # uint8; 0 where nothing is decoded yet
    fetch_line: Any  # int64: instruction-buffer line that holds all of it, or STRADDLES, or ENTRY
    cost: Any  # int64
    load_use: Any  # int64: part of the cost
    rules: Rules
    modified: Any  # int64 (1,): 1 once something decoded has been written over


def make_rules(core: CoreConfig, xlen: int) -> Rules:
    """Return the rules of a core that runs programs of ``xlen`` bits."""
    lowered = np.arange(len(OP_CLASSES), dtype=np.int16)
    if xlen == 32:
        lowered[list(LOWERED_RV32)] = list(LOWERED_RV32.values())
    lowered[Op.AUIPC] = Op.LUI
    return Rules(
        decode_tables(xlen, core.isa_extensions),
        lowered,
        OP_CLASSES,
        class_cycles(core),
        REGISTER_FILES,
        core.load_use_penalty,
        xlen,
        core.instruction_line_bytes.bit_length() - 1,
    )


def text_code(text: bytes, core: CoreConfig, xlen: int) -> Code:
    """Return the instructions of a text that starts at the first address of memory."""
    rules = make_rules(core, xlen)
    decoded = decode_text(text, xlen, core.isa_extensions)
    cost, load_use = cost_table(decoded, core)
    place = 2 * np.arange(len(decoded.op))
    imm = np.where(decoded.op == Op.AUIPC, auipc_result(MEMORY_BASE + place, decoded.imm, xlen), decoded.imm)
    first, last = place >> rules.instruction_line_shift, (place + decoded.size - 1) >> rules.instruction_line_shift
    line = np.where(first == last, first, STRADDLES)
    op = rules.lowered[decoded.op]
    registers = (decoded.rd, decoded.rs1, decoded.rs2, decoded.rs3, decoded.rm)
    return Code(op, *registers, imm, decoded.size, line, cost, load_use, rules, np.zeros(1, np.int64))


def empty_code(n_parcels: int, core: CoreConfig, xlen: int) -> Code:
    """Return room for the instructions of ``n_parcels`` parcels, none of which is decoded."""
    rd, rs1, rs2, rs3, rm, size = (np.zeros(n_parcels, np.uint8) for _ in range(6))
    imm, line, cost, load_use = (np.zeros(n_parcels, np.int64) for _ in range(4))
    op = np.zeros(n_parcels, np.int16)
    return Code(
        op, rd, rs1, rs2, rs3, rm, imm, size, line, cost, load_use, make_rules(core, xlen), np.zeros(1, np.int64)
    )


def auipc_result(pc: npt.NDArray[np.int64], imm: npt.NDArray[np.int64], xlen: int) -> npt.NDArray[np.int64]:
    """Return what auipc gives: a register's value, sign-extended on RV32."""
    return pc + imm if xlen == 64 else (pc + imm).astype(np.int32).astype(np.int64)


@kernel
def decode_parcel(code: Code, memory: Memory, checked: Any, window: int, index: int, is_apart: bool) -> None:
    """Decode the instruction that starts at parcel ``index`` of a window's memory. Updates ``code`` and ``checked``.

    ``is_apart`` lets the instruction ask the instruction buffer even after one of the same line, as single steps need.
    """
    rules = code.rules
    offset = 2 * index
    it = decode_word(bits_at(memory, window, offset, len(code.op)), rules.tables)
    imm = it.imm
    if it.op == Op.AUIPC:
        imm += MEMORY_BASE + offset
        if rules.xlen == 32:
            imm = int(np.int64(np.int32(imm)))
    first = offset >> rules.instruction_line_shift
    last = (offset + it.size - 1) >> rules.instruction_line_shift
    load_use = 0
    checked[0] = max(checked[0], offset + 8)  # this instruction, and what follows a load
    if rules.op_class[it.op] == OpClass.LOAD:
        following = decode_word(bits_at(memory, window, offset + it.size, len(code.op)), rules.tables)
        register_file = rules.register_files[it.op, 0]
        is_elsewhere = (offset + it.size + following.size - 1) >> rules.instruction_line_shift != last
        is_dropped = register_file == RegisterFile.INTEGER and it.rd == 0
        if reads(following, it.rd, register_file, rules.register_files) or (is_elsewhere and not is_dropped):
            load_use = rules.load_use_penalty
    code.op[index] = rules.lowered[it.op]
    if it.size == 4 and index + 1 >= len(code.op):
        code.op[index] = Op.ILLEGAL
    code.rd[index], code.rs1[index], code.rs2[index], code.rs3[index] = it.rd, it.rs1, it.rs2, it.rs3
    code.rm[index] = it.rm
    code.imm[index] = imm
    code.size[index] = it.size
    code.fetch_line[index] = STRADDLES if is_apart or first != last else first
    code.cost[index] = rules.class_cycles[rules.op_class[it.op]] + load_use
    code.load_use[index] = load_use


@kernel
def bits_at(memory: Memory, window: int, offset: int, n_parcels: int) -> int:
    """Return the 32 bits at byte ``offset`` of a window, an even number; zeros past its last parcel."""
    index = offset >> 1
    low = int(memory.u16[(window >> 1) + index]) if index < n_parcels else 0
    high = int(memory.u16[(window >> 1) + index + 1]) if index + 1 < n_parcels else 0
    return low | high << 16


@kernel
def reads(it: Fields, register: int, register_file: int, register_files: Any) -> bool:
    """Tell whether an instruction reads a register of a file; x0 has no reader."""
    if register_file == RegisterFile.INTEGER and register == 0:
        return False
    if it.rs1 == register and register_files[it.op, 1] == register_file:
        return True
    if it.rs2 == register and register_files[it.op, 2] == register_file:
        return True
    return bool(it.rs3 == register and register_files[it.op, 3] == register_file)


@kernel
def forget(code: Code, offset: int, width: int) -> None:
    """Drop what is decoded of ``width`` bytes from ``offset`` on, which were stored to. Updates ``code``.

    The three parcels before are dropped too: an instruction may reach into the bytes, and a load before them knows
    what follows it.
    """
    for index in range(max(0, (offset >> 1) - 3), min(len(code.op), (offset + width + 1) >> 1)):
        if code.size[index]:
            code.modified[0] = 1
        code.op[index] = Op.ILLEGAL
        code.size[index] = 0


@kernel
def illegal(code: Code, memory: Memory, window: int, pc: int) -> tuple[int, int]:
    """Return mcause and mtval of an instruction that can't be executed: its bits, or where its second half is not."""
    index = (pc - MEMORY_BASE) >> 1
    if code.size[index] == 4 and index + 1 >= len(code.op):
        return Cause.FETCH_ACCESS.value, pc + 2
    word = bits_at(memory, window, pc - MEMORY_BASE, len(code.op))
    return Cause.ILLEGAL_INSTRUCTION.value, word if code.size[index] == 4 else word & 0xFFFF
