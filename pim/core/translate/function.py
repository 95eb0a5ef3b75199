"""A program's plan as one function in LLVM IR: ``i64 run(ptr frame)``, always 0."""

from functools import reduce
from operator import or_

from pim.core.translate import stacks
from pim.core.translate.emit_float import DECLARATIONS, FLOAT_OPS, emit_float, is_exact
from pim.core.translate.emit_flow import FLOW_OPS, emit_end, emit_head, emit_part, saver
from pim.core.translate.emit_integer import INTEGER_OPS, emit_integer
from pim.core.translate.emit_memory import MEMORY_OPS, emit_access
from pim.core.translate.emitter import EMPTY, LIKELY, TAGS, Emitter
from pim.core.translate.flow import make_flow
from pim.core.translate.layout import Header, Layout, Reason
from pim.core.translate.live import Values, register_values
from pim.core.translate.plan import Block, Instruction, Kind, Plan
from pim.isa import Op

NAME = "run"
"""Symbol of the function."""

MOST_IN_VALUES = 4000
"""Instructions of a program whose registers are values. Larger ones are written in memory only, which compiles
in two thirds of the time: theirs is seconds."""

_ALWAYS = frozenset(map(int, INTEGER_OPS | MEMORY_OPS | FLOW_OPS))
_FLOAT = frozenset(map(int, FLOAT_OPS))


def is_native(it: Instruction, *, floating: bool) -> bool:
    """Tell whether an instruction becomes native code; ``floating`` if the program can't read the flags."""
    return it.op in _ALWAYS or (floating and it.op in _FLOAT and is_exact(it))


def function_text(plan: Plan, layout: Layout, xlen: int, n_parcels: int) -> str:
    """Return the module's text."""
    flow = make_flow(plan)
    values = register_values(plan, flow)
    e = Emitter(layout, xlen)
    e.begins_in_memory = sum(len(block.body) for block in plan.blocks) > MOST_IN_VALUES
    e.is_resumed = not stacks.can_switch()
    e.line("%cycle = alloca i64")
    e.declare(reduce(or_, (own.live | own.part.written for own in values), 0))
    e.line(f"%x = load ptr, ptr %frame, !invariant.load !{EMPTY}")
    e.line(f"%f_at = getelementptr i8, ptr %frame, i64 {8 * Header.F}")
    e.line(f"%f = load ptr, ptr %f_at, !invariant.load !{EMPTY}")
    cycle, start = e.frame_word(Header.CYCLE), e.frame_word(Header.ENTRY)
    e.set_cycle(cycle)
    within = e.value(f"icmp sle i64 {cycle}, {e.frame_word(Header.LIMIT, is_fixed=True)}")
    e.unless(within, "dispatch", "late")
    e.leave_after("late", start, "exit")
    e.begin("dispatch")
    targets = {}
    for number, point in enumerate(plan.points):
        if point.kind is Kind.HEAD and point.block in flow.entered:
            targets[number] = f"{'m' if e.begins_in_memory else 'p'}{number}r"
        elif e.is_resumed and (point.kind is Kind.SITE or (point.kind is Kind.HEAD and point.block in flow.checked)):
            targets[number] = f"m{number}r"
    e.switch(e.frame_word(Header.ENTRY), targets)
    e.begin("nowhere")
    e.line("unreachable")
    for part in {own.part.number: own.part for own in values}.values():
        emit_part(e, part)
    for in_memory in (True,) if e.begins_in_memory else (False, True)[: 1 + e.is_resumed]:
        e.in_memory = in_memory
        for block in plan.blocks:
            own = values[block.number]
            emit_head(e, flow, block, plan.lines(block), own)
            _emit_body(e, plan, block, own)
            emit_end(e, plan, flow, block, own, n_parcels)
    e.begin("exit")
    e.line("ret i64 0")
    body = "\n".join(e.lines)
    frame = f"ptr noalias dereferenceable({8 * layout.words}) align 8 %frame"
    main = f"define i64 @{NAME}({frame}) nounwind {{\nentry:\n{body}\n}}"
    prefetch = "declare void @llvm.prefetch.p0(ptr, i32 immarg, i32 immarg, i32 immarg)"
    return "\n".join((DECLARATIONS, prefetch, _request_text(layout, xlen), main, _metadata()))


def _request_text(layout: Layout, xlen: int) -> str:
    """Return the function by which all points are served: it returns the cycle, or -1 if native code is to be left.

    It keeps the caller's integer registers, so that requests cost loops none. Native code only runs within the limit,
    which is then not negative: one comparison finds both a later cycle and -1.
    """
    e = Emitter(layout, xlen)
    for word, value in (
        (Header.POINT, "%point"),
        (Header.REASON, "%reason"),
        (Header.ADDRESS, "%address"),
    ):
        e.set_frame_word(word, value)
    serve = e.load("ptr", e.place("%frame", Header.SERVE), "frame")
    cycle = e.value(f"call i64 {serve}(ptr %frame, i64 %cycle)")
    e.unless(e.value(f"icmp ule i64 {cycle}, {e.frame_word(Header.LIMIT)}"), "on", "off")
    e.begin("on")
    e.line(f"ret i64 {cycle}")
    e.begin("off")
    e.line(f"br i1 {e.value(f'icmp slt i64 {cycle}, 0')}, label %left, label %late")
    e.begin("late")
    e.set_frame_word(Header.CYCLE, cycle)
    e.set_frame_word(Header.REASON, str(int(Reason.INTERPRET)))
    e.line("br label %left")
    e.begin("left")
    e.line("ret i64 -1")
    parameters = "ptr %frame, i64 %point, i64 %reason, i64 %address, i64 %cycle"
    body = "\n".join(e.lines)
    return f"define internal preserve_mostcc i64 @request({parameters}) noinline nounwind {{\n{body}\n}}"


def _emit_body(e: Emitter, plan: Plan, block: Block, values: Values) -> None:
    """Write a block's instructions, without the jump at its end."""
    e.entries = {}
    for n, it in enumerate(block.body):
        if it is block.last:
            break
        if it.is_access:
            number = block.sites[n]
            emit_access(e, it, number, plan.points[number], saver(e, values))
        elif it.op >= Op.FADD_S:
            emit_float(e, it)
        else:
            emit_integer(e, it)


def _metadata() -> str:
    """Return what tells the compiler that kinds of memory never overlap, and which ways are likely."""
    lines = ['!0 = !{!"scalein"}', f"!{EMPTY} = !{{}}", f'!{LIKELY} = !{{!"branch_weights", i32 2000, i32 1}}']
    for tag, number in TAGS.items():
        lines.append(f'!{number - 1} = !{{!"{tag}", !0, i64 0}}')
        lines.append(f"!{number} = !{{!{number - 1}, !{number - 1}, i64 0}}")
    return "\n".join(lines) + "\n"
