"""Results and flags of single instructions from QEMU user mode: one program tries many operands of many operations."""

import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from pim.isa import Op
from pim.isa.encoding import ENCODINGS, REGISTER_FILES, RegisterFile
from tests.support.assembler import assemble, to_bytes
from tests.support.elf_image import READ, WRITE, Part, elf_image

TEXT_AT, OPERANDS_AT, RESULTS_AT = 0x1000_0000, 0x2000_0000, 0x3000_0000
A0, A1, A2, A3, A4, A7, S0, S1, S2 = 10, 11, 12, 13, 14, 17, 8, 9, 18
FFLAGS = 0x001
SYS_WRITE, SYS_EXIT = 64, 93
PAGE_BYTES = 4096


@dataclass(frozen=True)
class Trial:
    """One operation on a list of operand triples, each the 64 bits of a register."""

    op: Op
    operands: list[tuple[int, int, int]]
    rm: int = 0
    imm: int = 0


def run_trials(trials: list[Trial], folder: Path, xlen: int = 64) -> list[list[tuple[int, int]]]:
    """Return, per trial and operand triple, the 64 bits of the result register and the exception flags.

    With XLEN 32, integer registers get the low halves of the operands, and integer results are 0 above 32 bits.
    """
    words: list[int] = []
    operands = b""
    n_results = 0
    for trial in trials:
        words += _loop(trial, OPERANDS_AT + len(operands), RESULTS_AT + 16 * n_results, xlen)
        operands += b"".join(struct.pack("<QQQ", *triple) for triple in trial.operands)
        n_results += len(trial.operands)
    words += [*_load_address(A1, RESULTS_AT), *_load_address(A2, 16 * n_results)]
    words += [assemble(Op.ADDI, rd=A0, imm=1), assemble(Op.ADDI, rd=A7, imm=SYS_WRITE), assemble(Op.ECALL)]
    words += [assemble(Op.ADDI, rd=A0), assemble(Op.ADDI, rd=A7, imm=SYS_EXIT), assemble(Op.ECALL)]
    results = Part(RESULTS_AT, b"", memory_bytes=16 * n_results, flags=READ | WRITE)
    parts = [Part(TEXT_AT, to_bytes(*words)), Part(OPERANDS_AT, operands, flags=READ), results]
    path = folder / "trials.elf"
    path.write_bytes(elf_image(parts, TEXT_AT, xlen=xlen, page_bytes=PAGE_BYTES))
    path.chmod(0o755)
    output = subprocess.run([f"qemu-riscv{xlen}", str(path)], check=True, capture_output=True, timeout=60).stdout
    pairs = iter(struct.iter_unpack("<QQ", output))
    return [[next(pairs) for _ in trial.operands] for trial in trials]


def _loop(trial: Trial, operands_at: int, results_at: int, xlen: int) -> list[int]:
    """Return the code that runs a trial over all its operands."""
    row = ENCODINGS[trial.op]
    load, store = (Op.LD, Op.SD) if xlen == 64 else (Op.LW, Op.SW)
    fields = {"rd": A3, "rs1": A0, "rs2": A1, "rs3": A2}
    used = {
        name: number
        for (name, number), file in zip(fields.items(), REGISTER_FILES[trial.op], strict=True)
        if file != RegisterFile.NONE
    }
    result_is_float = REGISTER_FILES[trial.op][0] == RegisterFile.FLOAT
    body = [
        *(assemble(load, rd=register, rs1=S0, imm=8 * place) for place, register in enumerate((A0, A1, A2))),
        *(assemble(Op.FLD, rd=register, rs1=S0, imm=8 * place) for place, register in enumerate((A0, A1, A2))),
        assemble(Op.CSRRW, imm=FFLAGS),
        assemble(trial.op, rm=trial.rm if "m" in row.syntax else 0, imm=trial.imm, **used),
        assemble(Op.CSRRS, rd=A4, imm=FFLAGS),
        assemble(Op.FSD if result_is_float else store, rs1=S2, rs2=A3),
        assemble(store, rs1=S2, rs2=A4, imm=8),
        assemble(Op.ADDI, rd=S0, rs1=S0, imm=24),
        assemble(Op.ADDI, rd=S2, rs1=S2, imm=16),
    ]
    back = assemble(Op.BNE, rs1=S0, rs2=S1, imm=-4 * len(body))
    end = operands_at + 24 * len(trial.operands)
    return [*_load_address(S0, operands_at), *_load_address(S1, end), *_load_address(S2, results_at), *body, back]


def _load_address(register: int, value: int) -> list[int]:
    """Return lui and addi that set a register to a value below 2**31."""
    low = (value + 0x800 & 0xFFF) - 0x800
    return [assemble(Op.LUI, rd=register, imm=value - low), assemble(Op.ADDI, rd=register, rs1=register, imm=low)]
