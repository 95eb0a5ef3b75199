"""Numba in one place: compiler flags, compile cache, and records declared once for reader, checker and kernel.

Numba's own cache keeps a compiled caller after a constant in another file changed, and would return stale results.
The cache folder is therefore named by a digest of all our sources and the Numba version: fast and never stale.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

_ROOT = Path(__file__).resolve().parent.parent
_COMPILED = ("pim", "mapreduce")
"""Packages that hold kernels."""


def cache_root() -> Path:
    """Return the folder for compiled code: ``$SCALEIN_CACHE``, else ``scalein`` in ``$XDG_CACHE_HOME`` or ~/.cache."""
    default = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "scalein"
    return Path(os.environ.get("SCALEIN_CACHE", default))


def source_digest() -> str:
    """Return a digest of the sources that hold kernels and of the compiler's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for package in _COMPILED:
        for path in sorted((_ROOT / package).rglob("*.py")):
            digest.update(path.relative_to(_ROOT).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


numba.config.CACHE_DIR = str(cache_root() / f"numba-{source_digest()}")


def kernel(fn: F) -> F:
    """Compile ``fn`` with the project's Numba flags; the machine code is cached on disk.

    Kernels only borrow arrays: without reference counting (``_nrt``) an array in a tuple is as cheap as a local one.
    """
    return cast(F, numba.njit(error_model="numpy", cache=True, nogil=True, _nrt=False)(fn))


def inlined_kernel(fn: F) -> F:
    """Compile ``fn`` as `kernel` does, and merge it into its callers: a call passes every array field by field."""
    return cast(F, numba.njit(error_model="numpy", cache=True, nogil=True, forceinline=True, _nrt=False)(fn))


def record_dtype(record: type) -> np.dtype[np.void]:
    """Return the aligned dtype of an annotated class: ``int`` is int64, ``Annotated[int, "u4"]`` is uint32."""
    fields = []
    for name, hint in get_type_hints(record, include_extras=True).items():
        spec = get_args(hint)[1:] if get_origin(hint) is Annotated else ("i8",)
        fields.append((name, *spec))
    return cast("np.dtype[np.void]", np.dtype(cast(Any, fields), align=True))
