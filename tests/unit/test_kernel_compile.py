"""Registration, keys and ELFs of kernels."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mapreduce import compile as compiler
from mapreduce.abi import argument_words, scalar_word
from mapreduce.kernel import Parameter, PythonKernel, kernel, shipped_kernels
from mapreduce.source import normalised_source
from mapreduce.target import SHIPPED_TARGETS, target_of
from pim.errors import CapacityError, ConfigError, LoadError
from pim.isa import load_elf

FACTOR = 3


def scale(values, factor):
    """Docstring."""
    for i in range(len(values)):
        values[i] *= FACTOR * factor
    return len(values)


def scale_annotated(values: Any, factor: int) -> int:
    # a comment
    for i in range(len(values)):
        values[i] *= FACTOR * (factor)
    return len(values)


def bare(function: Any) -> str:
    return normalised_source(function).replace(function.__name__, "f")


def test_key_ignores_what_changes_no_code() -> None:
    assert bare(scale) == bare(scale_annotated)


def test_key_follows_constants_signature_target_and_recipe(monkeypatch: pytest.MonkeyPatch) -> None:
    one = PythonKernel(scale, "int64(int64[::1], int64)")
    other = PythonKernel(scale, "int64(float64[::1], int64)")
    keys = {k.digest(t, r) for k in (one, other) for t in SHIPPED_TARGETS for r in "12"}
    assert len(keys) == 8
    before = one.digest("rv64imc", "1")
    monkeypatch.setitem(globals(), "FACTOR", 4)
    assert one.digest("rv64imc", "1") != before


def test_key_follows_the_lines_that_messages_name() -> None:
    keys = [PythonKernel(function, "int64(int64[::1], int64)").source() for function in (scale, scale_annotated)]
    assert [key.replace("scale_annotated", "scale").split("@")[0] for key in keys] == [keys[0].split("@")[0]] * 2
    lines = [[int(n) for n in re.findall(r"\d+", key.split("test_kernel_compile.py")[1])] for key in keys]
    assert sorted(set(lines[0])) != sorted(set(lines[1]))


def test_parameters_follow_the_signature() -> None:
    made = PythonKernel(scale, "int64(float32[::1], float64)")
    assert made.parameters == (
        Parameter("values", np.dtype("f4"), is_array=True),
        Parameter("factor", np.dtype("f8"), is_array=False),
    )
    assert argument_words(made) == 3


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("float64(int64[::1], int64)", "result must be int64, got float64"),
        ("int64(int64[::1])", r"1 types for the 2 parameters \('values', 'factor'\)"),
        ("int64(int64[:], int64)", "values must be a C-contiguous 1-D array"),
        ("int64(int64[:,::1], int64)", "values must be a C-contiguous 1-D array"),
        ("int64(int64[::1], int32)", "scalar factor must be int64 or float64, got int32"),
    ],
)
def test_signature_errors_say_what_is_allowed(signature: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"kernel scale.*{message}"):
        _ = PythonKernel(scale, signature).parameters


def test_kernel_names_are_unique() -> None:
    def q6_reduce(partials: Any) -> int:
        return len(partials)

    shipped_kernels()
    with pytest.raises(ConfigError, match=r"q6_reduce in .*compile\.py: the name is taken by the one in .*q6\.py"):
        kernel("int64(int64[::1])")(q6_reduce)


def test_arguments_must_fit_the_mailbox() -> None:
    names = [f"a{i}" for i in range(9)]
    many = eval(f"lambda {', '.join(names)}: 0")
    with pytest.raises(CapacityError, match="take 17 words, the mailbox holds 16"):
        argument_words(PythonKernel(many, f"int64({', '.join(['int8[::1]'] * 8)}, int64)"))


def test_scalars_become_words() -> None:
    assert scalar_word(Parameter("x", np.dtype("i8"), is_array=False), -1) == 2**64 - 1
    assert scalar_word(Parameter("x", np.dtype("f8"), is_array=False), -0.0) == 2**63


def test_globals_without_known_content_are_refused() -> None:
    table = np.arange(3)

    def uses_table(values):
        return table[0] + len(values)

    with pytest.raises(LoadError, match="global table is a ndarray"):
        normalised_source(uses_table)


def test_shipped_elfs_are_complete_and_no_more() -> None:
    expected = {compiler.elf_name(k, t) for k in shipped_kernels() for t in SHIPPED_TARGETS}
    assert {path.name for path in compiler.SHIPPED_ELFS.iterdir()} == expected, "run `make kernels`"


@pytest.mark.parametrize("path", sorted(compiler.SHIPPED_ELFS.glob("*.elf")), ids=lambda path: path.stem[:-17])
def test_shipped_elf_is_small_and_starts_where_a_core_starts(path: Path) -> None:
    program = load_elf(path)
    assert program.entry == program.symbols["_start"] == 0x8000_0000
    assert "kernel_entry" in program.symbols
    assert sum(segment.memory_bytes for segment in program.segments) < 4096
    assert path.stat().st_size < 8192  # line numbers and exceptions included
    assert "rv64imc" not in path.name or not any(segment.writable for segment in program.segments)


@pytest.mark.toolchain
def test_shipped_elfs_are_what_the_sources_give() -> None:
    kernels = shipped_kernels()
    names = [compiler.elf_name(k, t) for k in kernels for t in SHIPPED_TARGETS]
    for name, elf in zip(names, compiler.compile_elfs(kernels, SHIPPED_TARGETS), strict=True):
        assert (compiler.SHIPPED_ELFS / name).read_bytes() == elf, f"{name} differs: run `make kernels`"


@pytest.fixture
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(compiler, "cache_root", lambda: tmp_path)
    return tmp_path


def test_without_toolchain_an_unknown_kernel_is_a_clear_error(
    monkeypatch: pytest.MonkeyPatch, empty_cache: Path
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(LoadError, match=r"kernel scale: no shipped ELF .*pip install 'scalein\[toolchain\]'"):
        compiler.kernel_elf(PythonKernel(scale, "int64(int64[::1], int64)"), "rv64imc")


def test_unknown_target_is_named() -> None:
    with pytest.raises(ConfigError, match=r"target: extensions: must be rv32 or rv64, .*, got 'rv128'"):
        compiler.kernel_elf(shipped_kernels()[0], "rv128")


def test_python_kernels_are_for_64_bits() -> None:
    with pytest.raises(LoadError, match=r"Python kernels are for 64-bit cores, got rv32imc; .*written in C"):
        compiler.kernel_elf(shipped_kernels()[0], "rv32imc")


@pytest.mark.parametrize(
    ("name", "abi", "features", "cpu"),
    [
        ("rv64imc", "lp64", "+m,+c", "generic_rv64+m+c"),
        ("rv64imafdc", "lp64d", "+m,+a,+f,+d,+c", "generic_rv64+m+a+f+d+c"),
        ("rv64imf", "lp64f", "+m,+f", "generic_rv64+m+f"),
        ("rv32i", "ilp32", "", "generic_rv32"),
        ("rv32imafdc", "ilp32d", "+m,+a,+f,+d,+c", "generic_rv32+m+a+f+d+c"),
    ],
)
def test_extensions_decide_the_compilation(name: str, abi: str, features: str, cpu: str) -> None:
    target = target_of(name)
    assert (target.abi, target.features, target.zig_cpu) == (abi, features, cpu)
    assert target.triple == f"riscv{name[2:4]}-unknown-elf"


def test_cached_elf_is_used_and_made_once(monkeypatch: pytest.MonkeyPatch, empty_cache: Path) -> None:
    made = []
    monkeypatch.setattr(compiler, "compile_elf", lambda k, t: made.append(t) or b"elf of " + t.encode())
    own = PythonKernel(scale, "int64(int64[::1], int64)")
    assert [compiler.kernel_elf(own, "rv64imc") for _ in range(2)] == [b"elf of rv64imc"] * 2
    assert made == ["rv64imc"]
    assert [path.name for path in (empty_cache / "elf").iterdir()] == [compiler.elf_name(own, "rv64imc")]


@pytest.mark.toolchain
def test_kernel_that_cannot_be_compiled_says_why(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text("def own(values):\n    return values.no_such_method()\n")
    spec = importlib.util.spec_from_file_location("own", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(LoadError, match=r"(?s)kernel own: .*no_such_method"):
        compiler.compile_elf(PythonKernel(module.own, "int64(int64[::1])"), "rv64imc")


def test_kernel_inside_a_function_is_refused() -> None:
    def inner(values):
        return len(values)

    with pytest.raises(LoadError, match="kernel inner: must be defined at the top level of a module"):
        compiler.compile_elf(PythonKernel(inner, "int64(int64[::1])"), "rv64imc")
