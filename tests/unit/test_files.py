"""Atomic writes: whole files or none, whoever reads, fails or writes at the same time."""

import os
import threading
from pathlib import Path

import pytest

from pim.errors import ConfigError
from pim.files import write_atomic


def test_readers_never_see_half_a_file(tmp_path: Path) -> None:
    path, seen = tmp_path / "file", set()
    contents = [bytes([i]) * 100_000 for i in range(4)]
    write_atomic(path, contents[0])
    writers = [threading.Thread(target=lambda c=c: [write_atomic(path, c) for _ in range(30)]) for c in contents]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        seen.add(path.read_bytes())
    assert seen <= set(contents)
    assert list(tmp_path.iterdir()) == [path]


def test_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"old")

    def fail(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_folder_that_is_a_file_is_an_error_of_the_input(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("")
    with pytest.raises(ConfigError, match="can't be written"):
        write_atomic(tmp_path / "results" / "x.json", b"")
