"""Writes LLVM IR as text: registers, the frame, and the core's cycle.

A guest register is loaded where a block first reads it and stored before the next point at which native code may be
left, so that memory holds all registers at each point. Addresses are those of opaque pointers.
"""

from pim.core.translate.layout import Header, Layout, Reason

FLOAT = 32
"""Number of f0 among the registers; x0 is 0."""

TAGS = {"registers": 2, "frame": 4, "entries": 6, "guest": 8, "stamps": 10}
"""What never overlaps: a store to one kind of memory changes no other's. Numbers of the module's metadata."""

EMPTY, LIKELY = 11, 12
"""Numbers of the metadata that marks what never changes, and a way that is mostly taken."""


class Emitter:
    """IR of one function, line by line; ``label`` is the block being written."""

    def __init__(self, layout: Layout, xlen: int) -> None:
        self.layout, self.xlen = layout, xlen
        self.lines: list[str] = []
        self.label = "entry"
        self.known: dict[int, str] = {}  # values of registers
        self.unsaved: set[int] = set()
        self._n_values = 0

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
        self.label = label

    def forget_all(self) -> None:
        """Begin a block of the program: no register is known."""
        self.known.clear()
        self.unsaved.clear()

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

    def count(self, word: int) -> None:
        """Add 1 to a word of the frame."""
        self.set_frame_word(word, self.value(f"add i64 {self.frame_word(word)}, 1"))

    # ---- registers
    def read(self, register: int) -> str:
        """Return a register's value, an i64."""
        if register == 0:
            return "0"
        if register not in self.known:
            self.known[register] = self._load_register(register)
        return self.known[register]

    def write(self, register: int, value: str) -> None:
        """Set a register; x0 stays 0."""
        if register:
            self.known[register] = value
            self.unsaved.add(register)

    def save(self) -> None:
        """Store what registers hold that memory doesn't yet."""
        for register in sorted(self.unsaved):
            self.store("i64", self.known[register], self._register_place(register), "registers")
        self.unsaved.clear()

    def _register_place(self, register: int) -> str:
        base, number = ("%f", register - FLOAT) if register >= FLOAT else ("%x", register)
        return self.place(base, number)

    def _load_register(self, register: int) -> str:
        return self.load("i64", self._register_place(register), "registers")

    def resumable(self, label: str, needed: set[int]) -> None:
        """Begin a block of IR that is also entered from outside, by ``<label>r``; keep the ``needed`` registers."""
        before, kept = self.label, {r: v for r, v in self.known.items() if r in needed}
        self.line(f"br label %{label}")
        self.begin(f"{label}r")
        again = {register: self._load_register(register) for register in kept}
        self.line(f"br label %{label}")
        self.begin(label)
        self.known = {
            register: self.value(f"phi i64 [ {value}, %{before} ], [ {again[register]}, %{label}r ]")
            for register, value in kept.items()
        }

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

    def leave(self, label: str, point: int, reason: Reason, address: str | None = None) -> None:
        """Write the block of IR that leaves native code at a point."""
        self.begin(label)
        self.set_frame_word(Header.POINT, str(point))
        self.set_frame_word(Header.REASON, str(int(reason)))
        if address is not None:
            self.set_frame_word(Header.ADDRESS, address)
        self.line("br label %exit")

    # ---- widths
    def word(self, value: str) -> str:
        """Return the low 32 bits as i32."""
        return self.value(f"trunc i64 {value} to i32")

    def extended(self, value: str, kind: str = "i32", *, is_signed: bool = True) -> str:
        """Return a narrow integer as i64."""
        return self.value(f"{'sext' if is_signed else 'zext'} {kind} {value} to i64")
