"""Which machines the RTL can be, and the parameters that make it one."""

from pim.config import ClassCycles, CoreConfig, Level, SystemConfig
from pim.errors import ConfigError
from pim.system.levels import clock_ratio, concurrent_rules, port_timing

MEMORY_BYTES = 1 << 20
"""Memory of a bank in simulation unless more is asked for: a simulator sets all of it up."""


def rtl_parameters(
    system: SystemConfig, memory_bytes: int = MEMORY_BYTES, n_cores: int = 1, *, concurrent: bool = False
) -> dict[str, int]:
    """Return the parameters of ``rtl/lockstep/lockstep_top.sv`` for a machine; its clock and tREFI are the run's.

    Parameters
    ----------
    system : SystemConfig
        The machine.
    memory_bytes : int
        Memory of each bank, a power of two.
    n_cores : int
        Cores of a die.
    concurrent : bool
        Whether the host claims banks while they run.

    Raises
    ------
    ConfigError
        If the RTL has no such core, port or timing.
    """
    core, ratio, timing = system.core, clock_ratio(system), port_timing(system)
    usual = CoreConfig()
    whole_row = system.port == "row"
    refusals = {
        f"level must be bank, got {system.level}": system.level is not Level.BANK,
        f"core.extensions must be rv32imc or rv64imc, got {core.extensions}": core.extensions[4:] != "imc",
        "core.cycles must be the defaults": core.cycles != ClassCycles(),
        f"core.taken_branch_penalty must be {usual.taken_branch_penalty}": core.taken_branch_penalty
        != usual.taken_branch_penalty,
        f"core.load_use_penalty must be {usual.load_use_penalty}": core.load_use_penalty != usual.load_use_penalty,
        f"core.line_sets must be 1, got {core.line_sets}": core.line_sets != 1,
        f"core.clock_mhz must not exceed the DRAM clock, got {core.clock_mhz}": ratio > 1,
        "controller.page must be open, got closed": system.controller.page != "open",
        "controller.scheduling must be fcfs for several cores": n_cores > 1 and system.controller.scheduling != "fcfs",
        f"column_bursts must not bind, got {system.column_bursts}": system.most_bursts is not None,
        f"memory must be a power of two of at least a row, got {memory_bytes}": memory_bytes & (memory_bytes - 1) != 0
        or memory_bytes < system.row_bytes,
        f"cores must be 1 to {system.geometry.banks_per_chip}, got {n_cores}": not 1
        <= n_cores
        <= system.geometry.banks_per_chip,
        "CL and CWL of the port must be 3 clocks or more": min(timing.ncl, timing.ncwl) < 3,
    }
    found = [text for text, holds in refusals.items() if holds]
    if found:
        raise ConfigError(f"rtl: {system.name!r} is not what the RTL can be: {'; '.join(found)}")
    return {
        "Cores": n_cores,
        "BankGroups": system.geometry.bank_groups,
        "Xlen": core.xlen,
        "MemoryBits": memory_bytes.bit_length() - 1,
        "RowBytes": system.row_bytes,
        "PortBytes": system.row_bytes if whole_row else system.column_bytes,
        "InstructionBufferBytes": core.instruction_buffer_bytes,
        "InstructionLineBytes": core.instruction_line_bytes,
        "LineBuffers": core.line_buffers,
        "LineBytes": core.line_bytes,
        "SectorBytes": core.line_bytes if whole_row else core.sector_bytes,
        "ScratchpadBytes": core.scratchpad_bytes,
        "NRcd": timing.nrcd,
        "NRp": timing.nrp,
        "NRas": timing.nras,
        "NCl": timing.ncl,
        "NCwl": timing.ncwl,
        "NCcd": timing.nccd_l,
        "NWr": timing.nwr,
        "NRtp": timing.nrtp,
        "NWtr": timing.nwtr_l,
        "NRfc": timing.nrfc,
        "NRrdS": timing.nrrd_s,
        "NRrdL": timing.nrrd_l,
        "NFaw": timing.nfaw,
        **({"NClaim": concurrent_rules(system).nclaim} if concurrent else {}),
    }
