"""Bare-metal programs: where they may be, code that changes, ends by ecall and by tohost, and what they can't do."""

import numpy as np
import pytest

from pim.errors import ConfigError, CycleLimitError, GuestTrap, LoadError
from pim.isa import Op, Program, Segment, load_elf
from pim.isa.csr import Csr
from pim.system import BareMachine
from tests.support.assembler import assemble
from tests.support.assembly import MAILBOX_AT, MEMORY_AT, SCRATCHPAD_AT, Assembly
from tests.support.bare import SMALL, load, machine, results, run
from tests.support.elf_image import READ, WRITE, Part, elf_image

pytestmark = pytest.mark.plain

T0, T1, A0, A1, A2, S0 = 5, 6, 10, 11, 12, 8
DATA = MEMORY_AT + 0x1000


def store_to_tohost(value: int, op: Op = Op.SD) -> Assembly:
    text = Assembly()
    text.labels["tohost"] = 0x2000
    text.address_of(T0, "tohost")
    text.li(A0, value)
    text.op(op, rs1=T0, rs2=A0)
    text.label("loop")
    text.op(Op.JAL, "loop")
    return text


@pytest.mark.parametrize(
    ("value", "op", "code"),
    [(1, Op.SD, 0), (1, Op.SW, 0), (7, Op.SD, 3), (511, Op.SW, 255), (2, Op.SD, 1), (1 << 32 | 9, Op.SW, 4)],
)
def test_store_to_tohost_ends_the_run(value: int, op: Op, code: int) -> None:
    loaded = load(store_to_tohost(value, op))
    assert loaded.run().exit_code == code
    assert results(loaded, MEMORY_AT + 0x2000, 1) == [value if op is Op.SD else value & 0xFFFF_FFFF]


def test_zero_to_tohost_ends_nothing() -> None:
    with pytest.raises(CycleLimitError):
        run(store_to_tohost(0), cycle_limit=1000)


def test_end_by_tohost_writes_the_line_buffers_back() -> None:
    """As the end by ecall does: two programs that differ in it only issue the same writes."""
    commands = []
    for by_tohost in (False, True):
        text = Assembly()
        text.labels["tohost"] = 0x2000
        text.li(T0, DATA)
        text.op(Op.SD, rs1=T0)
        text.op(Op.SD, rs1=T0, imm=512)
        text.address_of(T0, "tohost")
        text.li(A0, 1 if by_tohost else 0)
        text.op(Op.SD, rs1=T0, rs2=A0) if by_tohost else text.exit()
        commands.append(run(text).group.commands)
    assert commands[0]["WR"] == commands[1]["WR"] == 16  # two sectors of 64 B


def test_program_with_a_tohost_can_end_by_ecall_too() -> None:
    text = Assembly()
    text.labels["tohost"] = 0x2000
    text.exit(6)
    assert run(text).exit_code == 6


def returning(value: int) -> bytes:
    """Return code that sets a1 and returns."""
    return assemble(Op.ADDI, rd=A1, imm=value).to_bytes(4, "little") + b"\x82\x80"


def test_code_that_is_stored_runs_after_fence_i() -> None:
    """The same place gets two functions one after the other; an instruction's two halves are in two lines."""
    text = Assembly()
    text.li(S0, DATA + 62)
    for value in (5, 6):
        for i, half in enumerate(np.frombuffer(returning(value), "<u2")):
            text.li(T0, int(half))
            text.op(Op.SH, rs1=S0, rs2=T0, imm=2 * i)
        text.op(Op.FENCE_I)
        text.op(Op.JALR, rd=1, rs1=S0)
        text.op(Op.ADD, rd=A2, rs1=A2, rs2=A1)
    text.op(Op.ADDI, rd=A0, rs1=A2)
    text.exit()
    assert run(text).exit_code == 11


