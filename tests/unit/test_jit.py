"""Compile cache: code is compiled again when anything it can depend on has changed, and only then."""

import importlib
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from pim import jit


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small package of kernels in place of ours."""
    folder = tmp_path / "gauge"
    folder.mkdir()
    files = {
        "__init__": '"""Kernels."""\n',
        "units": "SCALE = 3\n",
        "table": "from gauge import (\n    units as u,\n)\nTHRICE = u.SCALE\n",
        "lazy": "def late():\n    import gauge.other\n    return gauge.other\n",
        "other": "UNUSED = 1\n",
        "core": "from gauge.table import THRICE\nfrom pim.jit import kernel\n\n\n"
        "@kernel\ndef scaled(x):\n    return x * THRICE\n",
    }
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.setattr(jit, "_ROOT", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("SCALEIN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(jit.numba.config, "CACHE_DIR", "")
    forget()
    return folder


def forget() -> None:
    """Make the next import read the files again, as a new process would."""
    jit._read.cache_clear()
    jit.source_digest.cache_clear()
    for name in [name for name in sys.modules if name.split(".")[0] == "gauge"]:
        del sys.modules[name]
    importlib.invalidate_caches()


def digest(path: Path) -> str:
    forget()
    return jit.source_digest(path)


@pytest.mark.parametrize(
    ("changed", "kept"), [("units", "other"), ("table", "lazy"), ("__init__", "other"), ("core", "lazy")]
)
def test_digest_follows_what_a_file_imports_and_nothing_else(package: Path, changed: str, kept: str) -> None:
    core = package / "core.py"
    before = digest(core)
    for name, is_other in ((kept, False), (changed, True)):
        path = package / f"{name}.py"
        path.write_text(path.read_text() + "# changed\n")
        assert (digest(core) != before) is is_other


def test_imports_inside_functions_count(package: Path) -> None:
    before = digest(package / "lazy.py")
    (package / "other.py").write_text("UNUSED = 2\n")
    assert digest(package / "lazy.py") != before


def test_constant_of_another_file_is_never_stale(package: Path) -> None:
    scaled = importlib.import_module("gauge.core").scaled
    assert scaled(2) == 6
    (package / "units.py").write_text("SCALE = 5\n")
    forget()
    assert importlib.import_module("gauge.core").scaled(2) == 10
    cached = {path.parent.parent.name for path in (package.parent / "cache").rglob("*.nbi")}
    assert len(cached) == 2


def test_unchanged_code_is_not_compiled_again(package: Path) -> None:
    importlib.import_module("gauge.core").scaled(2)
    (package / "other.py").write_text("UNUSED = 2\n")
    forget()
    again = importlib.import_module("gauge.core").scaled
    again(2)
    assert sum(again.stats.cache_hits.values()) == 1
    assert not again.stats.cache_misses


def test_calls_with_constants_use_what_is_compiled_for_variables() -> None:
    @jit.kernel
    def add(left: int, right: int) -> int:
        return left + right

    @jit.kernel
    def sums(value: int) -> int:
        return add(value, value) + add(value, 1) + add(2, value)

    assert sums(5) == 23
    assert len(getattr(add, "signatures", ())) == (0 if jit.numba.config.DISABLE_JIT else 1)


@pytest.mark.plain
def test_rare_conditions_and_indices_stay_what_they_are() -> None:
    @jit.kernel
    def count(values: npt.NDArray[np.int64]) -> int:
        n = 0
        for i in range(len(values)):
            if jit.rarely(values[jit.at_index(i)] > 1):
                n += 1
        return n

    assert count(np.array([0, 1, 2, 3])) == 2
