"""Exceptions of a core, and the counters it can read.

With mtvec = 0, the only value a core has so far, an exception ends the run.
"""

from enum import IntEnum

from pim.core.pipeline import edge
from pim.core.settings import CoreSettings
from pim.jit import inlined_kernel

CYCLE, TIME, INSTRET, MHARTID = 0xC00, 0xC01, 0xC02, 0xF14
"""CSR numbers (unprivileged specification, Zicntr; privileged specification, table of CSRs)."""


class Cause(IntEnum):
    """Exception codes of mcause (privileged specification, "Machine Cause Register"); NONE is ours."""

    NONE = -1
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
def read_counter(csr: int, hart_id: int, cycle: int, instret: int, settings: CoreSettings) -> tuple[bool, int]:
    """Return whether the core has ``csr``, and its value; time counts DRAM clocks."""
    if csr == CYCLE:
        return True, cycle
    if csr == TIME:
        return True, edge(cycle, settings.clock_p, settings.clock_q)
    if csr == INSTRET:
        return True, instret
    if csr == MHARTID:
        return True, hart_id
    return False, 0
