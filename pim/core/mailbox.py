"""The mailbox as a core sees it: it reads all registers, and writes the value it returns.

Registers have 64 bits. Accesses are as wide as the core's own registers: RV32 reads and writes halves.
"""

from typing import Any

from pim.core.settings import MAILBOX_BASE
from pim.isa.alu import sext32, zext32
from pim.jit import kernel

MAILBOX_WORDS = 32
"""64-bit control registers of one core."""

RETURN_WORD = 3
"""Register that a program may write: the value it returns (offset 0x18)."""

RETURN_AT = MAILBOX_BASE + 8 * RETURN_WORD
"""Address of that register."""

ARGUMENT_WORD = 16
"""Register of the first argument (offset 0x80)."""


@kernel
def read_mailbox(mailbox: Any, offset: int, xlen: int) -> int:
    """Return what a load as wide as a register reads at byte ``offset`` of a core's mailbox."""
    value = int(mailbox[offset >> 3])
    if xlen == 64:
        return value
    return sext32(value >> 32 if offset & 4 else value)


@kernel
def write_return(mailbox: Any, offset: int, value: int, xlen: int) -> None:
    """Store a register at byte ``offset`` of RETURN. Updates ``mailbox``."""
    if xlen == 64:
        mailbox[RETURN_WORD] = value
    elif offset & 4:
        mailbox[RETURN_WORD] = value << 32 | zext32(mailbox[RETURN_WORD])
    else:
        mailbox[RETURN_WORD] = mailbox[RETURN_WORD] >> 32 << 32 | zext32(value)
