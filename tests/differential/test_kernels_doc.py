"""What docs/kernels.md shows runs, and what its table says of errors holds."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mapreduce.call import Call, Input, Output
from mapreduce.kernel import PythonKernel
from mapreduce.on_core import run_on_core
from pim.config import load_system
from pim.errors import KernelError
from study.cli import run_command

pytestmark = pytest.mark.toolchain

ROOT = Path(__file__).resolve().parents[2]

QUIET = """
def quiet(values, floats, out, ratios):
    for i in range(len(values)):
        out[2 * i] = values[i] // (values[i] - values[i])
        out[2 * i + 1] = values[i] % (values[i] - values[i])
        ratios[i] = floats[i] / (floats[i] - floats[i])
    out[0] += values[0] * values[0]
    return 0

def slices(values, step):
    return len(values[::step])
"""


@pytest.fixture(scope="module")
def blocks() -> list[str]:
    return re.findall(r"^```(?:python|c|)\n(.*?)^```", (ROOT / "docs" / "kernels.md").read_text(), re.M | re.S)


@pytest.fixture
def folder(blocks: list[str], tmp_path: Path) -> Path:
    python, use, c, c_use, job, program, *_ = blocks
    (tmp_path / "job.py").write_text(job)
    (tmp_path / "histogram.py").write_text(python)
    (tmp_path / "histogram.c").write_text(c)
    (tmp_path / "hello.c").write_text(program)
    (tmp_path / "use_python.py").write_text(use)
    (tmp_path / "use_c.py").write_text(use.replace("from histogram import histogram\n", c_use))
    return tmp_path


def run_file(name: str, folder: Path) -> str:
    return subprocess.run(
        [sys.executable, name],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    ).stdout


def counts(text: bytes) -> Any:
    return np.bincount(np.frombuffer(text, np.uint8) % 16, minlength=16)


def test_both_kernels_run_and_agree(folder: Path) -> None:
    outputs = [run_file(name, folder).split("]")[0] for name in ("use_python.py", "use_c.py")]
    assert outputs == [str(counts(b"in memory"))[:-1]] * 2


def test_job_runs_on_all_cores(folder: Path) -> None:
    """Its reduce kernel is in the file that runs, which the compiler imports again."""
    result, _, phases = run_file("job.py", folder).partition("] ")
    assert result == str(counts(b"in memory " * 2000).tolist())[:-1]
    assert "'map_combine': " in phases


def test_file_that_runs_its_job_when_it_is_imported_is_refused(folder: Path) -> None:
    """The compiler imports it, which would run the job, which would compile, and so on without end."""
    text = (folder / "job.py").read_text()
    new = text.replace("+= partials[i]", "+= 1 * partials[i]")  # no compiled form of it is in the cache
    (folder / "job.py").write_text(new.replace('if __name__ == "__main__":', "if True:"))
    with pytest.raises(subprocess.CalledProcessError) as caught:
        run_file("job.py", folder)
    assert "belongs under `if __name__" in caught.value.stderr


def test_commands_run(folder: Path, blocks: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for line in [*blocks[-2].splitlines(), blocks[-1].splitlines()[0]]:
        program, *arguments = line.split()
        assert program == "scalein"
        assert run_command(arguments) == 0
    assert '"return_value": 42' in Path("numbers.json").read_text()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    path = tmp_path / "quiet.py"
    path.write_text(QUIET)
    spec = importlib.util.spec_from_file_location("quiet", path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "quiet", loaded)
    spec.loader.exec_module(loaded)
    return loaded


def test_division_by_zero_and_overflow_raise_nothing(module: Any) -> None:
    kernel = PythonKernel(module.quiet, "int64(int64[::1], float64[::1], int64[::1], float64[::1])")
    arguments = (Input(np.array([2**40, -5])), Input(np.array([3.0, 0.0])), Output("i8", 4), Output("f8", 2))
    outcome = run_on_core(Call(kernel, arguments), load_system("bank")).outcome
    assert outcome.outputs[0].tolist() == [0, 0, 0, 0]  # 2**80 wraps to 0
    assert outcome.outputs[1][0] == np.inf
    assert np.isnan(outcome.outputs[1][1])


def test_slice_step_of_zero_raises(module: Any) -> None:
    call = Call(PythonKernel(module.slices, "int64(int64[::1], int64)"), (Input(np.zeros(3, "i8")), 0))
    with pytest.raises(KernelError, match=r"^kernel slices: raised ValueError: slice step cannot be zero \(quiet\.py"):
        run_on_core(call, load_system("bank"))
