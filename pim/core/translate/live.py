"""Which registers native code has in values, and not in memory.

From block to block registers are values; memory holds them all again wherever native code is left. Calls and other
jumps whose targets are not known go by memory too: what is left of the blocks' graph without them are its parts, about
one for each of the program's functions. Wherever a part is left for what is outside native code, all registers are
saved that it ever writes, by the same few lines of code.

Sets of registers are ints, a bit each: 32 integer registers (x0 never among them), then 32 of floating point.
"""

from dataclasses import dataclass
from functools import reduce
from operator import or_

from pim.core.translate.flow import Flow
from pim.core.translate.plan import Block, End, Instruction, Plan
from pim.isa.encoding import REGISTER_FILES, RegisterFile

FLOAT = 32
"""Number of f0 among the registers; x0 is 0."""

_FIRST = {RegisterFile.NONE: 0, RegisterFile.INTEGER: 0, RegisterFile.FLOAT: FLOAT}
_FILES = [[RegisterFile(int(file)) for file in files] for files in REGISTER_FILES]


@dataclass
class Part:
    """Blocks that pass registers to each other as values."""

    number: int
    blocks: list[Block]
    written: int = 0  # registers that any of its instructions writes


@dataclass
class Values:
    """Sets of registers of a block."""

    part: Part
    dirty: int  # behind it: may differ from memory
    live: int = 0  # at its start: are read later, or saved


def register_values(plan: Plan, flow: Flow) -> list[Values]:
    """Return the sets of each block."""
    effects = [[_effect(it) for it in block.body] for block in plan.blocks]
    written = [reduce(or_, (mask for _, mask in own), 0) for own in effects]
    parts = _parts(plan, flow)
    for part in {part.number: part for part in parts}.values():
        part.written = reduce(or_, (written[block.number] for block in part.blocks))
    values = [Values(part, dirty) for part, dirty in zip(parts, _dirty(plan, flow, written), strict=True)]
    changed = True
    while changed:
        changed = False
        for block in reversed(plan.blocks):
            live = _live(plan, flow, block, effects[block.number], values)
            changed = changed or live != values[block.number].live
            values[block.number].live = live
    return values


def _parts(plan: Plan, flow: Flow) -> list[Part]:
    """Return the part of each block."""
    parts = [Part(block.number, [block]) for block in plan.blocks]
    for edge in flow.edges:
        if edge.is_taken and goes_by_memory(plan.blocks[edge.source]):
            continue
        one, other = parts[edge.source], parts[edge.target]
        if one is not other:
            if len(one.blocks) < len(other.blocks):
                one, other = other, one
            one.blocks += other.blocks
            for block in other.blocks:
                parts[block.number] = one
    return parts


def goes_by_memory(block: Block) -> bool:
    """Tell whether a block's jump saves all registers: a call, or one whose target is not known."""
    return block.end is End.JALR or (block.end is End.JAL and block.last is not None and block.last.rd != 0)


def _effect(it: Instruction) -> tuple[int, int]:
    """Return the registers that an instruction reads, and those that it writes."""
    masks = [
        1 << number + _FIRST[file] if file is not RegisterFile.NONE else 0
        for number, file in zip((it.rd, it.rs1, it.rs2, it.rs3), _FILES[it.op], strict=True)
    ]
    return (masks[1] | masks[2] | masks[3]) & ~1, masks[0] & ~1


def _dirty(plan: Plan, flow: Flow, written: list[int]) -> list[int]:
    """Return the registers that may differ from memory behind each block."""
    dirty = list(written)
    changed = True
    while changed:
        changed = False
        for edge in flow.edges:
            if edge.is_taken and goes_by_memory(plan.blocks[edge.source]):
                continue
            more = dirty[edge.target] | dirty[edge.source]
            if more != dirty[edge.target]:
                dirty[edge.target], changed = more, True
    return dirty


def leaves_at_end(plan: Plan, flow: Flow, block: Block) -> bool:
    """Tell whether native code can be left before a block's last instruction, or where it ends without a jump."""
    ends = (False, True) if block.end is End.BRANCH else (block.end is End.JAL,)
    return any(
        flow.is_retreating(block.number, is_taken=is_taken)
        or ((is_taken or block.end is End.LEAVE) and plan.successor(block, is_taken=is_taken) is None)
        for is_taken in ends
    ) or goes_by_memory(block)


def _live(plan: Plan, flow: Flow, block: Block, effects: list[tuple[int, int]], values: list[Values]) -> int:
    """Return the live registers at a block's start."""
    own = values[block.number]
    saved, leaves = own.part.written, leaves_at_end(plan, flow, block)
    live = saved if leaves and block.last is None else 0
    for is_taken in (False, True) if block.end is End.BRANCH else (block.end is End.JAL,):
        target = plan.successor(block, is_taken=is_taken)
        if goes_by_memory(block):
            live |= own.dirty
        else:
            live |= saved if target is None else values[target.number].live
    for n in range(len(effects) - 1, -1, -1):
        read, written = effects[n]
        live = (live & ~written) | read
        if n in block.sites or (leaves and block.body[n] is block.last):
            live |= saved
    return live | saved if block.number in flow.checked else live


def numbers(registers: int) -> list[int]:
    """Return the registers of a set."""
    return [register for register in range(2 * FLOAT) if registers >> register & 1]