def test_program_changes_an_instruction_that_it_has_executed() -> None:
    text = Assembly()
    text.labels["place"] = 0x80
    text.address_of(S0, "place")
    text.li(T0, assemble(Op.ADDI, rd=A1, rs1=A1, imm=100))
    text.op(Op.JAL, "place")
    while text.size < 0x80:
        text.op(Op.ADDI)
    text.op(Op.ADDI, rd=A1, rs1=A1, imm=1)
    text.op(Op.BNE, imm=16, rs1=A2)
    text.op(Op.ADDI, rd=A2, imm=1)
    text.op(Op.SW, rs1=S0, rs2=T0)
    text.op(Op.JAL, imm=-16)
    text.op(Op.ADDI, rd=A0, rs1=A1)
    text.exit()
    code = text.text()
    behind = code.index(assemble(Op.JAL, imm=-16).to_bytes(4, "little"))
    fence = assemble(Op.FENCE_I).to_bytes(4, "little")
    patched = code[:behind] + fence + assemble(Op.JAL, imm=-20).to_bytes(4, "little") + code[behind + 4 :]
    patched = patched.replace(
        assemble(Op.BNE, imm=16, rs1=A2).to_bytes(4, "little"), assemble(Op.BNE, imm=20, rs1=A2).to_bytes(4, "little")
    )
    program = Program(64, MEMORY_AT, (Segment(MEMORY_AT, patched, len(patched), True, False),), {})
    assert BareMachine(machine(), program, memory_bytes=SMALL).run().exit_code == 101


def test_load_use_is_charged_for_the_new_follower_of_a_load() -> None:
    """What follows a load changes from an instruction that reads its result to one that does not."""
    waits = []
    for reads_it in (False, True):
        text = Assembly()
        text.labels["place"] = 0x80
        text.address_of(S0, "place")
        text.li(T0, assemble(Op.ADDI, rd=A2, rs1=A1 if reads_it else A2, imm=0))
        text.op(Op.JAL, "place")
        while text.size < 0x80:
            text.op(Op.ADDI)
        text.op(Op.LW, rd=A1, rs1=S0)
        text.op(Op.ADDI, rd=A2, rs1=A2)
        text.op(Op.BNE, imm=20, rs1=13)
        text.op(Op.ADDI, rd=13, imm=1)
        text.op(Op.SW, rs1=S0, rs2=T0, imm=4)
        text.op(Op.FENCE_I)
        text.op(Op.JAL, imm=0x80 - text.size)
        text.exit(0)
        waits.append(run(text).group.cores[0].stack[3])
    assert waits == [0, 1]


def test_memory_reads_as_loaded_and_zero_behind() -> None:
    text = Assembly()
    text.li(T0, DATA)
    text.op(Op.LD, rd=A0, rs1=T0)
    text.op(Op.LD, rd=A1, rs1=T0, imm=8)
    text.op(Op.ADD, rd=A0, rs1=A0, rs2=A1)
    text.exit()
    code = text.text()
    segments = (
        Segment(MEMORY_AT, code, len(code), True, False),
        Segment(DATA, (33).to_bytes(8, "little"), 16, False, True),
    )
    loaded = BareMachine(machine(), Program(64, MEMORY_AT, segments, {}), memory_bytes=SMALL)
    assert loaded.run().exit_code == 33


def test_code_may_be_in_several_segments_and_the_entry_in_the_middle() -> None:
    text = Assembly()
    text.exit(12)
    jump = assemble(Op.JAL, imm=-0x1000).to_bytes(4, "little")
    parts = [
        Part(MEMORY_AT + 0x100, text.text()),
        Part(MEMORY_AT + 0x10FE, b"\x01\x00" + jump, flags=READ | WRITE),
    ]
    program = load_elf(elf_image(parts, MEMORY_AT + 0x1100), bare=True)
    assert BareMachine(machine(), program, memory_bytes=SMALL).run().exit_code == 12


@pytest.mark.parametrize(
    ("entry", "message"), [(MEMORY_AT + 1, "must be even and in a segment"), (MEMORY_AT + 64, "must be even and in")]
)
def test_entry_outside_the_program_is_refused(entry: int, message: str) -> None:
    with pytest.raises(LoadError, match=message):
        load_elf(elf_image([Part(MEMORY_AT, bytes(8))], entry), bare=True)


