"""Machines from YAML files, named presets and dotted overrides, with errors that say where and what is allowed."""

import difflib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError

from pim.config.system import SystemConfig
from pim.errors import ConfigError

PRESETS = Path(__file__).parent / "presets"

Model = TypeVar("Model", bound=BaseModel)


def preset_names() -> tuple[str, ...]:
    """Return the names of the shipped machines."""
    return tuple(sorted(path.stem for path in PRESETS.glob("*.yaml")))


def read_yaml(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file; anything else is a ConfigError with file and line."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: can't be read: {error}") from error
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise ConfigError(f"{path}{line}: not valid YAML: {getattr(error, 'problem', None) or error}") from error
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: must hold keys and values, got {type(content).__name__}")
    return content


def load_system(source: str | Path) -> SystemConfig:
    """Return the machine of a preset's name or of a YAML file."""
    path = PRESETS / f"{source}.yaml" if str(source) in preset_names() else Path(source)
    if not path.is_file():
        raise ConfigError(
            f"machine {str(source)!r}: neither a file nor a preset; presets are {', '.join(preset_names())}"
        )
    return make_system({"name": path.stem, **read_yaml(path)}, str(path))


def make_system(values: Mapping[str, Any], where: str) -> SystemConfig:
    """Return the machine that ``values`` describe; ``where`` names their origin in errors."""
    return checked(SystemConfig, values, where)


def checked(model: type[Model], values: Mapping[str, Any], where: str) -> Model:
    """Return ``values`` as a ``model``; every problem is in one ConfigError, with their origin ``where``."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise ConfigError("; ".join(f"{where}: {text}" for text in explain(error, model))) from error


def with_overrides(system: SystemConfig, overrides: Mapping[str, Any], where: str = "override") -> SystemConfig:
    """Return ``system`` with dotted keys replaced, e.g. ``{"core.clock_mhz": 400}``; all checks run again."""
    values = system.model_dump(mode="python")
    for key, value in overrides.items():
        *groups, field = key.split(".")
        target = values
        for group in groups:
            target = target.setdefault(group, {})
            if not isinstance(target, dict):
                raise ConfigError(f"{where}: {key}: {group!r} holds a value, not settings")
        target[field] = value
    return make_system(values, where)


def explain(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """Return one line per problem of a pydantic error: key, what is wrong, value got, and a hint for unknown keys."""
    lines = []
    for item in error.errors():
        key = ".".join(str(part) for part in item["loc"])
        message = item["msg"].removeprefix("Value error, ")
        if item["type"] == "extra_forbidden":
            known = _fields_at(model, item["loc"][:-1])
            close = difflib.get_close_matches(str(item["loc"][-1]), known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"allowed are {', '.join(known)}"
            lines.append(f"{key}: unknown key; {hint}")
        elif key and item["type"] != "missing":
            got = repr(item["input"])
            lines.append(f"{key}: {message}, got {got if len(got) < 80 else got[:77] + '...'}")
        else:
            lines.append(f"{key}: {message}" if key else message)
    return lines


def _fields_at(model: type[BaseModel], path: tuple[int | str, ...]) -> list[str]:
    """Return the field names of the model found under ``path``."""
    for part in path:
        field = model.model_fields.get(str(part))
        candidates = [field.annotation, *get_args(field.annotation)] if field else []
        nested = [item for item in candidates if isinstance(item, type) and issubclass(item, BaseModel)]
        if not nested:
            return []
        model = nested[0]
    return sorted(model.model_fields)
