"""Checks the distances of one bank's commands against the table in docs/timing.md, whoever sends them."""

from pim.config import ClockTiming

NEVER = -(1 << 20)


class TimingChecker:
    """Told each command with its clock; asserts what JEDEC asks of a bank whose bursts take no clocks."""

    def __init__(self, timing: ClockTiming) -> None:
        t = timing
        self.least = {
            ("ACT", "RD"): t.nrcd,
            ("ACT", "WR"): t.nrcd,
            ("ACT", "PRE"): t.nras,
            ("ACT", "ACT"): t.nras + t.nrp,
            ("PRE", "ACT"): t.nrp,
            ("RD", "PRE"): t.nrtp,
            ("WR", "PRE"): t.ncwl + t.nwr,
            ("RD", "RD"): t.nccd_l,
            ("WR", "WR"): t.nccd_l,
            ("RD", "WR"): max(t.nccd_l, t.ncl + 2 - t.ncwl),
            ("WR", "RD"): t.ncwl + t.nwtr_l,
            ("PRE", "REF"): t.nrp,
            ("REF", "ACT"): t.nrfc,
            ("REF", "REF"): t.nrfc,
        }
        self.reset()

    def reset(self) -> None:
        self.last: dict[str, int] = {}
        self.open = False

    def command(self, name: str, clock: int) -> None:
        for (before, after), least in self.least.items():
            if after == name:
                gap = clock - self.last.get(before, NEVER)
                assert gap >= least, f"clock {clock}: {name} {gap} after {before}, not {least}"
        if name in ("RD", "WR", "PRE"):
            assert self.open, f"clock {clock}: {name} to a closed bank"
        else:
            assert not self.open, f"clock {clock}: {name} to an open bank"
        self.open = name in ("ACT", "RD", "WR")
        self.last[name] = clock
