"""DDR4 devices: row buffers, timing rules and refresh, in DRAM clocks."""

from pim.dram.bank import CLOSED, RowOutcome
from pim.dram.device import Command, Device, access, is_open, make_device

__all__ = ["CLOSED", "Command", "Device", "RowOutcome", "access", "is_open", "make_device"]
