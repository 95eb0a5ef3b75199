"""Native code of loads and stores: what their entries stand for is done here, anything else leaves native code."""

from pim.core.translate.emitter import Emitter
from pim.core.translate.layout import HEADER_WORDS, TABLE_WORDS, BlockWord, Entry, Header, access_bits
from pim.core.translate.live import FLOAT
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


def emit_access(e: Emitter, it: Instruction, number: int, point: Point, to: str) -> None:
    """Write a load or store, and the point before it, which native code is left from by label ``to``.

    If native code that was left there is resumed, it goes on with registers in memory.
    """
    label = e.at(number)
    e.line(f"br label %{label}")
    if e.in_memory and e.is_resumed:
        e.begin(f"{label}r")
        e.count(point.block, BlockWord.ENTERED)
        e.line(f"br label %{label}")
    e.begin(label)
    address = e.value(f"add i64 {e.read(it.rs1)}, {it.imm}")
    if e.xlen == 32:
        address = e.value(f"and i64 {address}, 4294967295")
    masked = e.value(f"and i64 {address}, {e.frame_word(Header.MASK + point.shift, is_fixed=True)}")
    entry = _entry(e, point, number, address, masked, to)
    delta = e.load("i64", e.place(entry, Entry.DELTA), "entries")
    used_at = e.value(f"add i64 {e.cycle()}, {point.n}")
    e.store("i64", used_at, e.load("ptr", e.place(entry, Entry.USED), "entries"), "stamps")
    place = e.value(f"inttoptr i64 {e.value(f'add i64 {address}, {delta}')} to ptr")
    if point.is_store:
        _store(e, it, place)
    else:
        _load(e, it, place)


def _entry(e: Emitter, point: Point, number: int, address: str, masked: str, to: str) -> str:
    """Return the entry that stands for an access: what it used last, or what the table has; else leaves native code."""
    label, base = e.at(number), Entry.STORE_BASE if point.is_store else Entry.LOAD_BASE
    site = e.place("%frame", e.layout.site(point.site))
    last = e.entries.get(point.site) or e.load("ptr", site, "frame")
    matches = e.value(f"icmp eq i64 {masked}, {e.load('i64', e.place(last, base), 'entries')}")
    e.unless(matches, f"{label}d", f"{label}t")
    e.begin(f"{label}t")
    sector = e.value(f"lshr i64 {address}, {e.frame_word(Header.SECTOR_SHIFT, is_fixed=True)}")
    place = e.value(f"and i64 {sector}, {TABLE_WORDS - 1}")
    word = e.value(f"getelementptr [8 x i8], ptr %frame, i64 {e.value(f'add i64 {place}, {HEADER_WORDS}')}")
    other = e.load("ptr", word, "frame")
    matches = e.value(f"icmp eq i64 {masked}, {e.load('i64', e.place(other, base), 'entries')}")
    e.unless(matches, f"{label}u", f"{label}x")
    e.begin(f"{label}u")
    e.store("ptr", other, site, "frame")
    e.line(f"br label %{label}d")
    reason = access_bits(point.access, point.site, point.shift, is_store=point.is_store)
    e.request(f"{label}x", number, point.block, reason, label, to, address, last)
    e.begin(f"{label}d")
    entry = e.value(f"phi ptr [ {last}, %{label} ], [ {other}, %{label}u ]")
    if not e.in_memory:
        e.entries[point.site] = entry
    return entry


def _store(e: Emitter, it: Instruction, place: str) -> None:
    kind = _STORED[Op(it.op)]
    if it.op == Op.FSD:
        e.store("double", e.read_double(it.rs2), place, "guest")
        return
    value = e.read(it.rs2 + FLOAT if it.op >= Op.FSW else it.rs2)
    if kind != "i64":
        value = e.value(f"trunc i64 {value} to {kind}")
    e.store(kind, value, place, "guest")


def _load(e: Emitter, it: Instruction, place: str) -> None:
    kind, extend = _KINDS[Op(it.op)]
    if it.op == Op.FLD:
        e.write_double(it.rd, e.load("double", place, "guest"))
        return
    value = e.load(kind, place, "guest")
    if extend:
        value = e.value(f"{extend} {kind} {value} to i64")
    if it.op == Op.FLW:
        value = e.value(f"or i64 {value}, {NAN_BOX}")
    e.write(it.rd + FLOAT if it.op >= Op.FLW else it.rd, value)
