"""Runs the cores of a group by native code; the interpreter does what native code leaves to it.

The order of requests, and all that a core does and counts, is as in `pim.core.group`.
"""

from typing import Any

import numpy as np

from pim.core.code import Code
from pim.core.group import run_group
from pim.core.interpreter import run_hart
from pim.core.settings import MEMORY_BASE, CoreSettings
from pim.core.state import Core, Group, Hart, Stop, core_of
from pim.core.translate.call import call_native
from pim.core.translate.handover import collect_counts, hand_over, match_buffers, take_over
from pim.core.translate.layout import Header
from pim.core.translate.native import HART_SHIFT, Environment, Native, PointColumn, Port
from pim.core.translate.serve import serve_address
from pim.core.turn import NEVER, horizon
from pim.jit import inlined_kernel, kernel


@kernel
def run_translated(group: Group, code: Code, native: Native, settings: CoreSettings) -> None:
    """Run all cores of a group until each has exited, trapped or met the cycle limit. Updates ``group``."""
    frames = native.frames
    environment = Environment(group.device, group.checked, native, settings)
    limit = horizon(0, settings)
    for hart_id in range(len(frames)):
        frame = frames[hart_id]
        entries, words = native.entries[hart_id], native.kept[hart_id]
        memory_at = group.memory.u8.ctypes.data + hart_id * settings.stride_bytes
        port = Port(core_of(group, hart_id), frame, entries, entries.ctypes.data, memory_at)
        frame[Header.SERVE] = serve_address(port, environment, words, native.kept[len(frames)])
        frame[Header.PORT], frame[Header.ENVIRONMENT] = words.ctypes.data, native.kept[len(frames)].ctypes.data
        frame[Header.LIMIT] = limit - frame[Header.SLACK]
        note_turn(native.turns, hart_id, group.harts[hart_id])
    while native.is_active[0]:
        turn, other, other_at = next_two(native.turns)
        if turn < 0:
            break
        frames[turn, Header.OTHER], frames[turn, Header.OTHER_AT] = other, other_at
        run_turn(core_of(group, turn), group, code, native, settings)
        note_turn(native.turns, turn, group.harts[turn])
    for hart_id in range(len(frames)):
        core = core_of(group, hart_id)
        if frames[hart_id, Header.IS_WAITING]:
            hand_over(core, native, settings)
        collect_counts(core.hart, native, hart_id, settings)
    if native.is_active[0] == 0:
        run_group(group, code, settings)


@inlined_kernel
def note_turn(turns: Any, hart_id: int, hart: Hart) -> None:
    """Note when a core's turn is. Updates ``turns``."""
    turns[hart_id] = (hart.request_at if hart.stop <= Stop.PARKED else NEVER) << HART_SHIFT | hart_id


@inlined_kernel
def next_two(turns: Any) -> tuple[int, int, int]:
    """Do what `pim.core.turn.next_turn` does: without a branch for each core."""
    first = second = NEVER << HART_SHIFT
    for turn in turns:
        first = min(first, turn)
    for turn in turns:
        second = min(second, turn if turn != first else NEVER << HART_SHIFT)
    mask, never = (1 << HART_SHIFT) - 1, NEVER << HART_SHIFT
    return (
        first & mask if first < never else -1,
        second & mask if second < never else -1,
        second >> HART_SHIFT if second < never else NEVER,
    )


@inlined_kernel
def run_turn(core: Core, group: Group, code: Code, native: Native, settings: CoreSettings) -> None:
    """Run one core until it stops, or parks at a request after the next core's. Updates ``group``."""
    hart, frame = core.hart, native.frames[core.hart_id]
    n_parcels = np.uint64(len(native.point_at))
    hart.stop = Stop.READY
    is_served = False
    if frame[Header.IS_WAITING]:
        is_served = call_native(frame[Header.SERVE], frame.ctypes.data) != 0
        if hart.stop != Stop.READY:
            return
        frame[Header.IS_WAITING] = 0
        if is_served:
            frame[Header.ENTRY] = frame[Header.POINT]
        else:
            hand_over(core, native, settings)
    while True:
        if not is_served:
            index: Any = np.uint64(hart.pc - MEMORY_BASE) >> np.uint64(1)
            point = int(native.point_at[index]) - 1 if index < n_parcels and hart.pc & 1 == 0 else -1
            is_served = point >= 0
            if is_served:
                enter(core, group, native, point, settings)
        if is_served:
            call_native(native.address, frame.ctypes.data)
            if hart.stop != Stop.READY:
                frame[Header.IS_WAITING] = 1
                return
            hand_over(core, native, settings)
            is_served = False
        run_hart(core.hart_id, group, code, settings, frame[Header.OTHER], frame[Header.OTHER_AT], None)
        frame[Header.IS_STALE] = 1
        if code.modified[0]:
            native.is_active[0] = 0
        if hart.stop != Stop.READY or not native.is_active[0]:
            return


@inlined_kernel
def enter(core: Core, group: Group, native: Native, point: int, settings: CoreSettings) -> None:
    """Prepare native code to go on at a point after the interpreter. Updates ``native``."""
    frame = native.frames[core.hart_id]
    if frame[Header.IS_STALE]:
        match_buffers(core, native, group.checked[0], settings)
        frame[Header.IS_STALE] = 0
    take_over(core, native, point)
    frame[Header.ENTRY] = point
    frame[Header.CYCLE] = core.hart.cycle - native.points[point, PointColumn.CYCLES]
