"""What one (workload, level) replay found: the schema of a result file and the arithmetic its numbers must obey.

Everything a reader needs to judge a figure is in the file: the configuration, the versions, both baselines with
their N and machine, what was sampled, what was checked and what is not validated. Figures that follow from others
(speedups, shares) are stored for readers of the JSON and recomputed on loading: a file whose speedups do not follow
from its times is refused. How the numbers come about is decided in ``replay.py``; where they are kept, in ``store.py``.
"""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from pim.config import Level
from study.parts import (
    Area,
    BundleInfo,
    Check,
    Delivery,
    KernelFigures,
    Label,
    NonNegative,
    Positive,
    Power,
    Provenance,
    Record,
    Share,
    Thermal,
    must_equal,
)

LEVELS = tuple(level.value for level in Level)
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
PLACING = ("copy", "flush", "layout")
"""Phases that bring data to the cores."""
COMPUTING = ("map_combine", "reduce")
"""Phases that kernels take."""
REMAINDER_LABEL = "host remainder"


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
        must_equal("application.seconds", self.seconds, self.offloadable_seconds + self.remainder_seconds)
        must_equal("application.offloadable_share", self.offloadable_share, self.offloadable_seconds / self.seconds)
        return self


class Speedup(Record):
    """Speedups over one named baseline (dimensionless; above 1 means scale-in is faster)."""

    baseline: str
    offloadable: Positive
    application: Positive


class Result(Record):
    """One trace replayed on one machine.

    ``workload`` is the trace's name, for a shipped one that of its program; ``machine`` that of the preset, which is
    its level, or of the machine file. ``placement_seconds`` is the part of the phases copy, flush and layout that puts
    the input where the cores want it; an input that is there already saves it.
    """

    format: Literal["scalein-result"] = "scalein-result"
    schema_version: Literal[1] = 1
    workload: Annotated[str, Field(min_length=1)]
    level: Literal["bank", "chip", "rank"]
    machine: str
    config: dict[str, Any]
    n_cores: Annotated[int, Field(gt=0)]
    provenance: Provenance
    bundle: BundleInfo
    application: Application
    baselines: Annotated[list[Baseline], Field(min_length=1)]
    phases: dict[str, NonNegative]
    placement_seconds: NonNegative
    scale_in_seconds: Positive
    speedups: list[Speedup]
    kernels: Annotated[list[KernelFigures], Field(min_length=1)]
    area: Area | None = None
    power: Power | None = None
    thermals: tuple[Thermal, ...] = ()
    delivery: tuple[Delivery, ...] = ()
    rtl_checked: bool = False
    labels: tuple[Label, ...] = ()
    check: Check

    @model_validator(mode="after")
    def _numbers_follow(self) -> Self:
        if set(self.phases) != set(PHASES):
            raise ValueError(f"phases are {sorted(self.phases)}, must be {sorted(PHASES)}")
        must_equal("scale_in_seconds", self.scale_in_seconds, math.fsum(self.phases.values()))
        on_cores = math.fsum(self.phases[phase] for phase in COMPUTING)
        must_equal("time of the kernels", math.fsum(kernel.seconds for kernel in self.kernels), on_cores)
        if self.placement_seconds > math.fsum(self.phases[phase] for phase in PLACING) * (1 + 1e-9):
            raise ValueError(f"placement_seconds must be within the phases {', '.join(PLACING)}")
        for row in self.delivery:
            if (row.obey_tfaw, row.column_bursts) == (self.config.get("obey_tfaw"), self.config.get("column_bursts")):
                must_equal("time under the machine's own limits", row.seconds, on_cores)
        expected = speedups(self.application, self.baselines, self.scale_in_seconds)
        if [s.baseline for s in self.speedups] != [s.baseline for s in expected]:
            raise ValueError(
                f"speedups are against {[s.baseline for s in self.speedups]}, "
                f"the baselines are {[s.baseline for s in expected]}"
            )
        for got, want in zip(self.speedups, expected, strict=True):
            must_equal(f"speedup of the offloadable part vs {got.baseline}", got.offloadable, want.offloadable)
            must_equal(f"speedup of the application vs {got.baseline}", got.application, want.application)
        return self

    @property
    def place(self) -> str:
        """Return what names the machine to a reader: its level, before it the name of a machine that is no preset."""
        return self.level if self.machine == self.level else f"{self.machine} ({self.level})"

    @property
    def seconds_in_place(self) -> float:
        """Return the scale-in time where the input lies in the memory in the cores' layout already."""
        return self.scale_in_seconds - self.placement_seconds

    @property
    def cpi_stack(self) -> dict[str, float]:
        """Return core cycles per retired instruction by cause, over all simulated kernels."""
        instructions = sum(k.counters["instructions"] * k.cores_total for k in self.kernels)
        causes = dict.fromkeys(cause for kernel in self.kernels for cause in kernel.cpi_stack)
        cycles = {c: sum(k.cpi_stack.get(c, 0.0) * k.cores_total for k in self.kernels) for c in causes}
        return {cause: cycles[cause] / instructions for cause in causes} if instructions else {}

    @property
    def is_complete(self) -> bool:
        """Return whether every core was simulated in every launch."""
        return all(
            k.cores_simulated == k.cores_total and k.launches_simulated == k.launches_total for k in self.kernels
        )

    @property
    def scale_in_seconds_bound(self) -> float | None:
        """Return the scale-in time with the sampling's upper bound of the slowest core, None where there is none."""
        bounds = [kernel.seconds_bound for kernel in self.kernels]
        if None in bounds:
            return None
        extra = (bound - k.seconds for bound, k in zip(bounds, self.kernels, strict=True) if bound is not None)
        return self.scale_in_seconds + math.fsum(extra)

    @property
    def rise_k(self) -> float | None:
        """Return the largest temperature rise of the result's dies in K, None where none was computed."""
        return max((thermal.rise_k for thermal in self.thermals), default=None)

    def baseline(self, name: str) -> Baseline:
        """Return the baseline called ``Spark`` or ``native``."""
        return next(b for b in self.baselines if b.name == name)

    def speedup(self, baseline_name: str) -> Speedup:
        """Return the speedups over the baseline called ``Spark`` or ``native``."""
        label = self.baseline(baseline_name).label
        return next(s for s in self.speedups if s.baseline == label)


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
