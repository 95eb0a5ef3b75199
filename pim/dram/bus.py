"""The bus that columns take: spacing of column commands and turnaround between reads and writes."""

from typing import Any, Protocol

import numpy as np

from pim.config import ClockTiming
from pim.dram.constraints import LONG_AGO
from pim.jit import inlined_kernel, record_dtype


class ColumnBus(Protocol):
    """The path that column data takes: a bank's own port, a die's global bus or a rank's data bus."""

    last_at: int  # clock of the last RD or WR
    last_group: int
    read_ready_at: int  # first clock for a RD after a WR (turnaround)
    write_ready_at: int  # first clock for a WR after a RD


COLUMN_BUS = record_dtype(ColumnBus)


def make_buses(n_buses: int) -> Any:
    """Return ``n_buses`` idle column buses, shape ``(n_buses,)``."""
    buses = np.zeros(n_buses, COLUMN_BUS).view(np.recarray)
    buses.last_at = LONG_AGO
    return buses


@inlined_kernel
def first_column(bus: ColumnBus, group: int, is_write: bool, earliest: int, timing: ClockTiming) -> int:
    """Return the first clock from ``earliest`` on at which the bus takes a RD or WR of ``group``; ``bus`` unchanged."""
    spacing = timing.nccd_l if bus.last_group == group else timing.nccd_s
    ready_at = bus.write_ready_at if is_write else bus.read_ready_at
    return int(max(earliest, bus.last_at + spacing, ready_at))
