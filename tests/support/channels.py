"""Commands to a channel by name, checked on their way; the stream that went out can be read back."""

from pim.config import ClockTiming
from pim.dram import Command, earliest, issue, make_channel, probe
from tests.reference.dram_rules import Clocks

Place = tuple[int, int, int]
"""Rank, bank group, bank."""


def reference_clocks(timing: ClockTiming) -> Clocks:
    """Return a timing for the rule checker."""
    return Clocks(
        cl=timing.ncl, cwl=timing.ncwl, burst=timing.nbl, rcd=timing.nrcd, rp=timing.nrp, ras=timing.nras,
        rtp=timing.nrtp, wr=timing.nwr, ccd_s=timing.nccd_s, ccd_l=timing.nccd_l, rrd_s=timing.nrrd_s,
        rrd_l=timing.nrrd_l, faw=timing.nfaw, wtr_s=timing.nwtr_s, wtr_l=timing.nwtr_l, rtrs=timing.nrtrs,
        rfc=timing.nrfc, xp=timing.nxp, cke=timing.ncke, ckesr=timing.nckesr, xs=timing.nxs, xsdll=timing.nxsdll,
    )  # fmt: skip


class CommandBus:
    """A channel of up to two ranks of 4 x 4 banks, and what was issued to it."""

    def __init__(self, timing: ClockTiming, n_ranks: int = 1) -> None:
        self.channel = make_channel(timing, n_ranks)
        self.stream: list[tuple[int, str, int, int, int, int]] = []

    def probe(self, name: str, place: Place, row: int, at: int) -> bool:
        return probe(self.channel, Command[name], bank_id(place), row, at)

    def earliest(self, name: str, place: Place) -> int:
        return earliest(self.channel, Command[name], bank_id(place))

    def issue(self, name: str, place: Place, row: int, at: int) -> None:
        issue(self.channel, Command[name], bank_id(place), row, at)
        self.stream.append((at, name, *place, row))

    def issue_first(self, name: str, place: Place, row: int, at: int = 0) -> int:
        """Issue a command at the first clock from ``at`` on that is allowed, and return it."""
        at = max(at, self.earliest(name, place))
        assert self.probe(name, place, row, at)
        self.issue(name, place, row, at)
        return at

    def open_row(self, place: Place) -> int:
        return int(self.channel.banks[bank_id(place)].open_row)


def bank_id(place: Place) -> int:
    rank, group, bank = place
    return 16 * rank + 4 * bank + group


def serve_in_order(bus: CommandBus, requests, *, closed: bool) -> int:
    """Serve requests strictly one after the other, each command at once; return the end of the last burst."""
    at = done = 0
    timing = bus.channel.timing
    for op, rank, group, bank, row, _ in requests:
        place = (rank, group, bank)
        if bus.open_row(place) not in (row, -1):
            at = bus.issue_first("PRE", place, -1, at)
        if bus.open_row(place) != row:
            at = bus.issue_first("ACT", place, row, at)
        name = ("RD" if op == "R" else "WR") + ("A" if closed else "")
        at = bus.issue_first(name, place, row, at)
        done = at + (timing.ncl if op == "R" else timing.ncwl) + timing.nbl
    return done
