"""What is synthesised: whole bank cores, and single blocks over the sizes that a machine may choose.

`pim.technology` takes areas between these points as straight lines; the configurations under CHECKS are not used for
that and show how far off the lines are.
"""

from typing import NamedTuple


class Configuration(NamedTuple):
    """A top with its parameters; those left out keep their defaults."""

    top: str
    parameters: dict[str, int]


ROW_PORT = {"PortBytes": 1024, "SectorBytes": 1024}
BANK_BITS = 26  # 64 MiB
CHIP_BITS = 30  # 1 GiB: all banks of a chip
RANK_BITS = 33  # 8 GiB

BANKS = {
    "rv64, column": Configuration("pim_bank", {}),
    "rv64, row": Configuration("pim_bank", ROW_PORT),
    "rv32, column": Configuration("pim_bank", {"Xlen": 32}),
}

DIE = [Configuration("pim_activate_arbiter", {}), Configuration("pim_ddr_decoder", {})]
"""What the cores of a die share."""

ELABORATED = [
    *BANKS.values(),
    Configuration("pim_bank", {"Xlen": 32, **ROW_PORT}),
    *DIE,
    Configuration("pim_chip", {}),
    Configuration("pim_ddr_chip", {}),
]
"""What must be hardware: without latches, loops and undriven nets."""


def _lines(line_buffers: int, sectors: int, memory_bits: int = BANK_BITS, port_bytes: int = 8) -> Configuration:
    sizes = {"LineBuffers": line_buffers, "SectorBytes": 1024 // sectors, "MemoryBits": memory_bits}
    return Configuration("pim_line_buffers", {**sizes, "PortBytes": port_bytes})


def _fetch(lines: int, memory_bits: int = BANK_BITS, fill_bytes: int = 8, xlen: int = 64) -> Configuration:
    sizes = {"BufferBytes": 64 * lines, "MemoryBits": memory_bits}
    return Configuration("pim_fetch", {**sizes, "FillBytes": fill_bytes, "Xlen": xlen})


SWEEPS = [
    *(_lines(line_buffers, sectors) for line_buffers in (1, 5, 16) for sectors in (1, 16, 32)),
    _lines(5, 16, RANK_BITS),
    *(_lines(line_buffers, 1, port_bytes=1024) for line_buffers in (1, 5)),
    *(_fetch(lines) for lines in (2, 16, 64)),
    _fetch(16, RANK_BITS),
    *(_fetch(16, fill_bytes=fill_bytes, xlen=xlen) for fill_bytes in (8, 64) for xlen in (64, 32)),
    *(Configuration("pim_load_store", {"ScratchpadBytes": size}) for size in (256, 1024, 65536)),
]
CHECKS = [
    _lines(3, 4),
    _lines(8, 16),
    _lines(10, 8, CHIP_BITS),
    _lines(3, 1, port_bytes=1024),
    _fetch(32, CHIP_BITS),
    _fetch(32, fill_bytes=64, xlen=32),
]


def unique(configurations: list[Configuration]) -> list[Configuration]:
    """Return the configurations without repeats, in their order."""
    return list({str(configuration): configuration for configuration in configurations}.values())
