"""The RTL of bank cores next to the model: the same programs on both, every retired instruction compared."""

from study.lockstep.compare import Comparison, Difference
from study.lockstep.host import HostTrace, claiming_host
from study.lockstep.parameters import rtl_parameters
from study.lockstep.run import Guest, Run, run_lockstep
from study.lockstep.simulator import RTL_FOLDER, Simulator, build

__all__ = [
    "RTL_FOLDER",
    "Comparison",
    "Difference",
    "Guest",
    "HostTrace",
    "Run",
    "Simulator",
    "build",
    "claiming_host",
    "rtl_parameters",
    "run_lockstep",
]