@pytest.mark.parametrize("address", [MEMORY_AT - 4, MEMORY_AT + SMALL - 4, SCRATCHPAD_AT, 0x1000])
def test_program_outside_the_memory_is_refused(address: int) -> None:
    program = Program(64, MEMORY_AT, (Segment(address, bytes(8), 8, True, False),), {})
    with pytest.raises(LoadError, match=rf"outside the memory, 0x80000000 to 0x80010000: {address:#x} to"):
        BareMachine(machine(), program, memory_bytes=SMALL)


def test_tohost_outside_the_memory_is_refused() -> None:
    text = Assembly()
    text.labels["tohost"] = SMALL - 4
    text.exit(0)
    with pytest.raises(LoadError, match="symbol tohost at 0x8000fffc is outside"):
        load(text)


def test_memory_ends_where_it_was_asked_to() -> None:
    for address, fits in ((MEMORY_AT + SMALL - 8, True), (MEMORY_AT + SMALL, False)):
        text = Assembly()
        text.li(T0, address)
        text.op(Op.SD, rs1=T0, rs2=T0)
        text.exit(0)
        if fits:
            assert run(text).exit_code == 0
        else:
            with pytest.raises(GuestTrap, match=r"sd t0, 0\(t0\)\): store access at 0x80010000"):
                run(text)


def test_instruction_across_the_end_of_memory_is_a_fetch_fault_behind_it() -> None:
    text = Assembly()
    text.li(T0, MEMORY_AT + SMALL - 2)
    text.li(T1, 0x0013)
    text.op(Op.SH, rs1=T0, rs2=T1)
    text.op(Op.JALR, rs1=T0)
    with pytest.raises(GuestTrap, match=r"pc 0x8000fffe .*fetch access at 0x80010000"):
        run(text)


def test_level_says_how_much_memory_and_how_many_cores_there_are() -> None:
    text = Assembly()
    text.exit(0)
    assert load(text, memory_bytes=None).settings.mapped_bytes == 64 << 20
    assert load(text, machine("chip"), memory_bytes=None).settings.mapped_bytes == 256 << 20
    assert load(text, machine("rank"), memory_bytes=1 << 30).settings.mapped_bytes == 1 << 30
    with pytest.raises(ConfigError, match="memory: 8 to 67,108,864 B"):
        load(text, memory_bytes=(64 << 20) + 8)
    with pytest.raises(ConfigError, match="a multiple of 8"):
        load(text, memory_bytes=12)
    with pytest.raises(ConfigError, match="has 1 to 1 that share memory, got 2; each core has a bank of its own"):
        load(text, n_harts=2)
    with pytest.raises(ConfigError, match="has 1 to 4 that share memory, got 5; cores_per_location can be up to 16"):
        load(text, machine("rank"), n_harts=5)


def test_program_of_another_width_is_refused_with_a_hint() -> None:
    text = Assembly(32)
    text.exit(0)
    with pytest.raises(LoadError, match=r"XLEN must be 64.*got 32; a core for it is core.extensions=rv32imafdc"):
        run(text, machine(extensions="rv64imafdc"))


def test_arguments_are_mailbox_words_of_every_core() -> None:
    text = Assembly()
    text.li(T0, MAILBOX_AT)
    text.op(Op.LD, rd=A0, rs1=T0, imm=0x80)
    text.op(Op.LD, rd=A1, rs1=T0, imm=0x88)
    text.op(Op.SUB, rd=A0, rs1=A0, rs2=A1)
    text.exit()
    result = run(text, machine("rank"), n_harts=3, arguments=(50, 8))
    assert [core.exit_code for core in result.group.cores] == [42, 42, 42]


