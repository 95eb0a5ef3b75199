"""Exceptions of a core: their codes, and the way into and out of a handler.

Traps go to the address in mtvec. While that is 0 there is no handler: the exception ends the run.
"""

from enum import IntEnum

from pim.core.settings import CoreSettings
from pim.core.state import Hart
from pim.jit import inlined_kernel, kernel

MIE, MPIE = 1 << 3, 1 << 7
"""Bits of mstatus that a core keeps (privileged specification, "Machine Status Registers")."""


class Cause(IntEnum):
    """Exception codes of mcause (privileged specification, "Machine Cause Register"); NONE is ours."""

    NONE = -1
    FETCH_MISALIGNED = 0
    FETCH_ACCESS = 1
    ILLEGAL_INSTRUCTION = 2
    BREAKPOINT = 3
    LOAD_MISALIGNED = 4
    LOAD_ACCESS = 5
    STORE_MISALIGNED = 6
    STORE_ACCESS = 7
    ECALL_M = 11

    @property
    def text(self) -> str:
        """What a message calls it."""
        return self.name.lower().replace("_", " ")


@inlined_kernel
def handler(hart: Hart, settings: CoreSettings) -> int:
    """Return the address of the trap handler, 0 if there is none. Exceptions ignore mtvec's mode."""
    return hart.mtvec & settings.address_mask & -4


@kernel
def enter_handler(hart: Hart, cause: int, tval: int, pc: int, settings: CoreSettings) -> int:
    """Take an exception of the instruction at ``pc``; return the address of the handler. Updates ``hart``."""
    hart.mepc = pc
    hart.mcause = cause
    hart.mtval = tval
    hart.mstatus = MPIE if hart.mstatus & MIE else 0
    return handler(hart, settings)


@kernel
def leave_handler(hart: Hart, settings: CoreSettings) -> int:
    """Do what mret does; return the address to go on at. Updates ``hart``."""
    hart.mstatus = MPIE | (MIE if hart.mstatus & MPIE else 0)
    return hart.mepc & settings.address_mask
