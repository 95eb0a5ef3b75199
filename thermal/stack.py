"""The pile of layers a die sits in, and the two faces through which heat leaves it.

Decides thicknesses, materials and heat-transfer coefficients, and how areas larger than the die (package,
board) are folded into the die's footprint. What heats the die is the floorplan's and the caller's.
"""

import math
from dataclasses import dataclass

from scipy.special import iv, kv

from pim.errors import ConfigError
from thermal.air import DIMM_HEIGHT_M
from thermal.materials import MOULD, PCB, SILICON, SUBSTRATE, Material

AIR_CONDUCTIVITY_W_MK = 0.0263  # dry air at 300 K, 1 atm
AIR_VISCOSITY_M2_S = 1.6e-5  # kinematic, dry air at 300 K, 1 atm
AIR_PRANDTL = 0.71  # dry air at 300 K
RADIATION_W_M2K = 5.0
"""Assumption, linearised: a grey surface (emissivity 0.8) near 320 K gives 4 eps sigma T^3 = 5.9 to walls as cool as
the air; the neighbouring modules it faces are warmer."""

PACKAGE_M2 = 0.008 * 0.012  # 78-ball FBGA of 8 Gb x8 DDR4, 8 mm x 12 mm
DIMM_WIDTH_M = 0.13335  # JEDEC MO-309 DDR4 module outline
DIMM_SITES_PER_FACE = 9  # assumption: 8 DRAM packages and one site's share for register, buffers and passives
AMBIENT_K = 318.15  # assumption: 45 C air at the module, the usual in-chassis figure (HotSpot's default too)


@dataclass(frozen=True)
class Layer:
    """One laterally uniform layer of the stack.

    Attributes
    ----------
    name : str
    thickness_m : float
        In m, > 0.
    material : Material
    is_source : bool
        Whether the floorplan's power enters in this layer; exactly one layer of a stack does.
    """

    name: str
    thickness_m: float
    material: Material
    is_source: bool = False


@dataclass(frozen=True)
class Stack:
    """Layers from top to bottom, the die's footprint, adiabatic sides.

    Attributes
    ----------
    layers : tuple of Layer
        The first one's upper face sees `top_w_m2k`, the last one's lower face `bottom_w_m2k`.
    top_w_m2k, bottom_w_m2k : float
        Heat-transfer coefficient of the outer faces in W/(m2 K) of the die's footprint; 0 = adiabatic.
    note : str
        The environment this stack stands for, for reports.
    """

    layers: tuple[Layer, ...]
    top_w_m2k: float
    bottom_w_m2k: float
    note: str = ""

    def __post_init__(self) -> None:
        sources = [layer.name for layer in self.layers if layer.is_source]
        if len(sources) != 1:
            raise ConfigError(f"stack: exactly one layer must be the source, got {sources}")
        for layer in self.layers:
            if not (math.isfinite(layer.thickness_m) and layer.thickness_m > 0):
                raise ConfigError(
                    f"layer {layer.name!r}: thickness_m must be finite and > 0, got {layer.thickness_m} m"
                )
        faces = (self.top_w_m2k, self.bottom_w_m2k)
        if not all(math.isfinite(h) and h >= 0 for h in faces) or sum(faces) == 0:
            raise ConfigError(f"stack: faces need h >= 0 W/m2K and one > 0 (heat must leave), got {faces}")

    @property
    def source_index(self) -> int:
        """Index of the layer that is heated."""
        return next(i for i, layer in enumerate(self.layers) if layer.is_source)


def flat_plate_w_m2k(air_m_s: float, length_m: float) -> float:
    """Return the mean heat-transfer coefficient of a plate in an air stream in W/(m2 K), with radiation.

    Laminar: 0.664 (k/L) Re^0.5 Pr^(1/3). Natural convection is left out, so still air (0 m/s) is not covered.

    Parameters
    ----------
    air_m_s : float
        Free-stream speed in m/s, > 0.
    length_m : float
        Length of the plate along the flow in m, > 0.

    References
    ----------
    Incropera and DeWitt, Fundamentals of Heat and Mass Transfer, laminar flow over an isothermal plate.
    """
    if not (air_m_s > 0 and length_m > 0):
        raise ConfigError(f"flat plate: air speed and length must be > 0, got {air_m_s} m/s and {length_m} m")
    reynolds = air_m_s * length_m / AIR_VISCOSITY_M2_S
    nusselt: float = 0.664 * reynolds**0.5 * AIR_PRANDTL ** (1 / 3)
    return nusselt * AIR_CONDUCTIVITY_W_MK / length_m + RADIATION_W_M2K


