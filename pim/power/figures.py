"""The tables behind the power model: currents of the DRAM, energy of the core; read from YAML and checked."""

from enum import StrEnum
from pathlib import Path

from pydantic import Field

from pim.config import ConfigModel, SystemConfig, checked, read_mapping


class Scale(StrEnum):
    """Whose currents: the data sheet's maxima, or what was measured on modules."""

    DATASHEET = "datasheet"
    TYPICAL = "typical"


class Currents(ConfigModel):
    """Currents of one supply by state, JESD79-4 names; mA, or ratios where they scale."""

    idd0: float = Field(ge=0)
    idd2n: float = Field(ge=0)
    idd3n: float = Field(ge=0)
    idd4r: float = Field(ge=0)
    idd4w: float = Field(ge=0)
    idd5b: float = Field(ge=0)
    idd6n: float = Field(ge=0)
    idd2p: float = Field(ge=0)
    idd3p: float = Field(ge=0)

    def scaled(self, ratio: "Currents") -> "Currents":
        """Return each current times its ratio."""
        return Currents(**{name: getattr(self, name) * getattr(ratio, name) for name in Currents.model_fields})


class DeviceCurrents(Currents):
    """Currents of a device: those of VDD by state, and that of VPP in all of them; mA."""

    ipp: float = Field(ge=0)

    @property
    def vdd_ma(self) -> Currents:
        """What VDD gives."""
        return Currents(**{name: getattr(self, name) for name in Currents.model_fields})

    @property
    def vpp_ma(self) -> Currents:
        """What VPP gives."""
        return Currents(**dict.fromkeys(Currents.model_fields, self.ipp))


class DramFigures(ConfigModel):
    """Currents and supplies of DRAM devices by name (`pim.config.device_names`)."""

    vdd_v: float = Field(gt=0)
    vpp_v: float = Field(gt=0)
    source: str
    devices: dict[str, DeviceCurrents]
    rho: float = Field(ge=0, le=1)
    rho_source: str
    typical_ratio: Currents
    typical_source: str

    def device(self, system: SystemConfig) -> str:
        """Return the device whose currents stand for a machine's: its own if it is listed, else the first."""
        geometry, rate = system.geometry, 2000 / system.timing.tck_ns
        own = f"-{geometry.device_gbit}gb-x{geometry.device_width}"
        near = [
            name for name in self.devices if name.endswith(own) and abs(int(name.split("-")[1]) - rate) < 0.01 * rate
        ]
        return near[0] if near else next(iter(self.devices))

    def label(self, system: SystemConfig) -> str:
        """Return what the currents of a machine are those of, such as ``8 Gb x8 DDR4-2400``."""
        _, rate, density, width = self.device(system).split("-")
        return f"{density.removesuffix('gb')} Gb {width} DDR4-{rate}"

    def rails(self, scale: Scale, device: str | None = None) -> tuple[tuple[float, Currents], ...]:
        """Return (volts, currents in mA) of both supplies of a device, by default the first, at a scale."""
        currents = self.devices[device or next(iter(self.devices))]
        vdd_ma, vpp_ma = currents.vdd_ma, currents.vpp_ma
        if scale is Scale.TYPICAL:
            vdd_ma, vpp_ma = vdd_ma.scaled(self.typical_ratio), vpp_ma.scaled(self.typical_ratio)
        return (self.vdd_v, vdd_ma), (self.vpp_v, vpp_ma)


class Figure(ConfigModel):
    """One number with unit and source."""

    value: float = Field(gt=0)
    unit: str = Field(min_length=1)
    source: str = Field(min_length=1)


class CoreFigures(ConfigModel):
    """Energy of the core's logic."""

    rocket_pj_per_cycle: Figure
    rocket_node_nm: Figure
    rocket_supply_v: Figure
    dram_supply_v: Figure
    stalled_share: Figure


_DRAM, _CORE = (read_mapping(Path(__file__).parent / name) for name in ("dram_figures.yaml", "core_figures.yaml"))

DRAM = checked(DramFigures, _DRAM.content, _DRAM)
CORE = checked(CoreFigures, _CORE.content, _CORE)
