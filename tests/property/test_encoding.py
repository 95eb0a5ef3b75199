"""What holds for every encoding: disjoint, complete, and undone by decoding."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pim.isa import Op, OpClass
from pim.isa.compressed import COMPRESSED_FORMS
from pim.isa.decode import decode
from pim.isa.encoding import ENCODINGS, OP_CLASSES, REGISTER_FILES, Format, RegisterFile
from pim.isa.extensions import SUPPORTED
from tests.support.assembler import assemble

ROWS = list(ENCODINGS.values())


def overlap(a_mask, a_match, b_mask, b_match):
    """Return whether some word fits both: no bit that both fix differs."""
    return (a_match ^ b_match) & a_mask & b_mask == 0


@pytest.mark.parametrize("xlen", [32, 64])
def test_no_word_is_two_instructions(xlen):
    rows = [row for row in ROWS if row.min_xlen <= xlen]
    clashes = [
        (a.op.name, b.op.name)
        for a, b in itertools.combinations(rows, 2)
        if overlap(a.mask_for(xlen), a.match, b.mask_for(xlen), b.match)
    ]
    assert clashes == []


@pytest.mark.parametrize("xlen", [32, 64])
def test_no_parcel_is_two_forms_but_where_a_rule_parts_them(xlen):
    forms = [form for form in COMPRESSED_FORMS if xlen in form.xlens]
    clashes = {
        (a.mnemonic, b.mnemonic)
        for a, b in itertools.combinations(forms, 2)
        if overlap(a.mask, a.match, b.mask, b.match)
    }
    parted_by_operands = {("c.jr", "c.mv"), ("c.jalr", "c.add"), ("c.ebreak", "c.jalr"), ("c.ebreak", "c.add")}
    assert clashes == {("c.lui", "c.addi16sp")} | parted_by_operands


def test_every_operation_has_one_row_in_order():
    assert list(ENCODINGS) == list(Op)[1:]
    assert [op.value for op in Op] == list(range(len(Op)))


def test_match_lies_within_mask():
    assert all(row.match & ~row.mask == 0 for row in ROWS)
    assert all(form.match & ~form.mask == 0 for form in COMPRESSED_FORMS)


def test_every_class_and_extension_is_used():
    assert set(OP_CLASSES.tolist()) == set(OpClass)
    assert {row.extension for row in ROWS} == set(SUPPORTED) - {"c"}


@pytest.mark.parametrize("op_class", [OpClass.LOAD, OpClass.STORE, OpClass.BRANCH, OpClass.AMO, OpClass.DIV])
def test_operations_of_a_class_are_neighbours(op_class):
    members = [row.op for row in ROWS if row.op_class is op_class]
    assert members == list(range(members[0], members[-1] + 1))


IMMEDIATES = {
    Format.I: st.integers(-(1 << 11), (1 << 11) - 1),
    Format.S: st.integers(-(1 << 11), (1 << 11) - 1),
    Format.B: st.integers(-(1 << 11), (1 << 11) - 1).map(lambda half: 2 * half),
    Format.J: st.integers(-(1 << 19), (1 << 19) - 1).map(lambda half: 2 * half),
    Format.U: st.integers(-(1 << 19), (1 << 19) - 1).map(lambda upper: upper << 12),
    Format.AMO: st.integers(0, 3),
    Format.CSR: st.integers(0, (1 << 12) - 1),
    Format.FENCE: st.integers(0, (1 << 12) - 1),
}


@st.composite
def instructions(draw):
    """Return (xlen, op, operands) of an instruction that exists."""
    row = draw(st.sampled_from(ROWS))
    xlen = draw(st.sampled_from([64, 32] if row.min_xlen == 32 else [64]))
    register = st.integers(0, 31)
    operands = {
        name: draw(register)
        for name, file in zip(("rd", "rs1", "rs2", "rs3"), REGISTER_FILES[row.op], strict=True)
        if file != RegisterFile.NONE
    }
    if row.format is Format.SHIFT:
        operands["imm"] = draw(st.integers(0, 31 if row.mask_for(xlen) >> 25 & 1 else 63))
    elif row.format in IMMEDIATES:
        operands["imm"] = draw(IMMEDIATES[row.format])
    if "m" in row.syntax:
        operands["rm"] = draw(st.sampled_from([0, 1, 2, 3, 4, 7]))
    if "Z" in row.syntax:
        operands["rs1"] = draw(register)
    return xlen, row.op, operands


@given(instructions())
def test_decoding_undoes_encoding(instruction):
    xlen, op, operands = instruction
    decoded = decode(assemble(op, **operands), xlen)
    expected = dict.fromkeys(("rd", "rs1", "rs2", "rs3", "rm", "imm"), 0) | operands | {"op": op, "size": 4}
    assert decoded._asdict() == expected


@given(st.integers(0, (1 << 32) - 1), st.sampled_from([32, 64]))
def test_illegal_words_keep_their_bits_and_nothing_else(word, xlen):
    decoded = decode(word, xlen)
    if decoded.op is Op.ILLEGAL:
        bits = word if word & 3 == 3 else word & 0xFFFF
        assert decoded == (Op.ILLEGAL, 0, 0, 0, 0, 0, bits, 4 if word & 3 == 3 else 2)
