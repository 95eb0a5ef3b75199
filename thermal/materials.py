"""Thermal properties of the materials a DRAM package and its board are made of.

Values at about 350 K, taken as constant: silicon loses 0.4 % of its conductivity per kelvin, and silicon is a
small part of the path from die to air. Effective values of composite layers name what they lump together.
"""

import math
from dataclasses import dataclass

from pim.errors import ConfigError


@dataclass(frozen=True)
class Material:
    """An isotropic material.

    Attributes
    ----------
    name : str
        For messages and reports.
    conductivity_w_mk : float
        Thermal conductivity in W/(m K), > 0.
    heat_capacity_j_m3k : float
        Volumetric heat capacity in J/(m3 K), > 0.
    source : str
        Where the two numbers come from.
    """

    name: str
    conductivity_w_mk: float
    heat_capacity_j_m3k: float
    source: str

    def __post_init__(self) -> None:
        for field in ("conductivity_w_mk", "heat_capacity_j_m3k"):
            value = getattr(self, field)
            if not (math.isfinite(value) and value > 0):
                raise ConfigError(f"material {self.name!r}: {field} must be finite and > 0, got {value}")


SILICON = Material(
    "silicon",
    130.0,
    1.63e6,
    "HotSpot 7.0 default at 350 K; DRAMsim3 thermal_config.h has 148 W/mK and 1.66e6 J/m3K",
)
MOULD = Material(
    "mould compound",
    0.8,
    1.7e6,
    "epoxy with silica filler, 0.7 to 0.9 W/mK in manufacturers' sheets; assumption: 0.8",
)
SUBSTRATE = Material(
    "substrate and balls",
    5.0,
    1.9e6,
    "assumption: laminate with vias (2 W/mK) and balls in air (17 W/mK) in series, HotSpot 7.0 package",
)
PCB = Material(
    "printed circuit board",
    8.0,
    1.8e6,
    "assumption: FR-4 (0.3 W/mK) with copper planes, mean of in-plane and via-fed through-plane conduction",
)
