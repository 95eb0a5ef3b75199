"""Control and status registers: what each holds, what a write keeps, and which accesses are illegal.

The cores have machine mode only. Fields that the specification lets an implementation fix are fixed: mstatus.MPP is
machine mode, mstatus.FS is dirty where there is an FPU, misa can't be written, no interrupt is ever pending.
"""

import numpy as np

from pim.core.clock import edge
from pim.core.settings import CoreSettings
from pim.core.state import Hart
from pim.core.trap import MIE, MPIE
from pim.isa import Op
from pim.isa.csr import Csr
from pim.jit import kernel

INTERRUPT_ENABLES = 1 << 3 | 1 << 7 | 1 << 11
"""Bits of mie: software, timer and external interrupts of machine mode."""

_LOW_WORD = 0xFFFF_FFFF
_READ_ONLY = 3
_FLAGS, _FRM_SHIFT, _FRM = 0x1F, 5, 0x7


@kernel
def csr_operation(
    op: int,
    csr: int,
    source: int,
    operand: int,
    hart: Hart,
    hart_id: int,
    cycle: int,
    instret: int,
    end: int,
    settings: CoreSettings,
) -> tuple[bool, int]:
    """Execute a CSR instruction; return whether it is legal, and the register's old value. Updates ``hart``.

    Parameters
    ----------
    csr : int
        Number of the CSR.
    source : int
        The instruction's rs1 field: where it is 0, csrrs, csrrc and their immediate forms do not write.
    operand : int
        Value of rs1, or the immediate.
    cycle, instret, end : int
        Core cycle and instructions before this one, and core cycle after it.
    """
    is_swap = op == Op.CSRRW or op == Op.CSRRWI
    writes = is_swap or source != 0
    if writes and csr >> 10 == _READ_ONLY:
        return False, 0
    known, old = read_csr(csr, hart, hart_id, cycle, instret, settings)
    if not known:
        return False, 0
    if writes:
        value = operand
        if op == Op.CSRRS or op == Op.CSRRSI:
            value = old | operand
        elif not is_swap:
            value = old & ~operand
        write_csr(csr, value, hart, end, instret + 1, settings)
    return True, old


@kernel
def read_csr(csr: int, hart: Hart, hart_id: int, cycle: int, instret: int, settings: CoreSettings) -> tuple[bool, int]:
    """Return whether the core has ``csr``, and its value; sign-extended on RV32. time counts DRAM clocks."""
    if csr == Csr.FFLAGS or csr == Csr.FRM or csr == Csr.FCSR:
        flags, mode = hart.fflags, hart.frm
        if csr == Csr.FFLAGS:
            return settings.has_float, flags
        return settings.has_float, mode if csr == Csr.FRM else mode << _FRM_SHIFT | flags
    upper = settings.xlen == 32 and (Csr.CYCLEH <= csr <= Csr.INSTRETH or Csr.MCYCLEH <= csr <= Csr.MINSTRETH)
    counter = csr - 0x80 if upper else csr
    value = 0
    if counter == Csr.CYCLE or counter == Csr.MCYCLE:
        value = cycle + hart.cycle_offset
    elif counter == Csr.INSTRET or counter == Csr.MINSTRET:
        value = instret + hart.instret_offset
    elif counter == Csr.TIME:
        value = edge(cycle, settings.clock)
    elif csr == Csr.MSTATUS:
        value = hart.mstatus | settings.mstatus_fixed
    elif csr == Csr.MISA:
        value = settings.misa
    elif csr == Csr.MIE:
        value = hart.mie
    elif csr == Csr.MTVEC:
        value = hart.mtvec
    elif csr == Csr.MSCRATCH:
        value = hart.mscratch
    elif csr == Csr.MEPC:
        value = hart.mepc
    elif csr == Csr.MCAUSE:
        value = hart.mcause
    elif csr == Csr.MTVAL:
        value = hart.mtval
    elif csr == Csr.MHARTID:
        value = hart_id
    elif not reads_zero(csr, settings.xlen):
        return False, 0
    if settings.xlen == 32:
        value = int(np.int64(np.int32(np.int64(value >> 32 if upper else value))))
    return True, value


@kernel
def reads_zero(csr: int, xlen: int) -> bool:
    """Tell whether a core has ``csr`` but nothing in it: identity, pending interrupts, event counters."""
    if Csr.MVENDORID <= csr <= Csr.MIMPID or csr == Csr.MCONFIGPTR or csr == Csr.MIP or csr == Csr.MCOUNTINHIBIT:
        return True
    is_event = Csr.MCOUNTINHIBIT + 3 <= csr <= Csr.MCOUNTINHIBIT + 31
    if is_event or Csr.MINSTRET < csr <= Csr.MCYCLE + 31:
        return True
    return xlen == 32 and (csr == Csr.MSTATUSH or Csr.MINSTRETH < csr <= Csr.MCYCLEH + 31)


@kernel
def write_csr(csr: int, value: int, hart: Hart, cycle: int, instret: int, settings: CoreSettings) -> None:
    """Write a CSR that the core has; what it does not keep is dropped. Updates ``hart``.

    A counter holds the value at ``cycle`` and ``instret``, the counts after the writing instruction.
    """
    if csr == Csr.FFLAGS:
        hart.fflags = value & _FLAGS
    elif csr == Csr.FRM:
        hart.frm = value & _FRM
    elif csr == Csr.FCSR:
        hart.fflags = value & _FLAGS
        hart.frm = value >> _FRM_SHIFT & _FRM
    elif csr == Csr.MSTATUS:
        hart.mstatus = value & (MIE | MPIE)
    elif csr == Csr.MIE:
        hart.mie = value & INTERRUPT_ENABLES
    elif csr == Csr.MTVEC:
        hart.mtvec = value & ~2  # mode: direct or vectored
    elif csr == Csr.MSCRATCH:
        hart.mscratch = value
    elif csr == Csr.MEPC:
        hart.mepc = value & ~(1 | settings.odd_target)
    elif csr == Csr.MCAUSE:
        hart.mcause = value
    elif csr == Csr.MTVAL:
        hart.mtval = value
    elif csr == Csr.MCYCLE or csr == Csr.MCYCLEH:
        hart.cycle_offset = replaced(csr, value, cycle + hart.cycle_offset, settings.xlen) - cycle
    elif csr == Csr.MINSTRET or csr == Csr.MINSTRETH:
        # the write takes the place of this instruction's count, also in the half that is not written
        hart.instret_offset = replaced(csr, value, instret - 1 + hart.instret_offset, settings.xlen) - instret


@kernel
def replaced(csr: int, value: int, old: int, xlen: int) -> int:
    """Return a 64-bit counter after a write; RV32 writes one half of it."""
    if xlen == 64:
        return value
    if csr == Csr.MCYCLEH or csr == Csr.MINSTRETH:
        return value << 32 | old & _LOW_WORD
    return old & ~_LOW_WORD | value & _LOW_WORD
