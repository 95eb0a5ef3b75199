"""YAML with the line of every key, so that an error about a value can say where it stands."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
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
    content : Any
        Plain Python values.
    lines : dict
        Path of a key or list item -> line, counted from 1.
    """

    path: Path
    content: Any
    lines: dict[KeyPath, int] = field(default_factory=dict)

    def error(self, where: KeyPath, message: str) -> ConfigError:
        """Return an error that names file, line and key; a path without a line of its own gets its parent's."""
        known = where
        while known and known not in self.lines:
            known = known[:-1]
        line = f", line {self.lines[known]}" if known in self.lines else ""
        key = ".".join(str(part) for part in where)
        return ConfigError(f"study {self.path}{line}: {key + ': ' if key else ''}{message}")


def did_you_mean(word: str, allowed: Iterable[str]) -> str:
    """Return ``, did you mean 'x'?`` when an allowed word is near, else an empty text."""
    near = get_close_matches(word, list(allowed), n=1)
    return f", did you mean {near[0]!r}?" if near else ""


def read_yaml(path: Path) -> Document:
    """Read a YAML file.

    Raises
    ------
    ConfigError
        The file can't be read, is not YAML, or has a key twice.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"study {path}: can't be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"study {path}: not UTF-8 text (byte {error.start})") from None
    loader = yaml.SafeLoader(text)
    try:
        root = loader.get_single_node()
        document = Document(path, None)
        document.content = None if root is None else _value(loader, root, (), document)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else "?"
        raise ConfigError(f"study {path}, line {line}: not YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"study {path}: not YAML: {error}") from None
    finally:
        loader.dispose()
    return document


def _value(loader: yaml.SafeLoader, node: yaml.Node, where: KeyPath, document: Document) -> Any:
    """Return the plain value of a node; keys' lines go into ``document``."""
    if isinstance(node, yaml.MappingNode):
        mapping: dict[Hashable, Any] = {}
        for key_node, value_node in node.value:
            key = loader.construct_object(key_node, deep=True)
            inner = (*where, str(key))
            if not isinstance(key, str):
                document.lines[inner] = key_node.start_mark.line + 1
                raise document.error(inner, f"a key must be text, got {key!r}")
            if key in mapping:
                first = document.lines[inner]
                document.lines[inner] = key_node.start_mark.line + 1
                raise document.error(inner, f"given twice, first in line {first}")
            document.lines[inner] = key_node.start_mark.line + 1
            mapping[key] = _value(loader, value_node, inner, document)
        return mapping
    if isinstance(node, yaml.SequenceNode):
        items = []
        for index, item in enumerate(node.value):
            document.lines[(*where, index)] = item.start_mark.line + 1
            items.append(_value(loader, item, (*where, index), document))
        return items
    return loader.construct_object(node, deep=True)
