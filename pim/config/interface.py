"""What each step between host and cores costs, in DRAM clocks; the mailbox RTL is measured against these numbers.

The costs count from the edge at which the mailbox accepts an access. The command and the burst that carry the access
over the DDR bus come on top, from the DRAM timing. Definitions and formulas: docs/timing.md.
"""

from typing import Literal

from pydantic import Field

from pim.config.model import Clocks, ConfigModel


class InterfaceConfig(ConfigModel):
    """How host and cores deal with each other, and costs of the control-register mailbox, in tCK (nCK).

    The costs are measured on rtl/src/pim_mailbox.sv by its bench.
    """

    ownership: Literal["exclusive", "concurrent"] = "exclusive"
    """exclusive: banks go to the cores for a run, the host is locked out. concurrent: they are the cores' for the whole
    job, and the host claims them one by one."""
    launch: Literal["per-core", "broadcast"] = "per-core"
    """Whether OWNER and CONTROL are written, and ends of runs read, once a core, or once a rank for all its cores."""
    completion: Literal["polling", "alert"] = "polling"
    register_write_nck: Clocks = 1
    register_read_nck: Clocks = 1
    tmod_nck: Clocks = Field(24, ge=2)  # JESD79-4, timing parameters by speed bin: tMOD = max(24 nCK, 15 ns)
    grant_overhead_nck: Clocks = 1
    start_nck: Clocks = 1
    done_nck: Clocks = 1
    release_overhead_nck: Clocks = 1
    poll_interval_nck: Clocks = 1200  # assumption: the host polls once a microsecond
    alert_nck: Clocks = 600  # assumption: an interrupt of the memory controller takes the host half a microsecond
    claim_age_nck: int = Field(
        0, ge=0, le=1_000_000
    )  # assumption: 0, claims at once; more lets requests gather, and cores go first
    claim_hold_nck: int = Field(64, ge=32, le=1_000_000)  # assumption: ten row hits in one bank group

    @property
    def grant_nck(self) -> int:
        """Request written to core owns the bank, in nCK, when the bank is already precharged."""
        return self.grant_overhead_nck + self.tmod_nck

    @property
    def release_nck(self) -> int:
        """Run over to host owns the bank, in nCK, without the wait for a core edge and for dirty buffers."""
        return self.release_overhead_nck + self.tmod_nck
