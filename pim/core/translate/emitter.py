"""Writes LLVM IR as text: registers, the frame, and the core's cycle.

A guest register is a variable of the function, which the compiler turns into values; memory holds it where native code
is left or entered, and throughout what is written ``in_memory``. Addresses are those of opaque pointers.
"""

from pim.core.translate.layout import BlockWord, Entry, Header, Layout, Reason
from pim.core.translate.live import FLOAT, numbers

TAGS = {"registers": 2, "frame": 4, "entries": 6, "guest": 8, "stamps": 10}
"""What never overlaps: a store to one kind of memory changes no other's. Numbers of the module's metadata."""

EMPTY, LIKELY = 11, 12
"""Numbers of the metadata that marks what never changes, and a way that is mostly taken."""


class Emitter:
    """IR of one function, line by line; ``label`` is the block being written."""

    def __init__(self, layout: Layout, xlen: int) -> None:
        self.layout, self.xlen = layout, xlen
        self.lines: list[str] = []
        self.in_memory = False
        self.begins_in_memory = False  # whether there is nothing else
        self.is_resumed = True  # whether native code is entered where it was left for a request
        self.entries: dict[int, str] = {}  # what the block's accesses have used, by site, where it is a value
        self._n_values = 0

    def at(self, point: int) -> str:
        """Return the label of a point; there are two of a load or store, one in memory."""
        return f"{'m' if self.in_memory else 'p'}{point}"

    def line(self, text: str) -> None:
        """Append an instruction without a result."""
        self.lines.append(f"  {text}")

    def value(self, text: str) -> str:
        """Append an instruction, and return the name of its result."""
        self._n_values += 1
        name = f"%v{self._n_values}"
        self.lines.append(f"  {name} = {text}")
        return name

    def begin(self, label: str) -> None:
        """Begin a block of IR."""
        self.lines.append(f"{label}:")

    # ---- memory
    def load(self, kind: str, pointer: str, tag: str, extra: str = "") -> str:
        """Load a value of type ``kind``."""
        return self.value(f"load {kind}, ptr {pointer}, !tbaa !{TAGS[tag]}{extra}")

    def store(self, kind: str, value: str, pointer: str, tag: str) -> None:
        """Store a value of type ``kind``."""
        self.line(f"store {kind} {value}, ptr {pointer}, !tbaa !{TAGS[tag]}")

    def place(self, base: str, word: int) -> str:
        """Return the address of a word behind a pointer."""
        return self.value(f"getelementptr i8, ptr {base}, i64 {8 * word}")

    def frame_word(self, word: int, *, is_fixed: bool = False) -> str:
        """Load a word of the frame; ``is_fixed`` if native code can't change it."""
        return self.load("i64", self.place("%frame", word), "frame", f", !invariant.load !{EMPTY}" if is_fixed else "")

    def set_frame_word(self, word: int, value: str) -> None:
        """Store a word of the frame."""
        self.store("i64", value, self.place("%frame", word), "frame")

    def count(self, block: int, word: BlockWord, step: int = 1) -> None:
        """Add to a word of a block's record."""
        at = self.layout.block(block, word)
        self.set_frame_word(at, self.value(f"add i64 {self.frame_word(at)}, {step}"))

    # ---- registers
    def declare(self, registers: int) -> None:
        """Make the variables of a set of registers."""
        for register in numbers(registers):
            self.line(f"%r{register} = alloca {_kind(register)}")

    def read(self, register: int) -> str:
        """Return a register's value, an i64."""
        if register == 0:
            return "0"
        value = self._variable(register)
        return value if register < FLOAT else self.value(f"bitcast double {value} to i64")

    def read_double(self, number: int) -> str:
        """Return the value of a floating-point register as a double."""
        return self._variable(number + FLOAT)

    def write(self, register: int, value: str) -> None:
        """Set a register to an i64; x0 stays 0."""
        if register >= FLOAT:
            self.write_double(register - FLOAT, self.value(f"bitcast i64 {value} to double"))
        elif register:
            self._set_variable(register, value)

    def write_double(self, number: int, value: str) -> None:
        """Set a floating-point register to a double."""
        self._set_variable(number + FLOAT, value)

    def save(self, registers: int) -> None:
        """Store a set of registers to memory, if they are not there."""
        for register in numbers(registers) if not self.in_memory else ():
            self.store(_kind(register), self._variable(register), self._register_place(register), "registers")

    def reload(self, registers: int) -> None:
        """Load a set of registers from memory."""
        for register in numbers(registers):
            self._set_variable(register, self.load(_kind(register), self._register_place(register), "registers"))

    def _variable(self, register: int) -> str:
        if self.in_memory:
            return self.load(_kind(register), self._register_place(register), "registers")
        return self.value(f"load {_kind(register)}, ptr %r{register}")

    def _set_variable(self, register: int, value: str) -> None:
        if self.in_memory:
            self.store(_kind(register), value, self._register_place(register), "registers")
        else:
            self.line(f"store {_kind(register)} {value}, ptr %r{register}")

    def _register_place(self, register: int) -> str:
        return self.place("%f", register - FLOAT) if register >= FLOAT else self.place("%x", register)

    # ---- time
    def cycle(self) -> str:
        """Return the cycle at the block's start."""
        return self.value("load i64, ptr %cycle")

    def set_cycle(self, value: str) -> None:
        """Set the cycle at the block's start."""
        self.line(f"store i64 {value}, ptr %cycle")

    # ---- leaving
    def unless(self, condition: str, ok: str, bad: str) -> None:
        """Go on at label ``ok`` if ``condition`` holds, as it mostly does, else at ``bad``."""
        self.line(f"br i1 {condition}, label %{ok}, label %{bad}, !prof !{LIKELY}")

    def switch(self, value: str, targets: dict[int, str]) -> None:
        """Go to the label of a value, which is one of the ``targets``."""
        cases = " ".join(f"i64 {number}, label %{label}" for number, label in targets.items())
        self.line(f"switch i64 {value}, label %nowhere [ {cases} ]")

    def leave(self, label: str, point: int, block: int, to: str) -> None:
        """Write the block of IR that leaves native code for the interpreter, at a point before its block is over."""
        self.begin(label)
        self.count(block, BlockWord.ENTERED, -1)
        self._leave(point, Reason.INTERPRET, to)

    def leave_after(self, label: str, point: int | str, to: str) -> None:
        """Write the block of IR that leaves native code for the interpreter after a block."""
        self.begin(label)
        self._leave(point, Reason.INTERPRET, to)

    def request(
        self,
        label: str,
        point: int,
        block: int,
        reason: int,
        again: str,
        to: str,
        address: str,
        entry: str | None = None,
    ) -> None:
        """Write the block of IR that has a point served, and goes on at label ``again``, or else leaves native code.

        With the ``entry`` that a load or store used last, the host fetches its bytes into caches meanwhile, if they
        are in the same kind of memory: measured, random accesses run 1.4 to 2.2 times as fast.
        """
        self.begin(label)
        if entry is not None:
            delta = self.load("i64", self.place(entry, Entry.DELTA), "entries")
            place = self.value(f"inttoptr i64 {self.value(f'add i64 {address}, {delta}')} to ptr")
            self.line(f"call void @llvm.prefetch.p0(ptr {place}, i32 0, i32 3, i32 1)")
        arguments = f"ptr %frame, i64 {point}, i64 {int(reason)}, i64 {address}, i64 {self.cycle()}"
        cycle = self.value(f"call preserve_mostcc i64 @request({arguments})")
        self.set_cycle(cycle)
        self.unless(self.value(f"icmp sge i64 {cycle}, 0"), again, f"{label}x")
        self.begin(f"{label}x")
        self.count(block, BlockWord.ENTERED, -1)
        self.line(f"br label %{to}")

    def _leave(self, point: int | str, reason: Reason, to: str) -> None:
        """Say where and why native code is left, by label ``to``, which saves registers."""
        self.set_frame_word(Header.POINT, str(point))
        self.set_frame_word(Header.REASON, str(int(reason)))
        self.set_frame_word(Header.CYCLE, self.cycle())
        self.line(f"br label %{to}")

    # ---- widths
    def word(self, value: str) -> str:
        """Return the low 32 bits as i32."""
        return self.value(f"trunc i64 {value} to i32")

    def extended(self, value: str, kind: str = "i32", *, is_signed: bool = True) -> str:
        """Return a narrow integer as i64."""
        return self.value(f"{'sext' if is_signed else 'zext'} {kind} {value} to i64")


def _kind(register: int) -> str:
    return "double" if register >= FLOAT else "i64"
