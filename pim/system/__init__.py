"""Machines of cores and memory at the bank, the chip and the rank, and their host interface."""

from pim.system.launch import completion_nck, launch_nck
from pim.system.run import (
    ARGUMENT_WORDS,
    DEFAULT_CYCLE_LIMIT,
    STACK,
    CoreRun,
    CoreTask,
    LocationRun,
    run_location,
)

__all__ = [
    "ARGUMENT_WORDS",
    "DEFAULT_CYCLE_LIMIT",
    "STACK",
    "CoreRun",
    "CoreTask",
    "LocationRun",
    "completion_nck",
    "launch_nck",
    "run_location",
]
