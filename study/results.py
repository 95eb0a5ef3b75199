"""What one (workload, level) replay found: the schema of a result file and the arithmetic its numbers must obey.

Everything a reader needs to judge a figure is in the file: the configuration, the versions, both baselines with
their N and machine, what was sampled, what was checked and what is not validated. Figures that follow from others
(speedups, shares) are stored for readers of the JSON and recomputed on loading: a file whose speedups do not follow
from its times is refused. How the numbers come about is decided in ``replay.py``; where they are kept, in ``store.py``.
"""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, model_validator

LEVELS = ("bank", "chip", "rank")
"""Where cores sit, innermost first."""

PHASES: Mapping[str, str] = {
    "copy": "copy",
    "flush": "flush",
    "layout": "layout",
    "launch": "launch",
    "map_combine": "map + combine",
    "shuffle": "shuffle",
    "reduce": "reduce",
    "gather": "gather",
    "host": "host in the job",
}
"""Key of `Result.phases` -> label, in the order the phases happen; nothing overlaps."""
REMAINDER_LABEL = "host remainder"

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
    command: str
    created_utc: str


class BundleInfo(Record):
    """The trace the result comes from."""

    name: str
    digest: Sha256
    input_digest: Sha256
    n_input_bytes: Annotated[int, Field(ge=0)]
    parameters: dict[str, Any]
    versions: dict[str, str]


class Baseline(Record):
    """A reference the scale-in run is compared with, named in full.

    Attributes
    ----------
    name, unit : str
        "Spark" and "executor cores", or "native" and "threads".
    n : int
        Number of those units.
    machine : str
        Where the times were measured.
    offloadable_seconds : float
        Time of the offloadable part on this baseline.
    how : str
        One sentence: how that time was obtained.
    cpu_seconds : float or None
        Second figure where there is one: JVM CPU time of the offloadable stages, summed over tasks, not scheduled.
    """

    name: str
    n: Annotated[int, Field(gt=0)]
    unit: str
    machine: str
    offloadable_seconds: Positive
    how: str
    cpu_seconds: NonNegative | None = None

    @property
    def label(self) -> str:
        """Return the baseline's full name, e.g. ``Spark, 16 executor cores``."""
        return f"{self.name}, {self.n} {self.unit}"


class Application(Record):
    """The application on Spark: load stage + median measured repeat, driver gaps included.

    ``offloadable_seconds`` is the wall time of the stages bound to kernels, ``remainder_seconds`` the rest; JVM
    start-up and warm-up are in neither.
    """

    seconds: Positive
    offloadable_seconds: Positive
    remainder_seconds: NonNegative
    offloadable_share: Share
    stages: list[str]

    @model_validator(mode="after")
    def _parts_add_up(self) -> Self:
        _must_equal("application.seconds", self.seconds, self.offloadable_seconds + self.remainder_seconds)
        _must_equal("application.offloadable_share", self.offloadable_share, self.offloadable_seconds / self.seconds)
        return self


class Speedup(Record):
    """Speedups over one named baseline (dimensionless; above 1 means scale-in is faster)."""

    baseline: str
    offloadable: Positive
    application: Positive


class Sampling(Record):
    """What was simulated and how far the rest may lie from it.

    ``max_bound_cycles`` bounds the slowest core of the machine from the simulated ones; None where nothing bounds it.
    """

    groups_simulated: Annotated[int, Field(ge=0)]
    groups_total: Annotated[int, Field(gt=0)]
    cores_simulated: Annotated[int, Field(ge=0)]
    cores_total: Annotated[int, Field(gt=0)]
    rounds: Annotated[int, Field(gt=0)] = 1
    method: str
    max_cycles: NonNegative | None = None
    max_bound_cycles: NonNegative | None = None
    note: str = ""

    @property
    def is_complete(self) -> bool:
        """Return whether every core was simulated."""
        return self.cores_simulated == self.cores_total


class AreaRow(Record):
    """One block's area per location, in um2 of the process the row names."""

    block: str
    area_um2: NonNegative
    source: str


class Area(Record):
    """Area added at one location and its share of what it sits on."""

    location: str
    n_locations: Annotated[int, Field(gt=0)]
    rows: list[AreaRow]
    added_mm2: NonNegative
    host_mm2: Positive
    host_name: str
    share: NonNegative
    total_added_mm2: NonNegative
    process: str


