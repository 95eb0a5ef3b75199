"""``scalein calibrate``: what one thread of this host takes for the kernels, for the native baseline."""

from pathlib import Path

from rich.console import Console
from rich.text import Text

from mapreduce.host import calibrate
from pim.files import check_writable, write_atomic
from spark_traces import generate
from spark_traces.workloads import WORKLOADS

INPUT_BYTES = 64_000_000
"""Size of each measured input, bytes. Assumption: above a server's last-level cache."""
SEED = 1


def run(out: Path) -> None:
    """Measure this host and write the calibration to ``out``."""
    check_writable(out)
    console = Console(stderr=True)
    measured = {}
    with console.status("making inputs") as status:
        for name, workload in WORKLOADS.items():
            parameters = workload.input_parameters(INPUT_BYTES)
            inputs = generate.generate(workload.generator, generate.VERSION, SEED, parameters)
            measured[name] = (inputs, workload.parameters(parameters))
        calibration = calibrate(measured, progress=lambda what: status.update(f"measuring {what}"))
    write_atomic(out, calibration.model_dump_json(indent=2).encode() + b"\n")
    bandwidth = f"{calibration.memory_bandwidth_gb_s:.1f} GB/s"
    Console().print(Text(f"calibration of {calibration.machine.cpu} ({bandwidth}): {out}"), soft_wrap=True)
    Console().print(Text(f"use it with `scalein run --calibration {out}`"), soft_wrap=True)
