"""Machines from YAML files, named presets and dotted overrides."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pim.config.checked import checked
from pim.config.ddr4 import device_settings
from pim.config.document import read_mapping
from pim.config.system import SystemConfig
from pim.errors import ConfigError

PRESETS = Path(__file__).parent / "presets"


def preset_names() -> tuple[str, ...]:
    """Return the names of the shipped machines."""
    return tuple(sorted(path.stem for path in PRESETS.glob("*.yaml")))


def load_system(source: str | Path) -> SystemConfig:
    """Return the machine of a preset's name or of a YAML file.

    Raises
    ------
    ConfigError
        There is no such machine, or its settings are wrong; says file, line, key and what is allowed.
    """
    path = PRESETS / f"{source}.yaml" if str(source) in preset_names() else Path(source)
    if not _is_file(path):
        raise ConfigError(
            f"machine {str(source)!r}: neither a file nor a preset; presets are {', '.join(preset_names())}"
        )
    document = read_mapping(path)
    content = {"name": path.stem, **document.content}
    for group, settings in device_settings(str(content.pop("device"))).items() if "device" in content else ():
        own = content.get(group, {})
        content[group] = settings | own if isinstance(own, dict) else own
    return checked(SystemConfig, content, document)


def _is_file(path: Path) -> bool:
    """Return whether there is such a file; a name that no file can have is none."""
    try:
        return path.is_file()
    except OSError:
        return False


def with_overrides(system: SystemConfig, overrides: Mapping[str, Any], where: str = "override") -> SystemConfig:
    """Return ``system`` with dotted keys replaced, e.g. ``{"core.clock_mhz": 400}``; all checks run again.

    ``device`` replaces all settings of the DRAM device by those of that name, before the other keys.
    """
    values = system.model_dump(mode="python")
    for group, settings in device_settings(str(overrides["device"])).items() if "device" in overrides else ():
        values[group] |= settings
    for key, value in overrides.items():
        if key == "device":
            continue
        *groups, field = key.split(".")
        target = values
        for group in groups:
            target = target.setdefault(group, {})
            if not isinstance(target, dict):
                raise ConfigError(f"{where}: {key}: {group!r} holds a value, not settings")
        target[field] = value
    return checked(SystemConfig, values, where)
