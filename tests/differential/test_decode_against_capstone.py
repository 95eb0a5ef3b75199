"""Decoder and disassembler against capstone: every instruction of the table, random words, every 16-bit parcel."""

import random
from pathlib import Path

import numpy as np
import pytest

from pim.isa import Instruction, Op, decode_text, disassemble, load_elf
from pim.isa.disasm import CSR_NAMES
from pim.isa.encoding import ENCODINGS, Format
from tests.support.capstone_text import Capstone, decimal

XLENS = [32, 64]
SHIPPED = Path(__file__).parents[2] / "mapreduce" / "kernels" / "elf"
WORDS_PER_INSTRUCTION = 60
CSRS = [number for number, name in CSR_NAMES.items() if name.startswith("m")] + [0x015, 0x7C0]
"""Not the user-level ones, whose accesses capstone spells in many ways, and two without a name."""

EXACT_CONVERSIONS = {Op.FCVT_D_W, Op.FCVT_D_WU, Op.FCVT_D_S}
"""Capstone knows them with rounding mode 0 only; the manual leaves all six valid."""

OTHER_EXTENSIONS = {"sret", "uret", "hret", "dret", "sfence.vma", "hfence.vvma", "hfence.gvma", "fence.tso"}


def our_texts(words, xlen, size):
    """Return the text of each word, None where it is illegal; pc-relative targets as plain offsets."""
    text = b"".join(word.to_bytes(size, "little") for word in words)
    columns = [column[:: size // 2].tolist() for column in decode_text(text, xlen, "imafdc_zicsr_zifencei")[:-1]]
    texts = []
    for op, *operands in zip(*columns, strict=True):
        shown = decimal(disassemble(Instruction(Op(op), *operands), pc=0))
        texts.append(shown if op != Op.ILLEGAL else None)
    return texts


def words_of(row, xlen):
    """Return words of one instruction that capstone knows too, every other one with small register numbers."""
    source = random.Random(f"{row.op.name} {xlen}")
    for number in range(WORDS_PER_INSTRUCTION):
        free = source.getrandbits(32)
        if number % 2:
            free &= ~(source.choice([1, 3, 31]) << source.choice([7, 15, 20]))
        if row.format is Format.CSR:
            free = free & 0xFFFFF | source.choice(CSRS) << 20
        if row.format is Format.FENCE:
            free = free & 0x0FF00000  # capstone wants the ignored fields to be 0
        if row.op is Op.FENCE_I:
            free = 0
        if row.op in EXACT_CONVERSIONS:
            free &= ~0x7000
        elif "m" in row.syntax and free >> 12 & 7 in (5, 6):
            free ^= 0x4000
        mask = row.mask_for(xlen)
        yield row.match | free & ~mask


@pytest.mark.parametrize("xlen", XLENS)
def test_every_instruction_of_the_table_reads_the_same(xlen):
    capstone = Capstone(xlen)
    rows = [row for row in ENCODINGS.values() if row.min_xlen <= xlen]
    words = [word for row in rows for word in words_of(row, xlen)]
    for word, ours in zip(words, our_texts(words, xlen, 4), strict=True):
        assert ours is not None, hex(word)
        assert ours == capstone.text(word, 4), hex(word)


@pytest.mark.parametrize("xlen", XLENS)
def test_random_words_mean_the_same_or_are_unknown_to_both(xlen):
    source = random.Random(xlen)
    capstone = Capstone(xlen)
    opcodes = sorted({row.match & 0x7F for row in ENCODINGS.values()})
    words = [source.getrandbits(25) << 7 | source.choice(opcodes) for _ in range(30_000)]
    counts = {"same": 0, "unknown": 0}
    for word, ours in zip(words, our_texts(words, xlen, 4), strict=True):
        theirs = capstone.text(word, 4)
        opcode = word & 0x7F
        if opcode == 0x0F or (opcode == 0x73 and theirs is not None and "csr" in theirs):
            continue  # fields that capstone wants to be 0, and names of control registers: in the test above
        if theirs is None and ours is not None:
            assert ours.split()[0] in {op.mnemonic for op in EXACT_CONVERSIONS}, (hex(word), ours)
        elif ours is None and theirs is not None:
            long_shift = xlen == 32 and theirs.split()[0] in ("slli", "srli", "srai") and word >> 25 & 1
            assert long_shift or theirs.split()[0] in OTHER_EXTENSIONS, (hex(word), theirs)
        else:
            assert ours == theirs, hex(word)
            counts["same" if ours else "unknown"] += 1
    assert min(counts.values()) > 1000, counts


@pytest.mark.parametrize("xlen", XLENS)
def test_every_parcel_reads_the_same(xlen):
    capstone = Capstone(xlen)
    parcels = [parcel for parcel in range(1 << 16) if parcel & 3 != 3]
    differing = set()
    for parcel, ours in zip(parcels, our_texts(parcels, xlen, 2), strict=True):
        theirs = capstone.text(parcel, 2)
        if theirs == "c.unimp":
            theirs = None
        if ours != theirs:
            differing.add(parcel)
    assert differing == capstone_gaps(np.array(parcels), xlen)


def test_shipped_programs_read_the_same():
    """From the first instruction to the last, as a fetch in a straight line would see them."""
    programs = sorted(SHIPPED.glob("*.elf"))
    assert programs
    for path in programs:
        program = load_elf(path)
        decoded = decode_text(program.text, program.xlen, path.name.split("-")[1])
        capstone = Capstone(program.xlen)
        at = 0
        while at < len(program.text):
            op, *operands = (int(column[at >> 1]) for column in decoded[:-1])
            size = operands[-1]
            word = int.from_bytes(program.text[at : at + size], "little")
            ours = decimal(disassemble(Instruction(Op(op), *operands), pc=0))
            assert ours == capstone.text(word, size), (path.name, hex(program.text_address + at))
            at += size


def capstone_gaps(parcels, xlen):
    """Return the parcels where capstone departs from the manual's listing."""
    top, rd, rs2 = parcels >> 13 << 2 | parcels & 3, parcels >> 7 & 31, parcels >> 2 & 31
    low_immediate_is_zero = parcels & 0x107C == 0
    hints = (
        (top == 0b00001) & (rd == 0)  # c.nop with an immediate: shown without it, as is c.nop itself
        | (top == 0b01001) & (rd == 0)  # c.li, c.lui, c.slli, c.mv and c.add with rd = x0: not shown
        | (top == 0b01101) & (rd == 0) & ~low_immediate_is_zero
        | (top == 0b00010) & (rd == 0)
        | (top == 0b10010) & (rd == 0) & (rs2 != 0)
    )
    reserved = (top == 0b01101) & (rd != 0) & (rd != 2) & low_immediate_is_zero  # c.lui of 0: shown
    if xlen == 32:  # shift amounts of 32 and more: shown, but for those in `hints`
        shifts = (top == 0b00010) | (top == 0b10001) & (parcels >> 11 & 1 == 0)
        is_long = parcels >> 12 & 1 == 1
        reserved |= shifts & is_long
        hints &= ~(shifts & is_long & (top == 0b00010))
        reserved &= ~((top == 0b00010) & (rd == 0))
    return set(parcels[hints | reserved].tolist())
