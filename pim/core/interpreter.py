"""The interpreter: fetch, execute and count, one core at a time, each up to its next request for something shared.

A core that needs the DRAM parks there until every other core of its group has passed that clock, unless it only needs
the open row of a bank of its own; requests are served in the order of (clock, core). A core that goes on after parking
repeats the instruction, which has changed no register yet; so it does after each write-back that makes room for what
it needs.
"""

from typing import Any, NamedTuple

import numpy as np

from pim.core.buffers import fetch_line, fill_sector, find_slot, flush, is_buffered, is_own_row
from pim.core.float_step import float_operation
from pim.core.pipeline import edge
from pim.core.settings import MAILBOX_BASE, MEMORY_BASE, SCRATCHPAD_BASE, CoreSettings
from pim.core.state import MAILBOX_WORDS, NO_LINE, Core, Group, Stop
from pim.core.step import integer, is_taken, load, muldiv, store, width_shift
from pim.core.trap import Cause, read_counter
from pim.isa import Op
from pim.jit import kernel

RETURN_WORD = 3
"""Mailbox word that a program may write: the value it returns (offset 0x18)."""

NEVER = 1 << 62

STRADDLES = -2
"""An instruction whose halves are in two lines of the instruction buffer."""


class Code(NamedTuple):
    """A program's instructions by parcel, as kernels read them, with their cost in core cycles.

    auipc stands as lui of its result, which its place in the program decides.
    """

    op: Any
    rd: Any
    rs1: Any
    rs2: Any
    rs3: Any
    rm: Any
    imm: Any
    size: Any
    fetch_line: Any  # instruction-buffer line that holds all of it, or STRADDLES
    cost: Any
    load_use: Any


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


