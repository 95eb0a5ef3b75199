"""YAML files with the line of every key, so that an error about a value can say where it stands."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import ComposerError

from pim.errors import ConfigError
from pim.files import read_bounded

KeyPath = tuple[str | int, ...]

MAX_BYTES = 1 << 20  # assumption: settings are written by hand, a few KB
MAX_DEPTH = 16  # assumption: the deepest settings have four levels


class _Loader(yaml.SafeLoader):
    """YAML without what can grow or recurse: no aliases, a bounded depth."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            raise ComposerError(None, None, "aliases (*) are not read, write the value out", mark)
        if self.depth == MAX_DEPTH:
            raise ComposerError(None, None, f"nested deeper than {MAX_DEPTH} levels", mark)
        self.depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


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
    data = read_bounded(path, MAX_BYTES, document.place(), ConfigError)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise document.error((), f"not UTF-8 text (byte {error.start})") from None
    try:
        loader = _Loader(text)
        try:
            root = loader.get_single_node()
            document.content = None if root is None else _value(loader, root, (), document)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ConfigError(f"{document.place()}{line}: not valid YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise document.error((), f"not valid YAML: {' '.join(str(error).split())}") from None
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
            key = _scalar(loader, key_node, where, document)
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
    return _scalar(loader, node, where, document)


def _scalar(loader: yaml.SafeLoader, node: yaml.Node, where: KeyPath, document: Document) -> Any:
    """Return what a node without inner structure stands for."""
    try:
        return loader.construct_object(node, deep=True)
    except (ValueError, KeyError, AttributeError):  # PyYAML lets these through from a value that is not of its tag
        kind = node.tag.rpartition(":")[2]
        raise document.error(where, f"must be of type {kind}, got {str(node.value)[:40]!r}") from None
