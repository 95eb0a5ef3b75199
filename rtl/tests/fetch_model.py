"""What instruction fetch does, in plain Python, from docs/timing.md ("Instruction buffer"): the oracle of its bench."""

from dataclasses import dataclass, field
from typing import NamedTuple

MEMORY_AT = 0x8000_0000


class Instruction(NamedTuple):
    """What is at a pc; ``faults`` says at which half there is no memory: 0 at none, 1 at the first, 2 at the second."""

    bits: int
    size: int
    faults: int


@dataclass
class FetchModel:
    """The instruction buffer: which line each entry has, with the bytes that it had when it came."""

    memory: bytearray
    line: int
    entries: int
    held: dict[int, tuple[int, bytes]] = field(default_factory=dict)

    def empty(self) -> None:
        self.held.clear()

    def fetch(self, pc: int) -> tuple[Instruction, list[int]]:
        """Return the instruction at ``pc``, and the addresses of the lines that are asked for first."""
        offset = pc - MEMORY_AT
        asked: list[int] = []
        if not 0 <= offset < len(self.memory):
            return Instruction(0, 0, 1), asked
        first = self._half(offset, asked)
        if first & 3 != 3:
            return Instruction(first, 2, 0), asked
        if offset + 2 >= len(self.memory):
            return Instruction(first, 4, 2), asked
        return Instruction(first | self._half(offset + 2, asked) << 16, 4, 0), asked

    def starts_line(self, pc: int) -> bool:
        """Tell whether the instruction may need a line that the one before it, in sequence, did not."""
        return pc % self.line == 0

    def _half(self, offset: int, asked: list[int]) -> int:
        line = offset // self.line
        index = line % self.entries
        if index not in self.held or self.held[index][0] != line:
            asked.append(line * self.line)
            self.held[index] = (line, bytes(self.memory[line * self.line : (line + 1) * self.line]))
        at = offset % self.line
        return int.from_bytes(self.held[index][1][at : at + 2], "little")
