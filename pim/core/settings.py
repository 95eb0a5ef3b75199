"""What kernels need to know of a configuration, as plain integers."""

from typing import NamedTuple

from pim.config import ClockTiming
from pim.core.clock import CoreClock

MAILBOX_BASE = 0x1000_0000
DMA_BASE = 0x1000_0100
SCRATCHPAD_BASE = 0x2000_0000
MEMORY_BASE = 0x8000_0000
"""First addresses of what a core sees; docs/architecture.md, memory map."""


NOWHERE = 1 << 62
"""No offset in memory; a core cycle that never comes."""


class CoreSettings(NamedTuple):
    """Geometry and clocks of one group of cores; sizes are powers of two given as shifts."""

    clock: CoreClock
    taken_branch_penalty: int
    mapped_bytes: int  # of each core's window; what lies beyond traps
    plain_bytes: int  # start of the window whose accesses need no care but for `checked`: all, or none if it is shared
    stride_bytes: int  # distance between the windows in the group's memory; 0 where all cores share one
    code_bytes: int  # start of the window that instructions can be in
    protects_text: bool  # whether stores to what is decoded trap
    scratchpad_bytes: int
    line_shift: int
    sector_shift: int
    sector_mask: int  # sectors of a line - 1
    n_ways: int
    set_mask: int
    instruction_line_shift: int
    instruction_line_mask: int
    columns_per_sector: int
    columns_per_instruction_line: int
    row_shift: int
    bank_shift: int  # log2 of the banks that a window's addresses run over; 0 at the bank
    core_shift: int  # log2 of the cores that share the device's banks out among them; 0 if windows run over all banks
    own_bank: bool  # each core has a bank with a port of its own, and columns that take nothing of what is shared
    window_bytes: int  # distance between windows that run over all banks; 0 where cores have banks, or share a window
    cycle_limit: int
    pause_cycle: int  # core cycle after which `run_group` returns, to be called again; or NOWHERE
    xlen: int
    register_load: int  # Op that loads, and one that stores, a whole register
    register_store: int
    address_mask: int  # -1, or the low 32 bits
    address_sign: int  # 0, or bit 31: what extends an address to a register of RV32
    odd_target: int  # bit of a jump's target that must be 0: 2 without the C extension, else 0
    has_float: bool  # F, so that there are fflags, frm and fcsr
    misa: int
    mstatus_fixed: int  # bits of mstatus that always read the same
    tohost: int  # offset of the word that ends the run when it is written, or NOWHERE
    shares_memory: bool  # whether several cores use one window
    single_step: bool  # whether to stop after every instruction
    timing: ClockTiming
