"""Where an instruction comes from: function, file and line, from a program file's debugging information (DWARF).

Functions without any are named by the file's symbols.
"""

import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from elftools.common.exceptions import DWARFError, ELFError
from elftools.dwarf.ranges import RangeEntry
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from pim.errors import LoadError

UNKNOWN = "?"

_DAMAGE = (AssertionError, DWARFError, ELFError, ArithmeticError, AttributeError, LookupError, RecursionError,
           TypeError, ValueError)  # fmt: skip
"""What pyelftools raises on damaged files."""

_MAX_INLINED = 64
"""Deepest nesting of inlined functions looked at."""


@dataclass(frozen=True)
class Place:
    """Where an instruction comes from.

    Attributes
    ----------
    function : str
        The function whose code it is part of.
    inlined : tuple of str
        Functions inlined into that one there, from the outermost to the one the line is in.
    path : str
        File, as the compiler was called; empty if unknown.
    line : int
        0 if unknown.
    """

    function: str = UNKNOWN
    inlined: tuple[str, ...] = ()
    path: str = ""
    line: int = 0

    @property
    def file(self) -> str:
        """Name of the file, without its folder."""
        return posixpath.basename(self.path)

    @property
    def source_function(self) -> str:
        """The function that the line is in."""
        return self.inlined[-1] if self.inlined else self.function


@dataclass(frozen=True)
class DebugInfo:
    """The places of a program: ``index[parcel]`` is the number of a place; the last one is for what is elsewhere."""

    places: tuple[Place, ...]
    index: npt.NDArray[np.int64]


def load_debug(elf: bytes, base: int, n_parcels: int) -> DebugInfo:
    """Return where the instructions of a program come from.

    Parameters
    ----------
    elf : bytes
        The program file.
    base : int
        Address of the first parcel.
    n_parcels : int
        Parcels, of 2 bytes.

    Raises
    ------
    LoadError
        The debugging information is damaged.
    """
    parcels = _Parcels(base, n_parcels)
    try:
        file = ELFFile(BytesIO(elf))
        _read_symbols(file, parcels)
        if file.has_dwarf_info():
            dwarf = file.get_dwarf_info()
            for unit in dwarf.iter_CUs():
                _read_functions(dwarf, unit, parcels)
                _read_lines(dwarf, unit, parcels)
    except _DAMAGE as error:
        raise LoadError(f"program: damaged debugging information, {type(error).__name__}: {error}") from error
    return parcels.result()


