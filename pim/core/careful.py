"""Loads and stores that need more than memory: where it is shared, and stores to where code or ``tohost`` is.

They are apart from the interpreter's loop to keep it small: a test in it for each of these costs a tenth of its speed.
"""

from typing import Any

from pim.core.atomic import end_reservations
from pim.core.code import Code, forget
from pim.core.settings import MEMORY_BASE, CoreSettings
from pim.core.sharing import note_access
from pim.core.state import Core, Group, Stop
from pim.core.step import load, store, width_shift
from pim.core.trap import Cause
from pim.core.turn import Outcome, drain, end_run, reach
from pim.isa import Op
from pim.isa.alu import low_bytes, srl
from pim.jit import kernel


@kernel
def careful_access(
    core: Core,
    group: Group,
    code: Code,
    index: Any,
    operand: int,
    offset: int,
    cycle: int,
    other: int,
    other_at: int,
    settings: CoreSettings,
) -> tuple[int, int, int]:
    """Execute a load or store to memory, or make one request for it. Updates ``core``, ``group`` and ``code``.

    Parameters
    ----------
    index : uint64
        The instruction's parcel.
    operand : int
        What a store writes.
    offset : int
        Where, an offset inside the window.

    Returns
    -------
    outcome : int
        An Outcome.
    cycle : int
        Core cycle at which it goes on.
    value : int
        What a load reads; the Cause of a trap.
    """
    op, hart = code.op[index], core.hart
    is_store, shift = op >= Op.SB, width_shift(op)
    is_checked = is_store and offset < group.checked[0]
    at = core.hart_id * settings.stride_bytes + offset
    if is_checked and settings.protects_text:
        return Outcome.TRAP.value, cycle, Cause.STORE_ACCESS.value
    if is_checked and offset == settings.tohost and op <= Op.SD and low_bytes(operand, 1 << shift):
        outcome, cycle = drain(core, group.device, cycle, other, other_at, settings)
        if outcome == Outcome.DONE:
            store(op, group.memory, at, operand)
            hart.exit_code = srl(low_bytes(operand, 1 << shift), 1)
            end_run(core, group, Stop.EXITED)
        return outcome, cycle, 0
    outcome, cycle = reach(core, group.device, index, offset, cycle, other, other_at, settings)
    if outcome != Outcome.DONE:
        return outcome, cycle, 0
    value = 0
    if is_store:
        store(op, group.memory, at, operand)
        core.dirty[hart.data_slot] |= 1 << ((offset >> settings.sector_shift) & settings.sector_mask)
        if is_checked:
            forget(code, offset, 1 << shift)
    else:
        value = load(op, group.memory, at)
    if settings.shares_memory:
        if is_store:
            end_reservations(core, group, MEMORY_BASE + offset)
        note_access(group.races, core.hart_id, int(index), offset, is_store, False)
    return Outcome.DONE.value, cycle, value
