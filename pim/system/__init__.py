"""Machines of cores and memory at the bank, the chip and the rank, and their host interface."""

from pim.engines import DEFAULT_ENGINE, Engine
from pim.system.bare import BareMachine, BareRun
from pim.system.launch import claimed_transfer_nck, completion_nck, launch_nck
from pim.system.outcome import STACK, CoreRun, GroupRun
from pim.system.run import ARGUMENT_WORDS, DEFAULT_CYCLE_LIMIT, CoreTask, run_cores

__all__ = [
    "ARGUMENT_WORDS",
    "DEFAULT_CYCLE_LIMIT",
    "DEFAULT_ENGINE",
    "STACK",
    "BareMachine",
    "BareRun",
    "CoreRun",
    "CoreTask",
    "Engine",
    "GroupRun",
    "claimed_transfer_nck",
    "completion_nck",
    "launch_nck",
    "run_cores",
]