def annular_fin_efficiency(inner_m: float, outer_m: float, decay_per_m: float) -> float:
    """Return the mean excess temperature of a flat ring, relative to that of its inner edge.

    Parameters
    ----------
    inner_m, outer_m : float
        Radii in m; the outer edge is adiabatic.
    decay_per_m : float
        sqrt(h_total / (k t)) in 1/m, h_total summed over the faces that give off heat.

    References
    ----------
    Incropera and DeWitt, annular fin of rectangular profile (modified Bessel functions I and K).
    """
    a, b = decay_per_m * inner_m, decay_per_m * outer_m
    flux = kv(1, a) * iv(1, b) - iv(1, a) * kv(1, b)
    head = iv(0, a) * kv(1, b) + kv(0, a) * iv(1, b)
    return float(2 * inner_m / (decay_per_m * (outer_m**2 - inner_m**2)) * flux / head)


def bare_dimm_package(die_m2: float, *, air_m_s: float = 1.0, faces_populated: int = 2) -> Stack:
    """Return the stack of one DRAM die, face down in its package, on a module without heat spreader.

    From the top: mould, silicon, 10 um of active silicon, substrate with balls, board. The package's top area
    and its share of the board stand in the die's footprint as larger coefficients; the board spreads as a
    circular fin around the die.

    Parameters
    ----------
    die_m2 : float
        Area of the die in m2.
    air_m_s : float
        Air speed along the module in m/s.
    faces_populated : int
        1: the package has both board faces of its site; 2: another package sits behind it, each has one face.

    Notes
    -----
    Left out: conduction into the socket, spreading inside the package. Air warming up along the module: `air`.
    """
    if faces_populated not in (1, 2):
        raise ConfigError(f"bare DIMM: faces_populated must be 1 or 2, got {faces_populated}")
    if not 0 < die_m2 <= PACKAGE_M2:
        raise ConfigError(f"bare DIMM: die must fit the {PACKAGE_M2 * 1e6:.0f} mm2 package, got {die_m2 * 1e6:.2f} mm2")
    # assumption: the boundary layer grows over the module's height, between a package (12 mm) and 133 mm
    h = flat_plate_w_m2k(air_m_s, DIMM_HEIGHT_M)
    site_m2 = DIMM_WIDTH_M * DIMM_HEIGHT_M / DIMM_SITES_PER_FACE
    half_board_m = 0.0014 / faces_populated  # 1.4 mm module board, JEDEC MO-309; shared by two packages if double-sided
    # A single-sided site gives off heat on the far face everywhere and on the near face around the die.
    fin_h = h * (2 if faces_populated == 1 else 1)
    inner_m, outer_m = math.sqrt(die_m2 / math.pi), math.sqrt(site_m2 / math.pi)
    efficiency = annular_fin_efficiency(inner_m, outer_m, math.sqrt(fin_h / (PCB.conductivity_w_mk * half_board_m)))
    under_die_h = h if faces_populated == 1 else 0.0
    bottom = under_die_h + fin_h * efficiency * (site_m2 - die_m2) / die_m2
    return Stack(
        layers=(
            Layer("mould", 0.30e-3, MOULD),  # assumption: what a package of 1.0 mm leaves above the die
            Layer("silicon", 0.19e-3, SILICON),  # assumption: die ground to 0.2 mm, as DRAM in one-die packages is
            Layer("active silicon", 0.01e-3, SILICON, is_source=True),
            Layer("substrate and balls", 0.60e-3, SUBSTRATE),  # 0.25 mm substrate, 0.35 mm balls
            Layer("board", half_board_m, PCB),
        ),
        top_w_m2k=h * PACKAGE_M2 / die_m2,
        bottom_w_m2k=bottom,
        note=f"bare package, {('single', 'double')[faces_populated - 1]}-sided module, "
        f"air {air_m_s:g} m/s, h {h:.1f} W/m2K",
    )
