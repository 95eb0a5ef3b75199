"""Which program made a result: version, commit, a digest of the code, library versions, machine."""

import hashlib
import platform
import subprocess
import sys
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path

from pim.engines import Engine
from pim.this_machine import cpu_model
from study.parts import Provenance

_ROOT = Path(__file__).resolve().parent.parent
_PACKAGES = ("pim", "mapreduce", "spark_traces", "thermal", "study")
_SOURCES = frozenset({".py", ".yaml", ".elf", ".json", ".csv"})
"""Kinds of file that decide a number; shipped traces have digests of their own."""
_LIBRARIES = ("numba", "numpy", "scipy", "pydantic")


def version() -> str:
    """Return the installed version of the project, ``unknown`` where it is not installed."""
    try:
        return metadata.version("scalein")
    except metadata.PackageNotFoundError:
        return "unknown"


@cache
def code_digest() -> str:
    """Return a digest of all files of our packages that decide a number (16 hex digits)."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((_ROOT / package).rglob("*")):
            if path.suffix in _SOURCES and "__pycache__" not in path.parts and "bundles" not in path.parts:
                digest.update(path.relative_to(_ROOT).as_posix().encode() + b"\0")
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def _git(*arguments: str) -> str | None:
    """Return what git says about our checkout, None without git or checkout."""
    if not (_ROOT / ".git").exists():
        return None
    try:
        done = subprocess.run(
            ["git", "-C", str(_ROOT), *arguments], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def collect(command: str, engine: Engine) -> Provenance:
    """Return the provenance of results made now by ``command``, the cores' instructions simulated by ``engine``."""
    status = _git("status", "--porcelain", "--untracked-files=no")
    libraries = {name: metadata.version(name) for name in _LIBRARIES}
    return Provenance(
        scalein_version=version(),
        git_commit=_git("rev-parse", "HEAD"),
        git_dirty=None if status is None else bool(status),
        code_digest=code_digest(),
        python=f"{sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}",
        packages=libraries,
        machine=f"{cpu_model()}, {platform.system()} {platform.machine()}",
        engine=engine.value,
        command=command,
        created_utc=datetime.now(UTC).isoformat(timespec="seconds"),
    )
