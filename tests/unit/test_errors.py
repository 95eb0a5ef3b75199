from pim.errors import MAX_MESSAGE, one_line


def test_message_is_one_printable_line_of_bounded_length() -> None:
    assert one_line("bundle é: wrong") == "bundle é: wrong"
    assert one_line("a\nb\x1b[31m\udcff") == "a\\nb\\x1b[31m\\udcff"
    long = one_line("x" * 5_000_000)
    assert len(long) == MAX_MESSAGE
    assert long.endswith("...")
