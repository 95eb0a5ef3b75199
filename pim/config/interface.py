"""What each step between host and cores costs, in DRAM clocks; the mailbox RTL is measured against these numbers."""

from typing import Literal

from pydantic import Field

from pim.config.model import ConfigModel


class InterfaceConfig(ConfigModel):
    """Costs of the control-register mailbox, in tCK (nCK); see docs/timing.md."""

    mode: Literal["exclusive"] = "exclusive"
    register_write_nck: int = Field(1, ge=1)
    register_read_nck: int = Field(1, ge=1)
    tmod_nck: int = Field(24, ge=1)  # JESD79-4: tMOD = max(24 nCK, 15 ns)
    grant_nck: int = Field(26, ge=1)
    start_nck: int = Field(1, ge=1)
    done_nck: int = Field(1, ge=1)
    release_nck: int = Field(26, ge=1)
    poll_interval_nck: int = Field(1200, ge=1)  # assumption: the host polls once a microsecond
