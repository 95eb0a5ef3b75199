"""A figure in three cases, because published numbers for logic in a DRAM process differ by several times."""

from dataclasses import dataclass
from enum import StrEnum


class Case(StrEnum):
    """Which end of the published range a figure takes."""

    OPTIMISTIC = "optimistic"
    NOMINAL = "nominal"
    PESSIMISTIC = "pessimistic"


@dataclass(frozen=True)
class Band:
    """One quantity in the three cases; the unit is the field's that holds it."""

    optimistic: float
    nominal: float
    pessimistic: float

    @classmethod
    def same(cls, value: float) -> "Band":
        """Return a quantity without spread."""
        return cls(value, value, value)

    def of(self, case: Case) -> float:
        """Return the figure of one case."""
        return {
            Case.OPTIMISTIC: self.optimistic,
            Case.NOMINAL: self.nominal,
            Case.PESSIMISTIC: self.pessimistic,
        }[case]

    def __add__(self, other: "Band") -> "Band":
        return Band(
            self.optimistic + other.optimistic,
            self.nominal + other.nominal,
            self.pessimistic + other.pessimistic,
        )

    def __sub__(self, other: "Band") -> "Band":
        return self + other * -1.0

    def __mul__(self, factor: "Band | float") -> "Band":
        by = factor if isinstance(factor, Band) else Band.same(factor)
        return Band(self.optimistic * by.optimistic, self.nominal * by.nominal, self.pessimistic * by.pessimistic)
