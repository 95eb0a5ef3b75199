"""Random straight-line floating-point programs for QEMU user mode and for our cores: the same code, two endings.

Programs load all registers, then mix every operation of F and D, in every static rounding mode and by frm, with fresh
operands, moves between the register files, changes of frm and fflags and looks at fcsr; and store all registers.
"""

import random
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from pim.isa import Op, OpClass
from pim.isa.encoding import ENCODINGS
from tests.support.assembly import MEMORY_AT, Assembly
from tests.support.elf_image import EXECUTE, READ, WRITE, Part, elf_image
from tests.support.float_operands import FloatOperands, integer_triple, operands_for

DATA = 0x4000  # of the base register, from the start of memory
OPERANDS, REGISTERS, RESULTS = -2048, 0, 512  # from DATA: fresh operands; 32 doubles and 32 integers before and after
N_OPERANDS = -OPERANDS // 8
TEXT_BYTES = DATA + OPERANDS  # at most
RESULT_BYTES = 2 * 32 * 8 + 8
FFLAGS, FRM, FCSR = 1, 2, 3
BASE, A0, A1, A2, A7 = 31, 10, 11, 12, 17
SYS_WRITE, SYS_EXIT = 64, 93
PAGE_BYTES = 4096
_DYNAMIC = 7


@dataclass(frozen=True)
class FloatProgram:
    """Memory with the code for our cores, and the code that writes out the results under Linux."""

    xlen: int
    memory: bytes
    linux_text: bytes

    def results_of_qemu(self, folder: Path) -> bytes:
        """Return the registers after the program, floating-point first, then integer, then fcsr."""
        memory = self.linux_text + self.memory[len(self.linux_text) :]
        path = folder / "floats.elf"
        part = Part(MEMORY_AT, memory, flags=READ | WRITE | EXECUTE)
        path.write_bytes(elf_image([part], MEMORY_AT, xlen=self.xlen, page_bytes=PAGE_BYTES))
        path.chmod(0o755)
        return subprocess.run([f"qemu-riscv{self.xlen}", str(path)], check=True, capture_output=True, timeout=60).stdout


def float_program(seed: int, xlen: int, length: int = 400) -> FloatProgram:
    """Return the random program of this seed; it executes about ``length`` instructions."""
    texts = []
    for for_linux in (False, True):
        text = Assembly()
        _Body(random.Random(seed), text, xlen).write(length)
        if for_linux:
            _write_results(text)
        text.exit(0)
        texts.append(text.text())
    if len(texts[1]) > TEXT_BYTES:
        raise ValueError(f"seed {seed}: the text has {len(texts[1])} bytes, at most {TEXT_BYTES} fit")
    memory = bytearray(_memory(random.Random(seed)))
    memory[: len(texts[0])] = texts[0]
    return FloatProgram(xlen, bytes(memory), texts[1])


class _Body:
    """Appends the instructions."""

    def __init__(self, rng: random.Random, text: Assembly, xlen: int) -> None:
        self._rng, self._text = rng, text
        self._load, self._store = (Op.LD, Op.SD) if xlen == 64 else (Op.LW, Op.SW)
        self._operations = [op for op in ENCODINGS if Op.FADD_S <= op <= Op.FMV_D_X and ENCODINGS[op].min_xlen <= xlen]

    def write(self, length: int) -> None:
        text, rng = self._text, self._rng
        text.op(Op.AUIPC, rd=BASE, imm=DATA)
        for i in range(32):
            text.op(Op.FLD, rd=i, rs1=BASE, imm=REGISTERS + 8 * i)
            if i != BASE:
                text.op(self._load, rd=i, rs1=BASE, imm=REGISTERS + 256 + 8 * i)
        for _ in range(length):
            rng.choices([self._fresh, self._operation, self._control], [3, 6, 1])[0]()
        for i in range(32):
            text.op(Op.FSD, rs1=BASE, rs2=i, imm=RESULTS + 8 * i)
            if i != BASE:
                text.op(self._store, rs1=BASE, rs2=i, imm=RESULTS + 256 + 8 * i)
        text.op(Op.CSRRS, rd=A0, imm=FCSR)
        text.op(self._store, rs1=BASE, rs2=A0, imm=RESULTS + 512)

    def _register(self) -> int:
        return self._rng.randrange(32)

    def _integer(self) -> int:
        return self._rng.randrange(BASE)

    def _fresh(self) -> None:
        """Append a load from the operands, or now and then a store into them."""
        op = self._rng.choice((Op.FLD, Op.FLD, Op.FLW, self._load, Op.FSD, Op.FSW))
        offset = OPERANDS + 8 * self._rng.randrange(N_OPERANDS)
        if ENCODINGS[op].op_class is OpClass.STORE:
            self._text.op(op, rs1=BASE, rs2=self._register(), imm=offset)
        else:
            register = self._integer() if op is self._load else self._register()
            self._text.op(op, rd=register, rs1=BASE, imm=offset)

    def _operation(self) -> None:
        op, operands = self._rng.choice(self._operations), {}
        for code in ENCODINGS[op].syntax:
            match code:
                case "d":
                    operands["rd"] = self._integer()
                case "s":
                    operands["rs1"] = self._integer()
                case "D" | "S" | "T" | "R":
                    operands[{"D": "rd", "S": "rs1", "T": "rs2", "R": "rs3"}[code]] = self._register()
                case "m":
                    operands["rm"] = self._rng.choice((*range(5), _DYNAMIC, _DYNAMIC, _DYNAMIC))
        self._text.op(op, **operands)

    def _control(self) -> None:
        """Append a new frm that is a mode, a change of fflags, or a look at one of the three registers."""
        rng, text = self._rng, self._text
        match rng.randrange(3):
            case 0:
                text.op(Op.CSRRWI, rd=self._integer(), imm=FRM, rs1=rng.randrange(5))
            case 1:
                op = rng.choice((Op.CSRRW, Op.CSRRS, Op.CSRRC, Op.CSRRWI, Op.CSRRSI, Op.CSRRCI))
                text.op(op, rd=self._integer(), imm=FFLAGS, rs1=self._integer())
            case _:
                text.op(Op.CSRRS, rd=self._integer(), imm=rng.choice((FFLAGS, FRM, FCSR)))


def _write_results(text: Assembly) -> None:
    text.op(Op.ADDI, rd=A0, imm=1)
    text.op(Op.ADDI, rd=A1, rs1=BASE, imm=RESULTS)
    text.op(Op.ADDI, rd=A2, imm=RESULT_BYTES)
    text.op(Op.ADDI, rd=A7, imm=SYS_WRITE)
    text.op(Op.ECALL)


def _memory(rng: random.Random) -> bytes:
    """Return memory without the code: operands of both precisions and integers."""
    sources = [operands_for(suffix, rng.getrandbits(32)) for suffix in "sd"]
    words = [_word(rng, sources) for _ in range(N_OPERANDS + 64)]
    memory = bytes(TEXT_BYTES) + struct.pack(f"<{len(words)}Q", *words)
    return memory + bytes(DATA + RESULTS + RESULT_BYTES - len(memory))


def _word(rng: random.Random, sources: list[FloatOperands]) -> int:
    kind = rng.randrange(5)
    return integer_triple(rng)[0] if kind == 4 else sources[kind % 2].register_triple()[0]
