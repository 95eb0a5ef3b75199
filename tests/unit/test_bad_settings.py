"""Settings files and values that nobody means well: one line that says where, at once, and nothing that grows."""

import os
from pathlib import Path

import pytest

from pim.config import load_system, read_mapping, with_overrides
from pim.errors import ConfigError

BOMB = "a: &a [x, x]\n" + "".join(
    f"{b}: &{b} [*{a}, *{a}, *{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


def message(path: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        load_system(path)
    text = str(caught.value)
    assert str(path) in text
    assert "\n" not in text
    assert len(text) < 1200
    return text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BOMB, r"line 2: not valid YAML: aliases (*) are not read"),
        ("level: &a [*a]", "line 1: not valid YAML: aliases (*) are not read"),
        ("[" * 100_000, "line 1: not valid YAML: nested deeper than 16 levels"),
        ("level: bank\ncore: {clock_mhz: !!int abc}", "line 2: core.clock_mhz: must be of type int, got 'abc'"),
        ("level: bank\nname: 2026-99-99", "line 2: name: must be of type timestamp, got '2026-99-99'"),
        ("level: !!bool abc", "line 1: level: must be of type bool, got 'abc'"),
        ("level: !!timestamp abc", "line 1: level: must be of type timestamp, got 'abc'"),
        (
            "level: bank\ncore: {clock_mhz: " + "9" * 5000 + "}",
            "line 2: core.clock_mhz: must be of type int, got '9999",
        ),
        ("level: !!python/name:os.system x", "line 1: not valid YAML: could not determine a constructor"),
        ("level: bank\0", "not valid YAML: unacceptable character #x0000"),
        ("\ufffe", "not valid YAML: unacceptable character"),
        ("a: 1\n" * 300_000, "larger than the 1,048,576 bytes allowed"),
        ("".join(f"k{i}: 1\n" for i in range(3000)), "; and 2996 more problems"),
    ],
)
def test_hostile_settings_end_in_one_short_line(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "machine.yaml"
    path.write_text(text, encoding="utf-8")
    assert expected in message(path)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "machine.yaml"
    path.write_bytes(b"level: \xff")
    assert "not UTF-8 text (byte 7)" in message(path)


def test_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    path = tmp_path / "machine.yaml"
    path.write_bytes(b"\xef\xbb\xbflevel: bank\n")
    assert load_system(path).level == "bank"


def test_pipe_device_folder_and_loop_are_no_settings_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for path, why in [
        (tmp_path / "pipe", "not a regular file"),
        (Path("/dev/zero"), "not a regular file"),
        (tmp_path, "Is a directory"),
        (tmp_path / "loop", "Too many levels of symbolic links"),
        (tmp_path / ("n" * 5000), "File name too long"),
        (Path("a\0b"), "null byte"),
    ]:
        with pytest.raises(ConfigError, match=f"can't be read: .*{why}"):
            read_mapping(path)
        with pytest.raises(ConfigError, match="neither a file nor a preset"):
            load_system(path)


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("core.scratchpad_bytes", 2**40, "less than or equal to 1048576"),
        ("core.instruction_buffer_bytes", 2**62, "less than or equal to 1048576"),
        ("core.line_sets", 2**30, "less than or equal to 1024"),
        ("core.taken_branch_penalty", 10**30, "less than or equal to 1000000"),
        ("core.load_use_penalty", 10**30, "less than or equal to 1000000"),
        ("core.cycles.alu", 10**30, "less than or equal to 1000000"),
        ("core.clock_mhz", float("nan"), "finite number"),
        ("timing.trcd_ns", 1e300, "less than or equal to 1000000"),
        ("timing.trefi_ns", 1e300, "less than or equal to 1000000000000"),
        ("timing.tck_ns", 1e9, "less than or equal to 100"),
        ("timing.bl_nck", 2**62, "less than or equal to 1000000"),
        ("interface.poll_interval_nck", 2**62, "less than or equal to 1000000"),
        ("host.copy_fraction", 5e-324, "greater than or equal to 0.001"),
        ("host.cache_bytes", 10**30, "less than or equal to 1099511627776"),
        ("geometry.channels", 10**9, "less than or equal to 16"),
        ("name", "", "at least 1 character"),
        ("name", "n" * 81, "at most 80 characters"),
        ("name", "a\n\x1b[31m", "printable characters"),
    ],
)
def test_absurd_value_is_refused_before_anything_is_computed(key: str, value: object, allowed: str) -> None:
    with pytest.raises(ConfigError, match=f"override: {key}: .*{allowed}"):
        with_overrides(load_system("bank"), {key: value})
