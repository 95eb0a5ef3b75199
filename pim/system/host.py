"""Requests of the host beside cores: who has which banks, what the host does meanwhile, and how long it waits.

All ranks of the machine run the same cores. With `concurrent` ownership the host claims the banks that it needs. With
`exclusive` ownership requests to banks that cores have wait until these come back; other banks of a rank with cores
are claimed too, as nobody else can tell the die when an ACT of the host comes, but there is nothing to wait for but
the quiet zone. What the host does before the cores' end depends on its requests alone (`pim.dram.claiming`).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pim.config import SystemConfig
from pim.dram import ClaimRules, HostUse, make_channel
from pim.dram.address import AddressMap
from pim.dram.beside import quiet_clocks
from pim.dram.claiming import NEVER, ClaimLog, ClaimPolicy, HostRequests, make_host_banks, serve_claiming
from pim.dram.traffic import requests_of, serve_requests
from pim.errors import ConfigError
from pim.system.levels import concurrent_rules

Ints = npt.NDArray[np.int64]
LONG_BEFORE = -(1 << 40)

COMMAND_SLACK = 16
"""Clocks by which others on the command bus may hold back a PRE. Assumption: as many as a rank has banks."""

COMMANDS_A_CLAIM = 8
"""Three each for claim and end, ACT and PRE; columns come on top."""


@dataclass(frozen=True)
class Requests:
    """The host's requests for one burst each, by place and in the order of their clocks.

    Attributes
    ----------
    channel, rank, bank, row, column : array of int64
        Banks are counted within their rank.
    is_write : array of bool
    offered_at : array of int64
        DRAM clocks from the cores' start.
    """

    channel: Ints
    rank: Ints
    bank: Ints
    row: Ints
    column: Ints
    is_write: npt.NDArray[np.bool_]
    offered_at: Ints

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.offered_at)

    def where(self, chosen: npt.NDArray[np.bool_]) -> "Requests":
        """Return some of the requests."""
        return Requests(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))


def requests_at(
    system: SystemConfig, addresses: npt.ArrayLike, is_write: npt.ArrayLike, offered_at: npt.ArrayLike, map_name: str
) -> Requests:
    """Return requests by address.

    Raises
    ------
    ConfigError
        If one is outside the memory, in a bank's register row, or before the one before it.
    """
    address, writes, at = (np.atleast_1d(a) for a in np.broadcast_arrays(addresses, is_write, offered_at))
    address_map = AddressMap(map_name, system.geometry)
    place = address_map.place(address.astype(np.int64))
    for wrong, text in (
        ((address < 0) | (address >= address_map.n_bytes), f"addresses must be 0 to {address_map.n_bytes - 1:#x}"),
        (place.row == system.geometry.rows_per_bank - 1, "the top row of each bank has the cores' registers"),
        (np.diff(at, prepend=at[:1]) < 0, "must be in the order of their times"),
    ):
        if np.any(wrong):
            first = int(np.flatnonzero(wrong)[0])
            raise ConfigError(f"host request {first}, of address {int(address[first]):#x}: {text}")
    bank = place.bank * system.geometry.bank_groups + place.group
    channel, rank, bank, row, column = (
        np.broadcast_to(values, address.shape).astype(np.int64)
        for values in (place.channel, place.rank, bank, place.row, place.column)
    )
    return Requests(channel, rank, bank, row, column, writes.astype(bool), at.astype(np.int64))


@dataclass(frozen=True)
class Claimed:
    """What the host does to claimed banks: clocks of its columns, and to each rank; see `HostUse`.

    Attributes
    ----------
    column_at : array of int64
        Of each request.
    by_rank : dict
        HostUse by (channel, rank).
    commands : dict
        By channel: clock, Command, bank counted over ranks, and row of each, as many as were asked for.
    """

    column_at: Ints
    by_rank: dict[tuple[int, int], HostUse]
    commands: dict[int, Ints]


def host_rules(system: SystemConfig, *, drains: bool) -> ClaimRules:
    """Return what a host keeps to.

    If no core has the banks (``drains`` is False) the host waits for the quiet zone only, and until its register row is
    closed.
    """
    rules, timing = concurrent_rules(system), system.timing.to_kernel()
    own = max(quiet_clocks(timing), timing.nwr + timing.nrp + COMMAND_SLACK)
    return rules if drains else rules._replace(nclaim=own)


def claim_banks(system: SystemConfig, requests: Requests, rules: ClaimRules, *, log_commands: bool = False) -> Claimed:
    """Serve requests to banks that are claimed for them, on all channels. The cores' refreshes begin at clock 0."""
    geometry, timing = system.geometry, system.timing.to_kernel()
    column_at, by_rank, commands = np.full(len(requests), NEVER), {}, {}
    quiet = quiet_clocks(timing)
    in_force = timing.ncwl + timing.nbl + system.interface.register_write_nck
    policy = ClaimPolicy(
        nclaim=rules.nclaim,
        act_spacing=max(rules.act_spacing, 2 * quiet),
        hold=rules.hold,
        age=system.interface.claim_age_nck,
        in_force=in_force,
        quiet=quiet,
        tail=rules.tail,
        one_bus=system.level != "bank",
        register_row=geometry.rows_per_bank - 1,
        depth=system.host.controller.queue_depth,
    )
    for channel_id in range(geometry.channels):
        mine = np.flatnonzero(requests.channel == channel_id)
        bank = requests.rank[mine] * geometry.banks_per_chip + requests.bank[mine]
        order = mine[np.lexsort((requests.offered_at[mine], bank))]
        bank = requests.rank[order] * geometry.banks_per_chip + requests.bank[order]
        channel = make_channel(timing, geometry.ranks_per_channel, geometry.bank_groups, geometry.banks_per_group)
        served = HostRequests(
            requests.offered_at[order], requests.row[order], requests.is_write[order].astype(np.int64),
            np.full(len(order), NEVER),
        )  # fmt: skip
        n_claims = 2 * len(order) + 16  # each has a column; should one have none, there is room
        n_logged = COMMANDS_A_CLAIM * n_claims if log_commands else 0
        log = ClaimLog(_table(n_claims, 4), _table(len(order), 3), _table(n_logged, 4), np.zeros(3, np.int64))
        banks = make_host_banks(geometry.ranks_per_channel * geometry.banks_per_chip, bank)
        last_acts = np.full(geometry.ranks_per_channel, LONG_BEFORE)
        late = serve_claiming(channel, banks, served, policy, last_acts, log)
        assert late == 0, f"channel {channel_id}: the ACT of a claim at clock {late} comes too early"
        column_at[order] = served.column_at
        commands[channel_id] = log.commands[: log.counts[2]]
        for rank in range(geometry.ranks_per_channel):
            by_rank[channel_id, rank] = _use(log, rank, geometry.banks_per_chip, geometry.bank_groups)
    return Claimed(column_at, by_rank, commands)


