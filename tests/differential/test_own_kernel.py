"""A user's own kernel: from a file to a core, and what happens when it can't be compiled or raises."""

import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mapreduce import jobs
from mapreduce.api import Job
from mapreduce.c_kernel import CKernel
from mapreduce.call import Call, Input, Outcome, Output
from mapreduce.compile import compile_elf
from mapreduce.exceptions import exception_table
from mapreduce.host import STEPS, load_calibration
from mapreduce.kernel import PythonKernel
from mapreduce.launch import check_outcome
from mapreduce.place import aligned, place
from mapreduce.runtime import run_job
from pim.config import load_system, with_overrides
from pim.errors import CapacityError, KernelError, LoadError, ResultMismatchError
from pim.isa import load_elf
from pim.system import run_cores
from tests.differential.test_jobs_on_cores import machine

pytestmark = pytest.mark.toolchain

SOURCE = '''
import math
import numpy as np
from mapreduce.kernel import helper

LIMIT = 3.5

@helper
def clip(x, low):
    if x == -7.0:
        raise ArithmeticError("seven")  # in a helper
    return max(low, min(x, LIMIT))

def root(values, low, gain, out):
    """Scalars of both kinds, a helper, a constant, a slice, a library function, ways to fail."""
    for i in range(len(values)):
        if values[i] < -100.0:
            raise ValueError("too small")  # constant
        if values[i] > 100.0:
            raise OverflowError("too large", 7)  # two arguments
        if values[i] == 98.0:
            raise IndexError  # no message
        assert values[i] != 97.0, "not this"  # assertion
        for j in range(0, 3, gain + 3 if values[i] == 96.0 else 1):  # range
            out[i] = j
        out[i] = math.sqrt(clip(values[i], low)) * gain
    head = values[:2]
    total = 0.0
    for x in head:
        total += x
    out[0] += total
    return len(head)

def halve(values, out):
    total = 0
    for i in range(len(values)):
        if values[i] % 2:
            raise ValueError("odd")  # odd
        total += values[i] // 2
    out[0] = total
    return len(values)

def computes(values):
    raise KeyError(len(values))

def allocates(values):
    return np.zeros(len(values))[0]
'''
HALVE = "int64(int64[::1], int64[::1])"
HALVE_IN_C = """
#include <stddef.h>
#include <stdint.h>
int64_t halve(const int64_t *values, size_t n, int64_t *out, size_t n_out) {
  out[0] = 0;
  for (size_t i = 0; i < n; i++) {
    if (values[i] % 2) return -1;
    out[0] += values[i] / 2;
  }
  return n_out;
}
"""
SIGNATURE = "int64(float64[::1], float64, int64, float64[::1])"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path = tmp_path_factory.mktemp("own") / "own.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("own", path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setitem(sys.modules, "own", loaded)  # Numba looks up the functions of an exception's traceback
    spec.loader.exec_module(loaded)
    yield loaded
    monkeypatch.undo()


