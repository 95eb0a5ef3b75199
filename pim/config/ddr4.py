"""DDR4 devices by speed grade, density and width: three tables that compose to the settings of one device.

A device is named ``ddr4-RATE-DENSITYgb-xWIDTH``, such as ``ddr4-2400-8gb-x8``; a machine file's ``device: NAME`` puts
its settings where the file gives none of its own.

References
----------
JESD79-4: speed bins (the bin without 3DS of the most common parts), timing parameters by speed grade, refresh
parameters by density, addressing tables. Micron 8 Gb DDR4 sheet for the bins' names.
"""

import re
from typing import Any

from pim.config.checked import did_you_mean
from pim.errors import ConfigError

_BY_RATE: dict[int, dict[str, float | int]] = {  # MT/s
    2133: {"tck_ns": 0.937, "trcd_ns": 14.06, "trp_ns": 14.06, "tras_ns": 33.0, "cl_nck": 15, "cwl_nck": 11,
           "tccd_l_ns": 5.355, "txsdll_nck": 768},  # bin P (15-15-15)
    2400: {"tck_ns": 0.833, "trcd_ns": 14.16, "trp_ns": 14.16, "tras_ns": 32.0, "cl_nck": 17, "cwl_nck": 12,
           "tccd_l_ns": 5.0, "txsdll_nck": 768},  # bin T (17-17-17)
    3200: {"tck_ns": 0.625, "trcd_ns": 13.75, "trp_ns": 13.75, "tras_ns": 32.0, "cl_nck": 22, "cwl_nck": 16,
           "tccd_l_ns": 5.0, "txsdll_nck": 1024},  # bin AA (22-22-22)
}  # fmt: skip
_BY_RATE_AND_WIDTH: dict[int, dict[int, tuple[float, float, float]]] = {  # tRRD_S, tRRD_L, tFAW in ns
    2133: {4: (3.7, 5.3, 15.0), 8: (3.7, 5.3, 21.0), 16: (5.3, 6.4, 30.0)},
    2400: {4: (3.3, 4.9, 13.0), 8: (3.3, 4.9, 21.0), 16: (5.3, 6.4, 30.0)},
    3200: {4: (2.5, 4.9, 10.0), 8: (2.5, 4.9, 21.0), 16: (5.3, 6.4, 30.0)},
}
_TFAW_MIN_NCK = {4: 16, 8: 20, 16: 28}
_TRFC_NS = {4: (260.0, 160.0, 110.0), 8: (350.0, 260.0, 160.0), 16: (550.0, 350.0, 260.0)}  # Gb: tRFC1, 2, 4
_BANK_GROUPS = {4: 4, 8: 4, 16: 2}
COLUMNS = 1024
"""Columns of a row, of the device's width each (addressing tables, all densities)."""

_NAME = re.compile(r"ddr4-(\d+)-(\d+)gb-x(\d+)")


def device_names() -> list[str]:
    """Return the names of all devices."""
    return [f"ddr4-{rate}-{gbit}gb-x{width}" for rate in _BY_RATE for gbit in _TRFC_NS for width in _BANK_GROUPS]


def device_settings(name: str) -> dict[str, dict[str, Any]]:
    """Return the settings of a device by its name: those of ``geometry`` and of ``timing``.

    The rank stays 64 bits wide: 16, 8 or 4 chips.
    """
    if name not in device_names():
        raise ConfigError(f"device: unknown device {name!r}{did_you_mean(name, device_names())}")
    rate, gbit, width = (int(part) for part in _NAME.fullmatch(name).groups())  # type: ignore[union-attr]
    trrd_s_ns, trrd_l_ns, tfaw_ns = _BY_RATE_AND_WIDTH[rate][width]
    trfc_ns, trfc2_ns, trfc4_ns = _TRFC_NS[gbit]
    return {
        "geometry": {
            "device_gbit": gbit,
            "device_width": width,
            "bank_groups": _BANK_GROUPS[width],
            "banks_per_group": 4,
            "row_bytes": COLUMNS * width // 8,
            "chips_per_rank": 64 // width,
        },
        "timing": _BY_RATE[rate]
        | {
            "trrd_s_ns": trrd_s_ns,
            "trrd_l_ns": trrd_l_ns,
            "tfaw_ns": tfaw_ns,
            "tfaw_min_nck": _TFAW_MIN_NCK[width],
            "trfc_ns": trfc_ns,
            "trfc2_ns": trfc2_ns,
            "trfc4_ns": trfc4_ns,
        },
    }
