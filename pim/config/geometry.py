"""How many channels, ranks, chips and banks there are, and how large their rows are."""

from pydantic import Field

from pim.config.model import ConfigModel, PowerOfTwo


class Geometry(ConfigModel):
    """Organisation of the memory (JESD79-4, addressing tables; default: 8 Gb x8 devices).

    A rank is ``chips_per_rank`` devices that share every command; each 64-bit word of the host is striped over them.
    """

    channels: int = Field(2, ge=1, le=16)
    ranks_per_channel: int = Field(2, ge=1, le=8)
    chips_per_rank: int = Field(8, ge=1, le=16)
    bank_groups: PowerOfTwo = Field(4, le=4)  # JESD79-4: 4 for x4 and x8
    banks_per_group: PowerOfTwo = Field(4, le=4)  # JESD79-4
    device_gbit: int = Field(8, ge=2, le=16)  # capacity of one chip, Gbit
    device_width: PowerOfTwo = Field(8, ge=4, le=16)  # data pins of one chip
    row_bytes: PowerOfTwo = Field(1024, ge=512, le=2048)  # page of one chip: 2^10 columns x 8 bit for x8

    @property
    def banks_per_chip(self) -> int:
        """Banks of one device."""
        return self.bank_groups * self.banks_per_group

    @property
    def rows_per_bank(self) -> int:
        """Rows of one bank."""
        return self.chip_bytes // (self.banks_per_chip * self.row_bytes)

    @property
    def n_ranks(self) -> int:
        """Ranks of the machine."""
        return self.channels * self.ranks_per_channel

    @property
    def n_chips(self) -> int:
        """DRAM devices of the machine."""
        return self.n_ranks * self.chips_per_rank

    @property
    def n_banks(self) -> int:
        """Banks of all devices."""
        return self.n_chips * self.banks_per_chip

    @property
    def chip_bytes(self) -> int:
        """Capacity of one device, bytes."""
        return self.device_gbit * 2**30 // 8

    @property
    def rank_bytes(self) -> int:
        """Capacity of one rank, bytes."""
        return self.chip_bytes * self.chips_per_rank

    @property
    def column_bytes(self) -> int:
        """Bytes one column access moves from one device: the 8n prefetch (JESD79-4), 8 B for x8."""
        return self.device_width
