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
from pim.core.translate.call import call_native, call_server
from pim.core.translate.handover import collect_counts, hand_over, match_buffers, take_over
from pim.core.translate.layout import Header
from pim.core.translate.native import Environment, Native, PointColumn, Port
from pim.core.translate.serve import serve_address
from pim.core.translate.stacks import begin_stack, switch_stack
from pim.core.translate.turns import HART_SHIFT, TurnWord, add_turn, next_in_turn, stack_place, take_turn
from pim.core.turn import horizon
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
        turn = take_turn(native.turns)
        if turn < 0:
            break
        turn = run_turn(turn, group, code, native, settings)
        note_turn(native.turns, turn, group.harts[turn])
    for hart_id in range(len(frames)):
        collect_counts(group.harts[hart_id], native, hart_id, settings)
    if native.is_active[0] == 0:
        run_group(group, code, settings)


@inlined_kernel
def note_turn(turns: Any, hart_id: int, hart: Hart) -> None:
    """Note when a core's turn is, if it has one. Updates ``turns``."""
    if hart.stop <= Stop.PARKED:
        add_turn(turns, hart.request_at << HART_SHIFT | hart_id)


@inlined_kernel
def go_native(native: Native, hart_id: int) -> int:
    """Let a core go on in native code; return which has left it or is parked there, or is first and not there."""
    frame, turns = native.frames[hart_id], native.turns
    if not frame[Header.STACK]:
        call_native(native.address, frame.ctypes.data)
        return hart_id
    place = stack_place(turns, hart_id)
    if turns[place]:
        switch_stack(turns.ctypes.data, turns.ctypes.data + 8 * place)
    else:
        begin_stack(turns.ctypes.data, frame[Header.STACK], native.address, frame.ctypes.data)
    turn = turns[TurnWord.AT_HAND]
    turns[stack_place(turns, turn)] = 0
    return int(turn)


@inlined_kernel
def run_turn(turn: int, group: Group, code: Code, native: Native, settings: CoreSettings) -> int:
    """Run one core until it stops, or parks at a request after the next core's; return which. Updates ``group``.

    Where cores have stacks of their own, those in native code take turns there: the core that stops is another one.
    """
    n_parcels = np.uint64(len(native.point_at))
    while True:
        core, frame = core_of(group, turn), native.frames[turn]
        hart = core.hart
        hart.stop = Stop.READY
        is_native = is_parked = frame[Header.IS_INSIDE] != 0
        if not is_parked:
            index: Any = np.uint64(hart.pc - MEMORY_BASE) >> np.uint64(1)
            point = int(native.point_at[index]) - 1 if index < n_parcels and hart.pc & 1 == 0 else -1
            is_native = point >= 0
            if is_native:
                enter(core, group, native, point, settings)
        elif not frame[Header.STACK]:
            cycle = call_server(frame[Header.SERVE], frame.ctypes.data, frame[Header.CYCLE])
            is_native = cycle >= 0
            if hart.stop != Stop.READY:
                return turn
            if is_native:
                frame[Header.ENTRY], frame[Header.CYCLE] = frame[Header.POINT], cycle
        if is_native:
            frame[Header.IS_INSIDE] = 1
            turn = go_native(native, turn)
            core, frame = core_of(group, turn), native.frames[turn]
            hart = core.hart
            if not frame[Header.IS_INSIDE]:
                continue
            if hart.stop != Stop.READY:
                return turn
        if frame[Header.IS_INSIDE]:
            frame[Header.IS_INSIDE] = 0
            hand_over(core, native, settings)
        other, other_at = next_in_turn(native.turns)
        run_hart(turn, group, code, settings, other, other_at, None)
        frame[Header.IS_STALE] = 1
        if code.modified[0]:
            native.is_active[0] = 0
        if hart.stop != Stop.READY or not native.is_active[0]:
            return turn


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
