"""Programs with labels, written instruction by instruction, and the loaded program they make."""

from collections.abc import Callable
from typing import Any

from pim.isa import Op, Program, Segment
from tests.support.assembler import assemble
from tests.support.compressed_assembler import assemble_compressed, forms

MEMORY_AT, SCRATCHPAD_AT, MAILBOX_AT = 0x8000_0000, 0x2000_0000, 0x1000_0000
EXIT = 93


class Assembly:
    """Instructions in order; a target may be a label that comes later."""

    def __init__(self, xlen: int = 64) -> None:
        self.xlen = xlen
        self.size = 0
        self.labels: dict[str, int] = {}
        self._parts: list[tuple[int, int, Callable[[int], int]]] = []

    def label(self, name: str) -> None:
        self.labels[name] = self.size

    def op(self, op: Op, target: str | None = None, **operands: Any) -> None:
        """Append a 32-bit instruction; ``target`` gives the immediate of a branch or jump."""
        self._append(4, lambda here: assemble(op, **self._with_offset(target, here, operands)))

    def c(self, mnemonic: str, target: str | None = None, **operands: Any) -> None:
        """Append a 16-bit instruction."""
        form = forms(self.xlen)[mnemonic]
        self._append(2, lambda here: assemble_compressed(form, **self._with_offset(target, here, operands)))

    def raw(self, word: int, size: int) -> None:
        self._append(size, lambda _: word)

    def address_of(self, rd: int, target: str) -> None:
        """Append auipc and addi that put a label's address into ``rd``."""
        self._append(4, lambda here: assemble(Op.AUIPC, rd=rd, imm=self._high(target, here)))
        self._append(4, lambda here: assemble(Op.ADDI, rd=rd, rs1=rd, imm=self._low(target, here - 4)))

    def li(self, rd: int, value: int) -> None:
        """Append what loads any constant: twelve bits at a time, as many as are needed."""
        if self.xlen == 32:
            low = (value + 2048) % 4096 - 2048
            self.op(Op.LUI, rd=rd, imm=value - low)
            self.op(Op.ADDI, rd=rd, rs1=rd, imm=low)
            return
        signed = (value + (1 << 63)) % (1 << 64) - (1 << 63)
        if -2048 <= signed < 2048:
            self.op(Op.ADDI, rd=rd, imm=signed)
            return
        low = (signed + 2048) % 4096 - 2048
        self.li(rd, (signed - low) >> 12)
        self.op(Op.SLLI, rd=rd, rs1=rd, imm=12)
        if low:
            self.op(Op.ADDI, rd=rd, rs1=rd, imm=low)

    def exit(self, code: int | None = None) -> None:
        """Append the end of the program; without ``code`` a0 is left as it is."""
        if code is not None:
            self.li(10, code)
        self.op(Op.ADDI, rd=17, imm=EXIT)
        self.op(Op.ECALL)

    def text(self) -> bytes:
        return b"".join(encode(at).to_bytes(size, "little") for at, size, encode in self._parts)

    def program(self) -> Program:
        """Return it as a program whose text is at the start of memory, and whose entry is its first instruction."""
        return program(self.text(), xlen=self.xlen)

    def _append(self, size: int, encode: Callable[[int], int]) -> None:
        self._parts.append((self.size, size, encode))
        self.size += size

    def _with_offset(self, target: str | None, here: int, operands: dict[str, Any]) -> dict[str, Any]:
        return operands if target is None else operands | {"imm": self.labels[target] - here}

    def _low(self, target: str, here: int) -> int:
        return (self.labels[target] - here + 2048) % 4096 - 2048

    def _high(self, target: str, here: int) -> int:
        return self.labels[target] - here - self._low(target, here)


def program(text: bytes, entry: int = MEMORY_AT, xlen: int = 64) -> Program:
    """Return a program of one text segment at the start of memory."""
    return Program(xlen, entry, (Segment(MEMORY_AT, text, len(text), True, False),), {})
