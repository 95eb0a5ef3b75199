"""What the host's part of a job costs: data moved to and from the cores' memory, and cores launched.

Moving data to a core means reading it from where the host has it and writing it to the core's window. At bank and chip
level a window lies in one chip while the host stripes each 64-bit word over all chips of a rank, so the bytes are
transposed in blocks of 8 x 8 on the way. The published re-layout rate (``pim.config.HostConfig``) includes reading
and writing; what it takes longer than a plain copy is the phase *layout*, the rest is *copy*. Assumed: rates do not
depend on the size of a transfer, and host threads saturate them.
"""

from dataclasses import dataclass

from pim.config import Level, SystemConfig
from pim.system import claimed_transfer_nck, completion_nck, launch_nck


@dataclass(frozen=True)
class Transfer:
    """Seconds of a transfer by phase."""

    copy: float
    layout: float
    flush: float

    @property
    def seconds(self) -> float:
        """The whole transfer."""
        return self.copy + self.layout + self.flush


def move(system: SystemConfig, n_bytes: int, *, to_cores: bool) -> Transfer:
    """Return what it costs to move ``n_bytes`` between host and cores.

    A copy moves each byte over the host's channels twice. Data written for the cores must leave the host's caches
    before they start: as much as the last-level cache holds, at the copy rate, although the copy has counted these
    writes; stores past the caches would spare it, so this is an upper bound. In the other direction the host's stale
    lines are only invalidated, which is not charged. A re-layout is never faster than the copy. With concurrent
    ownership the banks have to be claimed, which counts as copying.
    """
    channel_bytes_s = system.channel_gb_s * 1e9
    rate = channel_bytes_s * system.host.copy_fraction
    copy = 2 * n_bytes / rate
    relayout = n_bytes / (channel_bytes_s * system.host.relayout_fraction)
    claims = claimed_transfer_nck(system) * system.timing.tck_ns * 1e-9 if n_bytes else 0.0
    layout = max(0.0, relayout - copy) if system.level is not Level.RANK else 0.0
    flush = min(n_bytes, system.host.cache_bytes) / rate if to_cores else 0.0
    return Transfer(copy + claims, layout, flush)


def launch_seconds(system: SystemConfig, argument_words: int, *, is_first: bool = True) -> float:
    """Return what starting all cores and learning of their end costs: mailbox writes, ownership, polling or alert."""
    nck = launch_nck(system, argument_words, is_first=is_first) + completion_nck(system)
    return nck * system.timing.tck_ns * 1e-9
