"""A program's plan as one function in LLVM IR: ``void run(ptr frame)``."""

from pim.core.translate.emit_float import DECLARATIONS, FLOAT_OPS, emit_float, is_exact
from pim.core.translate.emit_flow import FLOW_OPS, emit_end, emit_head
from pim.core.translate.emit_integer import INTEGER_OPS, emit_integer
from pim.core.translate.emit_memory import MEMORY_OPS, emit_access
from pim.core.translate.emitter import EMPTY, FLOAT, LIKELY, TAGS, Emitter
from pim.core.translate.layout import Header, Layout
from pim.core.translate.plan import Block, Instruction, Kind, Plan
from pim.isa import Op
from pim.isa.encoding import REGISTER_FILES, RegisterFile

NAME = "run"
"""Symbol of the function."""

_ALWAYS = frozenset(map(int, INTEGER_OPS | MEMORY_OPS | FLOW_OPS))
_FLOAT = frozenset(map(int, FLOAT_OPS))


def is_native(it: Instruction, *, floating: bool) -> bool:
    """Tell whether an instruction becomes native code; ``floating`` if the program can't read the flags."""
    return it.op in _ALWAYS or (floating and it.op in _FLOAT and is_exact(it))


def function_text(plan: Plan, layout: Layout, xlen: int, n_parcels: int, *, has_short: bool) -> str:
    """Return the module's text."""
    e = Emitter(layout, xlen)
    e.line("%cycle = alloca i64")
    e.line(f"%x = load ptr, ptr %frame, !invariant.load !{EMPTY}")
    e.line(f"%f_at = getelementptr i8, ptr %frame, i64 {8 * Header.F}")
    e.line(f"%f = load ptr, ptr %f_at, !invariant.load !{EMPTY}")
    e.set_cycle(e.frame_word(Header.CYCLE))
    e.line("br label %dispatch")
    e.begin("dispatch")
    start = e.frame_word(Header.ENTRY)
    cases = [
        f"i64 {number}, label %p{number}{'r' if point.kind is Kind.SITE else ''}"
        for number, point in enumerate(plan.points)
        if point.kind in (Kind.HEAD, Kind.SITE)
    ]
    e.line(f"switch i64 {start}, label %nowhere [ {' '.join(cases)} ]")
    e.begin("nowhere")
    e.line("unreachable")
    for block in plan.blocks:
        _emit_block(e, plan, block, has_short, n_parcels)
    e.begin("exit")
    e.set_frame_word(Header.CYCLE, e.cycle())
    e.line("ret void")
    body = "\n".join(e.lines)
    return f"{DECLARATIONS}\ndefine void @{NAME}(ptr noalias %frame) nounwind {{\nentry:\n{body}\n}}\n{_metadata()}"


def _emit_block(e: Emitter, plan: Plan, block: Block, has_short: bool, n_parcels: int) -> None:
    e.forget_all()
    emit_head(e, block)
    needed = _needed(block)
    for n, it in enumerate(block.body):
        if it is block.last:
            break
        if it.is_access:
            number = block.sites[n]
            emit_access(e, it, number, plan.points[number], needed[n])
        elif it.op >= Op.FADD_S:
            emit_float(e, it)
        else:
            emit_integer(e, it)
    emit_end(e, plan, block, has_short, n_parcels)


def _needed(block: Block) -> list[set[int]]:
    """Return, before each instruction of a block, the registers that are read before they are written."""
    needed: set[int] = set()
    result = []
    for it in reversed(block.body):
        written, *read = _registers(it)
        needed = (needed - {written}) | {register for register in read if register}
        result.append(needed)
    return result[::-1]


def _registers(it: Instruction) -> list[int]:
    """Return the registers that an instruction writes (first) and reads, 0 where there is none."""
    numbers = (it.rd, it.rs1, it.rs2, it.rs3)
    shift = {RegisterFile.INTEGER: 0, RegisterFile.FLOAT: FLOAT}
    return [
        number + shift[file] if file != RegisterFile.NONE else 0
        for number, file in zip(numbers, map(RegisterFile, REGISTER_FILES[it.op]), strict=True)
    ]


def _metadata() -> str:
    """Return what tells the compiler that kinds of memory never overlap, and which ways are likely."""
    lines = ['!0 = !{!"scalein"}', f"!{EMPTY} = !{{}}", f'!{LIKELY} = !{{!"branch_weights", i32 2000, i32 1}}']
    for tag, number in TAGS.items():
        lines.append(f'!{number - 1} = !{{!"{tag}", !0, i64 0}}')
        lines.append(f"!{number} = !{{!{number - 1}, !{number - 1}, i64 0}}")
    return "\n".join(lines) + "\n"
