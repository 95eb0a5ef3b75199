"""The air that flows along a module: how much warmer it is where the last package sits.

Decides only the heat balance of the stream; heat-transfer coefficients are the stack's.
"""

from dataclasses import dataclass

from pim.errors import ConfigError

AIR_DENSITY_KG_M3 = 1.11  # dry air at 45 C, 1 atm
AIR_HEAT_J_KGK = 1007.0  # dry air at constant pressure, 300 to 350 K
SLOT_PITCH_M = 0.0095  # assumption: server slots about 9.4 mm (0.37 inch) apart, all fitted
DIMM_HEIGHT_M = 0.03125  # JEDEC MO-309, standard height


@dataclass(frozen=True)
class AirStream:
    """Air along the long side of a module, one stream per slot.

    Attributes
    ----------
    speed_m_s : float
        Mean speed between the modules in m/s, > 0.
    columns : int
        Packages one behind the other along the stream.
    packages : int
        Packages the stream cools: those of both faces of one module.
    """

    speed_m_s: float = 1.0
    columns: int = 8
    packages: int = 16

    def __post_init__(self) -> None:
        if not self.speed_m_s > 0 or self.columns < 1 or self.packages < self.columns:
            raise ConfigError(
                f"air stream: speed must be > 0 and 1 <= columns <= packages, got {self.speed_m_s} m/s, "
                f"{self.columns} columns, {self.packages} packages"
            )

    def warming_k(self, package_w: float) -> float:
        """Return how much the air at the last package is above the inlet, in K, if all packages give `package_w` W.

        All heat goes into the slot's stream, well mixed; the last column sees half of its own heat.
        """
        flow_w_k = AIR_DENSITY_KG_M3 * AIR_HEAT_J_KGK * self.speed_m_s * SLOT_PITCH_M * DIMM_HEIGHT_M
        upstream = 1 - 1 / (2 * self.columns)
        return upstream * self.packages * package_w / flow_w_k
