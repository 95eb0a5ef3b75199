"""The parts of a result that stand for themselves: origin, trace, sampling, area, temperature, check, caveats."""

import math
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

NonNegative = Annotated[FiniteFloat, Field(ge=0)]
Positive = Annotated[FiniteFloat, Field(gt=0)]
Share = Annotated[FiniteFloat, Field(ge=0, le=1)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Record(BaseModel):
    """Base of all parts of a result: immutable, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Provenance(Record):
    """Which program made the result, where and how."""

    scalein_version: str
    git_commit: str | None = None  # None: not run from a checkout
    git_dirty: bool | None = None
    code_digest: str
    python: str
    packages: dict[str, str]
    machine: str
    engine: str = "interpreter"  # what simulated the instructions; results without it are older than the translator
    command: str
    created_utc: str


class BundleInfo(Record):
    """The trace the result comes from; ``program`` is the workload that was traced."""

    program: str
    digest: Sha256
    input_digest: Sha256
    n_input_bytes: Annotated[int, Field(ge=0)]
    parameters: dict[str, Any]
    versions: dict[str, str]


class KernelFigures(Record):
    """What one kernel took over all its launches, and what of them was simulated.

    Attributes
    ----------
    kernel : str
        Its name.
    launches_simulated, launches_total : int
        Of these launches the first ones; each later one is taken to be like the last one simulated.
    seconds : float
        Until the slowest simulated core was done, summed over all launches.
    seconds_bound : float or None
        The same with the upper bound of the slowest core of all; None where nothing bounds it.
    groups_simulated, groups_total, cores_simulated, cores_total : int
        Per launch, with work; of the launch that simulated the smallest share.
    unseen_is_slowest : float
        Largest probability, over the launches, that the slowest core was not simulated.
    counters : dict
        Means per simulated core, summed over all launches.
    cpi_stack : dict
        Core cycles per simulated core by cause, likewise.
    dram_commands : dict
        Per simulated group (a chip's; at rank level those every chip of the rank gets), likewise.
    bank_open_seconds : float or None
        With a row open or refreshing, summed over the banks of a simulated group, likewise; None: not counted.
    """

    kernel: str
    launches_simulated: Annotated[int, Field(gt=0)]
    launches_total: Annotated[int, Field(gt=0)]
    seconds: NonNegative
    seconds_bound: NonNegative | None
    groups_simulated: Annotated[int, Field(gt=0)]
    groups_total: Annotated[int, Field(gt=0)]
    cores_simulated: Annotated[int, Field(gt=0)]
    cores_total: Annotated[int, Field(gt=0)]
    unseen_is_slowest: Share
    counters: dict[str, NonNegative]
    cpi_stack: dict[str, NonNegative]
    dram_commands: dict[str, NonNegative]
    bank_open_seconds: NonNegative | None = None


class AreaRow(Record):
    """One part of a core: its area in three cases (mm2), gates (kGE), SRAM (bytes), where the figures come from."""

    part: str
    mm2_low: NonNegative
    mm2: NonNegative
    mm2_high: NonNegative
    kilo_gates: NonNegative
    sram_bytes: Annotated[int, Field(ge=0)]
    source: str


class Area(Record):
    """Area of a core, and of the cores added to one bank, DRAM die or buffer, as a share of what they sit on.

    Attributes
    ----------
    site : str
        What the share is of: "bank", "DRAM die" or "buffer chip".
    n_sites, cores_per_site : int
        How many of them the machine has, and cores on each.
    site_mm2 : float
        One site without cores.
    share_low, share, share_high : float
        Cores' area / ``site_mm2`` in the three cases.
    total_mm2 : float
        Cores of the whole machine, nominal.
    """

    site: str
    n_sites: Annotated[int, Field(gt=0)]
    cores_per_site: Positive
    site_mm2: Positive
    rows: Annotated[list[AreaRow], Field(min_length=1)]
    core_mm2: Positive
    share_low: NonNegative
    share: NonNegative
    share_high: NonNegative
    total_mm2: Positive
    process: str
    notes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _figures_follow(self) -> Self:
        must_equal("area.core_mm2", self.core_mm2, sum(row.mm2 for row in self.rows))
        must_equal("area.share", self.share, self.core_mm2 * self.cores_per_site / self.site_mm2)
        must_equal("area.total_mm2", self.total_mm2, self.core_mm2 * self.cores_per_site * self.n_sites)
        return self


class Power(Record):
    """Mean power while the cores ran, in W: of one core, of one DRAM chip, and of all the chips that ran.

    ``cores_per_die`` cores share a DRAM chip, or at rank level a buffer chip. ``idle_chip_w`` is a chip that only
    refreshes. ``energy_j`` is ``total_w`` times ``seconds``.
    """

    core_logic_w: NonNegative
    core_sram_w: NonNegative
    core_leakage_w: NonNegative
    cores_per_die: Annotated[int, Field(gt=0)]
    dram_background_w: NonNegative
    dram_refresh_w: NonNegative
    dram_activity_w: NonNegative
    idle_chip_w: NonNegative
    total_w: NonNegative
    seconds: Positive
    energy_j: NonNegative
    notes: tuple[str, ...] = ()


class Delivery(Record):
    """What a job's kernels take under two limits of the die's power delivery.

    ``column_bursts`` None: all banks of a die may burst at once. ``seconds`` is until the slowest simulated core was
    done, summed over all launches; ``contention_share`` the share of the cores' cycles that wait for what they share.
    """

    obey_tfaw: bool
    column_bursts: Annotated[int, Field(ge=1)] | None
    seconds: Positive
    contention_share: Share


class Thermal(Record):
    """Steady-state temperature of one die while its cores compute, against the same die that only refreshes.

    ``air_c`` is the air at the die while computing, ``map_c`` the heated layer in rows from south to north.
    ``rise_alone_k`` is what the activity would add to the peak, in K, if other packages did not warm the air.
    """

    die: str
    air_c: FiniteFloat
    idle_w: NonNegative
    computing_w: NonNegative
    idle_peak_c: FiniteFloat
    peak_c: FiniteFloat
    rise_alone_k: FiniteFloat
    map_c: Annotated[list[list[FiniteFloat]], Field(min_length=1)]
    width_mm: Positive
    height_mm: Positive
    refresh_window_ms: Positive
    warning: str = ""
    note: str = ""

    @property
    def rise_k(self) -> float:
        """Return what the activity adds to the die's peak temperature, in K."""
        return self.peak_c - self.idle_peak_c


class Check(Record):
    """Outcome of comparing the job's output with Spark's."""

    outcome: Literal["equal", "within bound"]
    n_values: Annotated[int, Field(ge=0)]
    n_floats: Annotated[int, Field(ge=0)]
    largest_error: NonNegative = 0.0
    bound_at_largest: NonNegative = 0.0


class Label(Record):
    """A caveat shown beside the numbers: "preliminary", "not RTL-checked"."""

    kind: Literal["warning", "preliminary", "RTL-checked: no", "note"]
    text: str


def must_equal(what: str, stored: float, derived: float) -> None:
    """Raise ValueError unless two ways to the same figure agree to rounding (1e-9 relative)."""
    if not math.isclose(stored, derived, rel_tol=1e-9, abs_tol=1e-15):
        raise ValueError(f"{what} is {stored!r}, the other figures of the result give {derived!r}")
