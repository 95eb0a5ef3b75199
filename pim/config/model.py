"""The base of all configuration models: frozen, no unknown keys, units in the field names."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _power_of_two(value: int) -> int:
    if value & (value - 1):
        raise ValueError(f"must be a power of two, got {value}")
    return value


PowerOfTwo = Annotated[int, Field(ge=1), AfterValidator(_power_of_two)]
"""What addresses are split by."""


class ConfigModel(BaseModel):
    """A frozen, validated group of settings; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