class _Parcels:
    """Code and line of each parcel, being collected."""

    def __init__(self, base: int, n: int) -> None:
        self._base, self._n = base, n
        self._codes: list[tuple[str, tuple[str, ...]]] = [(UNKNOWN, ())]
        self._lines: list[tuple[str, int]] = [("", 0)]
        self.code, self.line = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)

    def set_code(self, start: int, end: int, function: str, inlined: tuple[str, ...]) -> None:
        self._codes.append((function, inlined))
        self.code[self._slice(start, end)] = len(self._codes) - 1

    def set_line(self, start: int, end: int, path: str, line: int) -> None:
        self._lines.append((path, line))
        self.line[self._slice(start, end)] = len(self._lines) - 1

    def _slice(self, start: int, end: int) -> slice:
        first, last = (min(max((address - self._base) // 2, 0), self._n) for address in (start, end))
        return slice(first, last)

    def result(self) -> DebugInfo:
        pairs, index = np.unique(np.stack([self.code, self.line]), axis=1, return_inverse=True)
        numbers: dict[Place, int] = {}
        renumbered = [
            numbers.setdefault(Place(*self._codes[code], *self._lines[line]), len(numbers)) for code, line in pairs.T
        ]
        return DebugInfo(tuple(numbers), np.array(renumbered, np.int64)[index.ravel()])


def _read_symbols(file: Any, parcels: _Parcels) -> None:
    """Name code by the symbols before it."""
    table = file.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return
    code = {n for n, section in enumerate(file.iter_sections()) if section["sh_flags"] & 4}  # SHF_EXECINSTR
    found = sorted(
        (int(symbol["st_value"]), symbol.name, int(symbol["st_shndx"]))
        for symbol in table.iter_symbols()
        if symbol.name
        and not symbol.name.startswith((".", "$"))
        and symbol["st_shndx"] in code
        and symbol["st_info"]["type"] in ("STT_FUNC", "STT_NOTYPE")
    )
    ends = {n: file.get_section(n)["sh_addr"] + file.get_section(n)["sh_size"] for n in code}
    for i, (address, name, section) in enumerate(found):
        end = min([ends[section], *(later for later, _, _ in found[i + 1 : i + 2])])
        parcels.set_code(address, end, name, ())


def _read_functions(dwarf: Any, unit: Any, parcels: _Parcels) -> None:
    """Name code by the functions of a compilation unit, and by what is inlined into them."""
    for entry in unit.iter_DIEs():
        if entry.tag != "DW_TAG_subprogram":
            continue
        name = _name(entry)
        for start, end in _spans(dwarf, unit, entry):
            parcels.set_code(start, end, name, ())
        _read_inlined(dwarf, unit, entry, name, (), parcels)


def _read_inlined(dwarf: Any, unit: Any, parent: Any, function: str, chain: tuple[str, ...], parcels: _Parcels) -> None:
    if len(chain) >= _MAX_INLINED:
        return
    for entry in parent.iter_children():
        inner = chain
        if entry.tag == "DW_TAG_inlined_subroutine":
            inner = (*chain, _name(entry))
            for start, end in _spans(dwarf, unit, entry):
                parcels.set_code(start, end, function, inner)
        if entry.tag in ("DW_TAG_inlined_subroutine", "DW_TAG_lexical_block"):
            _read_inlined(dwarf, unit, entry, function, inner, parcels)


def _name(entry: Any) -> str:
    """Return a function's name, which may be at its declaration."""
    for _ in range(3):
        if "DW_AT_name" in entry.attributes:
            return str(entry.attributes["DW_AT_name"].value.decode("utf-8", "replace"))
        link = next((key for key in ("DW_AT_abstract_origin", "DW_AT_specification") if key in entry.attributes), None)
        if link is None:
            break
        entry = entry.get_DIE_from_attribute(link)
    return UNKNOWN


def _spans(dwarf: Any, unit: Any, entry: Any) -> Iterator[tuple[int, int]]:
    """Yield first and end address of each piece of code of an entry."""
    attributes = entry.attributes
    if "DW_AT_low_pc" in attributes and "DW_AT_high_pc" in attributes:
        low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
        yield low, high.value if high.form == "DW_FORM_addr" else low + high.value
    elif "DW_AT_ranges" in attributes:
        top = unit.get_top_DIE().attributes
        base = top["DW_AT_low_pc"].value if "DW_AT_low_pc" in top else 0
        for item in dwarf.range_lists().get_range_list_at_offset(attributes["DW_AT_ranges"].value, cu=unit):
            if not isinstance(item, RangeEntry):
                base = item.base_address
            elif getattr(item, "is_absolute", False):
                yield item.begin_offset, item.end_offset
            else:
                yield base + item.begin_offset, base + item.end_offset


def _read_lines(dwarf: Any, unit: Any, parcels: _Parcels) -> None:
    """Give code the lines of a compilation unit."""
    program = dwarf.line_program_for_CU(unit)
    if program is None:
        return
    path = _path_of(unit, program)
    before: Any = None
    for entry in program.get_entries():
        state = entry.state
        if state is None:
            continue
        if before is not None and before.address < state.address:
            parcels.set_line(before.address, state.address, path(before.file), before.line)
        before = None if state.end_sequence else state


def _path_of(unit: Any, program: Any) -> Callable[[int], str]:
    """Return a function from a line program's file numbers to paths."""
    header = program.header
    folders = [_text(folder) for folder in header["include_directory"]]
    files: Sequence[Any] = header["file_entry"]
    top = unit.get_top_DIE().attributes
    home = _text(top["DW_AT_comp_dir"].value) if "DW_AT_comp_dir" in top else ""
    is_new = header["version"] >= 5
    first_file, first_folder = (0, 0) if is_new else (1, 1)

    def path(number: int) -> str:
        if not first_file <= number < first_file + len(files):
            return ""
        file = files[number - first_file]
        folder = int(file.dir_index) - first_folder
        inside = folders[folder] if 0 <= folder < len(folders) else ""
        return posixpath.normpath(posixpath.join(home, inside, _text(file.name)))

    return path


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def find_source(place_path: str, folders: Sequence[Path]) -> Path | None:
    """Return the file that a place's path names: as it is, or by its name in one of the folders."""
    name = posixpath.basename(place_path)
    candidates = [Path(place_path), *(folder / name for folder in folders)] if name else []
    return next((path for path in candidates if path.is_file()), None)
