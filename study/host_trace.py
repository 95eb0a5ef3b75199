"""Requests of a host: read from a file, or drawn at random from a few numbers and a seed."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pim.config import SystemConfig
from pim.errors import ConfigError
from pim.files import read_bounded
from pim.system.host import Requests, requests_at

MAX_TRACE_BYTES = 1 << 28
MAX_REQUESTS = 1_000_000
"""A million take some 20 s to serve."""

MAX_NS = 1e15
KINDS = {"read": False, "write": True}
PATTERNS = ("random", "stream")


def read_trace(path: Path, system: SystemConfig, map_name: str) -> Requests:
    """Return the requests of a file of lines ``address,read|write,time in ns``; # begins a comment.

    Raises
    ------
    ConfigError
        With file and line: a line is something else, an address is not in the memory, or a time before the last one.
    """
    text = read_bounded(path, MAX_TRACE_BYTES, f"host trace {path}", ConfigError)
    try:
        lines = text.decode().splitlines()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not a text: {error.reason} at byte {error.start}") from error
    numbers, rows = [], []
    for number, line in enumerate(lines, start=1):
        content = line.partition("#")[0].strip()
        if content:
            numbers.append(number)
            rows.append(_parse(content, f"{path}:{number}"))
    if not rows:
        raise ConfigError(f"{path}: no requests; a line is address,read|write,time in ns, such as 0x1f80,read,120")
    if len(rows) > MAX_REQUESTS:
        raise ConfigError(f"{path}: at most {MAX_REQUESTS:,} requests, got {len(rows):,}")
    addresses, writes, times = zip(*rows, strict=True)
    for i in range(1, len(times)):
        if times[i] < times[i - 1]:
            raise ConfigError(f"{path}:{numbers[i]}: time {times[i]:g} ns is before that of the last request")
    limit = system.geometry.n_ranks * system.geometry.rank_bytes
    for number, address in zip(numbers, addresses, strict=True):
        if not 0 <= address < limit:
            raise ConfigError(f"{path}:{number}: address {address:#x}: the memory is 0 to {limit - 1:#x}")
    at = [math.ceil(time / system.timing.tck_ns) for time in times]
    try:
        return requests_at(system, np.array(addresses, np.int64), writes, at, map_name)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def _parse(content: str, where: str) -> tuple[int, bool, float]:
    fields = [field.strip() for field in content.split(",")]
    if len(fields) != len(("address", "kind", "time")):
        raise ConfigError(f"{where}: must be address,read|write,time in ns, got {content[:80]!r}")
    address, kind, time = fields
    if kind.lower() not in KINDS:
        raise ConfigError(f"{where}: must be read or write, got {kind[:80]!r}")
    try:
        at = int(address, 0)
    except ValueError:
        raise ConfigError(f"{where}: address must be a number such as 0x1f80, got {address[:80]!r}") from None
    try:
        ns = float(time)
    except ValueError:
        ns = math.nan
    if not 0 <= ns <= MAX_NS:
        raise ConfigError(f"{where}: time must be 0 to {MAX_NS:g} ns, got {time[:80]!r}")
    return at, KINDS[kind.lower()], ns


@dataclass(frozen=True)
class Synthetic:
    """Requests drawn at random, to one rank: its accesses come one after the other with exponential gaps.

    Attributes
    ----------
    rate_per_us : float
        Requests per microsecond, on average.
    read_share : float
        Of 1.
    pattern : str
        random: any burst of the rank. stream: one after the other, along a row, then the next bank.
    seed : int
    """

    rate_per_us: float
    read_share: float = 0.7
    pattern: str = "random"
    seed: int = 1

    def check(self) -> None:
        """Raise ConfigError if the numbers make no traffic."""
        if not 0 < self.rate_per_us <= 1000:
            raise ConfigError(f"--rate: must be above 0 and at most 1000 requests per us, got {self.rate_per_us}")
        if not 0 <= self.read_share <= 1:
            raise ConfigError(f"--reads: must be 0 to 1, got {self.read_share}")
        if self.pattern not in PATTERNS:
            raise ConfigError(f"--pattern {self.pattern!r}: must be one of {', '.join(PATTERNS)}")
        if self.seed < 0:
            raise ConfigError(f"--seed: must be 0 or more, got {self.seed}")

    def requests(self, system: SystemConfig, until_ns: float) -> Requests:
        """Return the requests up to a time."""
        self.check()
        expected = until_ns * 1e-3 * self.rate_per_us
        if expected > MAX_REQUESTS:
            raise ConfigError(
                f"--rate {self.rate_per_us:g}: makes {expected:,.0f} requests in {until_ns * 1e-3:,.0f} us, at most "
                f"{MAX_REQUESTS:,} are served"
            )
        rng, geometry = np.random.default_rng(self.seed), system.geometry
        n = int(expected + 6 * math.sqrt(expected) + 10)
        at_ns = np.cumsum(rng.exponential(1e3 / self.rate_per_us, n))
        is_write = rng.random(n) >= self.read_share
        n_columns, n_banks = geometry.row_bytes // geometry.column_bytes, geometry.banks_per_chip
        n_bursts = n_columns * n_banks * (geometry.rows_per_bank - 1)  # the top row has the registers
        place = rng.integers(0, n_bursts, n) if self.pattern == "random" else np.arange(n) % n_bursts
        kept = at_ns <= until_ns
        place, at_ns, is_write = place[kept], at_ns[kept], is_write[kept]
        nothing = np.zeros(len(place), np.int64)
        return Requests(
            channel=nothing,
            rank=nothing,
            bank=place // n_columns % n_banks,
            row=place // (n_columns * n_banks),
            column=place % n_columns,
            is_write=is_write,
            offered_at=np.ceil(at_ns / system.timing.tck_ns).astype(np.int64),
        )
