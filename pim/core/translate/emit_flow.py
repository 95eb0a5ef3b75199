"""Native code of blocks' starts and ends: branches, jumps, and what counts instructions and cycles."""

from pim.core.settings import MEMORY_BASE
from pim.core.translate.emitter import EMPTY, Emitter
from pim.core.translate.flow import Flow
from pim.core.translate.layout import BlockWord, Header, Reason
from pim.core.translate.live import Part, Values, goes_by_memory, leaves_at_end
from pim.core.translate.plan import Block, End, Plan
from pim.isa import Op

_CONDITIONS = {Op.BEQ: "eq", Op.BNE: "ne", Op.BLT: "slt", Op.BGE: "sge", Op.BLTU: "ult", Op.BGEU: "uge"}

FLOW_OPS = frozenset({*_CONDITIONS, Op.JAL, Op.JALR})


def emit_head(e: Emitter, flow: Flow, block: Block, lines: range, values: Values) -> None:
    """Write a block's start: where native code begins (``r``), where registers come from memory (``m``), and the check.

    The check is that the block's lines are in the instruction buffer. If native code that was left there is resumed, it
    goes on with registers in memory, unless it can begin there.
    """
    label, is_checked, begins = e.at(block.head), block.number in flow.checked, block.number in flow.entered
    if begins and e.in_memory == e.begins_in_memory:
        first = label if e.in_memory else f"{label}m"
        e.begin(f"{label}r")
        e.count(block.number, BlockWord.ENTERED)
        if is_checked:
            e.line(f"br label %{first}")
        else:
            _check(e, block, lines, first, "exit")
    if begins and not e.in_memory:
        e.begin(f"{label}m")
        e.reload(values.live)
        e.line(f"br label %{label}")
    if is_checked and not begins and e.in_memory and e.is_resumed:
        e.begin(f"{label}r")
        e.count(block.number, BlockWord.ENTERED)
        e.line(f"br label %{label}")
    e.begin(label)
    if is_checked:
        _check(e, block, lines, f"{label}d", saver(e, values))
        e.begin(f"{label}d")


def emit_part(e: Emitter, part: Part) -> None:
    """Write how the registers of a part are saved where native code is left."""
    e.begin(f"save{part.number}")
    e.save(part.written)
    e.line("br label %exit")


def saver(e: Emitter, values: Values) -> str:
    """Return the label by which native code is left in a block: there registers are saved that are not in memory."""
    return "exit" if e.in_memory else f"save{values.part.number}"


def _check(e: Emitter, block: Block, lines: range, ok: str, to: str) -> None:
    """Go on at label ``ok`` if a block's lines are in the instruction buffer, else request them."""
    missing, bad = e.frame_word(e.layout.line_at + lines[0]), f"{e.at(block.head)}x"
    for line in lines[1:]:
        missing = e.value(f"or i64 {missing}, {e.frame_word(e.layout.line_at + line)}")
    e.unless(e.value(f"icmp eq i64 {missing}, 0"), ok, bad)
    address = MEMORY_BASE + 2 * block.body[0].parcel + (len(lines) - 1)
    e.request(bad, block.head, block.number, Reason.FETCH, ok, to, str(address))


def emit_end(e: Emitter, plan: Plan, flow: Flow, block: Block, values: Values, n_parcels: int) -> None:
    """Write a block's end."""
    last, label = block.last, e.at(block.end_point)
    match block.end:
        case End.LEAVE:
            e.line(f"br label %{label}x")
        case End.FALL:
            _go(e, plan, flow, block, values, is_taken=False)
        case End.JALR:
            _emit_jalr(e, plan, block, values, n_parcels)
        case End.JAL:
            _go(e, plan, flow, block, values, is_taken=True)
        case End.BRANCH:
            assert last is not None, block.number
            condition = e.value(f"icmp {_CONDITIONS[Op(last.op)]} i64 {e.read(last.rs1)}, {e.read(last.rs2)}")
            e.line(f"br i1 {condition}, label %{label}t, label %{label}f")
            e.begin(f"{label}f")
            _go(e, plan, flow, block, values, is_taken=False)
            e.begin(f"{label}t")
            _go(e, plan, flow, block, values, is_taken=True)
    if leaves_at_end(plan, flow, block):
        e.leave(f"{label}x", block.end_point, block.number, saver(e, values))


