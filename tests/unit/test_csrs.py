"""Control and status registers: values, what writes keep, side effects of the six instructions, illegal accesses."""

from collections.abc import Sequence

import pytest

from pim.config import SystemConfig
from pim.errors import GuestTrap
from pim.isa import Op
from pim.isa.csr import Csr
from tests.support.assembly import MEMORY_AT, Assembly
from tests.support.bare import load, machine, put, results, run

pytestmark = pytest.mark.plain

A0, A1, S0 = 10, 11, 8
DATA = MEMORY_AT + 0x1000
ALL = -1


def after(accesses: Sequence[tuple[Op, int, int]], system: SystemConfig, xlen: int = 64) -> list[int]:
    """Return what each access (operation, CSR, operand) read, as bits of a register."""
    text = Assembly(xlen)
    text.li(S0, DATA)
    for op, csr, operand in accesses:
        immediate = op in (Op.CSRRWI, Op.CSRRSI, Op.CSRRCI)
        if not immediate and operand:
            text.li(A1, operand)
        text.op(op, rd=A0, rs1=operand if immediate else A1 if operand else 0, imm=csr)
        put(text, (A0,), S0)
        text.op(Op.ADDI, rd=S0, rs1=S0, imm=8)
    text.op(Op.CSRRW, imm=Csr.MTVEC)
    text.exit(0)
    loaded = load(text, system)
    loaded.run()
    return [value & ((1 << xlen) - 1) for value in results(loaded, DATA, len(accesses))]


def written(csr: int, value: int, system: SystemConfig, xlen: int = 64) -> int:
    """Return what a CSR holds after a write."""
    return after([(Op.CSRRW, csr, value), (Op.CSRRS, csr, 0)], system, xlen)[1]


RV64, RV32 = machine(extensions="rv64imafdc"), machine(extensions="rv32imafdc")
BOTH = pytest.mark.parametrize(("system", "xlen"), [(RV64, 64), (RV32, 32)])


@BOTH
def test_six_instructions_read_and_change(system: SystemConfig, xlen: int) -> None:
    accesses = [
        (Op.CSRRW, Csr.MSCRATCH, 0x55),
        (Op.CSRRS, Csr.MSCRATCH, 0x0F),
        (Op.CSRRC, Csr.MSCRATCH, 0x11),
        (Op.CSRRWI, Csr.MSCRATCH, 0x15),
        (Op.CSRRSI, Csr.MSCRATCH, 0x0A),
        (Op.CSRRCI, Csr.MSCRATCH, 0x03),
        (Op.CSRRS, Csr.MSCRATCH, 0),
    ]
    assert after(accesses, system, xlen) == [0, 0x55, 0x5F, 0x4E, 0x15, 0x1F, 0x1C]


READ_ONLY = (Csr.CYCLE, Csr.INSTRET, Csr.MHARTID, Csr.MVENDORID)


@pytest.mark.parametrize("csr", READ_ONLY)
@pytest.mark.parametrize("op", [Op.CSRRW, Op.CSRRWI, Op.CSRRS, Op.CSRRSI, Op.CSRRC, Op.CSRRCI])
def test_writing_a_read_only_register_is_illegal_even_of_nothing(op: Op, csr: Csr) -> None:
    """csrrw writes always; the others where rs1 is not x0, whatever its value is."""
    text = Assembly()
    is_swap = op in (Op.CSRRW, Op.CSRRWI)
    text.op(op, rd=A0, rs1=0 if is_swap else A1, imm=csr)
    with pytest.raises(GuestTrap, match="illegal instruction"):
        run(text)


@pytest.mark.parametrize("op", [Op.CSRRS, Op.CSRRSI, Op.CSRRC, Op.CSRRCI])
def test_setting_or_clearing_no_bits_only_reads(op: Op) -> None:
    assert after([(op, Csr.MHARTID, 0)], RV64) == [0]


@pytest.mark.parametrize(
    ("csr", "extensions"),
    [
        *((csr, "rv64imafdc") for csr in (0x000, 0x100, 0x180, 0x302, 0x306, 0x30A, 0x3A0, 0x7A0, 0xB01, 0xC03, 0xFFF)),
        *((csr, "rv64imafdc") for csr in (Csr.CYCLEH, Csr.MCYCLEH, Csr.MINSTRETH, Csr.MSTATUSH, 0xB83)),
        *((csr, "rv64imac") for csr in (Csr.FFLAGS, Csr.FRM, Csr.FCSR)),
        (0xB81, "rv32imac"),
    ],
)
def test_register_that_is_not_there_is_illegal(csr: int, extensions: str) -> None:
    text = Assembly(int(extensions[2:4]))
    text.op(Op.CSRRS, rd=A0, imm=csr)
    with pytest.raises(GuestTrap, match="illegal instruction"):
        run(text, machine(extensions=extensions))


@pytest.mark.parametrize(
    ("csr", "kept", "fixed"),
    [
        (Csr.MSTATUS, 0x88, 0x1800 | 0x6000 | 1 << 63),
        (Csr.MISA, 0, 2 << 62 | 0b1_0001_0010_1101),
        (Csr.MIE, 0x888, 0),
        (Csr.MIP, 0, 0),
        (Csr.MTVEC, (1 << 64) - 3, 0),
        (Csr.MSCRATCH, (1 << 64) - 1, 0),
        (Csr.MEPC, (1 << 64) - 2, 0),
        (Csr.MCAUSE, (1 << 64) - 1, 0),
        (Csr.MTVAL, (1 << 64) - 1, 0),
        (Csr.MCOUNTINHIBIT, 0, 0),
        (0xB03, 0, 0),
        (0xB1F, 0, 0),
        (0x323, 0, 0),
        (0x33F, 0, 0),
        (Csr.FFLAGS, 0x1F, 0),
        (Csr.FRM, 7, 0),
        (Csr.FCSR, 0xFF, 0),
    ],
)
def test_write_keeps_what_the_register_has(csr: int, kept: int, fixed: int) -> None:
    assert written(csr, ALL, RV64) == kept | fixed
    assert written(csr, 0, RV64) == fixed
    assert written(csr, 0x1234_5678_9ABC_DEF0, RV64) == 0x1234_5678_9ABC_DEF0 & kept | fixed


