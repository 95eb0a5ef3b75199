"""Whole files or none, whoever reads, fails or writes at the same time; nothing without an end is read."""

import os
import threading
from pathlib import Path

import pytest

from pim.errors import ConfigError, LoadError
from pim.files import check_writable, read_bounded, write_atomic


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


def test_folder_device_and_pipe_are_never_replaced_by_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "folder", tmp_path / "pipe", Path("/dev/null"), Path("/dev/full"), Path(), Path("..")):
        for write in (check_writable, lambda path: write_atomic(path, b"x")):
            with pytest.raises(ConfigError, match="exists and is not a regular file"):
                write(path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "pipe"]


def test_whether_a_file_can_be_written_is_known_before_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    check_writable(tmp_path / "file")
    check_writable(tmp_path / "a" / "b" / "c")
    for path, why in [
        (tmp_path / "file" / "x", "Not a directory"),
        (tmp_path / ("n" * 250), "File name too long"),
        (tmp_path / ("n" * 300) / "x", "File name too long"),
        (Path("/proc/x/y"), "No such file or directory"),
        (tmp_path / "a\0b", "null byte"),
    ]:
        with pytest.raises(ConfigError, match=f"can't be written: .*{why}"):
            check_writable(path)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def test_reading_stops_at_the_bound_and_at_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    os.mkfifo(tmp_path / "pipe")
    assert read_bounded(tmp_path / "file", 5, "it") == b"12345"
    for path, why in [
        (tmp_path / "file", "larger than the 4 bytes allowed"),
        (tmp_path / "pipe", "can't be read: not a regular file"),
        (Path("/dev/zero"), "can't be read: not a regular file"),
        (tmp_path, "can't be read: Is a directory"),
        (tmp_path / "none", "can't be read: No such file"),
        (Path("a\0b"), "can't be read: .*null byte"),
    ]:
        with pytest.raises(LoadError, match=f"it: {why}"):
            read_bounded(path, 4, "it")
