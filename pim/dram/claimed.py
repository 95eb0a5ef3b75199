"""Gives a device the host's claims and commands, from plain arrays, and checks that they are what cores can expect."""

import numpy as np
import numpy.typing as npt

from pim.config import ClockTiming
from pim.dram.access import Device
from pim.dram.claims import HOST_COMMAND, ClaimRules, HostUse, put_claims
from pim.errors import ConfigError

Ints = npt.NDArray[np.int64]


def with_claims(device: Device, use: HostUse, rules: ClaimRules, timing: ClockTiming) -> Device:
    """Return an idle device that the host uses beside the cores, too. Updates ``device``'s banks.

    Raises
    ------
    ConfigError
        If the claims break a rule (`check_claims`).
    """
    arrays = [np.asarray(values, np.int64) for values in use]
    use = HostUse(*arrays)
    one_bus = len(device.buses) == 1
    check_claims(use, rules, timing, n_banks=len(device.banks), one_bus=one_bus)
    groups = use.bank & device.group_mask
    return device._replace(
        is_shared=True,
        claims=put_claims(device.banks, use.bank, use.claimed_at, use.released_at),
        host_acts=_commands(use.act_at, groups, np.zeros_like(groups)),
        host_runs=_commands(use.column_at, use.column_group, use.column_is_write)[: None if one_bus else 0],
    )


def _commands(at: Ints, group: Ints, is_write: Ints) -> npt.NDArray[np.void]:
    order = np.argsort(at, kind="stable")
    commands = np.zeros(len(at), HOST_COMMAND).view(np.recarray)
    commands.first = commands.last = at[order]
    commands.group, commands.is_write = group[order], is_write[order]
    return commands


def check_claims(use: HostUse, rules: ClaimRules, timing: ClockTiming, *, n_banks: int, one_bus: bool) -> None:
    """Raise ConfigError if a host that does this does not leave to the cores, or wait for, what it must.

    That is: a claim of a bank begins after the last one's end. Its ACT comes tClaim after it, and its end tRAS + tRP
    after the ACT or later. ACTs keep their distance. Where each bank has a port of its own, a claim ends before a
    second refresh falls due, early enough for the first to be over by then; on a shared bus it ends before the first.
    """
    if len(use.bank) and not 0 <= use.bank.min() <= use.bank.max() < n_banks:
        raise ConfigError(f"claims: banks must be 0 to {n_banks - 1}, got {use.bank.min()} to {use.bank.max()}")
    first_due = (use.claimed_at // timing.nrefi + 1) * timing.nrefi
    latest = first_due if one_bus else first_due + timing.nrefi - timing.nrfc
    order = np.lexsort((use.claimed_at, use.bank))
    bank, claimed_at, released_at = (values[order] for values in (use.bank, use.claimed_at, use.released_at))
    overlaps = np.zeros(len(order), bool)
    overlaps[order[1:]] = (bank[1:] == bank[:-1]) & (claimed_at[1:] <= released_at[:-1])
    acts = np.argsort(use.act_at, kind="stable")
    is_close = np.zeros(len(acts), bool)
    is_close[acts[1:]] = np.diff(use.act_at[acts]) < rules.act_spacing
    for broken, text in (
        (use.claimed_at < 0, "must not begin before clock 0"),
        (overlaps, "must begin after the last one of its bank has ended"),
        (use.act_at != use.claimed_at + rules.nclaim, f"must have its ACT tClaim = {rules.nclaim} clocks after it"),
        (is_close, f"must have its ACT {rules.act_spacing} clocks or more after the host's last one"),
        (use.released_at < use.act_at + timing.nras + timing.nrp, "must not end before its ACT + tRAS + tRP"),
        (use.released_at > latest, "must end in time for a refresh"),
    ):
        if broken.any():
            first = int(np.flatnonzero(broken)[0])
            raise ConfigError(
                f"claim {first}, of bank {use.bank[first]} from {use.claimed_at[first]} to {use.released_at[first]}, "
                f"ACT at {use.act_at[first]}: {text}"
            )
