"""Gates of the RTL's blocks as synthesised: `synthesis.json`, which `make synth` writes.

The results are those of two open libraries (`rtl/syn/`). A block's band: optimistic the smaller of the two, less what
commercial synthesis saves; nominal their mean; pessimistic the larger.
"""

from functools import cache
from pathlib import Path
from typing import Annotated

import orjson
from pydantic import Field

from pim.config import ConfigModel, checked
from pim.errors import ConfigError
from pim.technology.band import Band
from pim.technology.figures import FIGURES

_SOURCE = Path(__file__).parent / "synthesis.json"


class Cells(ConfigModel):
    """Standard cells of a block in one library: count, area in um2, and area over a NAND2's (GE)."""

    cells: int = Field(ge=0)
    um2: float = Field(ge=0)
    ge: int = Field(ge=0)


class LogicDepth(ConfigModel):
    """Combinational cells on the longest path into a block, and the blocks or ports where it starts and ends."""

    cells: int = Field(ge=0)
    start: str
    end: str


class LibraryResult(ConfigModel):
    """One top in one library."""

    total: Cells
    blocks: dict[str, Cells]
    depth: dict[str, LogicDepth]


class Row(ConfigModel):
    """One synthesised configuration: a top with the parameters that differ from its defaults."""

    top: str
    name: str  # of a whole bank core, else empty
    parameters: dict[str, int]
    check: bool
    digest: str
    osu018: LibraryResult
    sky130: LibraryResult

    @property
    def results(self) -> tuple[LibraryResult, LibraryResult]:
        """The results of both libraries."""
        return self.osu018, self.sky130

    def band(self, block: str | None = None) -> Band:
        """Return kGE of one block, or of all."""
        ge = [(result.total if block is None else result.blocks[block]).ge / 1000 for result in self.results]
        return Band(min(ge), sum(ge) / len(ge), max(ge)) * FIGURES.synthesis_margin.band


class Synthesis(ConfigModel):
    """The results of `make synth`."""

    tools: dict[str, str]
    nand2: dict[str, str]
    results: Annotated[tuple[Row, ...], Field(min_length=1)]

    def bank(self, name: str) -> Row:
        """Return a whole bank core, such as "rv64, column"."""
        for row in self.results:
            if row.name == name:
                return row
        raise ConfigError(
            f"synthesis: no bank core {name!r}; there are {[row.name for row in self.results if row.name]}"
        )

    def point(self, top: str, **parameters: int) -> Band:
        """Return kGE of a block synthesised with these parameters."""
        for row in self.results:
            if row.top == top and row.parameters == parameters and not row.check:
                return row.band()
        raise ConfigError(f"synthesis: {top} was not synthesised with {parameters}")


@cache
def synthesis() -> Synthesis:
    """Return the shipped results."""
    return checked(Synthesis, orjson.loads(_SOURCE.read_bytes()), _SOURCE.name)
