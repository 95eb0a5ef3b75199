"""A missing program skips its tests on a developer's machine and fails them in CI."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDS_SIMULATOR = """
import pytest

@pytest.mark.rtl
def test_simulates():
    pass

def test_reads(shared_data):
    shared_data("no-such-folder")
"""


@pytest.mark.parametrize(("ci", "outcome"), [("false", "2 skipped"), ("true", "1 skipped, 1 error")])
def test_test_that_lacks_its_program(tmp_path, ci, outcome):
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "test_needs.py").write_text(NEEDS_SIMULATOR)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_needs.py"],
        cwd=tmp_path, env=os.environ | {"CI": ci, "PATH": ""}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert outcome in run.stdout.splitlines()[-1]
    assert "marker rtl: missing iverilog, vvp (`make test` installs it)" in run.stdout
    assert "reference data ../shared/no-such-folder is absent" in run.stdout
