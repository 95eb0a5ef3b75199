"""A result with made-up but consistent numbers, for tests that need some result."""

import math
from typing import Any

from study import results
from study.results import Application, Area, AreaRow, Baseline, BundleInfo, Check, Label, Provenance, Result, Sampling

PHASE_SECONDS = {
    "copy": 0.02, "flush": 0.001, "layout": 0.005, "launch": 0.0001, "map_combine": 0.5,
    "shuffle": 0.03, "reduce": 0.04, "gather": 0.002, "host": 0.003,
}  # fmt: skip


def make_result(workload: str = "wordcount", level: str = "bank", scale: float = 1.0, **changes: Any) -> Result:
    phases = {name: value * scale for name, value in PHASE_SECONDS.items()}
    application = Application(
        seconds=10.0,
        offloadable_seconds=8.0,
        remainder_seconds=2.0,
        offloadable_share=0.8,
        stages=["3: map", "4: reduce"],
    )
    baselines = [
        Baseline(name="Spark", n=16, unit="executor cores", machine="host A", offloadable_seconds=8.0, how="measured",
                 cpu_seconds=20.0),
        Baseline(name="native", n=16, unit="threads", machine="host B", offloadable_seconds=0.9, how="modelled"),
    ]  # fmt: skip

    total = math.fsum(phases.values())
    n = 12
    grid = [[45 + ((x - 6) ** 2 + (y - 5) ** 2) / -30 for x in range(n)] for y in range(n)]
    fields: dict[str, Any] = {
        "workload": workload,
        "level": level,
        "preset": level,
        "config": {"name": level, "level": level, "core": {"clock_mhz": 200, "line_buffers": 5}},
        "n_cores": {"chip": 32, "rank": 16}.get(level, 512),
        "provenance": Provenance(
            scalein_version="0.1.0", git_commit="0" * 40, git_dirty=False, code_digest="c" * 16, python="3.11.2",
            packages={"numpy": "2.4"}, machine="host C", command="scalein run", created_utc="2026-01-01T00:00:00+00:00",
        ),
        "bundle": BundleInfo(
            name=workload, digest="a" * 64, input_digest="b" * 64, n_input_bytes=200_000_000,
            parameters={"seed": 1}, versions={"spark": "4.3.0"},
        ),
        "application": application,
        "baselines": baselines,
        "phases": phases,
        "scale_in_seconds": total,
        "speedups": results.speedups(application, baselines, total),
        "sampling": Sampling(
            groups_simulated=1, groups_total=32, cores_simulated=16, cores_total=512, method="first chip",
            max_cycles=1e8, max_bound_cycles=1.1e8,
        ),
        "counters": {"instructions": 1e9, "cycles": 1.7e9},
        "cpi_stack": {"issue": 1.0, "load-use": 0.2, "branch": 0.15, "fetch": 0.05, "row hit": 0.2, "refresh": 0.1},
        "dram_commands": {"ACT": 1000, "RD": 20000, "REF": 30},
        "area": Area(
            location="bank", n_locations=512, rows=[AreaRow(block="core", area_um2=50_000, source="synthesis"),
            AreaRow(block="line buffers", area_um2=30_000, source="SRAM model")], added_mm2=0.08, host_mm2=3.5,
            host_name="bank (1/16 of the die)", share=0.08 / 3.5, total_added_mm2=41.0, process="DRAM 20 nm",
        ),
        "power_w": {"cores": 0.05, "DRAM": 0.2},
        "thermal": results.Thermal(
            ambient_c=40, power_w=0.25, added_power_w=0.05, peak_c=45, rise_k=2.0, mean_rise_k=1.5, map_c=grid,
            width_mm=8, height_mm=7,
        ),
        "labels": [Label(kind="preliminary", text="area is not from synthesis yet"),
                   Label(kind="RTL-checked: no", text="no RTL of this core yet")],
        "check": Check(outcome="equal", n_values=100, n_floats=0),
    }  # fmt: skip
    return Result(**{**fields, **changes})
