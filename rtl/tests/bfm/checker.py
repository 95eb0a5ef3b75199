"""Compares what came with what was expected, in order."""

from collections import deque
from typing import Any


class InOrderChecker:
    """A queue of expected values that the actual ones must repeat."""

    def __init__(self, name: str) -> None:
        self.name, self.compared = name, 0
        self.expected: deque[Any] = deque()

    def expect(self, value: Any) -> None:
        self.expected.append(value)

    def actual(self, value: Any, where: str) -> None:
        assert self.expected, f"{self.name}, {where}: got {value!r}, expected nothing"
        wanted = self.expected.popleft()
        assert value == wanted, f"{self.name}, {where}: got {value!r}, expected {wanted!r}"
        self.compared += 1

    def flush(self) -> None:
        """Forget what a reset has cancelled."""
        self.expected.clear()

    def assert_drained(self) -> None:
        assert not self.expected, f"{self.name}: {len(self.expected)} expected values never came"
