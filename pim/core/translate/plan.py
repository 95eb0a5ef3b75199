"""Which instructions become native code: basic blocks, and the points where native code is entered and left.

Blocks begin at the entry, at symbols, at the targets of branches and jumps, after each instruction that may go
elsewhere, and wherever an instruction needs a further line of the instruction buffer, so that a block needs no line
that its first instruction does not need.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from pim.core.code import Code
from pim.core.settings import MEMORY_BASE
from pim.isa import Op

MOST_INSTRUCTIONS = 8_000
"""Instructions translated of one program, some seconds of compiling; the interpreter runs what lies beyond."""

KEPT_PLANS = 16
"""More than the kernels that a machine's groups run."""

LARGEST_LINE_SHIFT = 6
"""log2 of the bytes of instruction-buffer lines at which blocks are cut; larger ones are a multiple."""


WIDTH_SHIFTS = {
    op: shift
    for shift, ops in enumerate(
        (
            (Op.LB, Op.LBU, Op.SB),
            (Op.LH, Op.LHU, Op.SH),
            (Op.LW, Op.LWU, Op.FLW, Op.SW, Op.FSW),
            (Op.LD, Op.FLD, Op.SD, Op.FSD),
        )
    )
    for op in ops
}
"""log2 of the bytes that a load or store moves."""


class End(IntEnum):
    """How a block ends."""

    FALL = 0  # goes on into the next block
    BRANCH = 1
    JAL = 2
    JALR = 3
    LEAVE = 4  # at an instruction for the interpreter, which is not in the block


class Kind(IntEnum):
    """What is at a point."""

    HEAD = 0  # a block's first instruction
    SITE = 1  # a load or store
    END = 2  # a branch or jump, or what follows the block and is for the interpreter
    AFTER = 3  # what follows a branch that was not taken and is for the interpreter; the block is over


class Instruction:
    """One instruction, as `Code` has it."""

    __slots__ = ("imm", "op", "parcel", "rd", "rm", "rs1", "rs2", "rs3", "size")

    def __init__(self, code: Code, parcel: int) -> None:
        self.parcel = parcel
        self.op, self.rd, self.rs1 = int(code.op[parcel]), int(code.rd[parcel]), int(code.rs1[parcel])
        self.rs2, self.rs3, self.rm = int(code.rs2[parcel]), int(code.rs3[parcel]), int(code.rm[parcel])
        self.imm, self.size = int(code.imm[parcel]), int(code.size[parcel])

    @property
    def following(self) -> int:
        """Return the parcel behind it."""
        return self.parcel + self.size // 2

    @property
    def is_access(self) -> bool:
        """Return whether it is a load or store."""
        return Op.LB <= self.op <= Op.FSD

    @property
    def is_store(self) -> bool:
        """Return whether it is a store."""
        return Op.SB <= self.op <= Op.FSD

    @property
    def goes_elsewhere(self) -> bool:
        """Return whether no way leads from it to the instruction behind it."""
        return self.op == Op.MRET or (self.op in (Op.JAL, Op.JALR) and self.rd == 0)

    @property
    def target(self) -> int:
        """Return the parcel that a branch or JAL goes to."""
        return self.parcel + (self.imm >> 1)


class Constants:
    """Addresses that lui, auipc and addi have put into registers on the way."""

    def __init__(self) -> None:
        self._values: dict[int, int] = {}

    def follow(self, it: Instruction) -> None:
        """Note what an instruction does to the registers."""
        if it.op == Op.LUI:
            self._values[it.rd] = it.imm
        elif it.op == Op.ADDI and it.rs1 in self._values:
            self._values[it.rd] = self._values[it.rs1] + it.imm
        elif not it.is_store and not Op.BEQ <= it.op <= Op.BGEU:
            self._values.pop(it.rd, None)

    def target(self, it: Instruction) -> int:
        """Return the parcel that a JALR goes to, -1 where that is not known."""
        if it.op != Op.JALR or it.rs1 not in self._values:
            return -1
        return (self._values[it.rs1] + it.imm - MEMORY_BASE) >> 1


