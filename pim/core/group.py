"""Runs the cores of one group together: whoever's request at something shared is first in (clock, core) goes on."""

from pim.core.code import Code
from pim.core.interpreter import run_hart
from pim.core.settings import CoreSettings
from pim.core.state import Group, Stop
from pim.core.turn import NEVER
from pim.jit import kernel


@kernel
def run_group(group: Group, code: Code, settings: CoreSettings) -> None:
    """Run all cores of a group until each has exited, trapped or met the cycle limit. Updates ``group``."""
    harts = group.harts
    while True:
        turn, turn_at, other, other_at = -1, NEVER, -1, NEVER
        for hart_id in range(len(harts)):
            hart = harts[hart_id]
            if hart.stop > Stop.PARKED:
                continue
            if hart.request_at < turn_at:
                other, other_at = turn, turn_at
                turn, turn_at = hart_id, hart.request_at
            elif hart.request_at < other_at:
                other, other_at = hart_id, hart.request_at
        if turn < 0:
            return
        run_hart(turn, group, code, settings, other, other_at)
        if settings.single_step:
            return
