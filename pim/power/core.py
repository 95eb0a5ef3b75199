"""Energy of one core: its logic per clock, its SRAM per access, its leakage per second."""

from dataclasses import dataclass

from pim.config import SystemConfig
from pim.power.figures import CORE
from pim.technology import FIGURES, Band, Case, Component, Process, SramDevice, core_inventory, process_of, sram_macro
from pim.technology.figures import NODE_NM


@dataclass(frozen=True)
class CoreEnergy:
    """Coefficients of one core.

    Attributes
    ----------
    busy_pj : Band
        Logic, one clock in which an instruction executes, pJ.
    stalled_pj : Band
        Logic, one clock spent waiting, pJ.
    fetch_pj : float
        Instruction buffer, one instruction, pJ.
    load_pj, store_pj : float
        Line buffer or scratchpad, one access, pJ.
    fill_pj, writeback_pj : float
        Line buffer, one word from or to the DRAM, pJ.
    leakage_w : float
        W at 350 K.
    """

    busy_pj: Band
    stalled_pj: Band
    fetch_pj: float
    load_pj: float
    store_pj: float
    fill_pj: float
    writeback_pj: float
    leakage_w: float


def busy_pj(process: Process) -> Band:
    """Return the energy of the core's logic in one busy clock, pJ.

    Rocket's published figure, in the logic process scaled with capacitance (feature size). In the DRAM process:
    optimistic the same; nominal with the square of the DRAM's supply; pessimistic with that square and no gain from
    the smaller feature size. A core leaner than Rocket would take less: this errs upwards.
    """
    rocket_pj = CORE.rocket_pj_per_cycle.value
    shrink = NODE_NM / CORE.rocket_node_nm.value
    supply = (CORE.dram_supply_v.value / CORE.rocket_supply_v.value) ** 2
    if process is Process.LOGIC:
        return Band(rocket_pj * shrink, rocket_pj, rocket_pj)
    return Band(rocket_pj * shrink, rocket_pj * shrink * supply, rocket_pj * supply)


def core_energy(system: SystemConfig) -> CoreEnergy:
    """Return the coefficients of one core of the machine."""
    process = process_of(system)
    core = system.core
    device = SramDevice.HIGH_PERFORMANCE if process is Process.LOGIC else SramDevice.LOW_STANDBY_POWER
    way = sram_macro(core.line_sets * core.line_bytes, device)
    # All ways of a set are read at once where a set has several lines of many (a cache); a buffer is picked by its tag.
    ways_read = core.line_buffers if core.line_sets > 1 else 1
    busy = busy_pj(process)
    return CoreEnergy(
        busy_pj=busy,
        stalled_pj=busy * CORE.stalled_share.value,
        fetch_pj=sram_macro(core.instruction_buffer_bytes, device).read_pj,
        load_pj=way.read_pj * ways_read,
        store_pj=way.write_pj,
        fill_pj=way.write_pj,
        writeback_pj=way.read_pj,
        leakage_w=_leakage_w(core_inventory(system), device),
    )


def _leakage_w(parts: tuple[Component, ...], device: SramDevice) -> float:
    """Return the leakage of one core in W: CACTI's for SRAM; gates leak like 1 KB of SRAM per area (assumption)."""
    reference = sram_macro(1024, device)
    logic_mm2 = sum((part.kilo_gates for part in parts), Band.same(0.0)).of(Case.NOMINAL)
    logic_mm2 *= FIGURES.gate_um2.nominal * 1e-3
    sram_mw = sum(part.sram.leakage_mw for part in parts if part.sram)
    return (sram_mw + logic_mm2 * reference.leakage_mw / reference.area_mm2) * 1e-3
