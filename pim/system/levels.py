"""What a level's cores see of the DRAM: banks, widths, buses and the timings that bind there.

At the bank a core has its bank and a port of its own (one column, 8 B, per tCCD_L, or the whole row through a latch);
it shares the die's activate budget. At the chip it shares banks, activate budget and the die's global bus (8 B). At the
rank it sees all chips in lockstep: 64 B bursts on the rank's bus. Inside the die no burst is serialised to the pins, so
BL/2 falls away there; the column latency CL is kept in full, which is pessimistic.
"""

from fractions import Fraction

from pim.config import ClockTiming, Level, SystemConfig
from pim.core.settings import CoreSettings
from pim.core.state import Group, make_group
from pim.dram import Device, make_device


def clock_ratio(system: SystemConfig) -> Fraction:
    """Return core clock over DRAM clock as the p/q that the model counts with; the smaller of p and q is at most 64.

    That moves the core's clock by less than 1 %, and the slower it is, the less.
    """
    ratio = Fraction(system.core.clock_mhz * round(system.timing.tck_ns * 1000), 10**6)
    return ratio.limit_denominator(64) if ratio > 1 else 1 / (1 / ratio).limit_denominator(64)


def port_timing(system: SystemConfig) -> ClockTiming:
    """Return the timings that bind at the system's level and port, in DRAM clocks."""
    timing = system.timing.to_kernel()
    if not system.obey_tfaw and system.level is not Level.RANK:
        timing = timing._replace(nfaw=0)
    if system.level is Level.RANK:
        return timing
    if system.port == "row":
        return timing._replace(nbl=0, ncl=timing.nrow_transfer, ncwl=timing.nrow_transfer, nccd_l=timing.nrow_transfer)
    return timing._replace(nbl=0)


def core_settings(system: SystemConfig, mapped_bytes: int, text_bytes: int, cycle_limit: int) -> CoreSettings:
    """Return what the core's kernels need to know.

    Parameters
    ----------
    mapped_bytes, text_bytes : int
        Used part of each core's window and its read-only start, bytes.
    cycle_limit : int
        Core cycles after which a core is stopped.
    """
    core, ratio = system.core, clock_ratio(system)
    whole_row = system.port == "row"
    sector_bytes = core.line_bytes if whole_row else core.sector_bytes
    return CoreSettings(
        clock_p=ratio.numerator,
        clock_q=ratio.denominator,
        taken_branch_penalty=core.taken_branch_penalty,
        mapped_bytes=mapped_bytes,
        text_bytes=text_bytes,
        scratchpad_bytes=core.scratchpad_bytes,
        line_shift=core.line_bytes.bit_length() - 1,
        sector_shift=sector_bytes.bit_length() - 1,
        sector_mask=core.line_bytes // sector_bytes - 1,
        n_ways=core.line_buffers,
        set_mask=core.line_sets - 1,
        instruction_line_shift=core.instruction_line_bytes.bit_length() - 1,
        instruction_line_mask=core.instruction_buffer_bytes // core.instruction_line_bytes - 1,
        columns_per_sector=1 if whole_row else sector_bytes // system.column_bytes,
        columns_per_instruction_line=1 if whole_row else core.instruction_line_bytes // system.column_bytes,
        row_shift=system.row_bytes.bit_length() - 1,
        bank_shift=0 if system.level is Level.BANK else system.geometry.banks_per_chip.bit_length() - 1,
        own_bank=system.level is Level.BANK,
        window_bytes=system.window_bytes,
        cycle_limit=cycle_limit,
        timing=port_timing(system),
    )


def make_level_device(system: SystemConfig) -> Device:
    """Return the idle DRAM of one group: a chip, or a rank's chips in lockstep."""
    n_banks = system.geometry.banks_per_chip
    return make_device(n_banks, n_banks if system.level is Level.BANK else 1, system.geometry.bank_groups)


def make_level_group(system: SystemConfig, n_harts: int, mapped_bytes: int, text_bytes: int) -> Group:
    """Return ``n_harts`` cores of one group at reset, with their DRAM."""
    core = system.core
    return make_group(
        n_harts,
        mapped_bytes,
        core.scratchpad_bytes,
        core.line_buffers * core.line_sets,
        core.instruction_buffer_bytes // core.instruction_line_bytes,
        text_bytes // 2,
        make_level_device(system),
    )
