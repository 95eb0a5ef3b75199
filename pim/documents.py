"""Parts of documents that are made from the sources, between ``<!-- name: generated -->`` and ``<!-- end -->``."""

from collections.abc import Callable, Mapping
from pathlib import Path

from pim.errors import LoadError
from pim.files import write_atomic

_END = "<!-- end -->"


def filled(text: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """Return a document with its parts, by name, as they are made now.

    Raises
    ------
    LoadError
        A part has no place in the document, or several, or no end.
    """
    for name, make in parts.items():
        begin = f"<!-- {name}: generated -->\n"
        head, *rests = text.split(begin)
        if len(rests) != 1 or _END not in rests[0]:
            raise LoadError(f"document: must have one place for {name!r}, from {begin.strip()} to {_END}")
        text = f"{head}{begin}{make()}\n{rests[0][rests[0].index(_END) :]}"
    return text


def fill(document: Path, parts: Mapping[str, Callable[[], str]]) -> None:
    """Write a document's parts anew."""
    write_atomic(document, filled(document.read_text(encoding="utf-8"), parts).encode())
