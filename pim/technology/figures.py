"""The table of gate counts and process figures, read from `figures.yaml` and checked."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from pim.config import ConfigModel, checked, read_mapping
from pim.technology.band import Band

NODE_NM = 22
"""Feature size of logic and SRAM: CACTI's smallest node, nearest to a 1x nm DRAM's periphery (assumption)."""

GATE_NODE_NM = 65
"""Feature size `gate_um2_65nm` was measured at."""


class Sourced(ConfigModel):
    """A figure in three cases with its unit and source."""

    optimistic: float = Field(ge=0)
    nominal: float = Field(gt=0)
    pessimistic: float = Field(gt=0)
    unit: str = Field(min_length=1)
    source: str = Field(min_length=1)

    @model_validator(mode="after")
    def _cases_are_ordered(self) -> Self:
        if not self.optimistic <= self.nominal <= self.pessimistic:
            raise ValueError(
                f"optimistic <= nominal <= pessimistic must hold, got "
                f"{self.optimistic}, {self.nominal}, {self.pessimistic}"
            )
        return self

    @property
    def band(self) -> Band:
        """The three cases, without unit and source."""
        return Band(self.optimistic, self.nominal, self.pessimistic)


class Figures(ConfigModel):
    """The figures by name; units and sources are in the table."""

    synthesis_margin: Sourced
    atomic_alus: Sourced
    fpu32_kge: Sourced
    fpu64_kge: Sourced
    flip_flop_ge: Sourced
    latch_ge: Sourced
    gate_um2_65nm: Sourced
    placement_overhead: Sourced
    dram_process_factor: Sourced

    @property
    def gate_um2(self) -> Band:
        """Cells' area of one GE in um2 at `NODE_NM` of a logic process, ideally scaled (with feature size^2)."""
        return self.gate_um2_65nm.band * (NODE_NM / GATE_NODE_NM) ** 2

    @property
    def placed_gate_um2(self) -> Band:
        """Area of one GE in um2 with the room that its wiring needs."""
        return self.gate_um2 * self.placement_overhead.band


_TABLE = read_mapping(Path(__file__).parent / "figures.yaml")

FIGURES = checked(Figures, _TABLE.content, _TABLE)
