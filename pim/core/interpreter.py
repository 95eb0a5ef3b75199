"""The interpreter: fetch, execute and count, one core at a time, each up to its next request for something shared.

A core that needs the DRAM parks there until every other core of its group has passed that clock, unless it only needs
the open row of a bank of its own; requests are served in the order of (clock, core). A core that goes on after parking
repeats the instruction, which has changed no register yet; so it does after each write-back that makes room for what
it needs.
"""

from typing import Any

import numpy as np

from pim.core.atomic import atomic_access
from pim.core.booking import Profile, book
from pim.core.buffers import fetch_line, is_own_row
from pim.core.careful import careful_access
from pim.core.clock import edge
from pim.core.code import ENTRY, Code, decode_parcel, forget, illegal
from pim.core.csr import csr_operation
from pim.core.dma import START_AT, dma_store
from pim.core.float_step import float_operation
from pim.core.mailbox import MAILBOX_WORDS, RETURN_AT, read_mailbox, write_return
from pim.core.settings import DMA_BASE, MAILBOX_BASE, MEMORY_BASE, SCRATCHPAD_BASE, CoreSettings
from pim.core.sharing import note_atomic, note_fence
from pim.core.state import NO_LINE, Group, Stop, core_of
from pim.core.step import integer, is_taken, load, muldiv, store, width_shift
from pim.core.trap import Cause, enter_handler, handler, leave_handler
from pim.core.turn import Outcome, drain, end_run, horizon, is_later, park, pause, reach
from pim.isa import Op
from pim.jit import kernel

EXIT_CALL = 93
"""What a7 holds at the ecall that ends a program."""


