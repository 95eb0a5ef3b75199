"""What leads where in a plan: where limits and instruction lines have to be looked at, and edges to count.

Native code begins at few of the blocks, one in each loop at least, so that the others know more about how they were
come to: which lines of the instruction buffer are there, as only what is outside native code replaces them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from pim.core.translate.plan import KEPT_PLANS, Plan

LOOP_WEIGHT = 10
"""Rounds that a loop is taken to make, where it is decided which edges are frequent. assumption: any large number."""


class Edge(NamedTuple):
    """A way from a block's end to another's start: of a branch or jump that is taken, or of what follows in order."""

    source: int
    target: int
    is_taken: bool


@dataclass(frozen=True, eq=False)
class Flow:
    """A plan's edges, and what is known of blocks and edges; blocks are numbers."""

    edges: Sequence[Edge]
    retreating: frozenset[tuple[int, bool]]  # ends of blocks that lead back: each loop has one
    checked: frozenset[int]  # blocks whose lines may not be in the instruction buffer
    entered: frozenset[int]  # blocks at which native code begins
    counted: frozenset[tuple[int, bool]]  # ends of blocks (taken or not) that are counted; the others follow from them

    def is_retreating(self, source: int, *, is_taken: bool) -> bool:
        """Tell whether a block's end leads back."""
        return (source, is_taken) in self.retreating


@lru_cache(KEPT_PLANS)
def make_flow(plan: Plan) -> Flow:
    """Return what is known of a plan."""
    edges = edges_of(plan)
    into: list[list[Edge]] = [[] for _ in plan.blocks]
    out: list[list[Edge]] = [[] for _ in plan.blocks]
    for edge in edges:
        into[edge.target].append(edge)
        out[edge.source].append(edge)
    order, retreating = walk(out)
    wanted = {block.number for block in plan.blocks if block.body[0].parcel in plan.resumed or not into[block.number]}
    entered = frozenset(wanted | {edge.target for edge in retreating})
    checked = _checked(plan, into, order, entered)
    counted = _counted(plan, edges, into, out, order, retreating)
    return Flow(edges, frozenset((edge.source, edge.is_taken) for edge in retreating), checked, entered, counted)


def edges_of(plan: Plan) -> list[Edge]:
    """Return the ways from block to block that are known."""
    edges = []
    for block in plan.blocks:
        for is_taken in (False, True):
            target = plan.successor(block, is_taken=is_taken)
            if target is not None:
                edges.append(Edge(block.number, target.number, is_taken))
    return edges


def walk(out: list[list[Edge]]) -> tuple[list[int], frozenset[Edge]]:
    """Return the blocks so that edges lead forward, and the edges that don't: depth first, without recursion."""
    new, open_, done = 0, 1, 2
    state = [new] * len(out)
    order: list[int] = []
    retreating = set()
    for root in range(len(out)):
        if state[root] != new:
            continue
        state[root] = open_
        stack = [(root, iter(out[root]))]
        while stack:
            number, left = stack[-1]
            edge = next(left, None)
            if edge is None:
                state[number] = done
                order.append(number)
                stack.pop()
            elif state[edge.target] == new:
                state[edge.target] = open_
                stack.append((edge.target, iter(out[edge.target])))
            elif state[edge.target] == open_:
                retreating.add(edge)
    return order[::-1], frozenset(retreating)


def _checked(plan: Plan, into: list[list[Edge]], order: list[int], entered: frozenset[int]) -> frozenset[int]:
    """Return which blocks are checked: not all ways to them come through their lines.

    Where native code begins only the block's lines are known to be there; so they are where they were requested.
    """
    own = []
    for block in plan.blocks:
        first, last = 2 * block.body[0].parcel, 2 * block.body[-1].following - 1
        own.append(frozenset(range(first >> plan.line_shift, (last >> plan.line_shift) + 1)))
    checked: set[int] = set()
    while True:
        known: list[frozenset[int] | None] = [None] * len(own)  # behind each block; None: everything, so far
        changed = True
        while changed:
            changed = False
            for number in order:
                before = (
                    frozenset()
                    if number in entered or number in checked
                    else _common(known[e.source] for e in into[number])
                )
                behind = None if before is None else before | own[number]
                if behind != known[number]:
                    known[number], changed = behind, True
        fresh = set()
        for number in range(len(own)):
            before = _common(known[e.source] for e in into[number])
            if number not in checked and before is not None and not own[number] <= before and into[number]:
                fresh.add(number)
        if not fresh:
            return frozenset(checked)
        checked |= fresh


def _common(sets: Iterable[frozenset[int] | None]) -> frozenset[int] | None:
    """Return what all sets have; None stands for one that has everything."""
    result: frozenset[int] | None = None
    for one in sets:
        if one is not None:
            result = one if result is None else result & one
    return result


def _counted(
    plan: Plan,
    edges: Sequence[Edge],
    into: list[list[Edge]],
    out: list[list[Edge]],
    order: list[int],
    retreating: frozenset[Edge],
) -> frozenset[tuple[int, bool]]:
    """Return the ends that are counted: those off a spanning tree of the edges that are taken most.

    How often a block is come to and left is the same, but for what is entered and left outside; so the edges of a tree
    follow from the others (D. E. Knuth and F. R. Stevenson, Optimal measurement points for program frequency counts,
    BIT 13, 1973).
    """
    weight = _weights(into, out, order, retreating)
    root = list(range(len(plan.blocks)))

    def find(number: int) -> int:
        while root[number] != number:
            root[number] = root[root[number]]
            number = root[number]
        return number

    tree = set()
    for edge in sorted(edges, key=lambda edge: -weight[edge]):
        a, b = find(edge.source), find(edge.target)
        if a != b:
            root[a] = b
            tree.add((edge.source, edge.is_taken))
    ends = {(block.number, is_taken) for block in plan.blocks for is_taken in (False, True)}
    return frozenset(ends - tree)


def _weights(
    into: list[list[Edge]], out: list[list[Edge]], order: list[int], retreating: frozenset[Edge]
) -> dict[Edge, float]:
    """Guess how often each edge is taken: loops go round, and branches that don't leave one go both ways."""
    loops: list[set[int]] = [set() for _ in into]  # starts of the loops that a block is in
    for edge in retreating:
        start, todo = edge.target, [edge.source]
        loops[start].add(start)
        while todo:
            number = todo.pop()
            if start not in loops[number]:
                loops[number].add(start)
                todo += [before.source for before in into[number]]
    starts = {edge.target for edge in retreating}
    times = [0.0] * len(into)
    weight: dict[Edge, float] = {}
    for number in order:
        times[number] = max(1.0, sum(weight[e] for e in into[number] if e not in retreating))
        if number in starts:
            times[number] *= LOOP_WEIGHT
        stays = [edge for edge in out[number] if loops[number] <= loops[edge.target]]
        for edge in out[number]:
            share = 1.0 if len(out[number]) == 1 else 0.5
            if len(stays) == 1 and len(out[number]) == 2:
                share = 1 - 1 / LOOP_WEIGHT if edge in stays else 1 / LOOP_WEIGHT
            weight[edge] = share * times[number]
    return weight
