"""DDR4 devices: row buffers, timing rules and refresh, in DRAM clocks."""

from pim.dram.access import Device, access, access_apart, free_from, is_open, make_device
from pim.dram.bank import CLOSED, RowOutcome
from pim.dram.channel import Channel, earliest, issue, make_channel, probe
from pim.dram.claimed import with_claims
from pim.dram.claims import ClaimRules, HostUse, claim_rules
from pim.dram.command import COUNTED, Command

__all__ = [
    "CLOSED",
    "COUNTED",
    "Channel",
    "ClaimRules",
    "Command",
    "Device",
    "HostUse",
    "RowOutcome",
    "access",
    "access_apart",
    "claim_rules",
    "earliest",
    "free_from",
    "is_open",
    "issue",
    "make_channel",
    "make_device",
    "probe",
    "with_claims",
]