@pytest.fixture(scope="module", params=["rv64imc", "rv64imafdc", "rv64i"])
def target(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def elf(module: Any, target: str) -> bytes:
    return compile_elf(PythonKernel(module.root, SIGNATURE), target)


def call(module: Any, values: list[float]) -> Call:
    arguments = (Input(np.array(values)), -0.0, -3, Output("f8", len(values)))
    return Call(PythonKernel(module.root, SIGNATURE), arguments)


def on_a_core(elf: bytes, target: str, made: Call, expected: Outcome) -> None:
    """Run the call on one core and compare."""
    system = with_overrides(load_system("bank"), {"core.extensions": target})
    program = load_elf(elf)
    placed = place(made, system, aligned(program.end), core=0)
    (run,) = run_cores(system, program, [placed.task(expected)]).cores
    check_outcome(placed, expected, run, "bank, core 0", exception_table(elf))


def test_own_kernel_gives_the_same_bits_everywhere(module: Any, elf: bytes, target: str) -> None:
    made = call(module, [0.0, 2.0, 1e-310, 7.25, -1.0, 3.4999999999999996])
    native = made.run_native()
    plain = made.run(made.kernel.function)
    assert native.value == plain.value == 2
    assert native.outputs[0].tobytes() == plain.outputs[0].tobytes()
    on_a_core(elf, target, made, native)


RAISES = {
    -101.0: ("ValueError: too small", "constant"),
    101.0: ("OverflowError: ('too large', 7)", "two arguments"),
    98.0: ("IndexError", "no message"),
    97.0: ("AssertionError: not this", "assertion"),
    96.0: ("ValueError: range() arg 3 must not be zero", "range"),
    -7.0: ("ArithmeticError: seven", "in a helper"),
}


def place_in_source(comment: str) -> str:
    """Return how a message names the line with a comment."""
    (line,) = (i for i, text in enumerate(SOURCE.splitlines(), start=1) if text.endswith(f"  # {comment}"))
    return f"(own.py, line {line})"


@pytest.mark.parametrize("value", RAISES)
def test_exception_on_a_core_names_class_message_and_line(module: Any, elf: bytes, target: str, value: float) -> None:
    text, comment = RAISES[value]
    expected = Outcome(0, (np.zeros(2),))
    message = f"core 0: kernel root raised {text} {place_in_source(comment)}; on the host it returned 0"
    with pytest.raises(ResultMismatchError, match=re.escape(message)):
        on_a_core(elf, target, call(module, [1.0, value]), expected)


@pytest.mark.parametrize("value", RAISES)
def test_exception_in_plain_python_is_named_the_same(module: Any, value: float) -> None:
    text, comment = RAISES[value]
    made = call(module, [1.0, value])
    with pytest.raises(KernelError, match=f"^{re.escape(f'kernel root: raised {text} {place_in_source(comment)}')}$"):
        made.run(made.kernel.function)


@pytest.mark.parametrize("value", RAISES)
def test_exception_on_the_host_is_named_the_same(module: Any, value: float) -> None:
    text, comment = RAISES[value]
    where = "(own.py)" if comment == "range" else place_in_source(comment)  # Numba's own has no line there
    made = call(module, [1.0, value])
    with pytest.raises(KernelError, match=f"^{re.escape(f'kernel root, hart 3: raised {text} {where}')}$"):
        made.run_native(3)


def test_kernel_that_allocates_is_refused(module: Any) -> None:
    with pytest.raises(LoadError, match=r"(?s)kernel allocates, target rv64imc: .*undefined symbol: NRT_"):
        compile_elf(PythonKernel(module.allocates, "int64(float64[::1])"), "rv64imc")


def test_exception_with_computed_arguments_is_refused(module: Any) -> None:
    kernel = PythonKernel(module.computes, "int64(float64[::1])")
    with pytest.raises(LoadError, match="arguments of an exception must be constants"):
        compile_elf(kernel, "rv64imc")
    with pytest.raises(LoadError, match="arguments of an exception must be constants"):
        Call(kernel, (Input(np.zeros(1)),)).run_native()


@pytest.mark.parametrize("language", ["python", "c"])
def test_job_with_a_kernel_of_ones_own(language: str, module: Any, tmp_path: Path) -> None:
    """Cores 0 to 7 get the values; the one that gets a bad value is named, and is the only one that stops the job."""
    (tmp_path / "halve.c").write_text(HALVE_IN_C)
    kernels = {
        "python": PythonKernel(module.halve, HALVE),
        "c": CKernel(tmp_path / "halve.c", "halve", HALVE),
    }

    class Halves(type(jobs.get("q6"))):  # type: ignore[misc]
        name = "halves"
        map_kernel = kernels[language]
        inputs = {"values": "int64"}  # noqa: RUF012
        check = Job.check

        def split(self, inputs: Any, parameters: Any, n: int) -> list[Any]:
            return [{"values": part} for part in np.array_split(inputs["values"], n)]

        def map_call(self, part: Any, state: Any, parameters: Any) -> Call:
            return Call(self.map_kernel, (Input(part["values"]), Output("i8", 1)))

    values = np.arange(80) * 2
    times = {f"halves_{step}": 1.0 for step in STEPS}
    calibration = load_calibration().model_copy(update={"ns_per_unit": times})
    system = machine("bank")
    done = run_job(Halves(), {"values": values}, {}, system, sample_groups=None, calibration=calibration)
    assert done.result == {"revenue": "0.3160"}  # the sum of 0 to 79, as Q6 writes it
    values[35] = 71
    error, message = {
        "python": (KernelError, f"^kernel halve, hart 3: raised ValueError: odd {re.escape(place_in_source('odd'))}$"),
        "c": (CapacityError, "kernel halve on the host: gave up with value -1"),
    }[language]
    with pytest.raises(error, match=message):
        run_job(Halves(), {"values": values}, {}, system, calibration=calibration)
