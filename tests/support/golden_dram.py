"""The reference data of ../shared/golden_dram as plain lists, and its timings as ours."""

import csv
from pathlib import Path

import numpy as np

from pim.config import load_system, with_overrides
from pim.dram import Command
from pim.dram.queues import Requests
from pim.dram.traffic import Served, requests_of

NEVER = 1 << 50
TIMING = {"nrfc": 420, "nrefi": 9360, "nxs": 432}
"""What differs from our DDR4-2400 8 Gb x8; the data's README says why."""

COMMANDS = {
    "ACT": "ACT",
    "PREpb": "PRE",
    "PREab": "PREA",
    "RD": "RD",
    "RDA": "RDA",
    "WR": "WR",
    "WRA": "WRA",
    "REFab": "REF",
    "SREFE": "SRE",
    "SREFX": "SRX",
}


def golden_timing(*, refresh: bool = False):
    """Return the timings all patterns were measured with."""
    spec = with_overrides(load_system("rank"), {f"timing.nck.{name}": value for name, value in TIMING.items()}).timing
    clocks = spec.to_kernel()
    return clocks if refresh else clocks._replace(nrefi=NEVER)


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def command_stream(path: Path) -> list[tuple[int, str, int, int, int, int]]:
    """Return a file of ``commands/`` as (clock, command, rank, bank group, bank, row)."""
    return [
        (
            int(row["cycle_from_first_command"]),
            COMMANDS[row["command"]],
            int(row["rank"]),
            int(row["bankgroup"]),
            int(row["bank"]),
            int(row["row"]),
        )
        for row in read_rows(path)
    ]


def requests(path: Path) -> list[tuple[str, int, int, int, int, int]]:
    """Return a file of ``traces/`` as (R or W, rank, bank group, bank, row, column)."""
    names = ("rank", "bankgroup", "bank", "row", "col64")
    return [(row["op"], *(int(row[name]) for name in names)) for row in read_rows(path)]


def as_requests(path: Path, n_requests: int | None = None, *, spaced: int = 0) -> Requests:
    """Return a file of ``traces/`` for the controller; ``spaced`` clocks apart, or all offered at once."""
    table = np.array([(16 * r + 4 * b + g, row, column, op == "W") for op, r, g, b, row, column in requests(path)]).T
    bank, row, column, kind = (values[:n_requests] for values in table)
    return requests_of(bank, row, column, kind, np.arange(len(bank)) * spaced)


def named_stream(served: Served) -> list[tuple[int, str, int, int, int, int]]:
    """Return the logged commands as (clock, command, rank, bank group, bank, row)."""
    return [
        (int(at), Command(command).name, int(bank) >> 4, int(bank) & 3, int(bank) >> 2 & 3, int(row))
        for at, command, bank, row in served.stream
    ]
