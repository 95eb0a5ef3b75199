"""What a machine is: geometry, timing, core, interface and host, read from YAML and checked."""

from pim.config.checked import checked
from pim.config.controller import ControllerConfig, Policy
from pim.config.core import ClassCycles, CoreConfig
from pim.config.ddr4 import device_names, device_settings
from pim.config.document import read_mapping
from pim.config.geometry import Geometry
from pim.config.host import HostConfig
from pim.config.interface import InterfaceConfig
from pim.config.load import load_system, preset_names, with_overrides
from pim.config.model import ConfigModel
from pim.config.system import Level, SystemConfig
from pim.config.timing import ClockOverrides, ClockTiming, TimingSpec, round_up_nck

__all__ = [
    "ClassCycles",
    "ClockOverrides",
    "ClockTiming",
    "ConfigModel",
    "ControllerConfig",
    "CoreConfig",
    "Geometry",
    "HostConfig",
    "InterfaceConfig",
    "Level",
    "Policy",
    "SystemConfig",
    "TimingSpec",
    "checked",
    "device_names",
    "device_settings",
    "load_system",
    "preset_names",
    "read_mapping",
    "round_up_nck",
    "with_overrides",
]
