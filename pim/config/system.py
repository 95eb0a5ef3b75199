"""A whole machine: the level its cores sit at, everything around them, and the checks between the parts."""

from enum import StrEnum
from typing import Literal, Self

from pydantic import Field, model_validator

from pim.config.controller import ControllerConfig
from pim.config.core import CoreConfig
from pim.config.geometry import Geometry
from pim.config.host import HostConfig
from pim.config.interface import InterfaceConfig
from pim.config.model import ConfigModel, Name, PowerOfTwo
from pim.config.timing import TimingSpec


class Level(StrEnum):
    """Where the cores sit."""

    BANK = "bank"  # next to one bank's row buffer
    CHIP = "chip"  # on the global bus of one die
    RANK = "rank"  # in the DIMM's buffer chip


class SystemConfig(ConfigModel):
    """A machine of cores inside DDR4 memory.

    A *group* is what is simulated together because its cores share something: at the bank a chip (activate budget),
    at the chip a chip (bus, banks, activate budget), at the rank a rank (bus, banks).
    """

    name: Name
    level: Level
    geometry: Geometry = Geometry()
    timing: TimingSpec = TimingSpec()
    core: CoreConfig = CoreConfig()
    cores_per_location: PowerOfTwo = Field(1, le=16)  # per bank, chip or rank
    port: Literal["column", "row"] = "column"
    obey_tfaw: bool = True  # whether row cycling inside the die obeys the four-activate window
    column_bursts: int | None = Field(None, ge=1, le=16)
    """Banks of a die that its power delivery lets have column bursts in flight at once; None: all of them. Assumption:
    no figure of a DDR4 die was found. Its pins take one every tCCD_S, so tCCD_L / tCCD_S = 1.5 in flight."""
    window_map: Literal["own-banks", "all-banks"] = "own-banks"  # what several cores of a chip or rank share out
    controller: ControllerConfig = ControllerConfig()
    interface: InterfaceConfig = InterfaceConfig()
    host: HostConfig = HostConfig()

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        if self.port == "row" and self.level is not Level.BANK:
            raise ValueError(
                f"port: 'row' needs cores at the bank (a row latch is one bank's), got level {self.level.value}"
            )
        if self.port == "row" and self.core.line_bytes != self.geometry.row_bytes:
            raise ValueError(
                f"port: 'row' needs core.line_bytes = geometry.row_bytes "
                f"({self.geometry.row_bytes}), got {self.core.line_bytes}"
            )
        if self.lanes & (self.lanes - 1):
            raise ValueError(
                f"geometry.chips_per_rank: cores at the rank need a power of two, whose columns a line holds whole, "
                f"got {self.lanes}"
            )
        if self.level is Level.BANK and self.cores_per_location != 1:
            raise ValueError(f"cores_per_location: one core a bank is modelled, got {self.cores_per_location}")
        if self.has_own_banks and self.cores_per_group > self.geometry.banks_per_chip:
            raise ValueError(
                f"cores_per_location: with window_map 'own-banks' at most one core per bank "
                f"({self.geometry.banks_per_chip}), got {self.cores_per_location}"
            )
        if self.core.line_bytes > self.row_bytes:
            raise ValueError(f"core.line_bytes must not exceed a row ({self.row_bytes} B), got {self.core.line_bytes}")
        if self.core.sector_bytes < self.column_bytes:
            raise ValueError(
                f"core.sector_bytes must hold a column access ({self.column_bytes} B), got {self.core.sector_bytes}"
            )
        if self.core.instruction_line_bytes < self.column_bytes:
            raise ValueError(f"core.instruction_line_bytes must hold a column access ({self.column_bytes} B)")
        return self

    @property
    def n_locations(self) -> int:
        """Banks, chips or ranks that have cores."""
        geometry = self.geometry
        return {Level.BANK: geometry.n_banks, Level.CHIP: geometry.n_chips, Level.RANK: geometry.n_ranks}[self.level]

    @property
    def n_cores(self) -> int:
        """Cores of the machine."""
        return self.n_locations * self.cores_per_location

    @property
    def n_groups(self) -> int:
        """Groups of cores that are simulated together: chips, or ranks at the rank."""
        return self.geometry.n_ranks if self.level is Level.RANK else self.geometry.n_chips

    @property
    def cores_per_group(self) -> int:
        """Cores of one group."""
        return self.n_cores // self.n_groups

    @property
    def group_bytes(self) -> int:
        """Memory of one group, bytes."""
        return self.geometry.rank_bytes if self.level is Level.RANK else self.geometry.chip_bytes

    @property
    def window_bytes(self) -> int:
        """Memory each core sees, bytes: its bank, or an equal share of its chip or rank."""
        return self.group_bytes // self.cores_per_group

    @property
    def host_window_bytes(self) -> int:
        """Memory of a core that the host reaches, bytes: all but the top row of each bank, which is its registers.

        Windows that run over all banks end there for the last core of a group only, but all have the same size.
        """
        banks = self.geometry.banks_per_chip
        return self.window_bytes - self.row_bytes * (banks // self.cores_per_group if self.has_own_banks else banks)

    @property
    def has_own_banks(self) -> bool:
        """Whether no two cores have rows of one bank: at the bank always, else by `window_map`."""
        return self.level is Level.BANK or self.window_map == "own-banks"

    @property
    def most_bursts(self) -> int | None:
        """`column_bursts` where it can bind: cores at the bank, and fewer than the die has banks; else None."""
        limit = self.column_bursts
        binds = self.level is Level.BANK and limit is not None and limit < self.geometry.banks_per_chip
        return limit if binds else None

    @property
    def lanes(self) -> int:
        """Chips that answer one access of a core in lockstep."""
        return self.geometry.chips_per_rank if self.level is Level.RANK else 1

    @property
    def row_bytes(self) -> int:
        """Bytes of one row as a core sees it."""
        return self.geometry.row_bytes * self.lanes

    @property
    def column_bytes(self) -> int:
        """Bytes one column access brings a core: 8 B from one x8 chip, 64 B from a rank."""
        return self.geometry.column_bytes * self.lanes

    @property
    def channel_gb_s(self) -> float:
        """Peak bandwidth of all host channels, GB/s: 8 B at twice the DRAM clock each."""
        return self.geometry.channels * 8 * 2 / self.timing.tck_ns

    @property
    def rtl_checked(self) -> bool:
        """Whether the RTL's lockstep covers this configuration: the model's cycle counts are the hardware's.

        That is the bank level with the default core, RV64IMC or RV32IMC, at any clock up to the DRAM's and with either
        port; rows left open, activates in the order of the requests, no limit of column bursts. DRAM timings are
        parameters of the RTL; both kinds of ownership and up to 16 cores of a die are covered. docs/rtl.md, "Lockstep".
        """
        free = {"clock_mhz", "extensions"} | ({"sector_bytes"} if self.port == "row" else set())
        return (
            self.level is Level.BANK
            and self.core.model_dump(exclude=free) == CoreConfig().model_dump(exclude=free)
            and self.core.extensions in ("rv64imc", "rv32imc")
            and self.core.clock_mhz * self.timing.tck_ns <= 1000
            and self.controller.scheduling == "fcfs"
            and self.controller.page == "open"
            and self.most_bursts is None
        )
