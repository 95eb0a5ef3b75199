"""Program files: static RISC-V ELF executables.

Everything a file can get wrong is found here and reported as LoadError; whether the program fits a core's
memory is for `pim.system` to check.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from pim.errors import LoadError

MAX_BYTES = 64 << 20
"""Largest file, and sum of segments in memory, bytes: a bank of an 8 Gbit DDR4 chip (JESD79-4, 16 banks)."""

_DAMAGE = (ELFError, ArithmeticError, LookupError, ValueError)
"""What pyelftools raises on damaged files: its own errors, and what numbers out of any range lead to."""

_PF_X, _PF_W = 1, 2
"""Segment flags (ELF specification, "Program Header": p_flags)."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A loadable piece of a program.

    Attributes
    ----------
    address : int
        First address.
    content : bytes
        Bytes from the file; what follows up to ``memory_bytes`` is zero.
    memory_bytes : int
        Size in memory, bytes.
    executable, writable : bool
        Permissions that the file asks for.
    """

    address: int
    content: bytes
    memory_bytes: int
    executable: bool
    writable: bool

    @property
    def end(self) -> int:
        """First address after the segment."""
        return self.address + self.memory_bytes


@dataclass(frozen=True, slots=True)
class Program:
    """A loaded program file.

    Attributes
    ----------
    xlen : int
        Register width, 32 or 64 bits.
    entry : int
        Address of the first instruction; even and inside the text.
    segments : tuple of Segment
        By address, not overlapping.
    symbols : dict
        Name to address of every named, defined symbol.
    """

    xlen: int
    entry: int
    segments: tuple[Segment, ...]
    symbols: dict[str, int]

    @property
    def text_segment(self) -> Segment:
        """The one executable segment."""
        return next(segment for segment in self.segments if segment.executable)

    @property
    def text_address(self) -> int:
        """First address of the text."""
        return self.text_segment.address

    @property
    def text(self) -> bytes:
        """The text's bytes, as decoded by `pim.isa.decode.decode_text`."""
        return self.text_segment.content

    @property
    def end(self) -> int:
        """First free address after all segments."""
        return self.segments[-1].end


def load_elf(source: Path | str | bytes, *, bare: bool = False) -> Program:
    """Return the program in an ELF file.

    Parameters
    ----------
    source : Path, str or bytes
        The file, or its content.
    bare : bool
        Whether any segments will do: code may be in several of them, and what is executable is not looked at.

    Raises
    ------
    LoadError
        If the file can't be read, or is not a static RISC-V executable with one executable segment, segments
        inside file and address space that do not overlap, at most 64 MiB, and an even entry inside the text.
    """
    where, content = _read(source)
    with _reading(where, "header"):
        elf = ELFFile(BytesIO(content))
        _check_header(where, elf)
    with _reading(where, "program headers"):
        segments = _segments(where, elf, len(content))
    entry = int(elf["e_entry"])
    if bare:
        _check_bare_entry(where, entry, segments)
    else:
        _check_entry(where, entry, segments)
    with _reading(where, "symbol table"):
        symbols = _symbols(elf)
    return Program(elf.elfclass, entry, segments, symbols)


@contextmanager
def _reading(where: str, what: str) -> Iterator[None]:
    """Turn what pyelftools raises on damaged files into LoadError."""
    try:
        yield
    except _DAMAGE as error:
        raise LoadError(f"{where}: damaged {what}, {type(error).__name__}: {error}") from error


def _read(source: Path | str | bytes) -> tuple[str, bytes]:
    """Return how to call the file in messages, and its content."""
    if isinstance(source, bytes):
        where, size = "ELF image", len(source)
    else:
        path = Path(source)
        where = f"ELF file {path}"
        try:
            size = path.stat().st_size
        except OSError as error:
            raise LoadError(f"{where}: can't be read, {error.strerror}") from error
    if size > MAX_BYTES:
        raise LoadError(f"{where}: {size} bytes, allowed at most {MAX_BYTES}")
    if isinstance(source, bytes):
        content = source
    else:
        try:
            content = path.read_bytes()
        except OSError as error:
            raise LoadError(f"{where}: can't be read, {error.strerror}") from error
    if content[:4] != b"\x7fELF":
        raise LoadError(
            f"{where}: not an ELF file, starts with {content[:4].hex(' ') or 'nothing'}, expected 7f 45 4c 46"
        )
    return where, content


