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


def write_atomic(path: Path, content: bytes) -> None:
    """Replace ``path`` with ``content``; a crash leaves either the old file or the new one.

    Raises
    ------
    ConfigError
        The folder can't be made or written.
    """
    try:
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