@kernel
def run_hart(
    hart_id: int, group: Group, code: Code, settings: CoreSettings, other: int, other_at: int, profile: Profile | None
) -> None:
    """Run one core until it stops, or parks at a request after ``(other_at, other)``. Updates ``group``.

    With a ``profile``, all it counts is booked there; without, that is no part of the compiled code.
    """
    core = core_of(group, hart_id)
    hart, x, f_bits, memory, device = core.hart, core.x, core.f_bits, group.memory, group.device
    window = hart_id * settings.stride_bytes
    n_parcels = np.uint64(settings.code_bytes >> 1)
    # locals: a counter in memory would make every instruction wait for the last one's store
    pc, cycle, instret, branch_cycles, loads, stores = hart.pc, hart.cycle, hart.instret, 0, 0, 0
    load_use_cycles, fetched = 0, NO_LINE
    hart.stop = Stop.READY
    checked, first_instret = group.checked[0], instret
    limit = horizon(other_at, settings)
    cause: int = Cause.NONE
    tval = 0
    while True:
        while True:
            if profile is not None:
                book(
                    profile, hart_id, code, pc, instret, cycle, hart.branch_cycles + branch_cycles,
                    hart.load_use_cycles + load_use_cycles, hart.loads + loads, hart.stores + stores
                )  # fmt: skip
            index: Any = np.uint64(pc - MEMORY_BASE) >> np.uint64(1)  # unsigned: no look for negative indices
            if index >= n_parcels:
                if settings.single_step and instret != first_instret:
                    hart.stop = Stop.STEPPED
                else:
                    cause, tval = Cause.FETCH_ACCESS, pc
                break
            if code.fetch_line[index] != fetched:
                if instret != first_instret and (settings.single_step or code.fetch_line[index] == ENTRY):
                    hart.stop = Stop.STEPPED if settings.single_step else Stop.READY
                    break
                if code.size[index] == 0:
                    decode_parcel(code, memory, group.checked, window, (pc - MEMORY_BASE) >> 1, settings.single_step)
                    checked = group.checked[0]
                first_line = (pc - MEMORY_BASE) >> settings.instruction_line_shift
                line = last_line = (pc - MEMORY_BASE + code.size[index] - 1) >> settings.instruction_line_shift
                if core.instruction_line[first_line & settings.instruction_line_mask] != first_line:
                    line = first_line
                if core.instruction_line[line & settings.instruction_line_mask] != line:
                    at = max(edge(cycle, settings.clock), hart.written_at)
                    place = line << settings.instruction_line_shift
                    if is_later(core, at, other, other_at) and not is_own_row(core, device, place, at, settings):
                        park(core, at)
                        break
                    cycle = fetch_line(core, device, line, cycle, at, settings)
                    fetched = NO_LINE
                    continue
                fetched = last_line
            # ---- execute
            op = code.op[index]
            rd = code.rd[index]
            imm = code.imm[index]
            a = x[code.rs1[index]]
            next_pc = pc + code.size[index]
            if Op.ADDI <= op < Op.MUL:
                if op >= Op.ADD:
                    imm = x[code.rs2[index]]
                if rd:
                    x[rd] = integer(op, a, imm)
            elif Op.LB <= op <= Op.FSD:
                address = (a + imm) & settings.address_mask
                shift = width_shift(op)
                is_store = op >= Op.SB
                offset = address - MEMORY_BASE
                if address & ((1 << shift) - 1):
                    cause, tval = Cause.STORE_MISALIGNED if is_store else Cause.LOAD_MISALIGNED, address
                    break
                lowest = checked if is_store else 0
                if lowest <= offset < settings.plain_bytes:
                    outcome, cycle = reach(core, device, index, offset, cycle, other, other_at, settings)
                    if outcome == Outcome.AGAIN:
                        continue
                    if outcome != Outcome.DONE:
                        break
                    if is_store:
                        value = f_bits[code.rs2[index]] if op >= Op.FSW else x[code.rs2[index]]
                        store(op, memory, window + offset, value)
                        sector = (offset >> settings.sector_shift) & settings.sector_mask
                        core.dirty[hart.data_slot] |= 1 << sector
                    else:
                        value = load(op, memory, window + offset)
                elif 0 <= offset < settings.mapped_bytes:
                    value = f_bits[code.rs2[index]] if op >= Op.FSW else x[code.rs2[index]]
                    outcome, cycle, value = careful_access(
                        core, group, code, index, value, offset, cycle, other, other_at, settings
                    )
                    if outcome == Outcome.AGAIN:
                        continue
                    if outcome == Outcome.TRAP:
                        cause, tval = value, address
                    if outcome != Outcome.DONE:
                        break
                elif 0 <= address - SCRATCHPAD_BASE < settings.scratchpad_bytes:
                    at = address - SCRATCHPAD_BASE + hart_id * settings.scratchpad_bytes
                    if is_store:
                        value = f_bits[code.rs2[index]] if op >= Op.FSW else x[code.rs2[index]]
                        store(op, group.scratchpad, at, value)
                    else:
                        value = load(op, group.scratchpad, at)
                elif op == settings.register_load and 0 <= address - MAILBOX_BASE < 8 * MAILBOX_WORDS:
                    value = read_mailbox(group.mailbox[hart_id], address - MAILBOX_BASE, settings.xlen)
                elif op == settings.register_store and 0 <= address - RETURN_AT < 8:
                    write_return(group.mailbox[hart_id], address - RETURN_AT, x[code.rs2[index]], settings.xlen)
                elif op == settings.register_store and DMA_BASE <= address <= START_AT:
                    outcome, cycle = dma_store(
                        core, group, code, index, address, x[code.rs2[index]], cycle, other, other_at, settings
                    )
                    if outcome == Outcome.AGAIN:
                        continue
                    if outcome == Outcome.TRAP:
                        cause, tval = Cause.STORE_ACCESS, address
                    if outcome != Outcome.DONE:
                        break
                else:
                    cause, tval = Cause.STORE_ACCESS if is_store else Cause.LOAD_ACCESS, address
                    break
                if is_store:
                    stores += 1
                else:
                    loads += 1
                    load_use_cycles += code.load_use[index]
                    if op >= Op.FLW:
                        f_bits[rd] = value
                    elif rd:
                        x[rd] = value
            elif Op.BEQ <= op <= Op.BGEU:
                if is_taken(op, a, x[code.rs2[index]]):
                    next_pc = (pc + imm) & settings.address_mask
                    if next_pc & settings.odd_target:
                        cause, tval = Cause.FETCH_MISALIGNED, next_pc
                        break
                    cycle += settings.taken_branch_penalty
                    branch_cycles += settings.taken_branch_penalty
                    if cycle > limit:
                        pause(core, cycle, settings)
            elif op == Op.JAL or op == Op.JALR or op == Op.MRET:
                if op == Op.MRET:
                    next_pc = leave_handler(hart, settings)
                else:
                    link = (next_pc ^ settings.address_sign) - settings.address_sign
                    next_pc = (pc + imm if op == Op.JAL else (a + imm) & -2) & settings.address_mask
                    if next_pc & settings.odd_target:
                        cause, tval = Cause.FETCH_MISALIGNED, next_pc
                        break
                    if rd:
                        x[rd] = link
                cycle += settings.taken_branch_penalty
                branch_cycles += settings.taken_branch_penalty
                if cycle > limit:
                    pause(core, cycle, settings)
            elif Op.MUL <= op <= Op.REMUW:
                if rd:
                    x[rd] = muldiv(op, a, x[code.rs2[index]], settings.xlen)
            elif Op.FADD_S <= op <= Op.FMV_D_X:
                if not float_operation(op, core, code, index):
                    cause = Cause.ILLEGAL_INSTRUCTION
                    break
            elif Op.LR_W <= op <= Op.AMOMAXU_D:
                address = a & settings.address_mask
                outcome, cycle, value = atomic_access(
                    core, group, op, imm, address, x[code.rs2[index]], cycle, other, other_at, settings
                )
                if outcome == Outcome.AGAIN:
                    continue
                if outcome == Outcome.TRAP:
                    cause, tval = value, address
                if outcome != Outcome.DONE:
                    break
                if 0 <= address - MEMORY_BASE < checked:
                    forget(code, address - MEMORY_BASE, 8)
                if settings.shares_memory and address >= MEMORY_BASE:
                    is_conditional = op == Op.SC_W or op == Op.SC_D
                    is_store = op != Op.LR_W and op != Op.LR_D and not (is_conditional and value)
                    parcel = (pc - MEMORY_BASE) >> 1
                    note_atomic(group.races, hart_id, parcel, address - MEMORY_BASE, imm != 0, is_store)
                if rd:
                    x[rd] = value
            elif Op.CSRRW <= op <= Op.CSRRCI:
                source: Any = np.int64(code.rs1[index])
                known, value = csr_operation(
                    op, imm, source, source if op >= Op.CSRRWI else a, hart, hart_id,
                    cycle, instret, cycle + code.cost[index], settings
                )  # fmt: skip
                if not known:
                    cause = Cause.ILLEGAL_INSTRUCTION
                    break
                if rd:
                    x[rd] = value
            elif op == Op.FENCE or op == Op.FENCE_I or op == Op.ECALL:
                if op == Op.ECALL and (x[17] != EXIT_CALL or handler(hart, settings)):
                    cause, tval = Cause.ECALL_M, 0
                    break
                outcome, cycle = drain(core, device, cycle, other, other_at, settings)
                if outcome == Outcome.AGAIN:
                    continue
                if outcome == Outcome.PARKED:
                    break
                if settings.shares_memory:
                    note_fence(group.races, hart_id)
                if op == Op.FENCE_I:
                    core.instruction_line[:] = NO_LINE
                    fetched = NO_LINE
                elif op == Op.ECALL:
                    hart.exit_code = x[10]
                    hart.stop = Stop.EXITED
            elif op == Op.EBREAK:
                cause, tval = Cause.BREAKPOINT, pc
                break
            elif op != Op.WFI:
                if code.size[index] == 0:
                    decode_parcel(code, memory, group.checked, window, (pc - MEMORY_BASE) >> 1, settings.single_step)
                    checked = group.checked[0]
                    continue
                cause = Cause.ILLEGAL_INSTRUCTION
                break
            cycle += code.cost[index]
            instret += 1
            pc = next_pc
            if hart.stop != Stop.READY:
                break
        if cause == Cause.NONE:
            break
        if cause == Cause.ILLEGAL_INSTRUCTION:
            cause, tval = illegal(code, memory, window, pc)
        if not handler(hart, settings):
            hart.cause = cause
            hart.tval = tval
            hart.stop = Stop.TRAPPED
            if settings.shares_memory:
                end_run(core, group, Stop.TRAPPED)
            break
        pc = enter_handler(hart, cause, tval, pc, settings)
        cause = Cause.NONE
        cycle += 1 + settings.taken_branch_penalty
        branch_cycles += 1 + settings.taken_branch_penalty
        if cycle > limit:
            pause(core, cycle, settings)
            break
        if settings.single_step:
            hart.stop = Stop.STEPPED
            break
    if hart.stop == Stop.STEPPED:
        hart.request_at = edge(cycle, settings.clock)
    hart.pc = pc
    hart.cycle = cycle
    hart.instret = instret
    hart.branch_cycles += branch_cycles
    hart.load_use_cycles += load_use_cycles
    hart.loads += loads
    hart.stores += stores
