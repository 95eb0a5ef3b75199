"""Native code of loads and stores: what their entries stand for is done here, anything else leaves native code."""

from pim.core.translate.emitter import FLOAT, Emitter
from pim.core.translate.layout import Entry, Header, Reason
from pim.core.translate.plan import Instruction, Point
from pim.isa import Op

_KINDS = {
    Op.LB: ("i8", "sext"),
    Op.LBU: ("i8", "zext"),
    Op.LH: ("i16", "sext"),
    Op.LHU: ("i16", "zext"),
    Op.LW: ("i32", "sext"),
    Op.LWU: ("i32", "zext"),
    Op.LD: ("i64", ""),
    Op.FLW: ("i32", "zext"),
    Op.FLD: ("i64", ""),
}
_STORED = {Op.SB: "i8", Op.SH: "i16", Op.SW: "i32", Op.FSW: "i32", Op.SD: "i64", Op.FSD: "i64"}
NAN_BOX = -1 << 32

MEMORY_OPS = frozenset({*_KINDS, *_STORED})


def emit_access(e: Emitter, it: Instruction, number: int, point: Point, needed: set[int]) -> None:
    """Write a load or store, and the point before it."""
    label = f"p{number}"
    e.save()
    e.resumable(label, needed)
    address = e.value(f"add i64 {e.read(it.rs1)}, {it.imm}")
    if e.xlen == 32:
        address = e.value(f"and i64 {address}, 4294967295")
    entry = e.load("ptr", e.place("%frame", e.layout.site(point.site)), "frame")
    mask = e.frame_word(Header.MASK + point.shift, is_fixed=True)
    masked = e.value(f"and i64 {address}, {mask}")
    base = e.load("i64", e.place(entry, Entry.STORE_BASE if point.is_store else Entry.LOAD_BASE), "entries")
    e.unless(e.value(f"icmp eq i64 {masked}, {base}"), f"{label}d", f"{label}x")
    e.leave(f"{label}x", number, Reason.ACCESS, address)
    e.begin(f"{label}d")
    delta = e.load("i64", e.place(entry, Entry.DELTA), "entries")
    used_at = e.value(f"add i64 {e.cycle()}, {point.n}")
    e.store("i64", used_at, e.place(entry, Entry.USED_AT), "entries")
    place = e.value(f"inttoptr i64 {e.value(f'add i64 {address}, {delta}')} to ptr")
    if point.is_store:
        _store(e, it, place)
    else:
        _load(e, it, place)


def _store(e: Emitter, it: Instruction, place: str) -> None:
    kind = _STORED[Op(it.op)]
    value = e.read(it.rs2 + FLOAT if it.op >= Op.FSW else it.rs2)
    if kind != "i64":
        value = e.value(f"trunc i64 {value} to {kind}")
    e.store(kind, value, place, "guest")


def _load(e: Emitter, it: Instruction, place: str) -> None:
    kind, extend = _KINDS[Op(it.op)]
    value = e.load(kind, place, "guest")
    if extend:
        value = e.value(f"{extend} {kind} {value} to i64")
    if it.op == Op.FLW:
        value = e.value(f"or i64 {value}, {NAN_BOX}")
    e.write(it.rd + FLOAT if it.op >= Op.FLW else it.rd, value)
