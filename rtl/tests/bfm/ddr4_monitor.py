"""Reads DDR4 commands off the pins, by the truth table of JESD79-4, apart from the driver that puts them there."""

from typing import Any, NamedTuple


class PinCommand(NamedTuple):
    """What the pins say at an edge; fields that the command has not are what is on their pins."""

    name: str  # ACT, RD, WR, PRE, REF, or NOP for all that means nothing here
    bank: int
    row: int
    burst: int
    auto: bool  # A10: auto-precharge, or all banks


def pin_command(dut: Any, row_bits: int) -> PinCommand:
    """Return the command that the next edge takes."""
    address = int(dut.address_i.value)
    ras, cas, we = (int(pin.value) for pin in (dut.ras_ni, dut.cas_ni, dut.we_ni))
    if int(dut.cs_ni.value):
        name = "NOP"
    elif not int(dut.act_ni.value):
        name = "ACT"
    else:
        name = {(0, 0, 1): "REF", (0, 1, 0): "PRE", (1, 0, 0): "WR", (1, 0, 1): "RD"}.get((ras, cas, we), "NOP")
    row = (ras << 16 | cas << 15 | we << 14 | address) & ((1 << row_bits) - 1)
    bank = int(dut.bank_address_i.value) << 2 | int(dut.bank_group_i.value)
    return PinCommand(name, bank, row, address >> 3 & 0x7F, bool(address >> 10 & 1))
