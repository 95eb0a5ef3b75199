"""Compiled native code on disk: found again, and compiled again where it is damaged."""

import ctypes
from pathlib import Path

import pytest

from pim import jit
from pim.config import CoreConfig
from pim.core.translate import compile as compiler
from pim.core.translate.call import call_native
from pim.core.translate.program import kernel_key

TEXT = "define void @run(ptr %frame) {\n  store i64 NUMBER, ptr %frame\n  ret void\n}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SCALEIN_CACHE", str(tmp_path))
    monkeypatch.setattr(compiler, "_loaded", {})
    return tmp_path / "native"


def module(number: int) -> tuple[str, str]:
    text = TEXT.replace("NUMBER", str(number))
    return compiler.object_key(text), text


def stored(machinecode: compiler.Machinecode) -> int:
    word = ctypes.c_int64(0)
    call_native(machinecode.address, ctypes.addressof(word))
    return word.value


def test_what_was_compiled_is_found_on_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, text = module(4711)
    assert compiler.load_function(key) is None
    assert stored(compiler.compile_function(key, text)) == 4711
    assert [path.name for path in folder.iterdir()] == [f"{key}.o"]
    monkeypatch.setattr(compiler, "_loaded", {})
    found = compiler.load_function(key)
    assert found is not None
    assert stored(found) == 4711


@pytest.mark.parametrize("damage", ["empty", "cut off", "changed", "none of ours"])
def test_a_damaged_file_is_compiled_again(damage: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, text = module(1000 + len(damage))
    compiler.compile_function(key, text)
    path = folder / f"{key}.o"
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(
        {
            "empty": b"",
            "cut off": whole[:middle],
            "changed": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            "none of ours": b"\x7fELF" + bytes(500),
        }[damage]
    )
    monkeypatch.setattr(compiler, "_loaded", {})
    assert compiler.load_function(key) is None
    assert stored(compiler.compile_function(key, text)) == 1000 + len(damage)
    assert path.read_bytes() == whole


def test_where_nothing_can_be_written_it_still_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("SCALEIN_CACHE", str(blocked))
    monkeypatch.setattr(compiler, "_loaded", {})
    assert stored(compiler.compile_function(*module(99))) == 99


def test_the_key_tells_content_apart() -> None:
    assert module(1)[0] != module(2)[0]


@pytest.mark.parametrize("name", ["plan", "sites", "layout", "flow", "live", "emitter", "function", "stacks"])
def test_the_key_of_a_kernel_follows_all_that_shapes_its_code(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def key() -> str:
        jit.source_digest.cache_clear()
        return kernel_key(b"text", 0x8000_0000, (), CoreConfig())

    before, read = key(), jit._read

    def changed(path: Path) -> tuple[bytes, tuple[Path, ...]]:
        content, imported = read(path)
        return content + b"#" * (path.stem == name and path.parent.name == "translate"), imported

    monkeypatch.setattr(jit, "_read", changed)
    assert key() != before
    monkeypatch.undo()
    assert key() == before
