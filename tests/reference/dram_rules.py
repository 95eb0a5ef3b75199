"""Which DDR4 rules a command stream breaks: slow, plain, written from docs/timing.md and JESD79-4.

A stream is a list of (clock, command, rank, bank group, bank, row) in the order of the command bus. Commands: ACT, PRE,
PREA, RD, RDA, WR, WRA, REF, PDE, PDX, SRE, SRX.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Clocks:
    """Timings in DRAM clocks; defaults: DDR4-2400, 17-17-17, 8 Gb x8."""

    cl: int = 17
    cwl: int = 12
    burst: int = 4
    rcd: int = 17
    rp: int = 17
    ras: int = 39
    rtp: int = 9
    wr: int = 18
    ccd_s: int = 4
    ccd_l: int = 6
    rrd_s: int = 4
    rrd_l: int = 6
    faw: int = 26
    wtr_s: int = 3
    wtr_l: int = 9
    rtrs: int = 2
    rfc: int = 420
    xp: int = 8
    cke: int = 6
    ckesr: int = 7
    xs: int = 433
    xsdll: int = 768
    turn: int = 2  # from a read's last beat to a write's first


DEFAULT = Clocks()


@dataclass(frozen=True)
class Broken:
    """A rule that a command broke, and by how many clocks (0: it did not suit the state)."""

    rule: str
    at: int
    short_by: int


class _Past:
    """Commands so far: the last clock of each kind by place, and the rows that are open."""

    def __init__(self):
        self.last = {}
        self.acts = {}  # rank -> clocks
        self.rows = {}  # (rank, group, bank) -> row
        self.down = set()  # ranks in power-down
        self.refreshing = set()  # ranks in self-refresh
        self.bursts = []  # (first beat, rank, whether a write)

    def since(self, at, kinds, place):
        """Return the clocks since the last command of ``kinds`` at ``place``; very many if there was none."""
        return at - max((self.last.get((kind, place), -(10**9)) for kind in kinds), default=-(10**9))


def broken_rules(stream, clocks=DEFAULT, *, one_bus=True):
    """Return all rules that the stream breaks; ``one_bus`` is False where each bank has a data path of its own."""
    past, broken = _Past(), []
    previous = None
    for at, command, rank, group, bank, row in stream:
        if previous is not None and at <= previous:
            broken.append(Broken("one command a clock", at, previous + 1 - at))
        previous = at
        for rule, have, need in _gaps(past, at, command, (rank,), (rank, group), (rank, group, bank), clocks):
            if have < need:
                broken.append(Broken(rule, at, need - have))
        broken += [Broken(rule, at, 0) for rule in _misfits(past, command, rank, (rank, group, bank), row)]
        if command in ("RD", "RDA", "WR", "WRA") and one_bus:
            short = _bus_conflict(past, at, command, rank, clocks)
            if short > 0:
                broken.append(Broken("data bus", at, short))
        _record(past, at, command, rank, (rank, group), (rank, group, bank), row)
    return broken


def _gaps(past, at, command, rank, group, bank, t):
    """Yield (rule, clocks that passed, clocks needed)."""
    reads, writes, columns = ("RD", "RDA"), ("WR", "WRA"), ("RD", "RDA", "WR", "WRA")
    written = t.cwl + t.burst
    if command == "ACT":
        yield "tRC", past.since(at, ("ACT",), bank), t.ras + t.rp
        yield "tRP", past.since(at, ("PRE",), bank), t.rp
        yield "tRP after PREA", past.since(at, ("PREA",), rank), t.rp
        yield "tRTP + tRP", past.since(at, ("RDA",), bank), t.rtp + t.rp
        yield "tWR + tRP", past.since(at, ("WRA",), bank), written + t.wr + t.rp
        yield "tRRD_L", past.since(at, ("ACT",), group), t.rrd_l
        yield "tRRD_S", past.since(at, ("ACT",), rank), t.rrd_s
        yield "tRFC", past.since(at, ("REF",), rank), t.rfc
        earlier = past.acts.get(rank, [])
        if len(earlier) >= 4:
            yield "tFAW", at - earlier[-4], t.faw
    if command in columns:
        yield "tRCD", past.since(at, ("ACT",), bank), t.rcd
        yield "tCCD_L", past.since(at, columns, group), t.ccd_l
        yield "tCCD_S", past.since(at, columns, rank), t.ccd_s
    if command in reads:
        yield "tWTR_L", past.since(at, writes, group), written + t.wtr_l
        yield "tWTR_S", past.since(at, writes, rank), written + t.wtr_s
    if command in writes:
        yield "read to write", past.since(at, reads, rank), t.cl + t.burst + t.turn - t.cwl
    if command in ("PRE", "PREA"):
        place = bank if command == "PRE" else rank
        yield "tRAS", past.since(at, ("ACT",), place), t.ras
        yield "tRTP", past.since(at, ("RD",), place), t.rtp
        yield "tWR", past.since(at, ("WR",), place), written + t.wr
        yield "tRFC", past.since(at, ("REF",), rank), t.rfc
    if command in ("REF", "SRE"):
        yield "tRC before REF", past.since(at, ("ACT",), rank), t.ras + t.rp
        yield "tRP before REF", past.since(at, ("PRE", "PREA"), rank), t.rp
        yield "tRTP + tRP before REF", past.since(at, ("RDA",), rank), t.rtp + t.rp
        yield "tWR + tRP before REF", past.since(at, ("WRA",), rank), written + t.wr + t.rp
        yield "tRFC", past.since(at, ("REF",), rank), t.rfc
    yield from _power_gaps(past, at, command, rank, t)


def _power_gaps(past, at, command, rank, t):
    """Yield the gaps to and from states of low power."""
    reads, columns, written = ("RD", "RDA"), ("RD", "RDA", "WR", "WRA"), t.cwl + t.burst
    if command == "PDE":
        yield "tACTPDEN", past.since(at, ("ACT", "PRE", "PREA", "REF"), rank), 2
        yield "tRDPDEN", past.since(at, reads, rank), t.cl + t.burst + 1
        yield "tWRPDEN", past.since(at, ("WR",), rank), written + t.wr
        yield "tWRAPDEN", past.since(at, ("WRA",), rank), written + t.wr + 1
        yield "tCKE", past.since(at, ("PDX",), rank), t.cke
    elif command == "PDX":
        yield "tPD", past.since(at, ("PDE",), rank), t.cke
    elif command == "SRX":
        yield "tCKESR", past.since(at, ("SRE",), rank), t.ckesr
    else:
        yield "tXP", past.since(at, ("PDX",), rank), t.xp
    if command in columns:
        yield "tXSDLL", past.since(at, ("SRX",), rank), t.xsdll
    elif command != "SRX":
        yield "tXS", past.since(at, ("SRX",), rank), t.xs


def _misfits(past, command, rank, bank, row):
    """Yield what in the state of banks and rank does not suit the command."""
    if (rank in past.down) != (command == "PDX"):
        yield "power-down"
    if (rank in past.refreshing) != (command == "SRX"):
        yield "self-refresh"
    if command == "ACT" and past.rows.get(bank) is not None:
        yield "ACT to an open bank"
    if command in ("RD", "RDA", "WR", "WRA") and past.rows.get(bank) != row:
        yield "column of a row that is not open"
    if command in ("REF", "SRE") and any(
        open_row is not None for place, open_row in past.rows.items() if place[0] == rank
    ):
        yield f"{command} with an open bank"


def _bus_conflict(past, at, command, rank, t):
    """Return the clocks by which a burst comes too early after the last one on the data bus."""
    is_write = command in ("WR", "WRA")
    first = at + (t.cwl if is_write else t.cl)
    short = 0
    for other_first, other_rank, other_is_write in past.bursts[-1:]:
        gap = t.burst + (t.rtrs if other_rank != rank and not (is_write and other_is_write) else 0)
        short = gap - (first - other_first)
    past.bursts.append((first, rank, is_write))
    return short


def _record(past, at, command, rank, group, bank, row):
    for place in ((rank,), group, bank):
        past.last[command, place] = at
    if command == "ACT":
        past.acts.setdefault((rank,), []).append(at)
        past.rows[bank] = row
    elif command in ("PRE", "RDA", "WRA"):
        past.rows[bank] = None
    elif command == "PREA":
        for place in past.rows:
            if place[0] == rank:
                past.rows[place] = None
    elif command == "PDE":
        past.down.add(rank)
    elif command == "PDX":
        past.down.discard(rank)
    elif command == "SRE":
        past.refreshing.add(rank)
    elif command == "SRX":
        past.refreshing.discard(rank)
