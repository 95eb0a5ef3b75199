"""Files read within bounds, and written so that a reader never sees half of one.

Written: temporary file beside the target, fsync, rename. Read: regular files only, as a pipe or a device may never end.
"""

import os
import tempfile
from pathlib import Path

from pim.errors import ConfigError, LoadError, PimError


def read_bounded(path: Path, max_bytes: int, what: str, error: type[PimError] = LoadError) -> bytes:
    """Return the content of a regular file.

    Parameters
    ----------
    path : Path
        The file.
    max_bytes : int
        Largest size allowed.
    what : str
        The file in messages.
    error : type of PimError
        What is raised.

    Raises
    ------
    PimError
        The file can't be read, is a pipe or a device, or is too large.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise error(f"{what}: can't be read: not a regular file")
        with path.open("rb") as stream:
            content = stream.read(max_bytes + 1)
    except OSError as problem:
        raise error(f"{what}: can't be read: {problem.strerror}") from None
    except ValueError as problem:  # a name no file can have
        raise error(f"{what}: can't be read: {problem}") from None
    if len(content) > max_bytes:
        raise error(f"{what}: larger than the {max_bytes:,} bytes allowed")
    return content


def check_writable(path: Path) -> None:
    """Raise ConfigError where `write_atomic` could not write ``path``, before hours are spent on what goes there."""
    try:
        _require_no_other(path)
        folder = path.parent
        while not os.path.lexists(folder):  # a link to nowhere is no folder either
            folder = folder.parent
        with tempfile.TemporaryDirectory(dir=folder, prefix=".") as trial:
            (Path(trial) / f".{path.name}.12345678.tmp").touch()  # a name as long as `write_atomic` needs
    except OSError as error:
        raise ConfigError(f"{path}: can't be written: {error.strerror}") from None
    except ValueError as error:  # a name no file can have
        raise ConfigError(f"{path}: can't be written: {error}") from None


def _require_no_other(path: Path) -> None:
    """Raise ConfigError where ``path`` is a folder, a device or a pipe: none is to be replaced by a file."""
    if path.exists() and not path.is_file():
        raise ConfigError(f"{path}: can't be written: exists and is not a regular file")


def write_atomic(path: Path, content: bytes) -> None:
    """Replace ``path`` with ``content``; a crash leaves either the old file or the new one.

    Raises
    ------
    ConfigError
        The folder can't be made or written, or something other than a file is at ``path``.
    """
    try:
        _require_no_other(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    except OSError as error:
        raise ConfigError(f"{path}: can't be written: {error.strerror}") from None
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            os.fchmod(stream.fileno(), 0o644)  # mkstemp makes it private; results are to be read
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
