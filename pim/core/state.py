"""State of the cores of one group: registers, memory, buffers, counters. Function and time both live on it."""

from enum import IntEnum
from typing import Any, NamedTuple, Protocol

import numpy as np

from pim.core.mailbox import MAILBOX_WORDS
from pim.core.sharing import Races, make_races
from pim.dram import Device
from pim.jit import expanded_kernel, record_dtype

NO_LINE = -1
"""Tag of an empty line buffer or instruction-buffer line."""

NO_SLOT = -1
"""No line buffer used yet."""

NO_RESERVATION = -1
"""No load reservation: no address / 8."""


class Stop(IntEnum):
    """Why a core is not executing."""

    READY = 0  # it can go on
    PARKED = 1  # it waits for its turn at something shared
    EXITED = 2  # ecall with a7 = 93, or a store to tohost
    TRAPPED = 3  # an exception with mtvec = 0
    CYCLE_LIMIT = 4
    HALTED = 5  # another core has ended the run
    STEPPED = 6  # one instruction or trap further, in a run by single steps


class Hart(Protocol):
    """One core. ``cycle`` counts core clocks since the start; stalls are core clocks by cause."""

    stop: int  # a Stop
    pc: int
    cycle: int
    instret: int
    request_at: int  # DRAM clock of the request it is parked at, or of its present cycle
    written_at: int  # DRAM clock before which it makes no request: its last write-back, or a claim it meets, is over
    claim_wait: int  # DRAM clocks of its present wait in which the host claims the bank
    exit_code: int
    cause: int  # Cause of the trap that ended the run
    tval: int  # what its mtval would be
    mstatus: int  # MIE and MPIE
    mie: int
    mtvec: int
    mscratch: int
    mepc: int
    mcause: int
    mtval: int
    cycle_offset: int  # mcycle - cycle
    instret_offset: int  # minstret - instret
    reserved: int  # address / 8 of the load reservation, or NO_RESERVATION
    fflags: int  # accrued floating-point exceptions: NX 1, UF 2, OF 4, DZ 8, NV 16
    frm: int  # dynamic rounding mode, 0 to 7; 5 to 7 are reserved
    dma_source: int  # addresses of the next transfer of the scratchpad's DMA
    dma_destination: int
    dma_moved: int  # bytes of the transfer under way that have been asked for
    data_slot: int  # line buffer of the last access, or NO_SLOT
    uses: int  # LRU clock of the line buffers
    loads: int
    stores: int
    line_fills: int
    line_writebacks: int
    instruction_fills: int
    branch_cycles: int  # penalties of taken branches and jumps
    load_use_cycles: int
    instruction_stall: int  # waits for instruction-buffer refills
    hit_stall: int  # data waits by row outcome
    miss_stall: int
    conflict_stall: int
    refresh_stall: int
    contention_stall: int  # of data waits: for activates and a bus that several cores share
    host_stall: int  # waits for banks that the host claims
    flush_stall: int  # write-back of the line buffers at FENCE and at the end


HART = record_dtype(Hart)


class Registers(NamedTuple):
    """Integer and floating-point registers, shape ``(n_harts, 32)``."""

    x: Any  # int64
    f_bits: Any  # int64: binary64, or NaN-boxed binary32


class Memory(NamedTuple):
    """Backing store of the cores' windows or scratchpads: views of one buffer, little endian."""

    u8: Any
    u16: Any
    u32: Any
    i64: Any


class Buffers(NamedTuple):
    """SRAM around each core; bit s of a mask stands for sector s of the line."""

    line: Any  # int64 (n_harts, n_slots): line number, or NO_LINE
    valid: Any  # int64 masks
    dirty: Any  # int64 masks
    used: Any  # int64 LRU stamps
    instruction_line: Any  # int64 (n_harts, n_lines): direct mapped
    site_slot: Any  # int16 (n_harts, n_sites): slot each instruction used last; speeds up the search, means nothing


class Core(NamedTuple):
    """One core's part of its group: one-dimensional views, so that kernels index once."""

    hart_id: int
    hart: Any  # HART record
    x: Any
    f_bits: Any
    line: Any
    valid: Any
    dirty: Any
    used: Any
    site_slot: Any
    instruction_line: Any


class Group(NamedTuple):
    """The cores of one group and the DRAM device they share."""

    harts: Any  # HART, (n_harts,)
    registers: Registers
    memory: Memory
    scratchpad: Memory
    mailbox: Any  # int64 (n_harts, MAILBOX_WORDS)
    buffers: Buffers
    device: Device
    checked: Any  # int64 (1,): end of what a store is looked at for: code, tohost
    races: Races


@expanded_kernel
def core_of(group: Group, hart_id: int) -> Core:
    """Return one core's part of its group."""
    buffers = group.buffers
    return Core(
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


def make_memory(n_bytes: int) -> Memory:
    """Return zeroed memory of ``n_bytes``, a multiple of 8."""
    words = np.zeros(n_bytes // 8, np.int64)
    return Memory(words.view(np.uint8), words.view(np.uint16), words.view(np.uint32), words)


def make_group(
    n_harts: int,
    memory_bytes: int,
    scratchpad_bytes: int,
    n_slots: int,
    n_instruction_lines: int,
    n_sites: int,
    checked_bytes: int,
    device: Device,
    *,
    shares_memory: bool = False,
) -> Group:
    """Return ``n_harts`` cores at reset: registers zero, buffers empty."""
    harts = np.zeros(n_harts, HART).view(np.recarray)
    harts.data_slot = NO_SLOT
    harts.reserved = NO_RESERVATION
    slots = (n_harts, n_slots)
    return Group(
        harts,
        Registers(np.zeros((n_harts, 32), np.int64), np.zeros((n_harts, 32), np.int64)),
        make_memory(memory_bytes),
        make_memory(n_harts * scratchpad_bytes),
        np.zeros((n_harts, MAILBOX_WORDS), np.int64),
        Buffers(
            np.full(slots, NO_LINE, np.int64),
            np.zeros(slots, np.int64),
            np.zeros(slots, np.int64),
            np.zeros(slots, np.int64),
            np.full((n_harts, n_instruction_lines), NO_LINE, np.int64),
            np.zeros((n_harts, n_sites), np.int16),
        ),
        device,
        np.array([checked_bytes], np.int64),
        make_races(n_harts, memory_bytes if shares_memory else 0),
    )
