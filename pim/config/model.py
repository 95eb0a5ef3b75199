"""The base of all configuration models: frozen, no unknown keys, units in the field names."""

from pydantic import BaseModel, ConfigDict


class ConfigModel(BaseModel):
    """A frozen, validated group of settings; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
