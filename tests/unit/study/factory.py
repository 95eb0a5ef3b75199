"""A result with made-up but consistent numbers, for tests that need some result."""

import math
from typing import Any

from study import results
from study.parts import Area, AreaRow, BundleInfo, Check, KernelFigures, Label, Power, Provenance, Thermal
from study.results import Application, Baseline, Result

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
    side = 12
    grid = [[45 + ((x - 6) ** 2 + (y - 5) ** 2) / -30 for x in range(side)] for y in range(side)]
    fields: dict[str, Any] = {
        "workload": workload,
        "level": level,
        "machine": level,
        "config": {"name": level, "level": level, "core": {"clock_mhz": 200, "line_buffers": 5}},
        "n_cores": {"chip": 32, "rank": 16}.get(level, 512),
        "provenance": Provenance(
            scalein_version="0.1.0", git_commit="0" * 40, git_dirty=False, code_digest="c" * 16, python="3.11.2",
            packages={"numpy": "2.4"}, machine="host C", command="scalein run", created_utc="2026-01-01T00:00:00+00:00",
        ),
        "bundle": BundleInfo(
            program="wordcount", digest="a" * 64, input_digest="b" * 64, n_input_bytes=200_000_000,
            parameters={"seed": 1}, versions={"spark": "4.3.0"},
        ),
        "application": application,
        "baselines": baselines,
        "phases": phases,
        "placement_seconds": phases["copy"] / 2,
        "scale_in_seconds": total,
        "speedups": results.speedups(application, baselines, total),
        "kernels": [KernelFigures(
            kernel=f"{workload}_{role}", launches_simulated=1, launches_total=1, seconds=seconds,
            seconds_bound=1.1 * seconds,
            groups_simulated=1, groups_total=32, cores_simulated=16, cores_total=512, unseen_is_slowest=0.97,
            counters={"cycles": 1.7 * n, "instructions": n},
            cpi_stack={"issue": n, "branch": 0.2 * n, "load-use": 0.15 * n, "row hit": 0.2 * n, "refresh": 0.15 * n},
            dram_commands={"ACT": 1000, "RD": 20000, "REF": 30},
        ) for role, n, seconds in (("map", 1e9, phases["map_combine"]), ("reduce", 1e7, phases["reduce"]))],
        "area": Area(
            site="bank", n_sites=512, cores_per_site=1, site_mm2=4.0, core_mm2=0.08, share_low=0.01, share=0.02,
            share_high=0.03, total_mm2=0.08 * 512, process="DRAM", notes=["preliminary"],
            rows=[AreaRow(part="core", mm2_low=0.04, mm2=0.05, mm2_high=0.06, kilo_gates=30, sram_bytes=0, source="a"),
                  AreaRow(part="line buffers", mm2_low=0.02, mm2=0.03, mm2_high=0.04, kilo_gates=0, sram_bytes=5120,
                          source="SRAM model")],
        ),
        "power": Power(
            core_logic_w=0.005, core_sram_w=0.001, core_leakage_w=0.0001, cores_per_die=16, dram_background_w=0.06,
            dram_refresh_w=0.01, dram_activity_w=0.05, idle_chip_w=0.05, total_w=7.0, seconds=0.5, energy_j=3.5,
        ),
        "thermals": [Thermal(
            die="DRAM die", air_c=40, idle_w=0.05, computing_w=0.2, idle_peak_c=43, peak_c=45, rise_alone_k=1.5,
            map_c=grid, width_mm=8, height_mm=7, refresh_window_ms=64, note="still air",
        )],
        "labels": [Label(kind="preliminary", text="area is not from synthesis yet"),
                   Label(kind="RTL-checked: no", text="no RTL of this core yet")],
        "check": Check(outcome="equal", n_values=100, n_floats=0),
    }  # fmt: skip
    return Result(**{**fields, **changes})
