"""How a memory controller orders the requests it holds, and what it does with rows and refreshes meanwhile."""

from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from pim.config.model import ConfigModel


class Policy(NamedTuple):
    """The same settings as kernels see them."""

    in_order: bool
    closed_page: bool
    queue_depth: int
    write_high: int
    write_low: int
    hit_cap: int
    most_postponed: int


class ControllerConfig(ConfigModel):
    """A controller of one channel, of one rank in the DIMM's buffer, or the order of ACTs and columns inside a die.

    FCFS serves one request after the other. FR-FCFS lets columns of open rows go first, then the oldest request's
    row commands, and writes wait until ``write_high`` of them are there or no read is, down to ``write_low``.

    References
    ----------
    Rixner et al., "Memory Access Scheduling", ISCA 2000 (first-ready, first-come first-served).
    """

    scheduling: Literal["fr-fcfs", "fcfs"] = "fr-fcfs"
    page: Literal["open", "closed"] = "open"
    queue_depth: int = Field(32, ge=1, le=512)  # reads, and as many writes; as two public simulators have it
    write_high: int = Field(26, ge=1, le=512)  # 80 % of the queue, as Ramulator 2.1
    write_low: int = Field(6, ge=0, le=511)  # 20 %, same
    hit_cap: int = Field(16, ge=1, le=1_000_000)
    """Columns of one row that may go before an older request for another row. Assumption: public simulators have 4
    and no limit."""
    postponed_refreshes: int = Field(0, ge=0, le=8)  # JESD79-4: at most 8; 0: on time

    @model_validator(mode="after")
    def _marks_fit(self) -> Self:
        if not self.write_low < self.write_high <= self.queue_depth:
            raise ValueError(
                f"write_low < write_high <= queue_depth must hold, got {self.write_low}, {self.write_high} and "
                f"{self.queue_depth}"
            )
        return self

    def to_kernel(self) -> Policy:
        """Return the settings for kernels."""
        return Policy(
            in_order=self.scheduling == "fcfs",
            closed_page=self.page == "closed",
            queue_depth=self.queue_depth,
            write_high=self.write_high,
            write_low=self.write_low,
            hit_cap=self.hit_cap,
            most_postponed=self.postponed_refreshes,
        )
