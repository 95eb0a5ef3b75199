"""docs/rtl.md against the sources: the tree of modules, their ports, and that no file of the RTL is left out."""

from pathlib import Path

from pim.documents import filled
from rtl import hierarchy

ROOT = Path(__file__).resolve().parents[2]
TEXT = hierarchy.DOCUMENT.read_text(encoding="utf-8")


def test_the_tree_of_modules_is_the_sources() -> None:
    assert filled(TEXT, hierarchy.PARTS) == TEXT, "python -m rtl.hierarchy writes it anew"


def test_every_source_is_in_the_document() -> None:
    files = {path.name if path.suffix == ".svh" else path.stem for path in (ROOT / "rtl" / "src").iterdir()}
    assert {name for name in files if name not in TEXT} == set()


def test_a_top_is_what_no_module_has() -> None:
    assert hierarchy.tops() == ["pim_ddr_chip"]
    assert ("u_core", "pim_core") in hierarchy.instances("pim_bank")
