import io

from rich.console import Console

from study.summary import show
from tests.unit.study.factory import make_result


def test_every_column_fits_a_terminal_of_80_characters() -> None:
    results = [make_result(w, level, 9.87e3) for w in ("wordcount", "q6") for level in ("bank", "chip", "rank")]
    stream = io.StringIO()
    show(results, Console(file=stream, width=80))
    table, _, text = stream.getvalue().partition("share: ")
    assert all(len(line) <= 80 for line in table.splitlines())
    for heading in ("workload", "level", "share", "time", "place", "part", "whole", "rise"):
        assert heading in table
    assert "…" not in table
    assert table.count("2.0K") == 6
    assert "Area of the cores: bank 2 % of the bank, chip 2 % of the bank, rank 2 % of the bank." in text


def test_names_are_text_never_markup() -> None:
    stream = io.StringIO()
    show([make_result("[red]x", machine="[/]")], Console(file=stream, width=80))
    assert "[red]x" in stream.getvalue()
    assert "[/] (bank)" in stream.getvalue()
