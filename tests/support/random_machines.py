"""Random machines: sizes, costs and timings that no preset has."""

import random
from fractions import Fraction

from pim.config import SystemConfig, load_system, with_overrides

DRAWN = ("trcd", "trp", "tras", "twr", "trtp", "twtr_s", "twtr_l", "tfaw")
WITH_FPU = {"core.extensions": "rv64imafdc"}


def random_machine(rng: random.Random) -> tuple[SystemConfig, Fraction]:
    """Return a machine with drawn sizes, costs and timings; its DRAM clock is 1 GHz."""
    level = rng.choice(("bank", "bank", "chip", "rank"))
    port = rng.choice(("column", "row")) if level == "bank" else "column"
    sector = rng.choice((64, 128)) if level == "rank" else rng.choice((8, 32, 64, 256))
    line = 1024 if port == "row" else min(32 * sector, max(sector, rng.choice((64, 256, 1024))))
    ratio = Fraction(*rng.choice(((1, 5), (1, 8), (3, 8), (3, 4), (1, 1), (8, 5), (3, 1), (1, 100))))
    instruction_line = rng.choice((64, 128)) if level == "rank" else rng.choice((16, 32, 64))
    kinds = ("alu", "mul", "div", "load", "store", "branch", "jump", "fp_add", "fp_fma", "fp_convert", "system")
    return with_overrides(
        load_system(level),
        WITH_FPU
        | {f"core.cycles.{kind}": rng.choice((1, 1, 2, 7)) for kind in kinds}
        | {
            f"timing.{name}_ns": rng.uniform(1, 40)
            for name in ("trcd", "trp", "tras", "twr", "trtp", "twtr_s", "twtr_l", "tfaw")
        }
        | {
            "port": port,
            "window_map": rng.choice(("own-banks", "all-banks")),
            "controller.scheduling": rng.choice(("fcfs", "fr-fcfs")),
            "controller.page": rng.choice(("open", "open", "closed")),
            "obey_tfaw": rng.random() < 0.7,
            "column_bursts": rng.choice((None, None, 1, 2, 5, 16)),
            "cores_per_location": 1 if level == "bank" else rng.choice((1, 2, 8)),
            "geometry.bank_groups": rng.choice((2, 4)),
            "geometry.row_bytes": 1024 if port == "row" else rng.choice((1024, 2048)),
            "timing.tck_ns": 1.0,
            "timing.trefi_ns": rng.choice((800.0, 3900.0, 1e9)),
            "timing.cl_nck": rng.randrange(9, 25),
            "timing.cwl_nck": rng.randrange(9, 20),
            "timing.row_transfer_ns": rng.uniform(1, 20),
            "core.clock_mhz": int(1000 * ratio),
            "core.taken_branch_penalty": rng.randrange(4),
            "core.load_use_penalty": rng.randrange(3),
            "core.sector_bytes": 1024 if port == "row" else sector,
            "core.line_bytes": line,
            "core.line_buffers": rng.choice((1, 2, 3, 5)),
            "core.line_sets": rng.choice((1, 1, 2, 16)),
            "core.instruction_line_bytes": instruction_line,
            "core.instruction_buffer_bytes": instruction_line * rng.choice((2, 4, 16)),
        },
    ), ratio
