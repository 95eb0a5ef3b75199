"""What the line buffers do, in plain Python, from docs/timing.md ("Line buffers"): the oracle of their bench."""

from dataclasses import dataclass, field
from typing import NamedTuple


class Wanted(NamedTuple):
    """A request to the bank."""

    write: bool
    address: int
    columns: int


@dataclass
class Slot:
    line: int | None = None
    valid: set[int] = field(default_factory=set)
    dirty: set[int] = field(default_factory=set)


@dataclass
class LinesModel:
    """Sizes in bytes."""

    slots: int
    line: int
    sector: int
    column: int

    def __post_init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.buffers = [Slot() for _ in range(self.slots)]
        self.order = list(range(self.slots))  # least recently used first

    def access(self, address: int, *, write: bool) -> list[Wanted]:
        """Return the requests that a load or store makes."""
        line, sector = address // self.line, address % self.line // self.sector
        wanted: list[Wanted] = []
        at = next((i for i in self.order if self.buffers[i].line == line), None)
        if at is None:
            at = self.order[0]
            wanted += self._write_back(self.buffers[at])
            self.buffers[at] = Slot(line)
        slot = self.buffers[at]
        if sector not in slot.valid:
            wanted.append(Wanted(False, line * self.line + sector * self.sector, self.sector // self.column))
            slot.valid.add(sector)
        if write:
            slot.dirty.add(sector)
        self.order.remove(at)
        self.order.append(at)
        return wanted

    def flush(self) -> list[Wanted]:
        wanted = [request for slot in self.buffers for request in self._write_back(slot)]
        self.buffers = [Slot() for _ in range(self.slots)]
        return wanted

    def _write_back(self, slot: Slot) -> list[Wanted]:
        """Return a request for each run of neighbouring dirty sectors."""
        runs: list[list[int]] = []
        for sector in sorted(slot.dirty):
            if runs and runs[-1][-1] == sector - 1:
                runs[-1].append(sector)
            else:
                runs.append([sector])
        slot.dirty = set()
        start = (slot.line or 0) * self.line
        return [Wanted(True, start + run[0] * self.sector, len(run) * self.sector // self.column) for run in runs]
