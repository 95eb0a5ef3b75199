"""YAML files with the line of every key, so that an error about a value can say where it stands."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from pim.errors import ConfigError

KeyPath = tuple[str | int, ...]


@dataclass
class Document:
    """A parsed file and the lines of its keys.

    Attributes
    ----------
    path : Path
        The file.
    kind : str
        What it is, for messages; may be empty.
    content : Any
        Plain Python values.
    lines : dict
        Path of a key or list item -> line, counted from 1.
    """

    path: Path
    kind: str = ""
    content: Any = None
    lines: dict[KeyPath, int] = field(default_factory=dict)

    def place(self, where: KeyPath = ()) -> str:
        """Return file and line of a key; a path without a line of its own gets its parent's."""
        known = where
        while known and known not in self.lines:
            known = known[:-1]
        return f"{self.kind} {self.path}".lstrip() + (f", line {self.lines[known]}" if known in self.lines else "")

    def error(self, where: KeyPath, message: str) -> ConfigError:
        """Return an error that names file, line and key."""
        return ConfigError(": ".join(filter(None, (self.place(where), dotted(where), message))))


def dotted(where: KeyPath) -> str:
    """Return a key as people write it, e.g. ``core.clock_mhz``."""
    return ".".join(map(str, where))


def read_document(path: Path, kind: str = "") -> Document:
    """Read a YAML file.

    Raises
    ------
    ConfigError
        The file can't be read, is not YAML, or has a key twice; says the line.
    """
    document = Document(path, kind)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise document.error((), f"can't be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise document.error((), f"not UTF-8 text (byte {error.start})") from None
    try:
        loader = yaml.SafeLoader(text)
        try:
            root = loader.get_single_node()
            document.content = None if root is None else _value(loader, root, (), document)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ConfigError(f"{document.place()}{line}: not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise document.error((), f"not valid YAML: {error}") from None
    return document


def read_mapping(path: Path, kind: str = "") -> Document:
    """Read a YAML file of keys and values; anything else is a ConfigError too."""
    document = read_document(path, kind)
    if not isinstance(document.content, dict):
        raise document.error((), f"must hold keys and values, got {type(document.content).__name__}")
    return document


def _value(loader: yaml.SafeLoader, node: yaml.Node, where: KeyPath, document: Document) -> Any:
    """Return the plain value of a node; keys' lines go into ``document``."""
    if isinstance(node, yaml.MappingNode):
        mapping: dict[Hashable, Any] = {}
        for key_node, value_node in node.value:
            key = loader.construct_object(key_node, deep=True)
            inner = (*where, str(key))
            first = document.lines.get(inner)
            document.lines[inner] = key_node.start_mark.line + 1
            if not isinstance(key, str):
                raise document.error(inner, f"a key must be text, got {key!r}")
            if key in mapping:
                raise document.error(inner, f"given twice, first in line {first}")
            mapping[key] = _value(loader, value_node, inner, document)
        return mapping
    if isinstance(node, yaml.SequenceNode):
        items = []
        for index, item in enumerate(node.value):
            document.lines[(*where, index)] = item.start_mark.line + 1
            items.append(_value(loader, item, (*where, index), document))
        return items
    return loader.construct_object(node, deep=True)
