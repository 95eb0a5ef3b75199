"""The host's channel controllers: requests by physical address, each channel by itself."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pim.config import SystemConfig
from pim.dram.address import AddressMap
from pim.dram.traffic import Ints, Served, requests_of, serve_requests
from pim.errors import ConfigError


@dataclass(frozen=True)
class HostServed:
    """What became of the host's requests, in their order; clocks are DRAM clocks.

    Attributes
    ----------
    latency_nck : array of int64
        From the clock at which each was offered to its last beat.
    channel : array of int64
        Its channel.
    by_channel : tuple of Served
        Each channel's controller.
    """

    latency_nck: Ints
    channel: Ints
    by_channel: tuple[Served, ...]

    @property
    def end(self) -> int:
        """Clock at which the last request was done."""
        return max(served.end for served in self.by_channel)

    def percentile_nck(self, percent: float) -> float:
        """Return the latency that ``percent`` of the requests do not exceed."""
        return float(np.percentile(self.latency_nck, percent, method="inverted_cdf"))


def serve_addresses(
    system: SystemConfig,
    addresses: npt.ArrayLike,
    is_write: npt.ArrayLike = False,
    offered_at: npt.ArrayLike = 0,
    *,
    map_name: str = "RoBaRaCoCh",
    log_commands: int = 0,
) -> HostServed:
    """Serve requests for one burst each on all channels of a machine, whose memory is idle at first.

    Parameters
    ----------
    system : SystemConfig
    addresses : array of int
        Byte addresses.
    is_write, offered_at : array or number
        Whether each writes, and the DRAM clock at which it is offered; not falling.
    map_name : str
        Address map (`pim.dram.address`).
    log_commands : int
        Commands to keep per channel.

    Raises
    ------
    ConfigError
        If an address is not in the memory, or the clocks fall.
    """
    address, writes, at = (np.array(a) for a in np.broadcast_arrays(addresses, is_write, offered_at))
    address_map = AddressMap(map_name, system.geometry)
    if len(address) and not 0 <= address.min() <= address.max() < address_map.n_bytes:
        raise ConfigError(
            f"host requests: addresses must be 0 to {address_map.n_bytes - 1:#x}, got {address.min():#x} to "
            f"{address.max():#x}"
        )
    if np.any(np.diff(at) < 0):
        raise ConfigError("host requests: must be in the order of their clocks")
    place, geometry = address_map.place(address.astype(np.int64)), system.geometry
    bank = (place.rank * geometry.banks_per_group + place.bank) * geometry.bank_groups + place.group
    channel = np.broadcast_to(place.channel, address.shape)
    latency, results = np.zeros(len(address), np.int64), []
    for channel_id in range(geometry.channels):
        here = channel == channel_id
        requests = requests_of(*(np.asarray(values)[here] for values in (bank, place.row, place.column, writes, at)))
        served = serve_requests(
            requests,
            system.timing.to_kernel(),
            system.host.controller,
            n_ranks=geometry.ranks_per_channel,
            bank_groups=geometry.bank_groups,
            banks_per_group=geometry.banks_per_group,
            log_commands=log_commands,
        )
        latency[here] = served.done_at - requests.offered_at
        results.append(served)
    return HostServed(latency, np.array(channel), tuple(results))
