"""One die's temperature from its floorplan, stack and power; and what a die's cores add to it."""

from dataclasses import dataclass

from pim.errors import ConfigError
from thermal.air import AirStream
from thermal.floorplan import Floorplan
from thermal.map import BlockGrid
from thermal.network import Array, build_network
from thermal.solve import Method, heat_out_w, steady_rise
from thermal.stack import AMBIENT_K, Stack

ZERO_CELSIUS_K = 273.15
GRID = (32, 48)
"""Rows and columns; measured: peak rise within 0.3 % of 128 x 192 for cores at the banks and in the spine."""
REFRESH_NORMAL_C = 85.0  # above it refresh every 32 ms instead of 64 ms (Micron 8 Gb DDR4 sheet, 8192 commands)
REFRESH_FAST_C = 95.0  # above it 16 ms (same sheet), and outside the commercial case-temperature range


@dataclass(frozen=True)
class ThermalMap:
    """Steady temperature of a die.

    Attributes
    ----------
    temperature_k : Array, float64, (rows, columns)
        Heated layer in K; row 0 is south, column 0 is west.
    layers_k : Array, float64, (layers, rows, columns)
        All layers in K, top first.
    block_mean_k, block_max_k : dict of str to float
        Mean and greatest temperature of every block in K.
    ambient_k : float
        Air temperature in K.
    power_w : float
        Total power in W.
    heat_top_w, heat_bottom_w : float
        What leaves through the two faces in W.
    """

    temperature_k: Array
    layers_k: Array
    block_mean_k: dict[str, float]
    block_max_k: dict[str, float]
    ambient_k: float
    power_w: float
    heat_top_w: float
    heat_bottom_w: float

    @property
    def peak_k(self) -> float:
        """Greatest temperature of the heated layer in K."""
        return float(self.temperature_k.max())

    @property
    def rise_k(self) -> float:
        """Peak over ambient in K."""
        return self.peak_k - self.ambient_k


def solve_die(
    floorplan: Floorplan,
    stack: Stack,
    power_w: dict[str, float],
    *,
    ambient_k: float = AMBIENT_K,
    grid: tuple[int, int] = GRID,
    method: Method = Method.AUTO,
) -> ThermalMap:
    """Return the steady temperature of a die.

    Parameters
    ----------
    floorplan : Floorplan
    stack : Stack
        Coefficients refer to the floorplan's area.
    power_w : dict of str to float
        Power of blocks by name in W; blocks that are not named give none.
    ambient_k : float
        Air temperature in K, > 0.
    grid : (int, int)
        Rows and columns of cells.
    method : Method
        How the linear system is solved.
    """
    if not ambient_k > 0:
        raise ConfigError(f"thermal: ambient_k must be > 0 K, got {ambient_k} K")
    rows, columns = grid
    network = build_network(stack, floorplan.width_m, floorplan.height_m, rows, columns)
    blocks = BlockGrid(floorplan, rows, columns)
    rise = steady_rise(network, blocks.cell_power_w(power_w), method)
    top_w, bottom_w = heat_out_w(network, rise)
    layers_k = ambient_k + rise
    heated_k = layers_k[network.source_index]
    return ThermalMap(
        temperature_k=heated_k,
        layers_k=layers_k,
        block_mean_k=blocks.block_mean(heated_k),
        block_max_k=blocks.block_max(heated_k),
        ambient_k=ambient_k,
        power_w=sum(power_w.values()),
        heat_top_w=top_w,
        heat_bottom_w=bottom_w,
    )


@dataclass(frozen=True)
class CoreHeat:
    """What the cores add to a die's temperature, for the warmest package of a module.

    Attributes
    ----------
    computing, idle : ThermalMap
        The same die with cores computing, and with the DRAM's background power only; ambient is the air at the die.
    note : str
        Environment and limits, for reports.
    """

    computing: ThermalMap
    idle: ThermalMap
    note: str

    @property
    def rise_k(self) -> float:
        """Peak with the cores computing minus peak without, in K; the warmer air upstream included."""
        return self.computing.peak_k - self.idle.peak_k

    @property
    def rise_over_air_k(self) -> float:
        """The same over the air at the die, in K: what a package alone in its stream would rise."""
        return self.computing.rise_k - self.idle.rise_k

    @property
    def peak_c(self) -> float:
        """Peak with the cores computing, in degrees Celsius."""
        return self.computing.peak_k - ZERO_CELSIUS_K

    @property
    def refresh_window_ms(self) -> float:
        """Time in ms within which every row must be refreshed at the peak temperature: 64, 32 or 16."""
        return 64.0 if self.peak_c <= REFRESH_NORMAL_C else 32.0 if self.peak_c <= REFRESH_FAST_C else 16.0

    @property
    def warning(self) -> str:
        """Say so if the die leaves the normal temperature range; empty otherwise."""
        if self.peak_c <= REFRESH_NORMAL_C:
            return ""
        range_text = (
            "" if self.peak_c <= REFRESH_FAST_C else f", above the {REFRESH_FAST_C:g} C limit of commercial parts"
        )
        return (
            f"peak {self.peak_c:.1f} C is above {REFRESH_NORMAL_C:g} C{range_text}: "
            f"refresh within {self.refresh_window_ms:g} ms instead of 64 ms"
        )


def core_heat(
    floorplan: Floorplan,
    stack: Stack,
    idle_w: dict[str, float],
    computing_w: dict[str, float],
    *,
    air: AirStream | None = None,
    inlet_k: float = AMBIENT_K,
    grid: tuple[int, int] = GRID,
) -> CoreHeat:
    """Return what the cores add: `computing_w` against `idle_w` (W by block) on the same die and stack.

    Parameters
    ----------
    floorplan, stack
        As for `solve_die`.
    idle_w, computing_w : dict of str to float
        Power of blocks by name in W.
    air : AirStream or None
        The stream that all packages of a module, with equal power, warm up; None: every package gets inlet air.
    inlet_k : float
        Air before the module in K.
    grid : (int, int)
        Rows and columns of cells.
    """

    def solved(power_w: dict[str, float]) -> ThermalMap:
        warming_k = air.warming_k(sum(power_w.values())) if air else 0.0
        return solve_die(floorplan, stack, power_w, ambient_k=inlet_k + warming_k, grid=grid)

    stream = f"last of {air.columns} packages in the stream" if air else "inlet air at every package"
    return CoreHeat(
        computing=solved(computing_w),
        idle=solved(idle_w),
        note=f"preliminary; steady state; {stack.note}; inlet {inlet_k - ZERO_CELSIUS_K:.0f} C, {stream}",
    )
