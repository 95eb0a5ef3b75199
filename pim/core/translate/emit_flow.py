"""Native code of blocks' ends: branches, jumps, and what counts instructions and cycles."""

from pim.core.settings import MEMORY_BASE
from pim.core.translate.emitter import EMPTY, Emitter
from pim.core.translate.layout import BlockWord, Header, Reason
from pim.core.translate.plan import Block, End, Plan
from pim.isa import Op

_CONDITIONS = {Op.BEQ: "eq", Op.BNE: "ne", Op.BLT: "slt", Op.BGE: "sge", Op.BLTU: "ult", Op.BGEU: "uge"}

FLOW_OPS = frozenset({*_CONDITIONS, Op.JAL, Op.JALR})


def emit_head(e: Emitter, block: Block) -> None:
    """Write a block's start: its lines have to be in the instruction buffer."""
    label = f"p{block.head}"
    e.begin(label)
    ready = e.frame_word(e.layout.block(block.number, BlockWord.READY))
    e.unless(e.value(f"icmp ne i64 {ready}, 0"), f"{label}d", f"{label}x")
    e.leave(f"{label}x", block.head, Reason.FETCH)
    e.begin(f"{label}d")


def emit_end(e: Emitter, plan: Plan, block: Block, has_short: bool, n_parcels: int) -> None:
    """Write a block's end; without ``has_short`` jumps need targets that are multiples of 4."""
    e.save()
    if block.end is End.LEAVE:
        e.line(f"br label %p{block.end_point}x")
        e.leave(f"p{block.end_point}x", block.end_point, Reason.INTERPRET)
        return
    if block.end is End.FALL:
        _go_on(e, plan, block)
        return
    if block.end is End.JALR:
        _emit_jalr(e, block, has_short, n_parcels)
        return
    last = block.last
    assert last is not None, block.number
    if block.end is End.BRANCH:
        condition = e.value(f"icmp {_CONDITIONS[Op(last.op)]} i64 {e.read(last.rs1)}, {e.read(last.rs2)}")
        e.line(f"br i1 {condition}, label %t{block.number}, label %f{block.number}")
        e.begin(f"f{block.number}")
        _go_on(e, plan, block)
        e.begin(f"t{block.number}")
    target = plan.block_at.get(last.target)
    bad = f"p{block.end_point}x"
    if target is None or (not has_short and last.target & 1):
        e.line(f"br label %{bad}")
    else:
        cycle = _taken_cycle(e, block, Header.BRANCH_LIMIT if block.end is End.BRANCH else Header.JUMP_LIMIT)
        if block.end is End.JAL:
            e.write(last.rd, str(link(block, e.xlen)))
            e.save()
        _count_taken(e, block, cycle)
        e.line(f"br label %p{target.head}")
    e.leave(bad, block.end_point, Reason.INTERPRET)


def link(block: Block, xlen: int) -> int:
    """Return what a jump leaves in rd."""
    address = MEMORY_BASE + 2 * block.following
    return address if xlen == 64 else (address ^ 1 << 31) - (1 << 31)


def _taken_cycle(e: Emitter, block: Block, limit: Header) -> str:
    """Return the cycle after a taken branch or jump; leaves native code before it if that is past the limit."""
    cycles = e.frame_word(e.layout.block(block.number, BlockWord.TAKEN_CYCLES), is_fixed=True)
    cycle = e.value(f"add i64 {e.cycle()}, {cycles}")
    within = e.value(f"icmp sle i64 {cycle}, {e.frame_word(limit, is_fixed=True)}")
    e.unless(within, f"p{block.end_point}d", f"p{block.end_point}x")
    e.begin(f"p{block.end_point}d")
    return cycle


def _count_taken(e: Emitter, block: Block, cycle: str) -> None:
    e.count(e.layout.block(block.number, BlockWord.TAKEN_COUNT))
    e.set_cycle(cycle)


def _go_on(e: Emitter, plan: Plan, block: Block) -> None:
    """Write the way to the next instruction in order."""
    following = plan.block_at.get(block.following)
    e.count(e.layout.block(block.number, BlockWord.FALL_COUNT))
    cycles = e.frame_word(e.layout.block(block.number, BlockWord.FALL_CYCLES), is_fixed=True)
    e.set_cycle(e.value(f"add i64 {e.cycle()}, {cycles}"))
    if following is not None:
        e.line(f"br label %p{following.head}")
        return
    e.line(f"br label %p{block.after_point}x")
    e.leave(f"p{block.after_point}x", block.after_point, Reason.INTERPRET)


def _emit_jalr(e: Emitter, block: Block, has_short: bool, n_parcels: int) -> None:
    last = block.last
    assert last is not None, block.number
    bad, ok = f"p{block.end_point}x", f"p{block.end_point}"
    target = e.value(
        f"and i64 {e.value(f'add i64 {e.read(last.rs1)}, {last.imm}')}, {-2 if e.xlen == 64 else 0xFFFFFFFE}"
    )
    place = e.value(f"lshr i64 {e.value(f'sub i64 {target}, {MEMORY_BASE}')}, 1")
    e.unless(e.value(f"icmp ult i64 {place}, {n_parcels}"), f"{ok}i", bad)
    e.begin(f"{ok}i")
    jumps = e.load("ptr", e.place("%frame", Header.JUMPS), "frame", f", !invariant.load !{EMPTY}")
    entry = e.load("i32", e.value(f"getelementptr i32, ptr {jumps}, i64 {place}"), "frame")
    known = e.value(f"icmp ne i32 {entry}, 0")
    if not has_short:
        even = e.value(f"icmp eq i64 {e.value(f'and i64 {target}, 2')}, 0")
        known = e.value(f"and i1 {known}, {even}")
    e.unless(known, f"{ok}j", bad)
    e.begin(f"{ok}j")
    cycle = _taken_cycle(e, block, Header.JUMP_LIMIT)
    e.write(last.rd, str(link(block, e.xlen)))
    e.save()
    _count_taken(e, block, cycle)
    e.set_frame_word(Header.ENTRY, e.value(f"zext i32 {e.value(f'sub i32 {entry}, 1')} to i64"))
    e.line("br label %dispatch")
    e.leave(bad, block.end_point, Reason.INTERPRET)