def test_rv32_reads_and_writes_halves_of_the_mailbox() -> None:
    text = Assembly(32)
    text.li(T0, MAILBOX_AT)
    text.op(Op.LW, rd=A0, rs1=T0, imm=0x80)
    text.op(Op.LW, rd=A1, rs1=T0, imm=0x84)
    text.op(Op.SW, rs1=T0, rs2=A1, imm=0x18)
    text.op(Op.SW, rs1=T0, rs2=A0, imm=0x1C)
    text.exit(0)
    core = run(text, arguments=(0x1122_3344_8877_6655,)).group.cores[0]
    assert core.return_value & (1 << 64) - 1 == 0x8877_6655_1122_3344
    text = Assembly(32)
    text.li(T0, MAILBOX_AT)
    text.op(Op.LH, rd=A0, rs1=T0, imm=0x80)
    with pytest.raises(GuestTrap, match="load access"):
        run(text)


def test_rv32_addresses_wrap_at_32_bits() -> None:
    """A jump and a load over the top arrive at the bottom; links and auipc are sign-extended registers."""
    text = Assembly(32)
    text.li(T0, -16)
    text.li(T1, DATA)
    text.op(Op.ADD, rd=T1, rs1=T1, rs2=T0)
    text.op(Op.SW, rs1=T1, rs2=T1, imm=16)
    text.op(Op.LW, rd=A0, rs1=T1, imm=16)
    text.op(Op.SUB, rd=A0, rs1=A0, rs2=T1)
    text.op(Op.AUIPC, rd=A1, imm=0)
    text.op(Op.JAL, rd=A2, imm=4)
    text.op(Op.SUB, rd=A2, rs1=A2, rs2=A1)  # 8
    text.op(Op.ADD, rd=A0, rs1=A0, rs2=A2)
    text.op(Op.SRAI, rd=A1, rs1=A1, imm=31)  # -1
    text.op(Op.ADD, rd=A0, rs1=A0, rs2=A1)
    text.exit()
    assert run(text).exit_code == 7
    text = Assembly(32)
    text.li(T0, -4)
    text.op(Op.JALR, rs1=T0, imm=8)
    with pytest.raises(GuestTrap, match="pc 0x4: fetch access at 0x4"):
        run(text)


def test_rv32_has_no_instructions_of_rv64() -> None:
    for word in (assemble(Op.ADDIW, rd=1), assemble(Op.LD, rd=1), assemble(Op.AMOADD_D), assemble(Op.FMV_X_D)):
        text = Assembly(32)
        text.raw(word, 4)
        with pytest.raises(GuestTrap, match="illegal instruction"):
            run(text)


@pytest.mark.parametrize(
    ("extensions", "words"),
    [
        ("rv64i", [Op.MUL, Op.AMOADD_W, Op.FADD_S, Op.FADD_D]),
        ("rv64im", [Op.AMOADD_W, Op.FADD_S, Op.FADD_D]),
        ("rv32ima", [Op.FADD_S, Op.FLD]),
        ("rv64imf", [Op.AMOADD_W, Op.FADD_D, Op.FCVT_D_S]),
        ("rv64ifdc", [Op.DIVU, Op.LR_W]),
    ],
)
def test_core_executes_the_extensions_it_has(extensions: str, words: list[Op]) -> None:
    for op in words:
        text = Assembly(int(extensions[2:4]))
        text.raw(assemble(op), 4)
        with pytest.raises(GuestTrap, match="illegal instruction"):
            run(text, machine(extensions=extensions))
    text = Assembly(int(extensions[2:4]))
    text.op(Op.CSRRS, rd=A0, imm=Csr.MHARTID)
    text.exit(3)
    assert run(text, machine(extensions=extensions)).exit_code == 3


def test_compressed_instruction_needs_c() -> None:
    text = Assembly()
    text.raw(1, 2)
    with pytest.raises(GuestTrap, match="illegal instruction"):
        run(text, machine(extensions="rv64imafd"))


@pytest.mark.parametrize(
    "name", ["rv64", "rv64gc", "rv64imd", "rv64mi", "rv64iam", "rv128i", "rv64imc_zicsr", "RV64I", "imc", "rv32e", ""]
)
def test_wrong_extensions_say_what_is_allowed(name: str) -> None:
    with pytest.raises(ConfigError, match="must be rv32 or rv64, then i, then those of m, a, f, d"):
        machine(extensions=name)
