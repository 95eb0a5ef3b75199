"""Which loads and stores share a site, where native code remembers what they used last: those that go together.

When a loop comes to another sector each of its sites is mistaken once, which costs the host a mispredicted branch and
a look into the table. So accesses share one whose addresses differ by a few bytes: sums of the same unknown values.
Unknown is what comes from memory or outside, and what a way to a block changes, other than by constants as loops do
with pointers. It is a guess: what shares a site wrongly is slower, not wrong.
"""

from collections.abc import Sequence
from dataclasses import replace

from pim.core.translate.flow import Edge, edges_of, walk
from pim.core.translate.plan import Block, Instruction, Kind, Plan
from pim.isa import Op
from pim.isa.encoding import REGISTER_FILES, RegisterFile

SPAN_BYTES = 64
"""Accesses further apart don't share a site: the bytes of a sector."""

MOST_TERMS = 3
"""Unknown values that a sum may have: base, index, and one more."""

MOST_BLOCKS = 100
"""Blocks that are looked at for what ways to a block change; beyond, all registers are unknown."""

Sum = tuple[tuple[tuple[int, int], ...], int]
"""Unknown values, by number and with their factors, in order; and what is added to them."""

_INTEGER = frozenset(op for op in Op if RegisterFile(int(REGISTER_FILES[op][0])) is RegisterFile.INTEGER)
_ADDITIONS = frozenset((Op.ADD, Op.ADDW))
_STEPS = frozenset((Op.ADDI, Op.ADDIW))
OUTSIDE = -1
"""Stands for a block that leads to those where native code is come to from elsewhere."""


def share_sites(plan: Plan) -> Plan:
    """Return a plan whose loads and stores share sites."""
    groups: dict[tuple[tuple[int, int], ...], list[tuple[int, int]]] = {}
    starts = _sums_at_starts(plan)
    for block in plan.blocks:
        registers = starts[block.number]
        for n, it in enumerate(block.body):
            if n in block.sites:
                terms, offset = registers[it.rs1]
                groups.setdefault(terms, []).append((offset + it.imm, block.sites[n]))
            _follow(registers, it)
    site_of: dict[int, int] = {}
    n_sites = 0
    for accesses in groups.values():
        start = None
        for offset, point in sorted(accesses):
            if start is None or offset - start >= SPAN_BYTES:
                start, n_sites = offset, n_sites + 1
            site_of[point] = n_sites - 1
    points = [
        replace(point, site=site_of[number]) if point.kind is Kind.SITE else point
        for number, point in enumerate(plan.points)
    ]
    return replace(plan, points=points)


def _sums_at_starts(plan: Plan) -> list[list[Sum]]:
    """Return what the integer registers have at each block's start."""
    into, order = ways(plan)
    before = dominators(into, order)
    changed = [_changed(block) for block in plan.blocks]
    starts: list[list[Sum]] = [[] for _ in plan.blocks]
    ends = list(starts)
    for number in order:
        unknown = -1
        if before[number] != OUTSIDE:
            unknown = 0 if len(into[number]) == 1 else _changed_between(before[number], number, into, changed)
        known = ends[before[number]]
        starts[number] = [
            _unknown(number << 5 | register) if unknown >> register & 1 else known[register] for register in range(32)
        ]
        starts[number][0] = (), 0
        ends[number] = list(starts[number])
        for it in plan.blocks[number].body:
            _follow(ends[number], it)
    return starts


def ways(plan: Plan) -> tuple[list[list[int]], list[int]]:
    """Return the blocks that lead to each block, and all blocks so that edges lead forward, but in loops."""
    into: list[list[int]] = [[] for _ in plan.blocks]
    out: list[list[Edge]] = [[] for _ in plan.blocks]
    for edge in edges_of(plan):
        into[edge.target].append(edge.source)
        out[edge.source].append(edge)
    for block in plan.blocks:
        if block.body[0].parcel in plan.resumed or not into[block.number]:
            into[block.number].append(OUTSIDE)
    return into, walk(out)[0]


def dominators(into: Sequence[Sequence[int]], order: Sequence[int]) -> list[int]:
    """Return the last block that all ways to each block come through.

    K. D. Cooper, T. J. Harvey and K. Kennedy, A simple, fast dominance algorithm, Rice University, 2001.
    """
    place = {number: n for n, number in enumerate(order)} | {OUTSIDE: -1}
    before: dict[int, int] = {OUTSIDE: OUTSIDE}
    changed = True
    while changed:
        changed = False
        for number in order:
            sources = [source for source in into[number] if source in before]
            found = sources[0]
            for source in sources[1:]:
                other = source
                while found != other:
                    if place[found] < place[other]:
                        other = before[other]
                    else:
                        found = before[found]
            if before.get(number) != found:
                before[number], changed = found, True
    return [before[number] for number in range(len(into))]


def _changed_between(first: int, last: int, into: Sequence[Sequence[int]], changed: Sequence[int]) -> int:
    """Return the registers that some way from behind a block to the start of another changes, a bit each."""
    seen, todo, registers = {first}, list(into[last]), 0
    while todo:
        number = todo.pop()
        if number not in seen:
            if len(seen) > MOST_BLOCKS:
                return -1
            seen.add(number)
            registers |= changed[number]
            todo += into[number]
    return registers


def _changed(block: Block) -> int:
    """Return the registers to which a block does more than add constants, a bit each."""
    registers = 0
    for it in block.body:
        if it.op in _INTEGER and not (it.op in _STEPS and it.rd == it.rs1):
            registers |= 1 << it.rd
    return registers


def _unknown(number: int) -> Sum:
    """Return a value that nothing is known of: a register's at a block's start, or from -1 down an instruction's."""
    return ((number, 1),), 0


def _follow(registers: list[Sum], it: Instruction) -> None:
    """Note what an instruction does. Updates ``registers``."""
    if it.op in _INTEGER and it.rd:
        registers[it.rd] = _sum(registers, it) or _unknown(-1 - it.parcel)


def _sum(registers: list[Sum], it: Instruction) -> Sum | None:
    """Return the sum that an instruction makes, None for any other result."""
    terms, offset = registers[it.rs1]
    if it.op == Op.LUI:
        return (), it.imm
    if it.op in _STEPS:
        return terms, offset + it.imm
    if it.op == Op.SLLI:
        return tuple((value, factor << it.imm) for value, factor in terms), offset << it.imm
    if it.op not in _ADDITIONS:
        return None
    others, other_offset = registers[it.rs2]
    factors = dict(terms)
    for value, factor in others:
        factors[value] = factors.get(value, 0) + factor
    if len(factors) > MOST_TERMS:
        return None
    return tuple(sorted(factors.items())), offset + other_offset
