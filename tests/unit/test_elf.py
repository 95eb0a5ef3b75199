import pytest

from pim.errors import LoadError
from pim.isa import Op, Program, Segment, decode_text, load_elf
from tests.support.assembler import assemble, to_bytes
from tests.support.elf_image import READ, WRITE, Part, elf_image

TEXT_AT = 0x8000_0000
CODE = to_bytes(assemble(Op.ADDI, rd=17, imm=93), assemble(Op.ECALL))
TEXT = Part(TEXT_AT, CODE)
DATA = Part(TEXT_AT + 0x1000, b"abc", memory_bytes=0x100, flags=READ | WRITE)


@pytest.mark.parametrize("xlen", [32, 64])
def test_program_is_what_the_file_holds(xlen: int) -> None:
    program = load_elf(elf_image([DATA, TEXT], TEXT_AT + 4, xlen=xlen, symbols={"_start": TEXT_AT + 4, "x": 7}))
    assert program == Program(
        xlen=xlen,
        entry=TEXT_AT + 4,
        segments=(
            Segment(TEXT_AT, CODE, len(CODE), executable=True, writable=False),
            Segment(TEXT_AT + 0x1000, b"abc", 0x100, executable=False, writable=True),
        ),
        symbols={"_start": TEXT_AT + 4, "x": 7},
    )
    assert (program.text_address, program.text, program.end) == (TEXT_AT, CODE, TEXT_AT + 0x1100)
    assert decode_text(program.text, program.xlen, "i").op.tolist()[::2] == [Op.ADDI, Op.ECALL]


def test_file_and_its_bytes_are_the_same_program(tmp_path) -> None:
    image = elf_image([TEXT], TEXT_AT)
    path = tmp_path / "program.elf"
    path.write_bytes(image)
    assert load_elf(path) == load_elf(str(path)) == load_elf(image)


def test_segments_may_touch_and_empty_ones_do_not_count() -> None:
    touching = Part(TEXT_AT + len(CODE), b"", memory_bytes=16, flags=READ | WRITE)
    empty = Part(TEXT_AT + 2, b"", memory_bytes=0)
    assert len(load_elf(elf_image([TEXT, touching, empty], TEXT_AT)).segments) == 2


GOOD = elf_image([TEXT, DATA], TEXT_AT)


@pytest.mark.parametrize(
    ("image", "message"),
    [
        (b"", "starts with nothing"),
        (b"#!/bin/sh", "not an ELF file, starts with 23 21 2f 62"),
        (GOOD[:40], "damaged header"),
        (GOOD[: 64 + 100], "segment 0: ends at file offset 184, but the file has 164 bytes"),
        (GOOD[: 64 + 40], "damaged program headers"),
        (GOOD[:-1], r"segment 1: ends at file offset \d+, but the file has \d+ bytes"),
        (GOOD[:5] + b"\x02" + GOOD[6:], "big-endian, allowed little-endian"),
        (GOOD[:4] + b"\x07" + GOOD[5:], "damaged header"),
        (elf_image([TEXT], TEXT_AT, machine=62), "machine is EM_X86_64, expected EM_RISCV"),
        (elf_image([TEXT], TEXT_AT, file_type=1), "file type is ET_REL, expected ET_EXEC"),
        (elf_image([TEXT], TEXT_AT, file_type=3), "file type is ET_DYN, expected ET_EXEC"),
        (elf_image([TEXT, Part(0, b"", kind=2)], TEXT_AT), "has a PT_DYNAMIC segment"),
        (elf_image([TEXT, Part(0, b"", kind=3)], TEXT_AT), "has a PT_INTERP segment"),
        (elf_image([], TEXT_AT), "no loadable segment"),
        (elf_image([DATA], TEXT_AT), "0 executable segments"),
        (elf_image([TEXT, Part(TEXT_AT + 64, CODE)], TEXT_AT), "2 executable segments"),
        (elf_image([TEXT, Part(TEXT_AT + 7, b"x", flags=READ)], TEXT_AT), "overlap, 0x80000000 to 0x80000008"),
        (elf_image([TEXT], TEXT_AT - 2), "entry 0x7ffffffe is outside the text"),
        (elf_image([TEXT], TEXT_AT + len(CODE)), "entry 0x80000008 is outside the text"),
        (elf_image([TEXT], TEXT_AT + 1), "must be even"),
        (elf_image([Part(TEXT_AT, CODE, memory_bytes=4)], TEXT_AT), "8 bytes in the file but 4 in memory"),
        (elf_image([Part(TEXT_AT, CODE, memory_bytes=1 << 60)], TEXT_AT), "allowed 67108864"),
        (elf_image([TEXT, Part(0, b"", memory_bytes=(64 << 20) - 7, flags=READ)], TEXT_AT), "segment 1: .*allowed"),
        (elf_image([Part((1 << 64) - 4, CODE)], (1 << 64) - 4), "outside 64-bit addresses"),
        (elf_image([Part((1 << 32) - 4, CODE)], (1 << 32) - 4, xlen=32), "outside 32-bit addresses"),
        (elf_image([Part(TEXT_AT, CODE, offset=1 << 40)], TEXT_AT), "segment 0: ends at file offset"),
    ],
)
def test_wrong_file_is_refused(image: bytes, message: str) -> None:
    with pytest.raises(LoadError, match=message):
        load_elf(image)


def test_missing_file_and_folder_are_refused(tmp_path) -> None:
    with pytest.raises(LoadError, match=r"absent\.elf: can't be read, No such file"):
        load_elf(tmp_path / "absent.elf")
    with pytest.raises(LoadError, match="can't be read, Is a directory"):
        load_elf(tmp_path)


def test_huge_file_is_refused_unread(tmp_path) -> None:
    path = tmp_path / "huge.elf"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # sparse
    with pytest.raises(LoadError, match="1099511627776 bytes, allowed at most 67108864"):
        load_elf(path)
