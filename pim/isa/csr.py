"""Numbers of the control and status registers (CSRs) that these cores have.

References
----------
The RISC-V Instruction Set Manual, volume II (privileged), tables "Currently allocated RISC-V unprivileged CSR
addresses" and "... machine-level CSR addresses".
"""

from enum import IntEnum


class Csr(IntEnum):
    """A CSR; bits 11:10 of the number are 3 where it is read-only. Names ending in H are the upper halves of RV32."""

    FFLAGS = 0x001
    FRM = 0x002
    FCSR = 0x003
    MSTATUS = 0x300
    MISA = 0x301
    MIE = 0x304
    MTVEC = 0x305
    MSTATUSH = 0x310
    MCOUNTINHIBIT = 0x320
    MSCRATCH = 0x340
    MEPC = 0x341
    MCAUSE = 0x342
    MTVAL = 0x343
    MIP = 0x344
    MCYCLE = 0xB00
    MINSTRET = 0xB02
    MCYCLEH = 0xB80
    MINSTRETH = 0xB82
    CYCLE = 0xC00
    TIME = 0xC01
    INSTRET = 0xC02
    CYCLEH = 0xC80
    TIMEH = 0xC81
    INSTRETH = 0xC82
    MVENDORID = 0xF11
    MARCHID = 0xF12
    MIMPID = 0xF13
    MHARTID = 0xF14
    MCONFIGPTR = 0xF15
