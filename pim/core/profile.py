"""Runs the cores of one group as `pim.core.group` does, and books all they count by instruction and call path."""

from pim.core.booking import Profile, book
from pim.core.code import Code
from pim.core.interpreter import run_hart
from pim.core.settings import CoreSettings
from pim.core.state import Group
from pim.core.turn import next_turn
from pim.jit import kernel


@kernel
def profile_group(group: Group, code: Code, settings: CoreSettings, profile: Profile) -> None:
    """Run all cores of a group until each has exited, trapped or met the limit. Updates ``group``, ``profile``."""
    while True:
        turn, other, other_at = next_turn(group)
        if turn < 0:
            break
        run_hart(turn, group, code, settings, other, other_at, profile)
    for hart_id in range(len(group.harts)):
        hart = group.harts[hart_id]
        book(
            profile, hart_id, code, hart.pc, hart.instret, hart.cycle, hart.branch_cycles, hart.load_use_cycles,
            hart.loads, hart.stores
        )  # fmt: skip
