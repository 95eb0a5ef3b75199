"""Exceptions of kernels: what was raised, and where, the same from a core, from this host and from plain Python.

On a core a kernel that raises ends its program with an exit code, the number of a ``raise`` in it. Which exception that
is, the section `SECTION` of the kernel's ELF says, a JSON list in the order of the numbers from 1.
"""

import json
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from pim.errors import LoadError

SECTION = ".scalein.exceptions"

CONSTANTS_ONLY = "a kernel has no heap: the arguments of an exception must be constants"


@dataclass(frozen=True)
class Raised:
    """An exception of a kernel.

    Attributes
    ----------
    exception : str
        Name of the class.
    message : str
        May be empty.
    file : str
        Name of the file, without its folder.
    line : int
        0 where it is not known.
    """

    exception: str
    message: str
    file: str
    line: int

    def __str__(self) -> str:
        """Return exception, message and place."""
        message = f": {self.message}" if self.message else ""
        return f"{self.exception}{message} ({self.file}{f', line {self.line}' if self.line else ''})"


def table_text(table: Sequence[Raised]) -> str:
    """Return a table as JSON."""
    return json.dumps([asdict(item) for item in table], separators=(",", ":"))


def table_assembly(text: str) -> str:
    """Return assembly of the section that holds a table."""
    return f'.section {SECTION},"",@progbits\n.byte {",".join(map(str, text.encode()))}\n'


def exception_table(elf: bytes) -> tuple[Raised, ...]:
    """Return the exceptions that a program can end with, by exit code from 1; none if it has no table.

    Raises
    ------
    LoadError
        The table is damaged.
    """
    try:
        section = ELFFile(BytesIO(elf)).get_section_by_name(SECTION)
        if section is None:
            return ()
        return tuple(_raised(**item) for item in json.loads(section.data()))
    except (ELFError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise LoadError(f"ELF image: damaged section {SECTION}: {error}") from error


def _raised(exception: str, message: str, file: str, line: int) -> Raised:
    return Raised(str(exception), str(message), str(file), int(line))


def describe_status(table: Sequence[Raised], status: int) -> str:
    """Return what an exit code of a kernel says."""
    return f"raised {table[status - 1]}" if 0 < status <= len(table) else f"ended with status {status}"


def raised_here(error: Exception, origin: str) -> Raised:
    """Return an exception that the kernel of a file raised in this process."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if not frame.filename.startswith(_OURS) or frame.filename == origin]
    file, line = (inside[-1].filename, inside[-1].lineno or 0) if inside else (origin, 0)
    return Raised(type(error).__name__, str(error), Path(file).name, line)


_OURS = str(Path(__file__).parent / "call.py")
"""The frames of this file stand between caller and kernel."""
