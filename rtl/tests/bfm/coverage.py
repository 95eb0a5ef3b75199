"""Functional coverage as a table of named bins and how often each was hit."""

from collections.abc import Iterable


class Coverage:
    """Counts hits of a fixed set of bins; hitting an unknown bin is an error of the bench."""

    def __init__(self, bins: Iterable[str]) -> None:
        self.hits = dict.fromkeys(bins, 0)

    def hit(self, name: str) -> None:
        self.hits[name] += 1

    def missing(self) -> list[str]:
        return [name for name, hits in self.hits.items() if hits == 0]

    def table(self) -> str:
        return "\n".join(f"{hits:8d}  {name}" for name, hits in self.hits.items())
