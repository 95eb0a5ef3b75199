"""What a level's cores see of the DRAM: banks, widths, buses and the timings that bind there.

At the bank a core has its bank and a port of its own (one column, 8 B, per tCCD_L, or the whole row through a latch);
it shares the die's activate budget, and the column bursts that the die's power delivery allows at once. At the chip it
shares banks, activate budget and the die's global bus (8 B). At the rank it sees all chips in lockstep: 64 B bursts on
the rank's bus. Inside the die no burst is serialised to the pins, so BL/2 falls away there; the column latency CL is
kept in full, which is pessimistic.
"""

from fractions import Fraction

from pim.config import ClockTiming, CoreConfig, Level, SystemConfig
from pim.core.buffers import locate
from pim.core.clock import core_clock
from pim.core.settings import NOWHERE, CoreSettings
from pim.core.state import Group, make_group
from pim.dram import ClaimRules, Device, claim_rules, make_device
from pim.errors import ConfigError
from pim.isa import Op

MAX_SITES = 1 << 16
"""Most instructions whose last line buffer is remembered apart; only the simulation's speed depends on it."""


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


def concurrent_rules(system: SystemConfig) -> ClaimRules:
    """Return tClaim, and what else a host keeps to that claims banks while all cores of a group run.

    Raises
    ------
    ConfigError
        If cores share banks, or no claim fits between refreshes.
    """
    if not system.has_own_banks:
        raise ConfigError(
            f"{system.name}: concurrent ownership needs window_map 'own-banks', got {system.window_map!r}"
        )
    timing, core = port_timing(system), system.core
    one_bus = system.level is not Level.BANK
    requests = (core.line_bytes, core.instruction_line_bytes, min(core.scratchpad_bytes, system.row_bytes))
    longest = 1 if system.port == "row" else max(requests) // system.column_bytes
    rules = claim_rules(
        timing,
        n_cores=system.cores_per_group,
        n_columns=longest,
        one_bus=one_bus,
        in_order=system.controller.scheduling == "fcfs",
        most_bursts=system.most_bursts or 0,
        has_atomics="a" in core.extensions[4:],
        hold=system.interface.claim_hold_nck,
    )
    room = timing.nrefi - (0 if one_bus else timing.nrfc)
    needed = rules.nclaim + timing.nrcd + rules.hold + rules.tail
    if needed >= room:
        raise ConfigError(
            f"{system.name}: no claim fits between refreshes: tClaim = {rules.nclaim} and interface.claim_hold_nck = "
            f"{rules.hold} need {needed} clocks, {room} are left; shorter lines, fewer cores or a shorter hold would"
        )
    return rules


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
    core_shift = (system.cores_per_group - 1).bit_length() if system.has_own_banks else 0
    sector_bytes = core.line_bytes if whole_row else core.sector_bytes
    return CoreSettings(
        clock=core_clock(ratio.numerator, ratio.denominator),
        taken_branch_penalty=core.taken_branch_penalty,
        mapped_bytes=mapped_bytes,
        plain_bytes=mapped_bytes,
        stride_bytes=mapped_bytes,
        code_bytes=text_bytes,
        protects_text=True,
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
        bank_shift=_bank_bits(system) - core_shift,
        core_shift=core_shift,
        own_bank=system.level is Level.BANK and system.most_bursts is None,
        window_bytes=0 if system.has_own_banks else system.window_bytes,
        cycle_limit=cycle_limit,
        pause_cycle=NOWHERE,
        xlen=core.xlen,
        register_load=int(Op.LD if core.xlen == 64 else Op.LW),
        register_store=int(Op.SD if core.xlen == 64 else Op.SW),
        address_mask=-1 if core.xlen == 64 else 0xFFFF_FFFF,
        address_sign=0 if core.xlen == 64 else 1 << 31,
        odd_target=0 if "c" in core.extensions else 2,
        has_float=core.has_fpu,
        misa=misa(core),
        mstatus_fixed=mstatus_fixed(core),
        tohost=NOWHERE,
        shares_memory=False,
        single_step=False,
        timing=port_timing(system),
    )


def _bank_bits(system: SystemConfig) -> int:
    return system.geometry.banks_per_chip.bit_length() - 1


def one_window(system: SystemConfig, settings: CoreSettings) -> CoreSettings:
    """Return the settings with one window that all cores share: at chip and rank level it runs over all banks."""
    if system.level is Level.BANK:
        return settings._replace(window_bytes=0)
    return settings._replace(window_bytes=0, bank_shift=_bank_bits(system), core_shift=0)


def misa(core: CoreConfig) -> int:
    """Return the register that names XLEN and extensions (privileged specification, "Machine ISA Register")."""
    letters = sum(1 << (ord(letter) - ord("a")) for letter in core.extensions[4:])
    return (-(1 << 63) if core.xlen == 64 else 1 << 30) | letters


def mstatus_fixed(core: CoreConfig) -> int:
    """Return mstatus's fixed fields: MPP is machine mode; with an FPU, FS is dirty and so SD, the top bit, is set."""
    machine_mode, dirty, summary = 3 << 11, 3 << 13, -(1 << (core.xlen - 1))
    return machine_mode | (dirty | summary if core.has_fpu else 0)


def make_level_device(system: SystemConfig, n_harts: int = 1) -> Device:
    """Return the idle DRAM of one group, a chip or a rank's chips in lockstep, for ``n_harts`` cores."""
    n_banks = system.geometry.banks_per_chip
    return make_device(
        n_banks,
        n_banks if system.level is Level.BANK else 1,
        system.geometry.bank_groups,
        in_order=system.controller.scheduling == "fcfs",
        closed_page=system.controller.page == "closed",
        is_shared=n_harts > 1,
        most_bursts=system.most_bursts or 0,
    )


def make_level_group(
    system: SystemConfig, n_harts: int, memory_bytes: int, code_bytes: int, *, shares_memory: bool = False
) -> Group:
    """Return ``n_harts`` cores of one group at reset, with their DRAM.

    Parameters
    ----------
    memory_bytes, code_bytes : int
        Memory of all cores; start of each window that instructions can be in.
    shares_memory : bool
        Whether all cores have one window.
    """
    core = system.core
    return make_group(
        n_harts,
        memory_bytes,
        core.scratchpad_bytes,
        core.line_buffers * core.line_sets,
        core.instruction_buffer_bytes // core.instruction_line_bytes,
        min(1 << (max(code_bytes // 2, 1) - 1).bit_length(), MAX_SITES),
        code_bytes,
        make_level_device(system, n_harts),
        shares_memory=shares_memory,
    )


def window_place(system: SystemConfig, hart_id: int, offset: int) -> tuple[int, int, int]:
    """Return bank, row and byte in the row of a byte of a core's window; ``hart_id`` counts the group's cores."""
    settings = core_settings(system, system.window_bytes, 0, 1)
    bank_id, row = locate(hart_id, offset, settings)
    return int(bank_id), int(row), offset & (system.row_bytes - 1)
