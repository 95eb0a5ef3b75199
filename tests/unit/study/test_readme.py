from pathlib import Path

import pytest

from pim.errors import LoadError
from study.readme import BEGIN, END, RESULTS, fill
from study.store import load_results

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