@pytest.mark.parametrize(
    ("csr", "kept", "fixed"),
    [
        (Csr.MSTATUS, 0x88, 0x8000_7800),
        (Csr.MISA, 0, 1 << 30 | 0b1_0001_0010_1101),
        (Csr.MSCRATCH, 0xFFFF_FFFF, 0),
        (Csr.MSTATUSH, 0, 0),
        (0xB83, 0, 0),
        (Csr.MTVEC, 0xFFFF_FFFD, 0),
    ],
)
def test_write_keeps_what_the_register_of_rv32_has(csr: int, kept: int, fixed: int) -> None:
    assert written(csr, 0xFFFF_FFFF, RV32, 32) == kept | fixed
    assert written(csr, 0, RV32, 32) == fixed


def test_without_f_there_is_no_floating_point_state() -> None:
    assert written(Csr.MSTATUS, ALL, machine(extensions="rv64imac")) == 0x1888
    assert after([(Op.CSRRS, Csr.MISA, 0)], machine(extensions="rv64i")) == [2 << 62 | 1 << 8]


def test_mepc_has_two_low_zeros_without_c() -> None:
    assert written(Csr.MEPC, ALL, machine(extensions="rv64im")) == (1 << 64) - 4


def test_fcsr_is_both_its_parts() -> None:
    accesses = [(Op.CSRRW, Csr.FCSR, 0x75), (Op.CSRRS, Csr.FRM, 0), (Op.CSRRW, Csr.FFLAGS, 2), (Op.CSRRS, Csr.FCSR, 0)]
    assert after(accesses, RV64)[1:] == [3, 0x15, 0x62]


def test_counters_count_from_what_is_written() -> None:
    """A counter holds the written value when the next instruction begins; its read-only twin is the same counter."""
    text = Assembly()
    text.li(S0, DATA)
    text.li(A1, 1000)
    text.op(Op.CSRRW, rs1=A1, imm=Csr.MINSTRET)
    text.op(Op.CSRRS, rd=12, imm=Csr.MINSTRET)
    text.op(Op.CSRRS, rd=13, imm=Csr.INSTRET)
    text.op(Op.CSRRW, rs1=A1, imm=Csr.MCYCLE)
    text.op(Op.CSRRS, rd=14, imm=Csr.MCYCLE)
    text.op(Op.CSRRS, rd=15, imm=Csr.CYCLE)
    put(text, (12, 13, 14, 15), S0)
    text.exit(0)
    loaded = load(text)
    core = loaded.run().group.cores[0]
    assert results(loaded, DATA, 4) == [1000, 1001, 1000, 1001]
    assert core.instructions == text.size // 4  # what is reported does not depend on it


def test_rv32_counters_are_two_halves() -> None:
    text = Assembly(32)
    text.li(S0, DATA)
    text.li(A1, -1)
    text.op(Op.ADDI, rd=12, imm=5)
    text.op(Op.CSRRW, rs1=12, imm=Csr.MINSTRETH)
    text.op(Op.CSRRW, rs1=A1, imm=Csr.MINSTRET)
    text.op(Op.CSRRS, rd=13, imm=Csr.MINSTRET)
    text.op(Op.CSRRS, rd=14, imm=Csr.MINSTRETH)
    text.op(Op.CSRRS, rd=15, imm=Csr.INSTRETH)
    text.op(Op.CSRRS, rd=16, imm=Csr.INSTRET)
    put(text, (13, 14, 15, 16), S0)
    text.exit(0)
    loaded = load(text)
    loaded.run()
    # -1 when the first read begins; the lower half overflows behind it
    assert [value & 0xFFFF_FFFF for value in results(loaded, DATA, 4)] == [0xFFFF_FFFF, 6, 6, 2]


def test_write_of_a_half_takes_the_place_of_the_count_in_the_other() -> None:
    text = Assembly(32)
    text.li(S0, DATA)
    text.li(A1, -1)
    text.op(Op.CSRRW, rs1=A1, imm=Csr.MINSTRET)
    text.op(Op.CSRRWI, rs1=5, imm=Csr.MINSTRETH)
    text.op(Op.CSRRS, rd=13, imm=Csr.MINSTRET)
    text.op(Op.CSRRS, rd=14, imm=Csr.MINSTRETH)
    put(text, (13, 14), S0)
    text.exit(0)
    loaded = load(text)
    loaded.run()
    assert [value & 0xFFFF_FFFF for value in results(loaded, DATA, 2)] == [0xFFFF_FFFF, 6]


def test_time_counts_dram_clocks() -> None:
    (before, time, behind) = after([(Op.CSRRS, csr, 0) for csr in (Csr.CYCLE, Csr.TIME, Csr.CYCLE)], RV64)
    assert 6 * before < time < 6 * behind  # 200 MHz of 1200 MHz


def test_wfi_goes_on() -> None:
    text = Assembly()
    text.op(Op.WFI)
    text.exit(4)
    assert run(text).exit_code == 4
