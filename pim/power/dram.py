"""Energy of one DRAM device from command counts and the time spent in each state.

The equations are DRAMPower's: what a command adds over the background, and the background by state. A device's
input and output drivers (VDDQ) are not part of these currents and are left out.

References
----------
Chandrasekar et al., "Improved Power Modeling of DDR SDRAMs", DSD 2011; DRAMPower 5 (tukl-msd/DRAMPower).
"""

from dataclasses import dataclass, fields

from pim.errors import ConfigError
from pim.power.figures import Currents

Rails = tuple[tuple[float, Currents], ...]
"""Supplies of a device: volts and currents in mA."""


@dataclass(frozen=True)
class CommandCounts:
    """Commands one device got; PRE counts open-to-closed transitions, automatic ones included."""

    act: float = 0
    pre: float = 0
    rd: float = 0
    wr: float = 0
    ref: float = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            if not getattr(self, field.name) >= 0:
                raise ConfigError(f"command counts: {field.name} must be >= 0, got {getattr(self, field.name)}")


@dataclass(frozen=True)
class StateTimes:
    """Seconds a device spent in each state.

    Attributes
    ----------
    active_s : float
        Some bank open, or refreshing.
    precharged_s : float
        All banks closed.
    powerdown_active_s, powerdown_precharged_s, self_refresh_s : float
        Clock-enable-low states.
    bank_open_s : float
        Open time summed over banks; matters only if background grows with open banks (rho < 1).
    """

    active_s: float = 0.0
    precharged_s: float = 0.0
    powerdown_active_s: float = 0.0
    powerdown_precharged_s: float = 0.0
    self_refresh_s: float = 0.0
    bank_open_s: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            if not getattr(self, field.name) >= 0:
                raise ConfigError(f"state times: {field.name} must be >= 0 s, got {getattr(self, field.name)} s")


@dataclass(frozen=True)
class CommandTimes:
    """Durations in s the command currents are defined over: tRAS, tRP, data burst, tRFC."""

    tras_s: float
    trp_s: float
    burst_s: float
    trfc_s: float


@dataclass(frozen=True)
class DramEnergy:
    """Energy of one device in J by cause; the sum of all fields is the total."""

    act: float = 0.0
    pre: float = 0.0
    rd: float = 0.0
    wr: float = 0.0
    ref: float = 0.0
    background_active: float = 0.0
    background_open_banks: float = 0.0
    background_precharged: float = 0.0
    powerdown_active: float = 0.0
    powerdown_precharged: float = 0.0
    self_refresh: float = 0.0

    @property
    def commands_j(self) -> float:
        """What the commands add over the background, J; refresh included."""
        return self.act + self.pre + self.rd + self.wr + self.ref

    @property
    def background_j(self) -> float:
        """What the states cost, J."""
        return self.total_j - self.commands_j

    @property
    def total_j(self) -> float:
        """Everything, J."""
        return float(sum(getattr(self, field.name) for field in fields(self)))

    def __add__(self, other: "DramEnergy") -> "DramEnergy":
        return DramEnergy(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(DramEnergy)})


def dram_energy(
    rails: Rails,
    counts: CommandCounts,
    times: StateTimes,
    command_times: CommandTimes,
    *,
    rho: float = 1.0,
    n_banks: int = 16,
) -> DramEnergy:
    """Return the energy of one device.

    Parameters
    ----------
    rails : Rails
        Supplies, V and mA.
    counts : CommandCounts
    times : StateTimes
    command_times : CommandTimes
    rho : float
        Part of the active-over-precharged background that does not depend on how many banks are open, 0 to 1.
    n_banks : int
        Banks of the device.
    """
    total = DramEnergy()
    for volts, current in rails:
        total = total + _rail_energy(volts, current, counts, times, command_times, rho, n_banks)
    return total


def _rail_energy(
    volts: float,
    ma: Currents,
    counts: CommandCounts,
    times: StateTimes,
    command: CommandTimes,
    rho: float,
    n_banks: int,
) -> DramEnergy:
    """Return the energy one supply gives."""
    mw = volts * 1e-3  # W per mA
    shared = ma.idd2n + rho * (ma.idd3n - ma.idd2n)
    one_bank = (ma.idd3n + (n_banks - 1) * shared) / n_banks
    return DramEnergy(
        act=mw * (ma.idd0 - one_bank) * command.tras_s * counts.act,
        pre=mw * (ma.idd0 - ma.idd2n) * command.trp_s * counts.pre,
        rd=mw * (ma.idd4r - ma.idd3n) * command.burst_s * counts.rd,
        wr=mw * (ma.idd4w - ma.idd3n) * command.burst_s * counts.wr,
        ref=mw * (ma.idd5b - ma.idd3n) * command.trfc_s * counts.ref,
        background_active=mw * shared * times.active_s,
        background_open_banks=mw * (one_bank - shared) * times.bank_open_s,
        background_precharged=mw * ma.idd2n * times.precharged_s,
        powerdown_active=mw * ma.idd3p * times.powerdown_active_s,
        powerdown_precharged=mw * ma.idd2p * times.powerdown_precharged_s,
        self_refresh=mw * ma.idd6n * times.self_refresh_s,
    )
