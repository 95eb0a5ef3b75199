"""Which loads and stores share a site: those that go to the same places, as loops do."""

import pytest

from pim.config import load_system
from pim.core.code import text_code
from pim.core.translate.plan import Kind, Plan
from pim.core.translate.program import plan_kernel
from pim.core.translate.sites import OUTSIDE, SPAN_BYTES, dominators, ways
from pim.isa import Op, Program
from tests.support.assembly import Assembly
from tests.support.random_programs import random_program

CORE = load_system("bank").core
OUT, LEFT, RIGHT, END, VALUE, OTHER = range(10, 16)


def planned(program: Program) -> Plan:
    code = text_code(program.text, CORE, 64)
    return plan_kernel(code, program.entry, program.symbols.values(), has_short=True)


def sites(text: Assembly) -> list[int]:
    """Return the sites of the accesses, in order of the program."""
    return [point.site for point in planned(text.program()).points if point.kind is Kind.SITE]


def test_streams_of_a_merge_have_a_site_each() -> None:
    """Both branches store through one pointer, and load through their own, by base and index."""
    text = Assembly()
    text.label("loop")
    text.op(Op.SLLI, rd=VALUE, rs1=LEFT, imm=3)
    text.op(Op.ADD, rd=VALUE, rs1=VALUE, rs2=END)
    text.op(Op.LD, rd=VALUE, rs1=VALUE)  # left
    text.op(Op.LD, rd=OTHER, rs1=RIGHT)  # right
    text.op(Op.BLT, "right", rs1=OTHER, rs2=VALUE)
    text.op(Op.SLLI, rd=VALUE, rs1=LEFT, imm=3)
    text.op(Op.ADD, rd=VALUE, rs1=END, rs2=VALUE)
    text.op(Op.LD, rd=VALUE, rs1=VALUE)  # left
    text.op(Op.SD, rs1=OUT, rs2=VALUE)  # out
    text.op(Op.ADDI, rd=LEFT, rs1=LEFT, imm=1)
    text.op(Op.JAL, "next")
    text.label("right")
    text.op(Op.SD, rs1=OUT, rs2=OTHER)  # out
    text.op(Op.ADDI, rd=RIGHT, rs1=RIGHT, imm=8)
    text.label("next")
    text.op(Op.ADDI, rd=OUT, rs1=OUT, imm=8)
    text.op(Op.BNE, "loop", rs1=OUT, rs2=END)
    text.exit()
    left, right, again, out, other_out = sites(text)
    assert (again, other_out) == (left, out)
    assert len({left, right, out}) == 3


def test_what_is_a_sector_away_has_its_own() -> None:
    text = Assembly()
    for offset in (0, 8, SPAN_BYTES - 1, SPAN_BYTES, 2 * SPAN_BYTES + 8):
        text.op(Op.LBU, rd=VALUE, rs1=LEFT, imm=offset)
    text.exit()
    first, near, last, behind, beyond = sites(text)
    assert first == near == last
    assert len({first, behind, beyond}) == 3


@pytest.mark.parametrize("change", ["load", "shift", "sum"])
def test_a_pointer_that_becomes_another_has_another_site(change: str) -> None:
    """Also where only one of two ways to the access changes it."""
    text = Assembly()
    text.op(Op.LD, rd=VALUE, rs1=LEFT)
    text.op(Op.BEQ, "same", rs1=VALUE)
    match change:
        case "load":
            text.op(Op.LD, rd=LEFT, rs1=LEFT)
        case "shift":
            text.op(Op.SRLI, rd=LEFT, rs1=LEFT, imm=1)
        case "sum":
            text.op(Op.ADD, rd=LEFT, rs1=LEFT, rs2=VALUE)
    text.op(Op.LD, rd=VALUE, rs1=LEFT)
    text.label("same")
    text.op(Op.LD, rd=VALUE, rs1=LEFT)
    text.exit()
    before, *_, changed, met = sites(text)
    assert len({before, changed, met}) == 3


@pytest.mark.parametrize("seed", range(10))
def test_sites_are_numbered_without_gaps(seed: int) -> None:
    plan = planned(random_program(seed).program)
    used = {point.site for point in plan.points if point.kind is Kind.SITE}
    assert used == set(range(len(used)))
    assert len(used) < plan.n_accesses == sum(len(block.sites) for block in plan.blocks)
    assert all(point.site == -1 for point in plan.points if point.kind is not Kind.SITE)


@pytest.mark.parametrize("seed", range(10))
def test_dominators_are_the_last_blocks_that_cannot_be_left_out(seed: int) -> None:
    """What can't be reached without a block is behind it."""
    into, order = ways(planned(random_program(seed).program))
    n = len(into)
    behind = [set(range(n)) - _reached(into, without) for without in range(n)]
    before = dominators(into, order)
    for number in range(n):
        all_before = {other for other in range(n) if other != number and number in behind[other]}
        last = [other for other in all_before if all(other in behind[one] for one in all_before)]
        assert before[number] == (last[0] if last else OUTSIDE)


def _reached(into: list[list[int]], without: int) -> set[int]:
    """Return the blocks to which ways lead that don't come through one."""
    reached = {OUTSIDE}
    while True:
        more = {n for n, sources in enumerate(into) if n != without and reached & set(sources)} - reached
        if not more:
            return reached
        reached |= more
