"""DDR4 devices: row buffers, timing rules and refresh, in DRAM clocks."""

from pim.dram.access import Device, access, is_open, make_device
from pim.dram.bank import CLOSED, RowOutcome
from pim.dram.channel import Channel, earliest, issue, make_channel, probe
from pim.dram.command import COUNTED, Command

__all__ = [
    "CLOSED",
    "COUNTED",
    "Channel",
    "Command",
    "Device",
    "RowOutcome",
    "access",
    "earliest",
    "is_open",
    "issue",
    "make_channel",
    "make_device",
    "probe",
]
