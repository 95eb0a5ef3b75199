"""A user's own kernel: from a file to a core, and what happens when it can't be compiled or raises."""

import importlib.util
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from mapreduce.call import Call, Input, Outcome, Output
from mapreduce.compile import compile_elf
from mapreduce.kernel import Kernel
from mapreduce.launch import check_outcome
from mapreduce.place import aligned, place
from pim.config import load_system, with_overrides
from pim.errors import LoadError, ResultMismatchError
from pim.isa import load_elf
from pim.system import run_cores

pytestmark = pytest.mark.toolchain

SOURCE = '''
import math
import numpy as np
from mapreduce.kernel import helper

LIMIT = 3.5

@helper
def clip(x, low):
    return max(low, min(x, LIMIT))

def root(values, low, gain, out):
    """Scalars of both kinds, a helper, a constant, a slice, a library function, two ways to fail."""
    for i in range(len(values)):
        if values[i] < -100.0:
            raise ValueError("too small")
        if values[i] > 100.0:
            raise OverflowError("too large")
        out[i] = math.sqrt(clip(values[i], low)) * gain
    head = values[:2]
    total = 0.0
    for x in head:
        total += x
    out[0] += total
    return len(head)

def allocates(values):
    return np.zeros(len(values))[0]
'''
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


@pytest.fixture(scope="module", params=["rv64imc", "rv64imafdc"])
def target(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def elf(module: Any, target: str) -> bytes:
    return compile_elf(Kernel(module.root, SIGNATURE), target)


def call(module: Any, values: list[float]) -> Call:
    arguments = (Input(np.array(values)), -0.0, -3, Output("f8", len(values)))
    return Call(Kernel(module.root, SIGNATURE), arguments)


def on_a_core(elf: bytes, target: str, made: Call, expected: Outcome) -> None:
    """Run the call on one core and compare."""
    system = with_overrides(load_system("bank"), {"core.extensions": target})
    program = load_elf(elf)
    placed = place(made, system, aligned(program.end), core=0)
    (run,) = run_cores(system, program, [placed.task(expected)]).cores
    check_outcome(placed, expected, run, "bank, core 0")


def test_own_kernel_gives_the_same_bits_everywhere(module: Any, elf: bytes, target: str) -> None:
    made = call(module, [0.0, 2.0, 1e-310, 7.25, -1.0, 3.4999999999999996])
    native = made.run_native()
    plain = made.run(made.kernel.function)
    assert native.value == plain.value == 2
    assert native.outputs[0].tobytes() == plain.outputs[0].tobytes()
    on_a_core(elf, target, made, native)


@pytest.mark.parametrize("value", [-101.0, 101.0])
def test_exception_on_a_core_names_kernel_and_status(module: Any, elf: bytes, target: str, value: float) -> None:
    made = call(module, [1.0, value])
    expected = Outcome(0, (np.zeros(2),))
    with pytest.raises(ResultMismatchError, match="core 0: kernel root raised an exception, status 1"):
        on_a_core(elf, target, made, expected)
    with pytest.raises((ValueError, OverflowError), match="too"):
        made.run_native()


def test_kernel_that_allocates_is_refused(module: Any) -> None:
    with pytest.raises(LoadError, match=r"(?s)kernel allocates, target rv64imc: .*undefined symbol: NRT_"):
        compile_elf(Kernel(module.allocates, "int64(float64[::1])"), "rv64imc")
