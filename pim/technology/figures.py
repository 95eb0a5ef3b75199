"""The table of gate counts and process figures, read from `figures.yaml` and checked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pim.config import read_yaml
from pim.errors import ConfigError
from pim.technology.band import Band

NODE_NM = 22
"""Feature size of logic and SRAM: CACTI's smallest node, nearest to a 1x nm DRAM's periphery (assumption)."""

GATE_NODE_NM = 65
"""Feature size `gate_um2_65nm` was measured at."""


class Sourced(BaseModel):
    """A figure in three cases with its unit and source."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    optimistic: float = Field(gt=0)
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


class Figures(BaseModel):
    """The figures by name; units and sources are in the table."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rv32imc_core_kge: Sourced
    rv64_over_rv32: Sourced
    fpu32_kge: Sourced
    fpu64_exponent: Sourced
    flip_flop_ge: Sourced
    latch_ge: Sourced
    bank_sequencer_kge: Sourced
    gate_um2_65nm: Sourced
    dram_process_factor: Sourced

    @property
    def gate_um2(self) -> Band:
        """Area of one GE in um2 at `NODE_NM` of a logic process, ideally scaled (area goes with feature size^2)."""
        return self.gate_um2_65nm.band * (NODE_NM / GATE_NODE_NM) ** 2


def load_figures(path: Path, values: Mapping[str, Any] | None = None) -> Figures:
    """Return the figures of a YAML file (or of `values`, `path` then only naming them in errors)."""
    try:
        return Figures.model_validate(read_yaml(path) if values is None else values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{path.name}: {where}: {first['msg']}") from error


FIGURES = load_figures(Path(__file__).parent / "figures.yaml")