def _table(n_rows: int, width: int) -> Ints:
    return np.zeros((n_rows, width), np.int64)


def _use(log: ClaimLog, rank: int, n_banks: int, n_groups: int) -> HostUse:
    """Return what is done to one rank."""
    claims, columns = log.claims[: log.counts[0]], log.columns[: log.counts[1]]
    claims, columns = claims[claims[:, 0] // n_banks == rank], columns[columns[:, 1] // n_banks == rank]
    bank, claimed_at, released_at, act_at = claims.T
    return HostUse(
        bank % n_banks, claimed_at, released_at, act_at, columns[:, 0], columns[:, 1] % n_groups, columns[:, 2]
    )


def serve_freely(system: SystemConfig, requests: Requests, offered_at: Ints) -> Ints:
    """Return the clock of each request's last beat, if the host owns all banks; ``offered_at`` need not be in order."""
    geometry, done_at = system.geometry, np.zeros(len(requests), np.int64)
    for channel_id in range(geometry.channels):
        mine = np.flatnonzero(requests.channel == channel_id)
        mine = mine[np.argsort(offered_at[mine], kind="stable")]
        bank = requests.rank[mine] * geometry.banks_per_chip + requests.bank[mine]
        served = serve_requests(
            requests_of(bank, requests.row[mine], requests.column[mine], requests.is_write[mine], offered_at[mine]),
            system.timing.to_kernel(),
            system.host.controller,
            n_ranks=geometry.ranks_per_channel,
            bank_groups=geometry.bank_groups,
            banks_per_group=geometry.banks_per_group,
        )
        done_at[mine] = served.done_at
    return done_at