@kernel
def run_hart(hart_id: int, group: Group, code: Code, settings: CoreSettings, other: int, other_at: int) -> None:
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
    hart, x, f_bits, memory, device = core.hart, core.x, core.f_bits, group.memory, group.device
    window = hart_id * settings.mapped_bytes
    n_parcels = np.uint64(settings.text_bytes >> 1)
    # locals: a counter in memory would make every instruction wait for the last one's store
    pc, cycle, instret, branch_cycles, loads, stores = hart.pc, hart.cycle, hart.instret, 0, 0, 0
    load_use_cycles, fetched = 0, NO_LINE
    hart.stop = Stop.READY
    cause, tval = Cause.NONE, 0
    while True:
        index: Any = np.uint64(pc - MEMORY_BASE) >> np.uint64(1)  # unsigned: no look for negative indices
        if index >= n_parcels:
            cause, tval = Cause.FETCH_ACCESS, pc
            break
        if code.fetch_line[index] != fetched:
            first_line = (pc - MEMORY_BASE) >> settings.instruction_line_shift
            line = last_line = (pc - MEMORY_BASE + code.size[index] - 1) >> settings.instruction_line_shift
            if core.instruction_line[first_line & settings.instruction_line_mask] != first_line:
                line = first_line
            if core.instruction_line[line & settings.instruction_line_mask] != line:
                at = edge(cycle, settings.clock_p, settings.clock_q)
                is_later = at > other_at or (at == other_at and hart_id > other)
                if is_later and not is_own_row(core, device, line << settings.instruction_line_shift, at, settings):
                    hart.request_at = at
                    hart.stop = Stop.PARKED
                    break
                cycle = fetch_line(core, device, line, cycle, settings)
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
            address = a + imm
            shift = width_shift(op)
            is_store = op >= Op.SB
            offset = address - MEMORY_BASE
            if address & ((1 << shift) - 1):
                cause, tval = Cause.STORE_MISALIGNED if is_store else Cause.LOAD_MISALIGNED, address
                break
            lowest = settings.text_bytes if is_store else 0
            if lowest <= offset < settings.mapped_bytes:
                if not is_buffered(core, index, offset, settings):
                    at = max(edge(cycle, settings.clock_p, settings.clock_q), hart.written_at)
                    is_later = at > other_at or (at == other_at and hart_id > other)
                    if is_later and not (
                        is_own_row(core, device, offset, at, settings)
                        and find_slot(core, offset >> settings.line_shift, settings) >= 0
                    ):
                        hart.request_at = at
                        hart.stop = Stop.PARKED
                        break
                    filled, cycle = fill_sector(core, device, index, offset, cycle, at, settings)
                    if not filled:
                        continue
                if is_store:
                    value = f_bits[code.rs2[index]] if op >= Op.FSW else x[code.rs2[index]]
                    store(op, memory, window + offset, value)
                    sector = (offset >> settings.sector_shift) & settings.sector_mask
                    core.dirty[hart.data_slot] |= 1 << sector
                else:
                    value = load(op, memory, window + offset)
            elif 0 <= address - SCRATCHPAD_BASE < settings.scratchpad_bytes:
                at = address - SCRATCHPAD_BASE + hart_id * settings.scratchpad_bytes
                if is_store:
                    value = f_bits[code.rs2[index]] if op >= Op.FSW else x[code.rs2[index]]
                    store(op, group.scratchpad, at, value)
                else:
                    value = load(op, group.scratchpad, at)
            elif op == Op.LD and 0 <= address - MAILBOX_BASE < 8 * MAILBOX_WORDS:
                value = group.mailbox[hart_id, (address - MAILBOX_BASE) >> 3]
            elif op == Op.SD and address == MAILBOX_BASE + 8 * RETURN_WORD:
                group.mailbox[hart_id, RETURN_WORD] = x[code.rs2[index]]
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
                next_pc = pc + imm
                cycle += settings.taken_branch_penalty
                branch_cycles += settings.taken_branch_penalty
                if cycle > settings.cycle_limit:
                    hart.stop = Stop.CYCLE_LIMIT
                    break
        elif op == Op.JAL or op == Op.JALR:
            next_return = next_pc
            next_pc = pc + imm if op == Op.JAL else (a + imm) & -2
            if rd:
                x[rd] = next_return
            cycle += settings.taken_branch_penalty
            branch_cycles += settings.taken_branch_penalty
            if cycle > settings.cycle_limit:
                hart.stop = Stop.CYCLE_LIMIT
                break
        elif Op.MUL <= op <= Op.REMUW:
            if rd:
                x[rd] = muldiv(op, a, x[code.rs2[index]])
        elif Op.FADD_S <= op <= Op.FMV_D_X:
            if not float_operation(op, core, code, index):
                cause, tval = Cause.ILLEGAL_INSTRUCTION, imm
                break
        elif op == Op.FENCE or op == Op.ECALL:
            if op == Op.ECALL and x[17] != 93:
                cause, tval = Cause.ECALL_M, 0
                break
            at = max(edge(cycle, settings.clock_p, settings.clock_q), hart.written_at)
            if at > other_at or (at == other_at and hart_id > other):
                hart.request_at = at
                hart.stop = Stop.PARKED
                break
            flushed, cycle = flush(core, device, cycle, at, settings)
            if not flushed:
                continue
            if op == Op.ECALL:
                hart.exit_code = x[10]
                hart.stop = Stop.EXITED
        elif op == Op.CSRRS and code.rs1[index] == 0:
            known, value = read_counter(imm, hart_id, cycle, instret, settings)
            if not known:
                cause, tval = Cause.ILLEGAL_INSTRUCTION, imm
                break
            if rd:
                x[rd] = value
        elif op == Op.EBREAK:
            cause, tval = Cause.BREAKPOINT, pc
            break
        else:
            cause, tval = Cause.ILLEGAL_INSTRUCTION, imm
            break
        cycle += code.cost[index]
        instret += 1
        pc = next_pc
        if hart.stop == Stop.EXITED:
            break
    hart.pc = pc
    hart.cycle = cycle
    hart.instret = instret
    hart.branch_cycles += branch_cycles
    hart.load_use_cycles += load_use_cycles
    hart.loads += loads
    hart.stores += stores
    if cause != Cause.NONE:
        hart.stop = Stop.TRAPPED
        hart.cause = cause
        hart.tval = tval
