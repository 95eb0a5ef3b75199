"""Atomic operations: what they do, and how they act at the bank, past the line buffers.

The line of the address is written back and dropped from the core's own buffers first; with aq or rl set, all lines are,
as by a fence, since line buffers are not coherent. Then the bank reads, and writes right after it.
"""

from pim.core.buffers import book_wait, drop_line, flush, is_held, locate
from pim.core.clock import edge, first_edge
from pim.core.settings import MEMORY_BASE, SCRATCHPAD_BASE, CoreSettings
from pim.core.state import NO_RESERVATION, Core, Group, Memory
from pim.core.step import load, store
from pim.core.trap import Cause
from pim.core.turn import Outcome, is_later, park
from pim.dram import Device, access_apart
from pim.isa import Op
from pim.isa.alu import ltu, sext32
from pim.jit import kernel


@kernel
def atomic_access(
    core: Core,
    group: Group,
    op: int,
    ordering: int,
    address: int,
    operand: int,
    cycle: int,
    other: int,
    other_at: int,
    settings: CoreSettings,
) -> tuple[int, int, int]:
    """Execute an atomic operation, or make one request for it. Updates ``core`` and ``group``.

    Parameters
    ----------
    ordering : int
        aq and rl (2 and 1).
    operand : int
        Value of rs2.

    Returns
    -------
    outcome : int
        An Outcome.
    cycle : int
        Core cycle at which it goes on.
    value : int
        Result for rd; the Cause of a trap.
    """
    is_load = op == Op.LR_W or op == Op.LR_D
    offset = address - MEMORY_BASE
    if address & (7 if op >= Op.LR_D else 3):
        return Outcome.TRAP.value, cycle, Cause.LOAD_MISALIGNED.value if is_load else Cause.STORE_MISALIGNED.value
    if 0 <= offset < settings.mapped_bytes and (is_load or not settings.protects_text or offset >= group.checked[0]):
        succeeds = (op != Op.SC_W and op != Op.SC_D) or core.hart.reserved == address >> 3
        outcome, cycle = bank_access(
            core, group.device, op, succeeds, ordering, offset, cycle, other, other_at, settings
        )
        if outcome != Outcome.DONE:
            return outcome, cycle, 0
        at = core.hart_id * settings.stride_bytes + offset
        return outcome, cycle, perform(core, group, group.memory, op, address, at, operand, settings)
    if 0 <= address - SCRATCHPAD_BASE < settings.scratchpad_bytes:
        at = address - SCRATCHPAD_BASE + core.hart_id * settings.scratchpad_bytes
        value = perform(core, group, group.scratchpad, op, address, at, operand, settings)
        return Outcome.DONE.value, cycle, value
    return Outcome.TRAP.value, cycle, Cause.LOAD_ACCESS.value if is_load else Cause.STORE_ACCESS.value


@kernel
def bank_access(
    core: Core,
    device: Device,
    op: int,
    succeeds: bool,
    ordering: int,
    offset: int,
    cycle: int,
    other: int,
    other_at: int,
    settings: CoreSettings,
) -> tuple[int, int]:
    """Make the next request of an atomic operation; return its Outcome and the core cycle.

    The core waits for what is read; a store-conditional that ``succeeds`` for its write, one that fails for its turn.
    """
    hart = core.hart
    at = max(edge(cycle, settings.clock), hart.written_at)
    if is_later(core, at, other, other_at):
        park(core, at)
        return Outcome.PARKED.value, cycle
    if ordering:
        flushed, after = flush(core, device, cycle, at, settings)
        if not flushed or after != cycle:
            return Outcome.AGAIN.value, after
    elif not drop_line(core, device, offset, at, settings):
        return Outcome.AGAIN.value, cycle
    if not succeeds:
        return Outcome.DONE.value, cycle
    bank_id, row = locate(core.hart_id, offset, settings)
    if is_held(hart, device, bank_id, at):
        return Outcome.AGAIN.value, cycle
    is_conditional = op == Op.SC_W or op == Op.SC_D
    done_at, row_outcome, refresh_wait, shared_wait = access_apart(
        device, bank_id, row, 1, is_conditional, at, at, settings.timing
    )
    resume = max(cycle, first_edge(done_at, settings.clock))
    book_wait(hart, resume - cycle, row_outcome, refresh_wait, shared_wait, settings)
    if is_conditional:
        hart.written_at = done_at
    elif op != Op.LR_W and op != Op.LR_D:
        hart.written_at, _, _, _ = access_apart(device, bank_id, row, 1, True, at, done_at, settings.timing)
    return Outcome.DONE.value, resume


@kernel
def perform(
    core: Core, group: Group, memory: Memory, op: int, address: int, at: int, operand: int, settings: CoreSettings
) -> int:
    """Do an atomic operation at byte ``at`` of ``memory``; return the result for rd. Updates ``group``."""
    hart = core.hart
    if op == Op.LR_W or op == Op.LR_D:
        hart.reserved = address >> 3
        return load(Op.LW if op == Op.LR_W else Op.LD, memory, at)
    if op == Op.SC_W or op == Op.SC_D:
        succeeds = hart.reserved == address >> 3
        hart.reserved = NO_RESERVATION
        if not succeeds:
            return 1
        store(Op.SW if op == Op.SC_W else Op.SD, memory, at, operand)
        if settings.shares_memory:
            end_reservations(core, group, address)
        return 0
    if op < Op.LR_D:
        old = load(Op.LW, memory, at)
        store(Op.SW, memory, at, combined(op + (Op.LR_D - Op.LR_W), old, sext32(operand)))
    else:
        old = load(Op.LD, memory, at)
        store(Op.SD, memory, at, combined(op, old, operand))
    if settings.shares_memory:
        end_reservations(core, group, address)
    return old


@kernel
def combined(op: int, old: int, operand: int) -> int:
    """Return what an AMO writes; ``op`` is the 64-bit form, which also does sign-extended words."""
    if op == Op.AMOADD_D:
        return old + operand
    if op == Op.AMOXOR_D:
        return old ^ operand
    if op == Op.AMOAND_D:
        return old & operand
    if op == Op.AMOOR_D:
        return old | operand
    if op == Op.AMOMIN_D:
        return min(old, operand)
    if op == Op.AMOMAX_D:
        return max(old, operand)
    if op == Op.AMOMINU_D:
        return old if ltu(old, operand) else operand
    if op == Op.AMOMAXU_D:
        return operand if ltu(old, operand) else old
    return operand  # AMOSWAP


@kernel
def end_reservations(core: Core, group: Group, address: int) -> None:
    """End the reservations that other cores have on what was stored to in shared memory. Updates ``group``."""
    if address >= MEMORY_BASE:
        for hart_id in range(len(group.harts)):
            if hart_id != core.hart_id and group.harts[hart_id].reserved == address >> 3:
                group.harts[hart_id].reserved = NO_RESERVATION
