"""ELF files made byte by byte, right ones and wrong ones (System V ABI, chapter "Object Files")."""

import struct
from dataclasses import dataclass

EM_RISCV = 243
READ, WRITE, EXECUTE = 4, 2, 1


@dataclass(frozen=True)
class Part:
    """One program header and its bytes; `memory_bytes` None means as many as in the file."""

    address: int
    content: bytes
    memory_bytes: int | None = None
    flags: int = READ | EXECUTE
    kind: int = 1  # PT_LOAD
    offset: int | None = None
    file_bytes: int | None = None


def elf_image(
    parts: list[Part],
    entry: int,
    *,
    xlen: int = 64,
    machine: int = EM_RISCV,
    file_type: int = 2,  # ET_EXEC
    symbols: dict[str, int] | None = None,
    page_bytes: int = 1,
) -> bytes:
    """Return a little-endian ELF file: header, program headers, contents, symbol table if there are symbols.

    Operating systems map whole pages: for them ``page_bytes`` must be the page size.
    """
    word = "Q" if xlen == 64 else "I"
    header_size, program_size, section_size = (64, 56, 64) if xlen == 64 else (52, 32, 40)
    body_at = header_size + program_size * len(parts)
    headers, body = b"", b""
    for part in parts:
        body += bytes((part.address - body_at - len(body)) % page_bytes)
        offset = body_at + len(body) if part.offset is None else part.offset
        file_bytes = len(part.content) if part.file_bytes is None else part.file_bytes
        memory_bytes = file_bytes if part.memory_bytes is None else part.memory_bytes
        if xlen == 64:
            fields = (part.kind, part.flags, offset, part.address, part.address, file_bytes, memory_bytes, 1)
            headers += struct.pack("<IIQQQQQQ", *fields)
        else:
            fields = (part.kind, offset, part.address, part.address, file_bytes, memory_bytes, part.flags, 1)
            headers += struct.pack("<IIIIIIII", *fields)
        body += part.content
    sections, n_sections = b"", 0
    if symbols is not None:
        tables, sections, n_sections = _symbol_sections(symbols, body_at + len(body), xlen)
        body += tables
    identity = b"\x7fELF" + bytes([2 if xlen == 64 else 1, 1, 1]) + bytes(9)
    sections_at = body_at + len(body) if n_sections else 0
    sizes = (header_size, program_size, len(parts), section_size, n_sections, n_sections - 1 if n_sections else 0)
    header = identity + struct.pack(
        f"<HHI{word}{word}{word}IHHHHHH", file_type, machine, 1, entry, header_size, sections_at, 0, *sizes
    )
    return header + headers + body + sections


def _symbol_sections(symbols: dict[str, int], at: int, xlen: int) -> tuple[bytes, bytes, int]:
    """Return (.symtab, .strtab and .shstrtab contents, their section headers after the null one, number of headers)."""
    names, entries = b"\0", _symbol(0, 0, 0, xlen)
    for name, address in symbols.items():
        entries += _symbol(len(names), address, 0xFFF1, xlen)  # SHN_ABS
        names += name.encode() + b"\0"
    section_names = b"\0.symtab\0.strtab\0.shstrtab\0"
    entry_size = 24 if xlen == 64 else 16
    names_at = at + len(entries)
    headers = _section(xlen)
    headers += _section(xlen, name=1, kind=2, offset=at, size=len(entries), link=2, info=1, entry_size=entry_size)
    headers += _section(xlen, name=9, kind=3, offset=names_at, size=len(names))
    headers += _section(xlen, name=17, kind=3, offset=names_at + len(names), size=len(section_names))
    return entries + names + section_names, headers, 4


def _symbol(name: int, value: int, section: int, xlen: int) -> bytes:
    if xlen == 64:
        return struct.pack("<IBBHQQ", name, 0x12 if name else 0, 0, section, value, 0)
    return struct.pack("<IIIBBH", name, value, 0, 0x12 if name else 0, 0, section)


def _section(xlen: int, *, name: int = 0, kind: int = 0, offset: int = 0, size: int = 0, **table: int) -> bytes:
    form = "<IIQQQQIIQQ" if xlen == 64 else "<IIIIIIIIII"
    link, info, entry_size = (table.get(field, 0) for field in ("link", "info", "entry_size"))
    return struct.pack(form, name, kind, 0, 0, offset, size, link, info, 1, entry_size)
