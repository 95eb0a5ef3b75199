"""The table of rules in docs/timing.md and the one the kernels read are the same, under every timing."""

import random
import re
from pathlib import Path

import numpy as np
import pytest

from pim.config import TimingSpec
from pim.dram.command import Command
from pim.dram.constraints import NO_RULE, Scope, compile_rules

TIMING_MD = Path(__file__).parents[2] / "docs" / "timing.md"
ROW = re.compile(r"^\| (bank|group|rank|other rank) \| ([\w ,]+) \| ([\w ,]+) \| ([\w +-]+) \|$", re.MULTILINE)
WINDOW = "fourth last ACT"


def documented():
    section = TIMING_MD.read_text().split("## DRAM commands")[1].split("\n## ")[0]
    return ROW.findall(section)


def clocks_of(expression, timing):
    """Return the value of a sum of named timings and numbers."""
    total = 0
    for sign, term in re.findall(r"([+-]?) ?(\w+)", expression):
        value = int(term) if term.isdigit() else getattr(timing, "n" + term.removeprefix("t").lower())
        total += -value if sign == "-" else value
    return total


@pytest.mark.parametrize("seed", range(3))
def test_documented_rules_are_those_of_the_kernels(seed):
    rng = random.Random(seed)
    base = TimingSpec().to_kernel()
    timing = base._replace(**{name: rng.randrange(1, 99) for name in base._fields})
    table = compile_rules(timing)
    bound = np.argwhere(table.gaps != NO_RULE)
    ours = {
        (int(before), int(scope), int(after)): int(table.gaps[before, scope, after]) for before, scope, after in bound
    }
    theirs, windows = {}, []
    for scope, first, afters, expression in documented():
        if first == WINDOW:
            windows.append((scope, afters, clocks_of(expression, timing)))
            continue
        for before in first.split(", "):
            for after in afters.split(", "):
                key = (int(Command[before]), int(Scope[scope.upper().replace(" ", "_")]), int(Command[after]))
                theirs[key] = max(theirs.get(key, -(10**9)), clocks_of(expression, timing))
    assert ours == theirs
    assert windows == [("rank", "ACT", table.nfaw)]
