"""The host that launches the cores, moves data to and from them, and shuffles between them."""

from pydantic import Field

from pim.config.controller import ControllerConfig
from pim.config.model import ConfigModel


class HostConfig(ConfigModel):
    """Host-side rates.

    The fraction that re-layout reaches is the published one of a 6-channel host: 29 GB/s on average of 90 GB/s
    (ISCA 2026, section on re-layout); it is applied to the configured channels' peak bandwidth.
    """

    relayout_fraction: float = Field(29 / 90, ge=1e-3, le=1)
    copy_fraction: float = Field(0.8, ge=1e-3, le=1)  # assumption: streaming copies reach 80 % of the channels' peak
    cache_bytes: int = Field(
        27_500_000, ge=0, le=1 << 40
    )  # to flush; last level of Xeon Silver 4114, ISCA 2026 table I
    controller: ControllerConfig = ControllerConfig()  # of each of the host's channels
