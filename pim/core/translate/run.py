"""Runs the cores of a group by native code; the interpreter does what native code leaves to it.

The order of requests, and all that a core does and counts, is as in `pim.core.group`.
"""

from typing import Any

import numpy as np

from pim.core.code import Code
from pim.core.group import run_group
from pim.core.interpreter import run_hart
from pim.core.settings import MEMORY_BASE, CoreSettings
from pim.core.state import NO_SLOT, Core, Group, Stop
from pim.core.translate.call import call_native
from pim.core.translate.layout import Header, Reason
from pim.core.translate.native import Native, PointColumn
from pim.core.translate.serve import (
    collect_counts,
    match_all,
    serve_access,
    serve_fetch,
)
from pim.core.turn import horizon, next_turn
from pim.jit import inlined_kernel, kernel


@kernel
def run_translated(group: Group, code: Code, native: Native, settings: CoreSettings) -> None:
    """Run all cores of a group until each has exited, trapped or met the cycle limit. Updates ``group``."""
    while native.is_active[0]:
        turn, other, other_at = next_turn(group)
        if turn < 0:
            break
        run_turn(turn, group, code, native, settings, other, other_at)
    for hart_id in range(len(group.harts)):
        collect_counts(group.harts[hart_id], native, hart_id, settings)
    if native.is_active[0] == 0:
        run_group(group, code, settings)


@inlined_kernel
def run_turn(
    hart_id: int, group: Group, code: Code, native: Native, settings: CoreSettings, other: int, other_at: int
) -> None:
    """Run one core until it stops, or parks at a request after ``(other_at, other)``. Updates ``group``."""
    buffers = group.buffers
    core = Core(
        hart_id,
        group.harts[hart_id],
        group.registers.x[hart_id],
        group.registers.f_bits[hart_id],
        buffers.line[hart_id],
        buffers.valid[hart_id],
        buffers.dirty[hart_id],
        buffers.used[hart_id],
        buffers.site_slot[hart_id],
        buffers.instruction_line[hart_id],
    )
    hart, frame = core.hart, native.frames[hart_id]
    hart.stop = Stop.READY
    frame[Header.LIMIT] = horizon(other_at, settings) - frame[Header.SLACK]
    n_parcels = np.uint64(len(native.point_at))
    while True:
        index: Any = np.uint64(hart.pc - MEMORY_BASE) >> np.uint64(1)
        point = int(native.point_at[index]) - 1 if index < n_parcels and hart.pc & 1 == 0 else -1
        if frame[Header.IS_WAITING]:
            point = frame[Header.POINT]
        if point >= 0:
            run_native(core, group, code, native, point, other, other_at, settings)
            if hart.stop != Stop.READY:
                return
        if native.reads_counters:
            collect_counts(hart, native, hart_id, settings)
        run_hart(hart_id, group, code, settings, other, other_at, None)
        frame[Header.IS_STALE] = 1
        if code.modified[0]:
            native.is_active[0] = 0
        if hart.stop != Stop.READY or not native.is_active[0]:
            return


@inlined_kernel
def run_native(
    core: Core,
    group: Group,
    code: Code,
    native: Native,
    point: int,
    other: int,
    other_at: int,
    settings: CoreSettings,
) -> None:
    """Run native code from a point on, until the core is parked or the interpreter has to go on.

    Updates ``core``, ``group`` and ``native``.
    """
    hart, frame = core.hart, native.frames[core.hart_id]
    is_waiting = frame[Header.IS_WAITING]
    row = native.points[point]
    if not is_waiting and frame[Header.IS_STALE]:
        match_all(core, native, group.checked[0], settings)
        frame[Header.IS_STALE] = 0
    count(hart, row, -1)
    cycle = hart.cycle
    ahead = hart.uses - (cycle - row[PointColumn.CYCLES] + row[PointColumn.N] - 1)
    if ahead > 0:
        for slot in range(len(core.used)):
            core.used[slot] -= ahead
    while True:
        if not is_waiting:
            frame[Header.ENTRY] = point
            frame[Header.CYCLE] = cycle - row[PointColumn.CYCLES]
            call_native(native.address, frame.ctypes.data)
        is_waiting = 0
        point, reason = frame[Header.POINT], frame[Header.REASON]
        row = native.points[point]
        start = frame[Header.CYCLE]
        cycle = start + row[PointColumn.CYCLES]
        if reason == Reason.ACCESS:
            goes_on, cycle = serve_access(
                core, group, native, point, frame[Header.ADDRESS], cycle, start + row[PointColumn.N], other, other_at,
                settings,
            )  # fmt: skip
        elif reason == Reason.FETCH:
            size = code.size[row[PointColumn.PARCEL]]
            goes_on, cycle = serve_fetch(core, group, native, point, size, cycle, other, other_at, settings)
        else:
            goes_on = False
        if not goes_on:
            break
    count(hart, row, 1)
    hart.pc = MEMORY_BASE + 2 * row[PointColumn.PARCEL]
    hart.cycle = cycle
    hart.uses = cycle - row[PointColumn.CYCLES] + row[PointColumn.N] - 1
    hart.data_slot = NO_SLOT
    frame[Header.CYCLE] = cycle - row[PointColumn.CYCLES]
    frame[Header.IS_WAITING] = hart.stop == Stop.PARKED


@inlined_kernel
def count(hart: Any, row: Any, times: int) -> None:
    """Count what a block executed before a point, which is not counted with the block. Updates ``hart``."""
    hart.instret += times * row[PointColumn.N]
    hart.loads += times * row[PointColumn.LOADS]
    hart.stores += times * row[PointColumn.STORES]
    hart.load_use_cycles += times * row[PointColumn.LOAD_USE]
