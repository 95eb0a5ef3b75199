"""Whose turn it is in the translator: who is first in (clock, core), as `pim.core.turn.next_turn` says it."""

import random

import pytest

from pim.core.translate.turns import HART_SHIFT, add_turn, make_turns, next_in_turn, take_turn
from pim.core.turn import NEVER

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("n_harts", [1, 2, 3, 4, 8, 16, 17])
def test_turns_come_in_the_order_of_clock_and_core(n_harts: int) -> None:
    rng = random.Random(f"turns {n_harts}")
    turns = make_turns(n_harts)
    waiting = dict.fromkeys(range(n_harts), 0)
    for hart_id in rng.sample(range(n_harts), n_harts):
        add_turn(turns, hart_id)
    for _ in range(200):
        clock, first = min((at, hart_id) for hart_id, at in waiting.items())
        assert take_turn(turns) == first
        del waiting[first]
        after = min(((at, hart_id) for hart_id, at in waiting.items()), default=(NEVER, 0))
        assert next_in_turn(turns) == after[::-1]
        waiting[first] = clock + rng.randrange(60)
        add_turn(turns, waiting[first] << HART_SHIFT | first)


def test_a_core_that_has_ended_has_no_turn() -> None:
    turns = make_turns(2)
    add_turn(turns, 7 << HART_SHIFT | 1)
    assert take_turn(turns) == 1
    assert take_turn(turns) == -1