@dataclass(frozen=True)
class Point:
    """A place in a block, before its instruction number ``n``; ``access`` numbers the loads and stores.

    Their ``site`` is where native code remembers what they used last; some share one, see `sites`.
    """

    kind: Kind
    parcel: int
    block: int
    n: int
    access: int = -1
    site: int = -1
    shift: int = 0
    is_store: bool = False


@dataclass
class Block:
    """Instructions that are executed one after the other; ``points`` are numbers: head, loads and stores, end."""

    number: int
    body: list[Instruction]
    end: End
    last: Instruction | None  # the branch or jump, which is in ``body`` too
    following: int  # parcel behind the block
    head: int = -1
    sites: dict[int, int] = field(default_factory=dict)  # point by place in body
    end_point: int = -1
    after_point: int = -1


@dataclass(frozen=True, eq=False)
class Plan:
    """Blocks by parcel, in order, and all points; what follows from it alone is kept for the last `KEPT_PLANS`."""

    blocks: list[Block]
    block_at: dict[int, Block]
    points: list[Point]
    n_accesses: int
    resumed: frozenset[int]  # parcels that calls, returns or the interpreter lead to
    line_shift: int  # log2 of the bytes of the lines that blocks are cut at
    has_short: bool  # whether the core has compressed instructions; else jumps need targets that are multiples of 4

    def lines(self, block: Block) -> range:
        """Return the lines, of those that blocks are cut at, that a block has bytes in: of its first instruction."""
        first = block.body[0]
        return range(2 * first.parcel >> self.line_shift, (2 * first.following - 1 >> self.line_shift) + 1)

    def successor(self, block: Block, *, is_taken: bool) -> Block | None:
        """Return the block that a block's end leads to, None where that is not native, or not known."""
        last = block.last
        if not is_taken:
            return self.block_at.get(block.following) if block.end in (End.BRANCH, End.FALL) else None
        if last is None or block.end is End.JALR or (last.target & 1 and not self.has_short):
            return None
        return self.block_at.get(last.target)


def make_plan(
    code: Code,
    starts: Iterable[int],
    is_native: Callable[[Instruction], bool],
    decode: Callable[[int], None] | None = None,
    *,
    has_short: bool = True,
) -> Plan:
    """Return the blocks of what is reached from ``starts``.

    Parameters
    ----------
    code : Code
        A text that is decoded, all of which is taken for instructions; or with ``decode`` any memory.
    starts : iterable of int
        Parcels.
    is_native : callable
        Tells what can be translated.
    decode : callable, optional
        Decodes a parcel of ``code``. Then what follows a jump without a link is only taken for an instruction if
        something leads there.
    has_short : bool
        Whether the core has compressed instructions.
    """
    line_shift = min(LARGEST_LINE_SHIFT, code.rules.instruction_line_shift)
    reached, heads, resumed = _reach(code, starts, is_native, decode, line_shift)
    blocks: list[Block] = []
    seen: set[int] = set()
    for parcel in sorted(heads):
        if parcel in reached and parcel not in seen:
            block = _block(len(blocks), reached, heads, parcel, is_native)
            seen.add(parcel)
            if block is not None:
                blocks.append(block)
    points: list[Point] = []
    n_accesses = 0
    for block in blocks:
        n_accesses = _number_points(block, points, n_accesses)
    block_at = {block.body[0].parcel: block for block in blocks}
    return Plan(blocks, block_at, points, n_accesses, frozenset(resumed), line_shift, has_short)


