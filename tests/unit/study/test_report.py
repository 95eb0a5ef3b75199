import re
from html.parser import HTMLParser

import pytest

from study.numbers import percent_text, seconds_text, speedup_text
from study.parts import Delivery, Label
from study.report import render
from tests.unit.study.factory import make_result

NASTY = "<script>alert('$x^2$')</script>&\"'"


class Reader(HTMLParser):
    """All tags with their attributes, and the text of each cell of the headline table."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.cells: dict[tuple[str, str, str], str] = {}
        self._row = ("", "")
        self._cell: tuple[str, str, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if "data-workload" in attributes:
            self._row = (str(attributes["data-workload"]), str(attributes["data-machine"]))
        if "data-figure" in attributes:
            self._cell = (*self._row, str(attributes["data-figure"]))

    def handle_data(self, data: str) -> None:
        if self._cell:
            self.cells[self._cell] = data
            self._cell = None


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


def test_names_from_results_are_text_never_markup() -> None:
    nasty = make_result(NASTY, labels=[Label(kind="note", text=NASTY)])
    reader = read(render([nasty], f"scalein run {NASTY}"))
    assert "script" not in {tag for tag, _ in reader.tags}
    assert not any(name.startswith("on") for _, attributes in reader.tags for name in attributes)
    assert (NASTY, "bank", "share") in reader.cells


RESULTS = [make_result(w, level, s) for w in ("q6", "kmeans") for level, s in (("bank", 0.5), ("rank", 3))]


@pytest.fixture(scope="module")
def page() -> str:
    return render(RESULTS, "scalein run")


def test_page_asks_nobody_for_anything(page: str) -> None:
    reader = read(page)
    for tag, attributes in reader.tags:
        assert tag not in ("script", "iframe", "object", "embed", "base")
        for name in ("src", "href", "xlink:href", "srcset", "action", "data", "poster"):
            target = attributes.get(name) or ""
            assert target == "" or target.startswith(("#", "data:")), (tag, name, target[:80])
    assert not re.search(r"@import|url\((?!#)", page)


def test_headline_cells_are_the_results_figures(page: str) -> None:
    cells = read(page).cells
    for result in RESULTS:
        where = (result.workload, result.level)
        assert cells[(*where, "share")] == percent_text(result.application.offloadable_share)
        for index, speedup in enumerate(result.speedups):
            assert cells[(*where, f"offloadable {index}")] == speedup_text(speedup.offloadable)
            assert cells[(*where, f"application {index}")] == speedup_text(speedup.application)


def test_same_results_give_the_same_page(page: str) -> None:
    assert render(RESULTS, "scalein run") == page


def test_result_without_area_temperature_and_labels_says_so() -> None:
    page = render([make_result(area=None, power=None, thermals=[], labels=[])], "")
    assert page.count("not computed") >= 3
    assert 'class="caveats"' not in page


def test_power_delivery_is_shown_over_the_time_without_limits() -> None:
    times = {(True, 1): 0.9, (True, None): 0.6, (False, 1): 0.81, (False, None): 0.54}
    rows = tuple(
        Delivery(obey_tfaw=obeys, column_bursts=most, seconds=seconds, contention_share=0.25)
        for (obeys, most), seconds in times.items()
    )
    config = {"obey_tfaw": True, "column_bursts": None}
    page = render([make_result(delivery=rows, config=config | {"obey_tfaw": False})], "")
    assert re.findall(r"<td>(\S+)x \(25 %\)", page) == ["1.67", "1.11", "1.5", "1"]
    with pytest.raises(ValueError, match="time under the machine's own limits"):
        make_result(delivery=rows, config=config)
    assert "Not simulated in these results" in render([make_result()], "")


def test_ids_are_unique(page: str) -> None:
    ids = [str(attributes["id"]) for _, attributes in read(page).tags if "id" in attributes]
    assert len(ids) == len(set(ids)) > 10


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12.345, "12.3 s"),
        (0.0123, "12.3 ms"),
        (4.2e-7, "420 ns"),
        (0.0, "0 s"),
        (1234.5, "1234 s"),
        (9.996e-4, "1000 µs"),
    ],
)
def test_durations_have_three_digits_and_a_unit(value: float, text: str) -> None:
    assert seconds_text(value) == text


def test_speedups_and_shares_have_three_digits() -> None:
    assert [speedup_text(v) for v in (363.2, 14.04, 0.4987)] == ["363x", "14x", "0.499x"]
    assert percent_text(0.93117) == "93.1 %"
