"""The base of all configuration models: frozen, no unknown keys, units in the field names."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _power_of_two(value: int) -> int:
    if value & (value - 1):
        raise ValueError(f"must be a power of two, got {value}")
    return value


PowerOfTwo = Annotated[int, Field(ge=1), AfterValidator(_power_of_two)]
"""What addresses are split by."""


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError(f"must be printable characters, got {text!r}")
    return text


Name = Annotated[str, Field(min_length=1, max_length=80), AfterValidator(_printable)]
"""What names a thing in messages, tables and files."""

Clocks = Annotated[int, Field(ge=1, le=1_000_000)]
"""A cost of one step, in clocks. Assumption: a million is some ms, beyond any part; a run's clocks stay below 2**63."""

Nanoseconds = Annotated[float, Field(gt=0, le=1e6)]
"""A timing. Assumption: a ms is a hundred times the longest interval of a DDR4 device."""

SramBytes = Annotated[PowerOfTwo, Field(le=1 << 20)]
"""Size of a core's buffer. Assumption: 1 MiB is more than a DRAM die has room for."""


class ConfigModel(BaseModel):
    """A frozen, validated group of settings; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
