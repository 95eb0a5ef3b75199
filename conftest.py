"""Rules for all tests: what each marker needs, where compiled code is kept, and that runs are repeatable.

A test whose marker needs a missing program is skipped with the reason; under ``CI=true`` it fails instead, so that a
forgotten installation step can't hide there. This file stands above ``tests/`` and ``rtl/tests/``, which both use it.
"""

import functools
import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parent
IN_CI = os.environ.get("CI") == "true"
OLDEST_JAVA = 17  # the least that Spark 4 runs on

# Compiled kernels survive from one test run to the next; set before anything imports pim.jit.
os.environ.setdefault("SCALEIN_CACHE", str(ROOT / ".cache" / "tests"))

# Time limits per example would make tests depend on the machine; in CI the examples are the same every time.
hypothesis.settings.register_profile("local", deadline=None, print_blob=True)
hypothesis.settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
hypothesis.settings.load_profile("ci" if IN_CI else "local")


def _missing_modules(*names: str) -> list[str]:
    return [f"Python package {name}" for name in names if importlib.util.find_spec(name) is None]


def _missing_programs(*choices: tuple[str, ...]) -> list[str]:
    return [" or ".join(names) for names in choices if not any(shutil.which(name) for name in names)]


def _java_major() -> int:
    """Return the major version of the Java that Spark would start, 0 if there is none."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    if java is None:
        return 0
    banner = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(\d+)', banner)
    return int(version[1]) if version else 0


def _missing_for_spark() -> list[str]:
    java = [] if _java_major() >= OLDEST_JAVA else [f"Java {OLDEST_JAVA} or newer"]
    return _missing_modules("pyspark") + java


NEEDS: dict[str, Callable[[], list[str]]] = {
    "spark": _missing_for_spark,
    "toolchain": lambda: _missing_modules("ziglang"),
    "rtl": lambda: _missing_modules("cocotb") + _missing_programs(("iverilog",), ("vvp",)),
    "emulator": lambda: _missing_programs(("qemu-riscv64",), ("qemu-riscv32",)),
    "browser": lambda: (
        _missing_modules("selenium")
        + _missing_programs(("chromium", "chromium-browser", "google-chrome"), ("chromedriver",))
    ),
}


@functools.cache
def missing(marker: str) -> tuple[str, ...]:
    """Return what tests with this marker need and the machine lacks."""
    return tuple(NEEDS[marker]())


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that can't run here; in CI, fail it."""
    for marker in NEEDS:
        if item.get_closest_marker(marker) and missing(marker):
            reason = f"marker {marker}: missing {', '.join(missing(marker))} (`make test` installs it)"
            if IN_CI:
                pytest.fail(reason, pytrace=False)
            pytest.skip(reason)


def pytest_report_header() -> list[str]:
    """Return what this machine can't run, and the cache folder."""
    lacks = {marker: missing(marker) for marker in NEEDS if missing(marker)}
    return [f"scalein: missing {lacks or 'nothing'}; cache {os.environ['SCALEIN_CACHE']}"]


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """Return a function from a name to that file or folder of reference data beside the project.

    The data is no part of the project: where it is absent, the test is skipped.
    """

    def find(name: str) -> Path:
        path = ROOT.parent / "shared" / name
        if not path.exists():
            pytest.skip(f"reference data ../shared/{name} is absent")
        return path

    return find
