"""Files written so that a reader never sees half of one: temporary file beside the target, fsync, rename."""

import os
import tempfile
from pathlib import Path

from pim.errors import ConfigError


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
