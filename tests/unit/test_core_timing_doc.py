"""The tables of docs/timing.md, section Core, hold the numbers of the configuration and the classes of the decoder."""

import re
from pathlib import Path

import pytest

from pim.config import ClassCycles, CoreConfig
from pim.isa import Op
from pim.isa.encoding import ENCODINGS
from pim.system import STACK

TIMING_MD = Path(__file__).parents[2] / "docs" / "timing.md"
SECTION = TIMING_MD.read_text().split("## Core")[1]
ROW = re.compile(r"^\| ([^|]+) \| (?:`(\w+)`|none) \| (\d+) \| ([^|]+) \|$", re.MULTILINE)
CLASSES, PENALTIES = (ROW.findall(part) for part in SECTION.split("### Accesses")[0].split("| Penalty"))


@pytest.mark.parametrize(("field", "value"), [(field, int(value)) for _, field, value, _ in CLASSES if field])
def test_documented_cycles_of_a_class_are_the_configured_ones(field: str, value: int) -> None:
    assert getattr(ClassCycles(), field) == value


@pytest.mark.parametrize(("field", "value"), [(field, int(value)) for _, field, value, _ in PENALTIES])
def test_documented_penalty_is_the_configured_one(field: str, value: int) -> None:
    assert getattr(CoreConfig(), field) == value


def test_every_configured_class_and_penalty_is_documented() -> None:
    assert {field for _, field, _, _ in CLASSES if field} == set(ClassCycles.model_fields)
    assert {field for _, field, _, _ in PENALTIES} == {n for n in CoreConfig.model_fields if n.endswith("_penalty")}


def test_listed_operations_are_of_the_class() -> None:
    """Operations named one by one in a row are all of one class, the row's."""
    named = {}
    for _, field, _, text in CLASSES:
        for word in re.findall(r"[a-z]+", text):
            ops = [op for op in ENCODINGS if op.name in (word.upper(), f"{word.upper()}_S", f"{word.upper()}_D")]
            named |= dict.fromkeys(ops, field)
    assert {op: ENCODINGS[op].op_class.name.lower() for op, field in named.items() if field} == {
        op: field for op, field in named.items() if field
    }
    assert {Op.MULHSU, Op.REMU, Op.JALR, Op.FLD, Op.FADD_S, Op.FNMADD_D, Op.FSQRT_D, Op.FMAX_S} <= set(named)


def test_parts_of_the_stack_are_documented() -> None:
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", SECTION.split("### CPI stack")[1], re.MULTILINE)
    documented = [part for row in rows[1:] for part in row.split(", ")]
    assert tuple(documented) == STACK
