"""Kernels in C: the same bits on this host and on cores of every width and extension, and as the Python kernel's."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mapreduce.c_kernel import CKernel, c_kernel
from mapreduce.call import Call, Input, Output, Scratch
from mapreduce.compile import kernel_elf
from mapreduce.kernels import q6
from mapreduce.on_core import run_on_core
from pim.config import load_system, with_overrides
from pim.isa import Op, load_elf
from pim.isa.decode import decode_text

pytestmark = pytest.mark.toolchain

HEADER = "#define TABLE {3, 1, 4, 1, 5}\n"
SOURCE = r"""
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "table.h"

static const int8_t table[] = TABLE;

int64_t mixed(const double *x, size_t n, const char *text, int64_t text_n, const float *y, int64_t y_n, int64_t shift,
              double gain, int16_t *room, size_t room_n, double *out, size_t out_n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    out[i] = exp(x[i]) * gain + sqrt(fabs(x[i])) + x[i] * x[i] + sin(x[i]);  /* products that could be fused */
    sum += out[i];
  }
  int64_t total = 0;
  for (int64_t i = 0; i < text_n; i++) total += text[i] * table[i % 5];  /* is char signed? */
  float small = 0;
  for (int64_t i = 0; i < y_n; i++) small = small * 0.5f + y[i];
  memset(room, 0xff, room_n * sizeof *room);
  for (size_t i = 0; i < room_n; i++)
    total += room[i] / 3 + (total >> shift) % 7 + (int64_t)(i * 0x123456789) / (total | 1);
  out[out_n - 1] = sum + small;
  return total & INT64_MAX;
}

int64_t revenue(const int32_t *shipdate, size_t n, const int64_t *discount, size_t n1, const int64_t *quantity,
                size_t n2, const int64_t *price, size_t n3, int64_t first, int64_t end, int64_t least, int64_t most,
                int64_t limit, int64_t *out, size_t n4) {
  int64_t total = 0, selected = 0;
  for (size_t i = 0; i < n; i++)
    if (first <= shipdate[i] && shipdate[i] < end && least <= discount[i] && discount[i] <= most &&
        quantity[i] < limit) {
      total += price[i] * discount[i];
      selected++;
    }
  out[0] = total;
  return selected;
}
"""
MIXED = "int64(float64[::1], int8[::1], float32[::1], int64, float64, int16[::1], float64[::1])"
TARGETS = ["rv64imc", "rv64imafdc", "rv64i", "rv64imf", "rv32imc", "rv32imafdc", "rv32i"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("c")
    (made / "table.h").write_text(HEADER)
    (made / "own.c").write_text(SOURCE)
    return made


@pytest.fixture(scope="module")
def mixed(folder: Path) -> CKernel:
    return c_kernel(folder / "own.c", "mixed", MIXED)


def machine(extensions: str, level: str = "bank") -> Any:
    return with_overrides(load_system(level), {"core.extensions": extensions})


def mixed_call(kernel: CKernel) -> Call:
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.normal(size=12), [0.0, -0.0, 1e-300, 700.0, -745.0]])
    text = rng.integers(-128, 128, 40).astype(np.int8)
    y = rng.normal(size=9).astype(np.float32)
    return Call(kernel, (Input(x), Input(text), Input(y), 3, 1.7, Scratch("i2", 11), Output("f8", len(x) + 1)))


@pytest.mark.parametrize("target", TARGETS)
def test_cores_give_the_hosts_bits(mixed: CKernel, target: str) -> None:
    """Among the targets are soft-float and FPUs: `run_on_core` compares each with the same host's bytes."""
    run = run_on_core(mixed_call(mixed), machine(target))
    assert run.outcome.value > 0
    assert np.isfinite(run.outcome.outputs[0]).all()


def test_host_computes_what_numpy_computes_where_only_basic_operations_are(mixed: CKernel) -> None:
    x = np.array([0.5, -1.25, 3.0])
    call = Call(mixed, (Input(x), Input(np.array([-3, 2], "i1")), Input(np.zeros(1, "f4")), 3, 0.0, Scratch("i2", 0),
                        Output("f8", 4)))  # fmt: skip
    native = call.run_native()
    assert native.value == (-3 * 3 + 2 * 1) & (2**63 - 1)  # char is signed
    np.testing.assert_allclose(native.outputs[0][:3], np.sqrt(np.abs(x)) + x * x + np.sin(x), rtol=1e-15)


@pytest.mark.parametrize("level", ["bank", "chip", "rank"])
def test_c_kernel_agrees_with_the_python_kernel_at_every_level(folder: Path, level: str) -> None:
    rng = np.random.default_rng(8)
    columns = (rng.integers(8700, 9200, 500).astype("i4"), rng.integers(4, 9, 500), rng.integers(2300, 2500, 500),
               rng.integers(1, 10**7, 500))  # fmt: skip
    arguments = (*map(Input, columns), 8766, 9131, 5, 7, 2400, Output("i8", 1))
    kernel = c_kernel(folder / "own.c", "revenue", q6.q6_map.signature)
    system = load_system(level)
    ours = run_on_core(Call(kernel, arguments), system).outcome
    theirs = run_on_core(Call(q6.q6_map, arguments), system).outcome
    assert ours.value == theirs.value > 0
    assert ours.outputs[0].tolist() == theirs.outputs[0].tolist()


@pytest.mark.parametrize("target", TARGETS)
def test_program_uses_what_the_core_has_and_no_more(mixed: CKernel, target: str) -> None:
    program = load_elf(kernel_elf(mixed, target))
    assert program.xlen == int(target[2:4])
    decoded = decode_text(program.text, program.xlen, f"rv{program.xlen}imafdc")
    sizes, ops, at = set(), set(), 0
    while at < len(program.text) // 2:
        sizes.add(int(decoded.size[at]))
        ops.add(Op(int(decoded.op[at])))
        at += int(decoded.size[at]) // 2
    letters = target[5:]
    assert (2 in sizes) == ("c" in letters)
    assert (Op.MUL in ops) == ("m" in letters)
    assert (Op.FADD_D in ops) == ("d" in letters)
    assert (Op.FADD_S in ops) == ("f" in letters)