def _check_entry(where: str, entry: int, segments: tuple[Segment, ...]) -> None:
    """Raise LoadError unless there is one text segment, and the entry is an even address in it."""
    texts = [segment for segment in segments if segment.executable]
    if len(texts) != 1:
        raise LoadError(f"{where}: {len(texts)} executable segments, expected exactly 1")
    start, end = texts[0].address, texts[0].address + len(texts[0].content)
    if not start <= entry < end:
        raise LoadError(f"{where}: entry {entry:#x} is outside the text, {start:#x} to {end:#x}")
    if entry % 2 or start % 2:
        raise LoadError(f"{where}: entry {entry:#x} and text start {start:#x} must be even")


def _check_bare_entry(where: str, entry: int, segments: tuple[Segment, ...]) -> None:
    """Raise LoadError unless the entry is an even address in a segment."""
    if entry % 2 or not any(segment.address <= entry < segment.end for segment in segments):
        raise LoadError(f"{where}: entry {entry:#x} must be even and in a segment")


def _check_header(where: str, elf: Any) -> None:
    """Raise LoadError unless this is a static little-endian RISC-V executable."""
    if not elf.little_endian:
        raise LoadError(f"{where}: big-endian, allowed little-endian")
    if elf["e_machine"] != "EM_RISCV":
        raise LoadError(f"{where}: machine is {elf['e_machine']}, expected EM_RISCV")
    if elf["e_type"] != "ET_EXEC":
        raise LoadError(f"{where}: file type is {elf['e_type']}, expected ET_EXEC (static, linked, not relocatable)")


def _segments(where: str, elf: Any, file_bytes: int) -> tuple[Segment, ...]:
    """Return the checked PT_LOAD segments by address."""
    found = []
    total = 0
    for number, header in enumerate(elf.iter_segments()):
        if header["p_type"] in ("PT_DYNAMIC", "PT_INTERP"):
            raise LoadError(f"{where}: has a {header['p_type']} segment, allowed only static executables")
        if header["p_type"] != "PT_LOAD" or header["p_memsz"] == 0:
            continue
        what = f"{where}: segment {number}"
        address, memory_bytes = int(header["p_vaddr"]), int(header["p_memsz"])
        offset, content_bytes = int(header["p_offset"]), int(header["p_filesz"])
        total += memory_bytes
        if total > MAX_BYTES:
            raise LoadError(f"{what}: segments take {total} bytes of memory up to here, allowed {MAX_BYTES}")
        if content_bytes > memory_bytes:
            raise LoadError(f"{what}: {content_bytes} bytes in the file but {memory_bytes} in memory")
        if offset + content_bytes > file_bytes:
            raise LoadError(
                f"{what}: ends at file offset {offset + content_bytes}, but the file has {file_bytes} bytes"
            )
        if address + memory_bytes > 1 << elf.elfclass:
            raise LoadError(f"{what}: ends at {address + memory_bytes:#x}, outside {elf.elfclass}-bit addresses")
        flags = int(header["p_flags"])
        found.append(Segment(address, header.data(), memory_bytes, bool(flags & _PF_X), bool(flags & _PF_W)))
    if not found:
        raise LoadError(f"{where}: has no loadable segment")
    found.sort(key=lambda segment: segment.address)
    for lower, upper in pairwise(found):
        if lower.end > upper.address:
            raise LoadError(
                f"{where}: segments overlap, {lower.address:#x} to {lower.end:#x} and "
                f"{upper.address:#x} to {upper.end:#x}"
            )
    return tuple(found)


def _symbols(elf: Any) -> dict[str, int]:
    """Return named, defined symbols; none if the file is stripped."""
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return {}
    return {
        symbol.name: int(symbol["st_value"])
        for symbol in table.iter_symbols()
        if symbol.name and symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["type"] != "STT_FILE"
    }
