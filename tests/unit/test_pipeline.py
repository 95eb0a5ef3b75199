"""Cycles per class, load-use pairs, and the ratio of the clocks."""

from fractions import Fraction

import pytest

from pim.config import ClassCycles, CoreConfig, load_system, with_overrides
from pim.core.pipeline import class_cycles, cost_table, load_use_pairs
from pim.isa import Op, OpClass, decode_text
from pim.system.levels import clock_ratio
from tests.support.assembly import Assembly

pytestmark = pytest.mark.plain


@pytest.mark.parametrize(
    ("clock_mhz", "tck_ns", "ratio"),
    [
        (200, 0.833, (1, 6)),
        (1000, 0.833, (5, 6)),
        (1200, 0.833, (1, 1)),
        (400, 1.25, (1, 2)),
        (3200, 0.625, (2, 1)),
        (1, 0.833, (25, 30012)),
        (1, 1.0, (1, 1000)),
    ],
)
def test_ratio_of_the_clocks(clock_mhz: int, tck_ns: float, ratio: tuple[int, int]) -> None:
    system = with_overrides(load_system("bank"), {"core.clock_mhz": clock_mhz, "timing.tck_ns": tck_ns})
    assert clock_ratio(system) == Fraction(*ratio)


@pytest.mark.parametrize("clock_mhz", [*range(1, 30), *range(30, 5001, 97)])
def test_ratio_is_near_the_true_one(clock_mhz: int) -> None:
    system = with_overrides(load_system("bank"), {"core.clock_mhz": clock_mhz})
    ratio = clock_ratio(system)
    assert float(ratio) == pytest.approx(clock_mhz * 0.833e-3, rel=0.01)
    assert min(ratio.numerator, ratio.denominator) <= 64


def test_classes_without_a_field_take_one_cycle() -> None:
    slow = ClassCycles(**dict.fromkeys(ClassCycles.model_fields, 9))
    cycles = class_cycles(CoreConfig(cycles=slow))
    quick = {item.name for item in OpClass if cycles[item] == 1}
    assert quick == {"ILLEGAL", "FP_MOVE", "FP_COMPARE", "FENCE"}
    assert {item.name.lower() for item in OpClass if cycles[item] == 9} == set(ClassCycles.model_fields)


@pytest.mark.parametrize(
    ("loaded", "rs1", "rs2", "pairs"),
    [(10, 10, 12, True), (10, 12, 10, True), (10, 12, 13, False), (10, 11, 11, False), (0, 0, 0, False)],
)
def test_load_whose_result_the_next_reads_is_a_pair(loaded: int, rs1: int, rs2: int, pairs: bool) -> None:
    text = Assembly()
    text.op(Op.LD, rd=loaded, rs1=2)
    text.op(Op.ADD, rd=11, rs1=rs1, rs2=rs2)
    text.op(Op.ADD, rd=11, rs1=loaded, rs2=loaded)  # one later: the result is there
    decoded = decode_text(text.text(), 64, "imafdc")
    assert load_use_pairs(decoded, 64)[[0, 2, 4]].tolist() == [pairs, False, False]


@pytest.mark.parametrize(
    ("load", "reader", "pairs"),
    [
        (Op.FLD, (Op.FADD_D, {"rs1": 10}), True),
        (Op.FLW, (Op.FMADD_S, {"rs3": 10}), True),
        (Op.FLD, (Op.FSD, {"rs1": 10}), False),  # the integer register of that number
        (Op.FLD, (Op.FSD, {"rs2": 10}), True),
        (Op.LD, (Op.FSD, {"rs2": 10}), False),
        (Op.LD, (Op.SD, {"rs2": 10}), True),
        (Op.LD, (Op.BEQ, {"rs2": 10}), True),
        (Op.LD, (Op.JALR, {"rs1": 10}), True),
        (Op.LD, (Op.FCVT_D_L, {"rs1": 10}), True),
        (Op.LD, (Op.JAL, {"rd": 10}), False),
        (Op.ADD, (Op.ADD, {"rs1": 10}), False),
        (Op.FLD, (Op.FMV_X_D, {"rd": 1, "rs1": 10}), True),
    ],
)
def test_pairs_keep_integers_and_numbers_apart(load: Op, reader: tuple[Op, dict[str, int]], *, pairs: bool) -> None:
    text = Assembly()
    text.op(load, rd=10, rs1=2)
    text.op(reader[0], **reader[1])
    assert bool(load_use_pairs(decode_text(text.text(), 64, "imafdc"), 64)[0]) is pairs


@pytest.mark.parametrize(("before", "loaded", "pairs"), [(4, 10, False), (6, 10, True), (8, 10, True), (6, 0, False)])
def test_load_before_what_reaches_into_the_next_line_is_a_pair(before: int, loaded: int, *, pairs: bool) -> None:
    """Lines of 16 bytes; the load of 4 bytes ends ``before`` + 8 bytes after the start of one."""
    text = Assembly()
    text.op(Op.ADDI)
    for _ in range(before // 2):
        text.c("c.addi", rd=5)
    text.op(Op.LD, rd=loaded, rs1=2)
    text.op(Op.ADDI)
    decoded = decode_text(text.text(), 64, "imc")
    assert bool(load_use_pairs(decoded, 16)[(4 + before) // 2]) is pairs


def test_pair_of_a_compressed_load() -> None:
    text = Assembly()
    text.c("c.ldsp", rd=9, imm=8)
    text.c("c.add", rd=10, rs2=9)
    text.c("c.ldsp", rd=9, imm=8)  # the text's last: nothing follows
    core = CoreConfig(load_use_penalty=4, cycles=ClassCycles(load=2))
    cost, load_use = cost_table(decode_text(text.text(), 64, "imc"), core)
    assert (cost.tolist(), load_use.tolist()) == ([6, 1, 2], [4, 0, 0])
