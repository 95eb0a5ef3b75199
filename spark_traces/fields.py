"""Typed access to the fields of one JSON event; a wrong type is a `LoadError` with file, line and field."""

from typing import Any

from pim.errors import LoadError


class Fields:
    """One JSON object and where it was read.

    Attributes
    ----------
    values : dict
        The object as parsed.
    where : str
        File and line, for messages.
    """

    __slots__ = ("values", "where")

    def __init__(self, values: dict[str, Any], where: str) -> None:
        self.values, self.where = values, where

    def __bool__(self) -> bool:
        return bool(self.values)

    def _wrong(self, key: str, expected: str) -> LoadError:
        got = repr(self.values.get(key))
        if key not in self.values:
            return LoadError(f"{self.where}: field '{key}' is missing; expected {expected}")
        return LoadError(f"{self.where}: field '{key}' must be {expected}, got {got[:60]}")

    def get(self, key: str) -> object:
        """Return the raw value, None if absent."""
        return self.values.get(key)

    def integer(self, key: str, default: int | None = None) -> int:
        """Return an integer; ``default`` if the field is absent or null (an error without default)."""
        value = self.values.get(key)
        if type(value) is int:
            return value
        if value is None and default is not None:
            return default
        raise self._wrong(key, "an integer")

    def integer_or_none(self, key: str) -> int | None:
        """Return an integer, None if the field is absent or null."""
        return None if self.values.get(key) is None else self.integer(key)

    def text(self, key: str) -> str:
        """Return a string."""
        value = self.values.get(key)
        if isinstance(value, str):
            return value
        raise self._wrong(key, "a string")

    def text_or_none(self, key: str) -> str | None:
        """Return a string, None if the field is absent or null."""
        return None if self.values.get(key) is None else self.text(key)

    def integers(self, key: str) -> tuple[int, ...]:
        """Return a list of integers, empty if absent."""
        value = self.values.get(key)
        if value is None:
            return ()
        if isinstance(value, list) and all(type(item) is int for item in value):
            return tuple(value)
        raise self._wrong(key, "a list of integers")

    def child(self, key: str) -> "Fields":
        """Return a nested object, an empty one if absent."""
        value = self.values.get(key)
        if value is None:
            return Fields({}, self.where)
        if isinstance(value, dict):
            return Fields(value, self.where)
        if isinstance(value, list) and all(isinstance(p, list) and len(p) == 2 for p in value):
            return Fields({str(name): item for name, item in value}, self.where)  # Spark 1.x: list of pairs
        raise self._wrong(key, "an object")

    def children(self, key: str) -> "list[Fields]":
        """Return a list of nested objects, empty if absent."""
        value = self.values.get(key)
        if value is None:
            return []
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return [Fields(item, self.where) for item in value]
        raise self._wrong(key, "a list of objects")

    def texts(self) -> dict[str, str]:
        """Return the object's string values."""
        return {key: value for key, value in self.values.items() if isinstance(value, str)}
