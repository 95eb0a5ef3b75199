import numpy as np
import pytest

from pim.errors import ConfigError
from pim.isa import Instruction, Op, OpClass, decode_text, disassemble
from pim.isa.decode import decode


@pytest.mark.parametrize(
    ("word", "text"),
    [
        (0x00150513, "addi a0, a0, 1"),
        (0xFE010113, "addi sp, sp, -32"),
        (0x02A5E633, "rem a2, a1, a0"),
        (0x0085B503, "ld a0, 8(a1)"),
        (0x00A5B423, "sd a0, 8(a1)"),
        (0x30051073, "csrrw zero, mstatus, a0"),
        (0x00A5A52F, "amoadd.w a0, a0, (a1)"),
        (0x0FF0000F, "fence iorw, iorw"),
        (0x00000073, "ecall"),
        (0x02B57553, "fadd.d fa0, fa0, fa1"),
        (0xC2051553, "fcvt.w.d a0, fa0, rtz"),
        (0x4501, "addi a0, zero, 0"),
        (0x8082, "jalr zero, 0(ra)"),
        (0x0000, ".2byte 0x0000"),
    ],
)
def test_disassembly_reads_like_gnu(word: int, text: str) -> None:
    assert disassemble(word) == text


def test_branch_target_is_absolute_when_the_address_is_known() -> None:
    beq = 0x00B50863  # beq a0, a1, +16
    assert disassemble(beq) == "beq a0, a1, . +16"
    assert disassemble(beq, pc=0x8000_0000) == "beq a0, a1, 0x80000010"


def test_every_parcel_gets_an_entry() -> None:
    text = (0x00150513).to_bytes(4, "little") + (0x4501).to_bytes(2, "little")
    decoded = decode_text(text, 64, "rv64imc")
    assert decoded.op.tolist() == [Op.ADDI, decode(0x0015, 64).op, Op.ADDI]
    assert decoded.size.tolist() == [4, 2, 2]
    assert decoded.rd.tolist()[::2] == [10, 10]
    assert decoded.imm.tolist()[::2] == [1, 0]
    assert decoded.op_class.tolist()[::2] == [OpClass.ALU, OpClass.ALU]


def test_instruction_cut_off_by_the_end_is_illegal() -> None:
    decoded = decode_text((0x00150513).to_bytes(4, "little")[:2], 64, "i")
    assert decoded.op.tolist() == [Op.ILLEGAL]


def test_empty_text_decodes_to_nothing() -> None:
    assert all(len(column) == 0 for column in decode_text(b"", 64, "rv64imc"))


@pytest.mark.parametrize(
    ("word", "without", "with_it"),
    [
        (0x02B50533, "rv64i", "rv64im"),  # mul
        (0x4501, "rv64im", "rv64imc"),  # c.li
        (0x02B57553, "rv64imfc", "rv64imdc"),  # fadd.d
        (0x00B57553, "rv64imc", "rv64imfc"),  # fadd.s
        (0x2108, "rv64imfc", "rv64imdc"),  # c.fld
        (0x00A5A52F, "rv64imc", "rv64imac"),  # amoadd.w
        (0x30051073, "rv64imc", "rv64imc_zicsr"),  # csrrw
        (0x30051073, "rv64imc", "rv64imfc"),  # csrrw comes with F
        (0x0000100F, "rv64imc", "rv64gc"),  # fence.i
    ],
)
def test_missing_extension_makes_an_instruction_illegal(word: int, without: str, with_it: str) -> None:
    illegal = decode(word, 64, without)
    assert illegal == Instruction(Op.ILLEGAL, 0, 0, 0, 0, 0, word, 4 if word & 3 == 3 else 2)
    assert decode(word, 64, with_it).op is not Op.ILLEGAL


@pytest.mark.parametrize("rounding_mode", [5, 6])
def test_reserved_rounding_mode_is_illegal(rounding_mode: int) -> None:
    assert decode(0x02B50553 | rounding_mode << 12, 64).op is Op.ILLEGAL


def test_rv32_lacks_rv64_instructions_and_long_shifts() -> None:
    for word in (0x0085B503, 0x02051513, 0x00B5053B, 0xC2251553):  # ld, slli by 32, addw, fcvt.l.d
        assert decode(word, 64).op is not Op.ILLEGAL
        assert decode(word, 32).op is Op.ILLEGAL


def test_parcel_has_another_meaning_in_rv32() -> None:
    assert decode(0x2505, 64).op is Op.ADDIW
    assert decode(0x2505, 32).op is Op.JAL
    assert decode(0x6188, 64).op is Op.LD
    assert decode(0x6188, 32).op is Op.FLW


def test_csr_immediate_form_keeps_its_immediate() -> None:
    csrrwi = decode(0x3001D073, 64)  # csrrwi x0, mstatus, 3
    assert (csrrwi.op, csrrwi.rs1, csrrwi.imm) == (Op.CSRRWI, 3, 0x300)


@pytest.mark.parametrize(
    ("extensions", "xlen", "message"),
    [
        ("rv64imq", 64, "unknown 'q'"),
        ("rv32imc", 64, "rv32 does not fit"),
        ("mc", 64, "base 'i' is missing"),
        ("", 64, "base .i. is missing"),
        ("i", 16, "xlen: got 16"),
    ],
)
def test_bad_extension_string_is_a_config_error(extensions: str, xlen: int, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        decode_text(b"", xlen, extensions)


def test_large_text_decodes_within_its_budget() -> None:
    from time import perf_counter

    text = np.random.default_rng(2).bytes(100_000)
    decode_text(text, 64, "rv64gc")
    seconds = []
    for _ in range(3):
        start = perf_counter()
        decode_text(text, 64, "rv64gc")
        seconds.append(perf_counter() - start)
    assert min(seconds) < 0.05
