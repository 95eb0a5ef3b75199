"""What is known of a program's blocks: counts that follow from others, looks at the limit, lines that are there."""

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pim.config import load_system
from pim.core.code import text_code
from pim.core.translate.flow import Flow, make_flow
from pim.core.translate.handover import follow_counts
from pim.core.translate.layout import BlockWord, layout_of
from pim.core.translate.native import block_steps
from pim.core.translate.plan import End, Plan
from pim.core.translate.program import plan_kernel
from tests.support.random_programs import random_program

CORE = load_system("bank").core
SEEDS = range(30)


def planned(seed: int) -> tuple[Plan, Flow]:
    program = random_program(seed).program
    code = text_code(program.text, CORE, 64)
    plan = plan_kernel(code, program.entry, program.symbols.values(), has_short=True)
    return plan, make_flow(plan)


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_follow_from_those_that_are_made(seed: int) -> None:
    """On random walks, which begin anywhere and are cut off in the middle of a block."""
    rng = random.Random(seed)
    plan, flow = planned(seed)
    layout = layout_of(plan)
    expected = np.zeros(layout.words, np.int64)
    frame = expected.copy()
    for _ in range(50):
        block = plan.blocks[rng.randrange(len(plan.blocks))]
        frame[layout.block(block.number, BlockWord.ENTERED)] += 1
        for _ in range(rng.randrange(100)):
            ends = {End.BRANCH: (False, True), End.FALL: (False,)}.get(block.end, (True,))
            is_taken = rng.choice(ends)
            following = plan.successor(block, is_taken=is_taken)
            if block.end is End.LEAVE or (following is None and is_taken and block.end is not End.JALR):
                break
            word = layout.block(block.number, BlockWord.TAKEN_COUNT if is_taken else BlockWord.FALL_COUNT)
            expected[word] += 1
            if (block.number, is_taken) in flow.counted:
                frame[word] += 1
            if following is None and not is_taken:
                frame[layout.block(block.number, BlockWord.ENTERED)] += 1  # it is over
                break
            if following is None:
                following = plan.blocks[rng.randrange(len(plan.blocks))]
                frame[layout.block(following.number, BlockWord.ENTERED)] += 1
            block = following
        frame[layout.block(block.number, BlockWord.ENTERED)] -= 1
    steps, into = block_steps(plan, flow, layout)
    follow = getattr(follow_counts, "py_func", follow_counts)
    native: Any = SimpleNamespace(steps=steps, into=into, block_at=layout.block_at)
    follow(frame, native)
    for block in plan.blocks:
        for word in (BlockWord.TAKEN_COUNT, BlockWord.FALL_COUNT):
            at = layout.block(block.number, word)
            assert frame[at] == expected[at], (block.number, word)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_loop_looks_at_the_limit_and_can_be_entered(seed: int) -> None:
    """Without the edges that lead back, or without the blocks that are entered, there is no way round."""
    plan, flow = planned(seed)
    ahead = [e for e in flow.edges if not flow.is_retreating(e.source, is_taken=e.is_taken)]
    inside = [e for e in flow.edges if e.source not in flow.entered and e.target not in flow.entered]
    for edges in (ahead, inside):
        left = set(range(len(plan.blocks)))
        while left:
            ends = {e.target for e in edges if e.source in left}
            assert not left <= ends, "a loop"
            left &= ends


@pytest.mark.parametrize("seed", SEEDS)
def test_lines_that_are_not_looked_at_are_there(seed: int) -> None:
    """On every walk from where native code begins or goes on: the lines of the first block, and of all on the way."""
    rng = random.Random(seed)
    plan, flow = planned(seed)
    for start in flow.entered | flow.checked:
        number = start
        known: set[int] = set()
        for _ in range(60):
            block = plan.blocks[number]
            first, last = 2 * block.body[0].parcel, 2 * block.body[-1].following - 1
            own = set(range(first >> plan.line_shift, (last >> plan.line_shift) + 1))
            if number in flow.checked:
                known = own  # fetching them may have replaced all others
            elif not known:
                known = own  # looked at where native code is entered
            assert own <= known, (number, own, known)
            following = [plan.successor(block, is_taken=is_taken) for is_taken in (False, True)]
            numbers = [one.number for one in following if one is not None]
            if not numbers:
                break
            number = rng.choice(numbers)
