"""Runs the cores of one group together: whoever's request at something shared is first in (clock, core) goes on."""

from pim.core.code import Code
from pim.core.interpreter import run_hart
from pim.core.settings import CoreSettings
from pim.core.state import Group
from pim.core.turn import next_turn
from pim.jit import kernel


@kernel
def run_group(group: Group, code: Code, settings: CoreSettings) -> None:
    """Run all cores of a group until each has exited, trapped or met the cycle limit; or up to the pause.

    Updates ``group``.
    """
    while True:
        turn, other, other_at = next_turn(group)
        if turn < 0 or group.harts[turn].cycle > settings.pause_cycle:
            return
        run_hart(turn, group, code, settings, other, other_at, None)
        if settings.single_step:
            return
