"""Power of a run: what cores and DRAM drew, per core, per DRAM chip and per buffer chip."""

from dataclasses import dataclass, replace

from pim.config import Level, SystemConfig
from pim.errors import ConfigError
from pim.power.core import core_energy
from pim.power.dram import CommandCounts, CommandTimes, DramEnergy, StateTimes, dram_energy
from pim.power.figures import DRAM, Scale
from pim.technology import Case
from pim.technology.sram import WORD_BYTES


@dataclass(frozen=True)
class Activity:
    """What happened in a run (or a phase of it), as means per core and per chip.

    Attributes
    ----------
    seconds : float
        Duration in s, > 0.
    busy_cycles : float
        Core clocks per core in which it executed.
    commands : CommandCounts
        Commands one DRAM chip got, all of them for its cores; with the whole-row port, a RD or WR is a row's transfer.
        Without refresh (0) it is added at the average refresh interval.
    n_chips : int
        DRAM chips that did this; the machine's others idle.
    stalled_cycles : float
        Core clocks per core spent waiting for memory.
    instructions, loads, stores : float
        Retired per core.
    bank_open_s : float or None
        Seconds a bank had a row open or was refreshed, summed over the banks of a chip; None: some bank all the time.
    """

    seconds: float
    busy_cycles: float
    commands: CommandCounts
    n_chips: int
    stalled_cycles: float = 0.0
    instructions: float = 0.0
    loads: float = 0.0
    stores: float = 0.0
    bank_open_s: float | None = None

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise ConfigError(f"activity: seconds must be > 0, got {self.seconds} s")
        for name in ("busy_cycles", "stalled_cycles", "instructions", "loads", "stores", "n_chips"):
            if not getattr(self, name) >= 0:
                raise ConfigError(f"activity: {name} must be >= 0, got {getattr(self, name)}")
        if self.bank_open_s is not None and not self.bank_open_s >= 0:
            raise ConfigError(f"activity: bank_open_s must be >= 0 s, got {self.bank_open_s} s")

    @property
    def active_s(self) -> float:
        """Seconds a chip had some bank open or refreshed: no two banks at once, as far as there is time for that.

        Exact where one bank is used, or some bank is open all the time; else an upper bound.
        """
        return self.seconds if self.bank_open_s is None else min(self.bank_open_s, self.seconds)


@dataclass(frozen=True)
class PowerReport:
    """Mean power of a run in W. Preliminary: core energy from a published core of the same kind.

    Attributes
    ----------
    core_logic_w, core_sram_w, core_leakage_w : float
        One core.
    cores_per_die : int
        Cores on one DRAM chip, or in one rank's buffer.
    dram_background_w : float
        One DRAM chip, its states.
    dram_refresh_w : float
        One chip, what refresh adds.
    dram_activity_w : float
        One chip, what ACT, PRE, RD and WR add.
    idle_chip_w : float
        One chip that refreshes with all banks closed and cores switched off.
    n_chips : int
        Chips that ran.
    seconds : float
        Duration in s.
    level : Level
    notes : tuple of str
        Assumptions and limits.
    """

    core_logic_w: float
    core_sram_w: float
    core_leakage_w: float
    cores_per_die: int
    dram_background_w: float
    dram_refresh_w: float
    dram_activity_w: float
    idle_chip_w: float
    n_chips: int
    seconds: float
    level: Level
    chips_per_group: int
    notes: tuple[str, ...]

    @property
    def core_w(self) -> float:
        """One core, W."""
        return self.core_logic_w + self.core_sram_w + self.core_leakage_w

    @property
    def cores_w(self) -> float:
        """All cores of one die (DRAM chip or buffer), W."""
        return self.core_w * self.cores_per_die

    @property
    def dram_w(self) -> float:
        """The DRAM part of one chip, W."""
        return self.dram_background_w + self.dram_refresh_w + self.dram_activity_w

    @property
    def chip_w(self) -> float:
        """One DRAM chip with the cores on it, W."""
        return self.dram_w + (0.0 if self.level is Level.RANK else self.cores_w)

    @property
    def total_w(self) -> float:
        """All chips that ran, with their cores, W."""
        groups = self.n_chips / self.chips_per_group
        return self.n_chips * self.dram_w + groups * self.cores_w

    @property
    def energy_j(self) -> float:
        """Energy of the run over all chips that ran, J."""
        return self.total_w * self.seconds


