"""The random instructions of `tests.support.random_programs`, drawn from the tables of operations and forms."""

import random
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from pim.isa import Op, OpClass
from pim.isa.compressed import CompressedForm
from pim.isa.csr import Csr
from pim.isa.encoding import ENCODINGS
from tests.support.assembly import Assembly
from tests.support.compressed_assembler import SHORT_FIELDS, assemble_compressed, forms, immediate_places

NOT_RANDOM = {
    **dict.fromkeys((Op.ECALL,), "ends every program"),
    **dict.fromkeys((Op.EBREAK, Op.MRET), "need a trap handler"),
    Op.WFI: "the emulator sleeps",
}
"""Operations left out of random programs, and why."""

_MEMORY = (OpClass.LOAD, OpClass.STORE)
_DYNAMIC = 7
_WIDTHS = {"b": 1, "h": 2, "w": 4, "d": 8}


class Reserved(NamedTuple):
    """Registers with a fixed meaning in one program."""

    stack: int  # x2
    base: int
    short: int  # one of x8 to x15
    far: int  # middle of a large space for computed addresses
    loop: int  # loop counter


class Body:
    """Appends random instructions to an assembly."""

    def __init__(self, rng: random.Random, text: Assembly, reserved: Reserved, floating: bool, atomics: bool) -> None:
        self._rng, self._text, self._reserved = rng, text, reserved
        self._free = [x for x in range(32) if x not in reserved]
        self._shifts = (52, 52, 54, 57) if text.xlen == 64 else (20, 20, 22, 25)
        self._n_labels = 0
        extensions = ("i", "m", "zicsr", "zifencei", *("fda" if floating else "a" if atomics else ""))
        self._choices: list[Callable[[], None]] = []
        for op, row in ENCODINGS.items():
            if op not in NOT_RANDOM and row.extension in extensions and row.min_xlen <= text.xlen:
                self._choices += [self._writer(op)] * (3 if row.op_class in _MEMORY else 1)
        for form in forms(text.xlen).values():
            if form.op not in NOT_RANDOM and (floating or form.op not in (Op.FLW, Op.FSW, Op.FLD, Op.FSD)):
                self._choices.append(partial(self._compressed, form))

    def block(self, number: int, length: int) -> None:
        """Append about ``length`` instructions, repeated a few times."""
        loop = self._reserved.loop
        self._text.op(Op.ADDI, rd=loop, imm=self._rng.choice((1, 1, 2, 5, 9)))
        self._text.label(f"loop {number}")
        for _ in range(length):
            self._rng.choice(self._choices)()
        self._text.op(Op.ADDI, rd=loop, rs1=loop, imm=-1)
        self._text.op(Op.BNE, f"loop {number}", rs1=loop)

    def jump(self, target: str, near: bool = False) -> None:
        """Append one of the ways to go to a label."""
        register = self._rng.choice([x for x in self._free if x])
        match self._rng.choice(("jal", "jalr", "c.jr", "c.jalr", *(("c.j",) if near else ()))):
            case "jal":
                self._text.op(Op.JAL, target, rd=self._target())
            case "c.j":
                self._text.c("c.j", target)
            case "jalr":
                offset = self._rng.choice((0, 6, -2046, 2046, 1, 7))  # the lowest bit of the sum is dropped
                self._text.address_of(register, target)
                self._text.op(Op.ADDI, rd=register, rs1=register, imm=-(offset & -2))
                self._text.op(Op.JALR, rd=self._target(), rs1=register, imm=offset)
            case mnemonic:
                if mnemonic == "c.jalr" and 1 in self._reserved:
                    mnemonic = "c.jr"
                self._text.address_of(register, target)
                self._text.c(mnemonic, rs1=register, rd=register)

    def _writer(self, op: Op) -> Callable[[], None]:  # noqa: PLR0911 - one return per kind
        row = ENCODINGS[op]
        match row.op_class:
            case OpClass.LOAD | OpClass.STORE:
                return partial(self._memory, op)
            case OpClass.BRANCH:
                return partial(self._branch, op)
            case OpClass.JUMP:
                return self._skip
            case OpClass.AMO:
                return partial(self._atomic, op)
            case OpClass.CSR:
                return partial(self._csr, op)
            case OpClass.FENCE:
                return partial(self._text.op, op, **({"imm": 0xFF} if op is Op.FENCE else {}))
        if op in (Op.FMV_W_X, Op.FMV_D_X):
            return partial(self._move_there_and_back, op)
        return partial(self._plain, op)

    def _target(self) -> int:
        return self._rng.choice(self._free)

    def _source(self) -> int:
        return self._rng.randrange(32)

    def _number(self, letter: str) -> int:
        """Return a floating-point register of the kind that an operand has."""
        return self._rng.randrange(16) + (16 if letter == "s" else 0)

    def _plain(self, op: Op) -> None:
        """Append an operation on registers, its operands as the table's syntax lists them."""
        row, operands = ENCODINGS[op], {}
        kinds = op.mnemonic.split(".")[1:]
        for code in row.syntax:
            match code:
                case "d":
                    operands["rd"] = self._target()
                case "s" | "t":
                    operands["rs1" if code == "s" else "rs2"] = self._source()
                case "D":
                    operands["rd"] = self._number(kinds[0])
                case "S" | "T" | "R":
                    operands[{"S": "rs1", "T": "rs2", "R": "rs3"}[code]] = self._number(kinds[-1])
                case "m":
                    operands["rm"] = self._rng.choice((*range(5), _DYNAMIC))
                case "j":
                    operands["imm"] = self._rng.choice((-2048, 2047, -1, 0, 1, self._rng.randrange(-2048, 2048)))
                case ">":
                    operands["imm"] = self._rng.randrange(32 if row.mask_for(self._text.xlen) >> 25 & 1 else 64)
                case "u":
                    operands["imm"] = self._rng.choice((0, 0x7FFFF000, -0x80000000, self._rng.getrandbits(20) << 12))
        self._text.op(op, **operands)

    def _move_there_and_back(self, op: Op) -> None:
        """Append a move of a number to an integer register and back, so that no signaling NaN comes up."""
        kind, register = ("s", self._target()) if op is Op.FMV_W_X else ("d", self._target())
        back = Op.FMV_X_W if op is Op.FMV_W_X else Op.FMV_X_D
        self._text.op(back, rd=register, rs1=self._number(kind))
        self._text.op(op, rd=self._number(kind), rs1=register)

    def _memory(self, op: Op) -> None:
        width, is_store = _width(op), ENCODINGS[op].op_class is OpClass.STORE
        pointer = self._reserved.base
        if op in (Op.FLW, Op.FSW):
            register, offset = self._number("s"), self._rng.randrange(1280, 1536, width)
        elif op in (Op.FLD, Op.FSD):
            register, offset = self._number("d"), self._rng.randrange(1024, 1280, width)
        else:
            register = self._source() if is_store else self._target()
            offset = self._rng.randrange(-2048, 1024, width)
            if self._rng.random() < 0.5:
                pointer, offset = self._computed_pointer(), self._rng.randrange(-2048, 2048, width)
        self._text.op(op, rs1=pointer, imm=offset, **{"rs2" if is_store else "rd": register})

    def _atomic(self, op: Op) -> None:
        """Append an AMO, a load-reserved with its store-conditional, or a store-conditional alone, which fails."""
        reserved = self._reserved
        pointer = self._rng.choice((reserved.base, reserved.short, reserved.stack, None)) or self._computed_pointer()
        if op in (Op.LR_W, Op.LR_D):
            kept = self._rng.choice([x for x in self._free if x != pointer])
            self._text.op(op, rd=kept, rs1=pointer, imm=self._ordering())
            op = Op.SC_W if op is Op.LR_W else Op.SC_D
        self._text.op(op, rd=self._target(), rs1=pointer, rs2=self._source(), imm=self._ordering())

    def _csr(self, op: Op) -> None:
        """Append an access to the register that only holds what is written: counters differ, traps are tested apart."""
        self._text.op(op, rd=self._target(), rs1=self._source(), imm=Csr.MSCRATCH)

    def _ordering(self) -> int:
        """Return aq and rl: mostly none, as they write back all that is dirty."""
        return self._rng.choice((0, 0, 0, 1, 2, 3))

    def _computed_pointer(self) -> int:
        """Append what makes an address in 32 KB out of any register's upper bits or a product; return its register."""
        pointer = self._rng.choice([x for x in self._free if x])
        self._text.op(Op.SRLI, rd=pointer, rs1=self._source(), imm=self._rng.choice(self._shifts))
        self._text.op(Op.ANDI, rd=pointer, rs1=pointer, imm=2047)
        self._text.op(Op.SLLI, rd=pointer, rs1=pointer, imm=self._rng.choice((3, 4)))
        self._text.op(Op.ADD, rd=pointer, rs1=pointer, rs2=self._reserved.far)
        return pointer

    def _branch(self, op: Op) -> None:
        same = self._rng.random() < 0.2
        left = self._source()
        label = self._new_label()
        self._text.op(op, label, rs1=left, rs2=left if same else self._source())
        self._some_that_may_be_skipped(label)

    def _skip(self) -> None:
        label = self._new_label()
        self.jump(label)
        self._some_that_may_be_skipped(label)

    def _some_that_may_be_skipped(self, label: str) -> None:
        for _ in range(self._rng.randrange(1, 5)):  # one at least: a trace shows whether a branch was taken
            self._plain(self._rng.choice((Op.ADD, Op.SUB, Op.XOR, Op.MUL, Op.ADDI, Op.LUI, Op.AUIPC, Op.SRAI)))
        self._text.label(label)

    def _new_label(self) -> str:
        self._n_labels += 1
        return f"skip {self._n_labels}"

    def _compressed(self, form: CompressedForm) -> None:
        if ENCODINGS[form.op].op_class in (OpClass.JUMP, OpClass.BRANCH):
            self._compressed_jump(form)
            return
        while True:  # some operands are reserved: draw again
            registers, imm = self._compressed_registers(form), self._compressed_immediate(form)
            try:
                assemble_compressed(form, imm=imm, **registers)
            except ValueError:
                continue
            break
        self._text.c(form.mnemonic, imm=imm, **registers)
        if form.mnemonic == "c.addi16sp":
            self._text.op(Op.ADDI, rd=self._reserved.stack, rs1=self._reserved.stack, imm=-imm)

    def _compressed_registers(self, form: CompressedForm) -> dict[str, int]:
        """Return a register for each operand that the form lets choose."""
        is_memory, is_number = ENCODINGS[form.op].op_class in _MEMORY, form.op in (Op.FLD, Op.FSD)
        registers: dict[str, int] = {}
        for role in ("rs2", "rs1", "rd"):  # rd last: it decides where an operand is both source and target
            field = getattr(form, role)
            if not isinstance(field, str):
                continue
            allowed: Iterable[int] = range(32) if role != "rd" else self._free
            if is_memory and role == "rs1":
                allowed = [self._reserved.short]
            elif is_number:
                allowed = range(16)
            registers[role] = self._rng.choice([x for x in allowed if field not in SHORT_FIELDS or 8 <= x <= 15])
        return registers

    def _compressed_immediate(self, form: CompressedForm) -> int:
        """Return a random immediate; integers and doubles have separate places behind the pointers."""
        if ENCODINGS[form.op].op_class in _MEMORY:
            middle = 256 if form.rs1 == self._reserved.stack else 128
            first = middle if form.op in (Op.FLD, Op.FSD) else 0
            return self._rng.randrange(first, first + middle, _width(form.op))
        imm = sum(1 << place for place in immediate_places(form) if self._rng.random() < 0.5)
        sign = 1 << form.signed_width - 1 if form.signed_width else 0
        return (imm ^ sign) - sign

    def _compressed_jump(self, form: CompressedForm) -> None:
        label = self._new_label()
        if form.op is Op.JALR or (form.mnemonic == "c.jal" and 1 in self._reserved):
            self.jump(label)
        else:
            registers = {"rs1": self._rng.randrange(8, 16)} if form.op is not Op.JAL else {}
            self._text.c(form.mnemonic, label, **registers)
        self._some_that_may_be_skipped(label)


def _width(op: Op) -> int:
    """Return the bytes that a load or store moves."""
    return _WIDTHS[op.mnemonic.removeprefix("f").removesuffix("u")[-1]]
