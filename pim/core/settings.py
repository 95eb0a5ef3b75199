"""What kernels need to know of a configuration, as plain integers."""

from typing import NamedTuple

from pim.config import ClockTiming

MAILBOX_BASE = 0x1000_0000
SCRATCHPAD_BASE = 0x2000_0000
MEMORY_BASE = 0x8000_0000
"""First addresses of what a core sees; docs/architecture.md, memory map."""


class CoreSettings(NamedTuple):
    """Geometry and clocks of one group of cores; sizes are powers of two given as shifts."""

    clock_p: int  # core clock / DRAM clock = p / q
    clock_q: int
    taken_branch_penalty: int
    mapped_bytes: int  # of each core's window; what lies beyond traps
    text_bytes: int  # read-only start of the window
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
    bank_shift: int  # log2 of the banks an address runs over; 0 at the bank
    own_bank: bool  # each core has one bank, its own
    window_bytes: int  # distance between the cores' windows in the group's memory
    cycle_limit: int
    timing: ClockTiming