def command_times(system: SystemConfig) -> CommandTimes:
    """Return the durations of the machine's commands in s, in whole clocks as it executes them."""
    clocks, tck_s = system.timing.to_kernel(), system.timing.tck_ns * 1e-9
    return CommandTimes(clocks.nras * tck_s, clocks.nrp * tck_s, clocks.nbl * tck_s, clocks.nrfc * tck_s)


def _energy(system: SystemConfig, counts: CommandCounts, times: StateTimes, scale: Scale) -> DramEnergy:
    return dram_energy(
        DRAM.rails(scale, DRAM.device(system)),
        counts,
        times,
        command_times(system),
        rho=DRAM.rho,
        n_banks=system.geometry.banks_per_chip,
    )


def idle_power_w(system: SystemConfig, scale: Scale = Scale.DATASHEET) -> float:
    """Return the power in W of one chip with all banks closed, refreshed at the average interval."""
    trefi_s, trfc_s = system.timing.trefi_ns * 1e-9, command_times(system).trfc_s
    times = StateTimes(active_s=trfc_s, precharged_s=trefi_s - trfc_s)
    return _energy(system, CommandCounts(ref=1), times, scale).total_j / trefi_s


def run_power(
    system: SystemConfig,
    activity: Activity,
    *,
    case: Case = Case.NOMINAL,
    scale: Scale = Scale.DATASHEET,
) -> PowerReport:
    """Return the mean power of a run.

    Parameters
    ----------
    system : SystemConfig
    activity : Activity
    case : Case
        End of the band of the core's energy.
    scale : Scale
        Data-sheet or typical DRAM currents.
    """
    seconds = activity.seconds
    columns = system.row_bytes // system.column_bytes if system.port == "row" else 1
    counts = replace(activity.commands, rd=activity.commands.rd * columns, wr=activity.commands.wr * columns)
    if counts.ref == 0:
        counts = replace(counts, ref=seconds / (system.timing.trefi_ns * 1e-9))
    active_s = activity.active_s
    open_s = active_s if activity.bank_open_s is None else activity.bank_open_s
    times = StateTimes(active_s=active_s, precharged_s=seconds - active_s, bank_open_s=open_s)
    dram = _energy(system, counts, times, scale)
    core = core_energy(system)
    logic_pj = core.busy_pj.of(case) * activity.busy_cycles + core.stalled_pj.of(case) * activity.stalled_cycles
    words = system.column_bytes / WORD_BYTES / system.cores_per_group  # of each core, by column of the DRAM
    sram_pj = core.fetch_pj * activity.instructions + core.load_pj * activity.loads + core.store_pj * activity.stores
    sram_pj += words * (core.fill_pj * counts.rd + core.writeback_pj * counts.wr)
    notes = [
        f"preliminary; core energy {case.value}: {core.busy_pj.of(case):.1f} pJ per busy clock",
        f"DRAM currents: {scale.value}, {DRAM.label(system)}; VDDQ (bus drivers) left out",
    ]
    if system.level is not Level.RANK:
        notes.append("column accesses of cores on the die cost the data sheet's full burst: an upper bound")
    if system.port == "row":
        notes.append("a row through the latch costs as much as all its columns one by one: an upper bound")
    if activity.bank_open_s is None:
        notes.append("some bank taken as open all the time: an upper bound of the background")
    elif active_s < seconds:
        notes.append("banks taken as open one after the other, as far as time allows: an upper bound of the background")
    return PowerReport(
        core_logic_w=logic_pj * 1e-12 / seconds,
        core_sram_w=sram_pj * 1e-12 / seconds,
        core_leakage_w=core.leakage_w,
        cores_per_die=system.cores_per_group,
        dram_background_w=dram.background_j / seconds,
        dram_refresh_w=dram.ref / seconds,
        dram_activity_w=(dram.commands_j - dram.ref) / seconds,
        idle_chip_w=idle_power_w(system, scale),
        n_chips=activity.n_chips,
        seconds=seconds,
        level=system.level,
        chips_per_group=system.lanes,
        notes=tuple(notes),
    )
