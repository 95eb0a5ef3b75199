"""What it costs the host to start cores and to learn that they are done, from the mailbox's costs per step.

DDR4 chips of a rank share every command: one burst writes one 64-bit register in all chips of a rank, with a different
value for each. Channels work side by side, registers of one channel are written one after the other at tCCD_L, and
nothing is overlapped with the cores' work.
"""

from pim.config import Level, SystemConfig


def registers_per_channel(system: SystemConfig) -> int:
    """Return how many mailboxes of one channel a burst each is needed for: (rank, bank) pairs, or cores."""
    geometry = system.geometry
    per_rank = geometry.banks_per_chip if system.level is Level.BANK else system.cores_per_location
    return geometry.ranks_per_channel * per_rank


def launch_nck(system: SystemConfig, argument_words: int) -> int:
    """Return the DRAM clocks from the host's decision to start to the last core's first edge.

    Precharge all, request ownership, write ``argument_words`` and the start register of every mailbox, mode switch.
    """
    timing, interface = system.timing.to_kernel(), system.interface
    bursts = registers_per_channel(system) * (argument_words + 2)  # + OWNER, CONTROL
    write = bursts * timing.nccd_l + timing.ncwl + timing.nbl + interface.register_write_nck
    return timing.nrp + write + interface.grant_nck + interface.start_nck


def completion_nck(system: SystemConfig) -> int:
    """Return the DRAM clocks from the last core's end to the host owning the banks again.

    The end is seen one whole poll interval late at worst, which is charged; then every status and return value is read.
    """
    timing, interface = system.timing.to_kernel(), system.interface
    bursts = registers_per_channel(system) * 2  # STATUS, RETURN
    read = bursts * timing.nccd_l + timing.ncl + timing.nbl + interface.register_read_nck
    return interface.done_nck + interface.poll_interval_nck + read + interface.release_nck
