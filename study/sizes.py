"""Sizes as people write them, ``200MB`` or ``1.5 GiB``, to bytes."""

import re

from pim.errors import ConfigError

UNITS = {
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}
"""Unit in capitals -> bytes (SI and IEC 80000-13 prefixes)."""

_SIZE = re.compile(r"\s*(?P<number>[0-9]{1,30}(?:\.[0-9]{1,30})?)\s*(?P<unit>[A-Za-z]*)\s*", re.ASCII)


def parse_size(text: str) -> int:
    """Return a size in bytes; a number without a unit is bytes, units are case-insensitive.

    Raises
    ------
    ConfigError
        Not a number with a known unit, not a whole number of bytes, or zero.
    """
    match = _SIZE.fullmatch(text)
    allowed = "a positive number and one of B, KB, MB, GB, TB, KiB, MiB, GiB, TiB, for example 200MB"
    if match is None:
        raise ConfigError(f"size {text[:100]!r}: not a size; allowed: {allowed}")
    unit = match["unit"].upper() or "B"
    if unit not in UNITS:
        raise ConfigError(f"size {text!r}: unknown unit {match['unit']!r}; allowed: {allowed}")
    whole, _, fraction = match["number"].partition(".")
    scaled, rest = divmod(int(whole + fraction) * UNITS[unit], int("1" + "0" * len(fraction)))
    if rest or scaled == 0:
        raise ConfigError(f"size {text!r}: must be a whole number of bytes above zero; allowed: {allowed}")
    return scaled
