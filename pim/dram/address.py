"""Physical addresses to places in the DRAM and back: named maps, each a bijection.

A map's name lists the fields from the most to the least significant: Ro row, Ba bank (and below it, where it is not
named apart, Bg bank group), Ra rank, Co column (one burst), Ch channel. With ``-xor`` bank and bank group are XORed
with the row's lowest bits, so that strides of a power of two don't fall on one bank.

References
----------
Zhang, Zhu, Zhang, "A Permutation-based Page Interleaving Scheme to Reduce Row-buffer Conflicts", MICRO 2000.
"""

from dataclasses import dataclass, fields
from typing import Any

from pim.config import Geometry
from pim.config.checked import did_you_mean
from pim.errors import ConfigError

_LAYOUTS = {
    "RoBaRaCoCh": ("channel", "column", "rank", "group", "bank", "row"),  # a row, then the next rank, group, bank
    "RoRaBaCoCh": ("channel", "column", "group", "bank", "rank", "row"),  # a row, then the next group, bank, rank
    "RoRaBaCoBgCh": ("channel", "group", "column", "bank", "rank", "row"),  # bursts go to the bank groups in turn
    "RoCoRaBaCh": ("channel", "group", "bank", "rank", "column", "row"),  # bursts go to all banks in turn
}
XOR = "-xor"
MAP_NAMES = tuple(name + suffix for name in _LAYOUTS for suffix in ("", XOR))
"""Names of all maps."""


@dataclass(frozen=True)
class Place:
    """Where an address is; numbers, or int64 arrays of one shape. ``byte`` counts within a burst of the rank."""

    channel: Any
    rank: Any
    group: Any
    bank: Any
    row: Any
    column: Any
    byte: Any


@dataclass(frozen=True)
class AddressMap:
    """A named map of the memory of all channels of a machine."""

    name: str
    geometry: Geometry

    def __post_init__(self) -> None:
        if self.name not in MAP_NAMES:
            raise ConfigError(f"address map: unknown map {self.name!r}{did_you_mean(self.name, MAP_NAMES)}")
        for name, count in self._counts().items():
            if count & (count - 1):
                raise ConfigError(f"address map {self.name!r}: needs a power of two of {name}s, got {count}")

    @property
    def n_bytes(self) -> int:
        """Bytes mapped: the machine's whole memory."""
        return self.geometry.n_ranks * self.geometry.rank_bytes

    def place(self, address: Any) -> Place:
        """Return the place of a byte address, an int or int64 array from 0 to below ``n_bytes``."""
        values, above = {}, address
        for name, bits in self._fields():
            values[name], above = above & ((1 << bits) - 1), above >> bits
        return Place(**self._hashed(values))

    def address(self, place: Place) -> Any:
        """Return the byte address of a place."""
        values = self._hashed({field.name: getattr(place, field.name) for field in fields(place)})
        address, shift = 0, 0
        for name, bits in self._fields():
            address, shift = address | values[name] << shift, shift + bits
        return address

    def _counts(self) -> dict[str, int]:
        geometry = self.geometry
        burst_bytes = geometry.column_bytes * geometry.chips_per_rank
        return {
            "byte": burst_bytes,
            "channel": geometry.channels,
            "rank": geometry.ranks_per_channel,
            "group": geometry.bank_groups,
            "bank": geometry.banks_per_group,
            "row": geometry.rows_per_bank,
            "column": geometry.row_bytes // geometry.column_bytes,
        }

    def _fields(self) -> list[tuple[str, int]]:
        """Return names and bits of the fields from the least significant on."""
        counts = self._counts()
        names = ("byte", *_LAYOUTS[self.name.removesuffix(XOR)])
        return [(name, counts[name].bit_length() - 1) for name in names]

    def _hashed(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return the values with group and bank XORed with the row, if the map does so: its own inverse."""
        if not self.name.endswith(XOR):
            return values
        counts = self._counts()
        row, group_bits = values["row"], counts["group"].bit_length() - 1
        return values | {
            "group": values["group"] ^ (row & (counts["group"] - 1)),
            "bank": values["bank"] ^ ((row >> group_bits) & (counts["bank"] - 1)),
        }