class Thermal(Record):
    """Steady-state temperature of one DRAM die during the run."""

    ambient_c: FiniteFloat
    power_w: NonNegative
    added_power_w: NonNegative
    peak_c: FiniteFloat
    rise_k: NonNegative
    mean_rise_k: NonNegative
    map_c: list[list[FiniteFloat]]
    width_mm: Positive
    height_mm: Positive
    note: str = ""


class Check(Record):
    """Outcome of comparing the job's output with Spark's."""

    outcome: Literal["equal", "within bound"]
    n_values: Annotated[int, Field(ge=0)]
    n_floats: Annotated[int, Field(ge=0)]
    largest_error: NonNegative = 0.0
    bound_at_largest: NonNegative = 0.0
    note: str = ""


class Label(Record):
    """A caveat shown beside the numbers: "preliminary", "not RTL-checked"."""

    kind: Literal["preliminary", "RTL-checked: no", "assumption", "note"]
    text: str


class Result(Record):
    """One workload replayed at one level."""

    format: Literal["scalein-result"] = "scalein-result"
    schema_version: Literal[1] = 1
    workload: Annotated[str, Field(min_length=1)]
    level: Literal["bank", "chip", "rank"]
    preset: str
    config: dict[str, Any]
    n_cores: Annotated[int, Field(gt=0)]
    provenance: Provenance
    bundle: BundleInfo
    application: Application
    baselines: Annotated[list[Baseline], Field(min_length=1)]
    phases: dict[str, NonNegative]
    scale_in_seconds: Positive
    speedups: list[Speedup]
    sampling: Sampling
    counters: dict[str, float]
    cpi_stack: dict[str, NonNegative]
    dram_commands: dict[str, NonNegative]
    area: Area | None = None
    power_w: dict[str, NonNegative] = {}
    thermal: Thermal | None = None
    rtl_checked: bool = False
    labels: list[Label] = []
    check: Check

    @model_validator(mode="after")
    def _numbers_follow(self) -> Self:
        if set(self.phases) != set(PHASES):
            raise ValueError(f"phases are {sorted(self.phases)}, must be {sorted(PHASES)}")
        _must_equal("scale_in_seconds", self.scale_in_seconds, math.fsum(self.phases.values()))
        expected = speedups(self.application, self.baselines, self.scale_in_seconds)
        if [s.baseline for s in self.speedups] != [s.baseline for s in expected]:
            raise ValueError(
                f"speedups are against {[s.baseline for s in self.speedups]}, "
                f"the baselines are {[s.baseline for s in expected]}"
            )
        for got, want in zip(self.speedups, expected, strict=True):
            _must_equal(f"speedup of the offloadable part vs {got.baseline}", got.offloadable, want.offloadable)
            _must_equal(f"speedup of the application vs {got.baseline}", got.application, want.application)
        return self

    def speedup(self, baseline_name: str) -> Speedup:
        """Return the speedups over the baseline called ``Spark`` or ``native``."""
        labels = [b.label for b in self.baselines if b.name == baseline_name]
        return next(s for s in self.speedups if s.baseline in labels)


def speedups(application: Application, baselines: list[Baseline], scale_in_seconds: float) -> list[Speedup]:
    """Return the speedups of the offloadable part and of the whole application over each baseline.

    With remainder ``r`` (host work nobody offloads), baseline time ``b`` of the offloadable part and scale-in time
    ``s``: offloadable speedup ``b / s``, application speedup ``(r + b) / (r + s)`` (Amdahl's law with the offload's
    own costs in ``s``).

    Parameters
    ----------
    application : Application
        Supplies the remainder, in seconds.
    baselines : list of Baseline
        Each with the seconds it needs for the offloadable part.
    scale_in_seconds : float
        Time of the offloadable part inside the memory, all phases, > 0.
    """
    remainder = application.remainder_seconds
    return [
        Speedup(
            baseline=baseline.label,
            offloadable=baseline.offloadable_seconds / scale_in_seconds,
            application=(remainder + baseline.offloadable_seconds) / (remainder + scale_in_seconds),
        )
        for baseline in baselines
    ]


def _must_equal(what: str, stored: float, derived: float) -> None:
    """Raise ValueError unless two ways to the same figure agree to rounding (1e-9 relative)."""
    if not math.isclose(stored, derived, rel_tol=1e-9, abs_tol=1e-15):
        raise ValueError(f"{what} is {stored!r}, the other figures of the result give {derived!r}")
