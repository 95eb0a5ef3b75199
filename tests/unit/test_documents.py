"""Parts of documents that are made from the sources."""

from pathlib import Path

import pytest

from pim.documents import fill, filled
from pim.errors import LoadError

TEXT = "head\n<!-- a: generated -->\nold\n<!-- end -->\nbetween\n<!-- b: generated -->\n<!-- end -->\ntail\n"


def test_only_what_is_between_the_marks_changes(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(TEXT)
    fill(document, {"a": lambda: "new", "b": lambda: "made"})
    assert document.read_text() == TEXT.replace("old", "new").replace(
        "<!-- b: generated -->\n", "<!-- b: generated -->\nmade\n"
    )
    assert filled(document.read_text(), {"a": lambda: "new"}) == document.read_text()


@pytest.mark.parametrize(
    "text", ["none", TEXT + TEXT, TEXT.replace("<!-- end -->", "")], ids=["no place", "two places", "no end"]
)
def test_a_part_needs_one_place(text: str) -> None:
    with pytest.raises(LoadError, match="one place for 'a'"):
        filled(text, {"a": lambda: "new"})