def _reach(
    code: Code,
    starts: Iterable[int],
    is_native: Callable[[Instruction], bool],
    decode: Callable[[int], None] | None,
    line_shift: int,
) -> tuple[dict[int, Instruction], set[int], set[int]]:
    """Return the instructions reached, by parcel, where blocks begin, and where they are come to from outside."""
    n_parcels = len(code.op)
    reached: dict[int, Instruction] = {}
    heads: set[int] = set()
    todo = [parcel for parcel in starts if 0 <= parcel < n_parcels]
    resumed = set(todo)
    while todo and len(reached) < MOST_INSTRUCTIONS:
        parcel = todo.pop()
        heads.add(parcel)
        line, constants = -1, Constants()
        while 0 <= parcel < n_parcels and parcel not in reached and len(reached) < MOST_INSTRUCTIONS:
            if decode is not None:
                decode(parcel)
            it = Instruction(code, parcel)
            reached[parcel] = it
            last_line = (2 * parcel + it.size - 1) >> line_shift
            if last_line != line:
                heads.add(parcel)
                line = last_line
            target = it.target if Op.BEQ <= it.op <= Op.JAL else constants.target(it)
            if 0 <= target < n_parcels:
                todo.append(target)
                heads.add(target)
                if it.op in (Op.JAL, Op.JALR) and (it.rd or it.op == Op.JALR):
                    resumed.add(target)
            constants.follow(it)
            parcel = it.following
            if it.op == Op.ILLEGAL or (decode is not None and it.goes_elsewhere):
                break
            if not is_native(it) or Op.BEQ <= it.op <= Op.JALR:
                heads.add(parcel)
            if not is_native(it) or (it.op in (Op.JAL, Op.JALR) and it.rd):
                resumed.add(parcel)
    return reached, heads, resumed


def _block(
    number: int, reached: dict[int, Instruction], heads: set[int], parcel: int, is_native: Callable[[Instruction], bool]
) -> Block | None:
    """Return the block that begins at ``parcel``, None where its first instruction is not native."""
    body: list[Instruction] = []
    while True:
        it = reached.get(parcel)
        if it is None or not is_native(it):
            return Block(number, body, End.LEAVE, None, parcel) if body else None
        body.append(it)
        parcel = it.following
        if Op.BEQ <= it.op <= Op.BGEU:
            return Block(number, body, End.BRANCH, it, parcel)
        if it.op in (Op.JAL, Op.JALR):
            return Block(number, body, End.JAL if it.op == Op.JAL else End.JALR, it, parcel)
        if parcel in heads:
            following = reached.get(parcel)
            is_left = following is None or not is_native(following)
            return Block(number, body, End.LEAVE if is_left else End.FALL, None, parcel)


def _number_points(block: Block, points: list[Point], n_accesses: int) -> int:
    """Give a block's points their numbers, and return the number of the next access. Appends to ``points``."""
    block.head = len(points)
    points.append(Point(Kind.HEAD, block.body[0].parcel, block.number, 0))
    for n, it in enumerate(block.body):
        if it.is_access:
            block.sites[n] = len(points)
            shift = WIDTH_SHIFTS[Op(it.op)]
            access = (n_accesses, n_accesses, shift, it.is_store)
            points.append(Point(Kind.SITE, it.parcel, block.number, n, *access))
            n_accesses += 1
    block.end_point = len(points)
    if block.last is not None:
        points.append(Point(Kind.END, block.last.parcel, block.number, len(block.body) - 1))
        block.after_point = len(points)
        points.append(Point(Kind.AFTER, block.following, block.number, 0))
    else:
        points.append(Point(Kind.END, block.following, block.number, len(block.body)))
    return n_accesses


def start_parcels(code: Code, entry: int, symbols: Iterable[int]) -> list[int]:
    """Return where to look for blocks: at the entry and at symbols."""
    n_parcels = len(code.op)
    places = [(address - MEMORY_BASE) >> 1 for address in (entry, *symbols) if address % 2 == 0]
    return [parcel for parcel in dict.fromkeys(places) if 0 <= parcel < n_parcels]


def writes_float_state(code: Code) -> bool:
    """Tell whether any parcel can be an instruction that reads or writes fflags, frm or fcsr."""
    is_csr = (code.op >= Op.CSRRW) & (code.op <= Op.CSRRCI)
    return bool(np.isin(code.imm[is_csr], (1, 2, 3)).any())
