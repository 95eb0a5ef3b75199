"""What a profile says: totals, functions and lines, and as JSON.

A line's costs are those of its own instructions; a function has them by itself, and with all that it calls or that is
inlined into it. Lines of all call paths are added up; every sum is exact.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from pim.config import SystemConfig
from pim.isa.debug import Place
from pim.system import STACK
from pim.system.profile import EVENTS, Costs, Hot


@dataclass(frozen=True)
class Function:
    """A function: its own costs, and the cycles with what it calls."""

    name: str
    own: Costs
    total_cycles: int


@dataclass(frozen=True)
class Line:
    """A line of source, or, with line 0, code of a function that has none."""

    function: str
    path: str
    line: int
    costs: Costs

    @property
    def place(self) -> str:
        """The line, as messages name it."""
        file = Place(path=self.path).file
        return f"{file}:{self.line}" if self.line else file


def frames(hot: Hot) -> tuple[str, ...]:
    """Return the functions that a line is in, from the outermost caller to the innermost inlined one."""
    return (*hot.path, *hot.place.inlined)


def total(rows: Iterable[Hot]) -> Costs:
    """Return the sum of all costs."""
    nothing = Costs(0, 0, (0,) * len(STACK), (0,) * len(EVENTS))
    return reduce(add, (row.costs for row in rows), nothing)


def functions(rows: Iterable[Hot]) -> list[Function]:
    """Return the functions, those with the most cycles of their own first."""
    own: dict[str, Costs] = {}
    totals: dict[str, int] = {}
    for row in rows:
        names = frames(row)
        own[names[-1]] = own[names[-1]] + row.costs if names[-1] in own else row.costs
        for name in set(names):
            totals[name] = totals.get(name, 0) + row.costs.cycles
    nothing = total(())
    made = [Function(name, own.get(name, nothing), cycles) for name, cycles in totals.items()]
    return sorted(made, key=lambda item: (-item.own.cycles, -item.total_cycles, item.name))


def lines(rows: Iterable[Hot]) -> list[Line]:
    """Return the lines, those with the most cycles first."""
    found: dict[tuple[str, str, int], Costs] = {}
    for row in rows:
        key = frames(row)[-1], row.place.path if row.place.line else "", row.place.line
        found[key] = found[key] + row.costs if key in found else row.costs
    made = [Line(*key, costs) for key, costs in found.items()]
    return sorted(made, key=lambda item: (-item.costs.cycles, item.function, item.path, item.line))


def as_json(rows: Sequence[Hot], program: str, system: SystemConfig) -> dict[str, Any]:
    """Return a profile as JSON values; time in core cycles, summed over the cores."""
    return {
        "format": "scalein-profile",
        "version": 1,
        "program": program,
        "total": _costs(total(rows)),
        "functions": [
            {"function": item.name, "total_cycles": item.total_cycles, "own": _costs(item.own)}
            for item in functions(rows)
        ],
        "lines": [
            {"function": item.function, "file": Place(path=item.path).file, "line": item.line, **_costs(item.costs)}
            for item in lines(rows)
        ],
        "paths": [
            {
                "functions": list(frames(row)),
                "file": row.place.file if row.place.line else "",
                "line": row.place.line,
                **_costs(row.costs),
            }
            for row in rows
        ],
        "machine": system.model_dump(mode="json"),
    }


def _costs(costs: Costs) -> dict[str, Any]:
    return {
        "instructions": costs.instructions,
        "cycles": costs.cycles,
        "stack": dict(zip(STACK, costs.stack, strict=True)),
        **dict(zip(EVENTS, costs.events, strict=True)),
    }