def link(block: Block, xlen: int) -> int:
    """Return what a jump leaves in rd."""
    address = MEMORY_BASE + 2 * block.following
    return address if xlen == 64 else (address ^ 1 << 31) - (1 << 31)


def _go(e: Emitter, plan: Plan, flow: Flow, block: Block, values: Values, *, is_taken: bool) -> None:
    """Write the way from a block's end to the next block."""
    target, last = plan.successor(block, is_taken=is_taken), block.last
    if target is None and is_taken:
        e.line(f"br label %{e.at(block.end_point)}x")
        return
    ok = f"{e.at(block.end_point)}{'u' if is_taken else 'g'}"
    cycle = _next_cycle(e, block, is_taken=is_taken)
    if flow.is_retreating(block.number, is_taken=is_taken):
        _within_limit(e, block, cycle, ok)
    e.set_cycle(cycle)
    if (block.number, is_taken) in flow.counted:
        e.count(block.number, BlockWord.TAKEN_COUNT if is_taken else BlockWord.FALL_COUNT)
    if target is None:
        e.line(f"br label %{e.at(block.after_point)}x")
        e.leave_after(f"{e.at(block.after_point)}x", block.after_point, saver(e, values))
        return
    if goes_by_memory(block):
        assert last is not None, block.number
        e.write(last.rd, str(link(block, e.xlen)))
        e.save(values.dirty)
    by_memory = e.in_memory or goes_by_memory(block)
    if by_memory and target.number in flow.entered and not e.begins_in_memory:
        e.line(f"br label %p{target.head}m")
    else:
        e.line(f"br label %{e.at(target.head)}")


def _next_cycle(e: Emitter, block: Block, *, is_taken: bool) -> str:
    """Return the cycle behind a block."""
    word = BlockWord.TAKEN_CYCLES if is_taken else BlockWord.FALL_CYCLES
    return e.value(f"add i64 {e.cycle()}, {e.frame_word(e.layout.block(block.number, word), is_fixed=True)}")


def _within_limit(e: Emitter, block: Block, cycle: str, ok: str) -> None:
    """Leave native code before a branch or jump past the limit; else go on at label ``ok``."""
    within = e.value(f"icmp sle i64 {cycle}, {e.frame_word(Header.LIMIT, is_fixed=True)}")
    e.unless(within, ok, f"{e.at(block.end_point)}x")
    e.begin(ok)


def _emit_jalr(e: Emitter, plan: Plan, block: Block, values: Values, n_parcels: int) -> None:
    last = block.last
    assert last is not None, block.number
    ok = e.at(block.end_point)
    bad = f"{ok}x"
    target = e.value(
        f"and i64 {e.value(f'add i64 {e.read(last.rs1)}, {last.imm}')}, {-2 if e.xlen == 64 else 0xFFFFFFFE}"
    )
    place = e.value(f"lshr i64 {e.value(f'sub i64 {target}, {MEMORY_BASE}')}, 1")
    e.unless(e.value(f"icmp ult i64 {place}, {n_parcels}"), f"{ok}i", bad)
    e.begin(f"{ok}i")
    jumps = e.load("ptr", e.place("%frame", Header.JUMPS), "frame", f", !invariant.load !{EMPTY}")
    entry = e.load("i32", e.value(f"getelementptr i32, ptr {jumps}, i64 {place}"), "frame")
    known = e.value(f"icmp ne i32 {entry}, 0")
    if not plan.has_short:
        even = e.value(f"icmp eq i64 {e.value(f'and i64 {target}, 2')}, 0")
        known = e.value(f"and i1 {known}, {even}")
    e.unless(known, f"{ok}j", bad)
    e.begin(f"{ok}j")
    cycle = _next_cycle(e, block, is_taken=True)
    _within_limit(e, block, cycle, f"{ok}k")
    e.write(last.rd, str(link(block, e.xlen)))
    e.save(values.dirty)
    e.count(block.number, BlockWord.TAKEN_COUNT)
    e.set_cycle(cycle)
    e.set_frame_word(Header.ENTRY, e.value(f"zext i32 {e.value(f'sub i32 {entry}, 1')} to i64"))
    e.line("br label %dispatch")
