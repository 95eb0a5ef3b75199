"""What goes wrong with C kernels, and what their key follows."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from mapreduce import c_kernel as module
from mapreduce.c_kernel import CKernel, c_kernel
from mapreduce.call import Call, Input
from mapreduce.compile import compile_elf
from pim.errors import CapacityError, ConfigError, LoadError

GOOD = (
    "#include <stdint.h>\n#include <stddef.h>\nint64_t {name}(const int64_t *x, size_t n) {{ return n ? x[0] : 0; }}\n"
)
ONE_ARRAY = "int64(int64[::1])"


def written(folder: Path, text: str, name: str = "f") -> CKernel:
    path = folder / f"{name}.c"
    path.write_text(text)
    return CKernel(path, name, ONE_ARRAY)


def test_key_follows_file_included_file_name_and_signature(tmp_path: Path) -> None:
    made = written(tmp_path, '#include "a.h"\n#  include "missing.h"\n' + GOOD.format(name="f"))
    seen = [made.digest("rv64imc", "1")]
    (tmp_path / "a.h").write_text('#include "deep/b.h"\n#include "a.h"\n')
    seen.append(made.digest("rv64imc", "1"))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.h").write_text("// new\n")
    seen.append(made.digest("rv64imc", "1"))
    seen.append(CKernel(made.path, "f", "int64(int64[::1], int64)").digest("rv64imc", "1"))
    seen.append(CKernel(made.path, "g", ONE_ARRAY).digest("rv64imc", "1"))
    seen.append(made.digest("rv32imc", "1"))
    (tmp_path / "f.c").write_text(GOOD.format(name="f"))
    seen.append(made.digest("rv64imc", "1"))
    assert len(set(seen)) == len(seen)


def test_parameters_follow_the_signature(tmp_path: Path) -> None:
    made = CKernel(tmp_path / "f.c", "f", "int64(float32[::1], float64)")
    assert [(p.name, p.dtype.str, p.is_array) for p in made.parameters] == [
        ("argument_1", "<f4", True),
        ("argument_2", "<f8", False),
    ]


@pytest.mark.parametrize(
    ("name", "signature", "error", "message"),
    [
        ("f", "int64(int64[:])", ConfigError, "argument_1 must be a C-contiguous 1-D array"),
        ("f", "int64(", ConfigError, r"signature 'int64\(': is none, such as"),
        ("f", "nothing", ConfigError, "signature 'nothing': is none, such as"),
        ("f()", ONE_ARRAY, ConfigError, "name of a C function must be letters, digits and underscores"),
        ("", ONE_ARRAY, ConfigError, "name of a C function"),
    ],
)
def test_wrong_name_or_signature_is_an_error_at_once(
    tmp_path: Path, name: str, signature: str, error: type[Exception], message: str
) -> None:
    path = tmp_path / "f.c"
    path.write_text(GOOD.format(name="f"))
    with pytest.raises(error, match=message):
        c_kernel(path, name, signature)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"C file .*none\.c: can't be read: No such file"):
        c_kernel(tmp_path / "none.c", "f", ONE_ARRAY)


def test_names_are_unique_among_files(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "own.c").write_text(GOOD.format(name="unique_in_a_file"))
    c_kernel(tmp_path / "a" / "own.c", "unique_in_a_file", ONE_ARRAY)
    with pytest.raises(ConfigError, match=r"in_a_file in .*b/own\.c: the name is taken by the one in .*a/own\.c"):
        c_kernel(tmp_path / "b" / "own.c", "unique_in_a_file", ONE_ARRAY)


def test_without_toolchain_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = written(tmp_path, GOOD.format(name="f"))
    monkeypatch.setattr(module, "cache_root", lambda: tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for compile_it in (made.native, lambda: compile_elf(made, "rv32imc")):
        with pytest.raises(LoadError, match=r"kernel f: .*toolchain extra: pip install 'scalein\[toolchain\]'"):
            compile_it()


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("text", "signature", "message"),
    [
        ("int f(void) {\n  return_ 3;\n}\n", ONE_ARRAY, r"f\.c:2:3: error: use of undeclared identifier 'return_'"),
        ("#include <stdio.h>\n", ONE_ARRAY, r"f\.c:1:10: fatal error: 'stdio\.h' file not found"),
        (GOOD.format(name="g"), ONE_ARRAY, r"f\.c: has no function f$"),
        (
            GOOD.format(name="f"),
            "int64(int64[::1], int64)",
            r"signature int64\(.*too many arguments .* expected 2, have 3",
        ),
        (GOOD.format(name="f"), "int64()", r"signature int64\(\).*too few arguments .* expected 2, have 0"),
        (GOOD.format(name="f"), "int64(float64[::1])", r"incompatible pointer types passing 'double \*'"),
        (GOOD.format(name="f"), "int64(int32[::1])", r"incompatible pointer types passing 'int32_t \*'"),
        ("long f(double x) { return x > 0; }\n", "int64(int64)", "implicit conversion from 'int64_t'.* to 'double'"),
        ("long f(int x) { return x; }\n", "int64(int64)", "implicit conversion loses integer precision"),
        (
            "double f(long x) { return x; }\n",
            "int64(int64)",
            "conversion turns floating-point number into",
        ),
        ("void f(long x) { }\n", "int64(int64)", "with an expression of incompatible type 'void'"),
        (
            "long g(long);\nlong f(long x) { return g(x); }\n",
            "int64(int64)",
            "undefined symbol: g, referenced by .*f.c:2",
        ),
    ],
)
def test_error_says_where(tmp_path: Path, text: str, signature: str, message: str) -> None:
    made = written(tmp_path, text)
    with pytest.raises(LoadError, match=message) as caught:
        compile_elf(CKernel(made.path, "f", signature), "rv64imc")
    assert "Traceback" not in str(caught.value)


@pytest.mark.toolchain
def test_native_takes_only_what_the_signature_says(tmp_path: Path) -> None:
    native = written(tmp_path, GOOD.format(name="f")).native()
    assert native(np.array([-5])) == -5
    assert native(np.zeros(0, "i8")) == 0
    for wrong in (np.zeros(1), np.zeros((1, 1), "i8"), np.zeros(4, "i8")[::2], [1]):
        with pytest.raises(TypeError, match="argument_1 must be a contiguous 1-D array of int64"):
            native(wrong)


@pytest.mark.toolchain
def test_program_names_files_without_folders_of_this_machine(tmp_path: Path) -> None:
    made = written(tmp_path, GOOD.format(name="f"))
    for target in ("rv64imc", "rv32imc"):
        elf = compile_elf(made, target)
        assert b"f.c" in elf
        assert str(tmp_path).encode() not in elf
        assert b"ziglang" not in elf
        assert str(Path.cwd()).encode() not in elf
    assert compile_elf(made, "rv64imc") == compile_elf(made, "rv64imc")


@pytest.mark.toolchain
def test_negative_value_says_that_a_room_is_too_small(tmp_path: Path) -> None:
    made = written(tmp_path, "#include <stddef.h>\nlong f(const long *x, size_t n) { return n > 3 ? -1 : 4; }\n")
    assert Call(made, (Input(np.zeros(3, "i8")),)).run_native().value == 4
    with pytest.raises(CapacityError, match="kernel f on the host: gave up with value -1"):
        Call(made, (Input(np.zeros(4, "i8")),)).run_native()
