from pathlib import Path

import pytest

from pim.errors import LoadError
from study.parts import Label
from study.readme import BEGIN, END, RESULTS, fill, table
from study.store import load_results
from tests.unit.study.factory import make_result

ROOT = Path(__file__).parents[3]


def test_readme_holds_the_figures_of_the_committed_results():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert fill(readme, load_results(ROOT / RESULTS)) == readme


def test_only_the_text_between_the_markers_changes():
    results = load_results(ROOT / RESULTS)
    filled = fill(f"above\n{BEGIN}\nold figures\n{END}\nbelow\n", results)
    assert filled.startswith(f"above\n{BEGIN}\n![Speedups")
    assert filled.endswith(f"{END}\nbelow\n")
    assert "old figures" not in filled


def test_readme_without_markers_is_refused():
    with pytest.raises(LoadError, match="results:begin"):
        fill("no markers", load_results(ROOT / RESULTS))


def test_warnings_stand_below_the_table_and_unchecked_cycles_are_named():
    hot = make_result(labels=[Label(kind="warning", text="too hot"), Label(kind="note", text="beside the point")])
    checked = make_result("q6", rtl_checked=True, labels=[])
    assert "- Warning, wordcount at bank: too hot." in table([hot, checked]).splitlines()
    assert "beside the point" not in table([hot])
    assert "no cycle count is RTL-checked" in table([hot])
    assert "cycle counts at bank level are not RTL-checked" in table([hot, checked])
    assert "RTL-checked" not in table([checked])
