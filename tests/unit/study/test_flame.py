"""The flame graph as XML: widths, colours, and names that are none of ours."""

import xml.etree.ElementTree as ET

import pytest

from pim.isa.debug import Place
from pim.system import STACK
from pim.system.profile import EVENTS, Costs, Hot
from study.flame import MARGIN, PART_COLOURS, REST_COLOUR, WIDTH, flame_graph
from study.hot_spots import functions, lines

SVG = "{http://www.w3.org/2000/svg}"


def hot(path: tuple[str, ...], place: Place, **stack: int) -> Hot:
    parts = tuple(stack.get(name.replace(" ", "_"), 0) for name in STACK)
    return Hot(path, place, Costs(sum(parts), sum(parts), parts, (0,) * len(EVENTS)))


ROWS = [
    hot(("main", "f"), Place("f", (), "a.c", 3), issue=60, branch=20),
    hot(("main", "g"), Place("g", ("h",), "b.c", 9), row_miss=10),
    hot(("main",), Place("main"), issue=10),
]


def boxes(svg: str) -> dict[str, list[float]]:
    """Return the widths of the boxes by their names, as shares."""
    found: dict[str, list[float]] = {}
    for group in ET.fromstring(svg).iter(f"{SVG}g"):
        title, rect = group.find(f"{SVG}title"), group.find(f"{SVG}rect")
        assert title is not None
        assert title.text is not None
        assert rect is not None
        name = title.text.rsplit(": ", 1)[0]
        found.setdefault(name, []).append(float(rect.attrib["width"]) / (WIDTH - 2 * MARGIN))
    return found


def test_widths_are_shares_of_the_cycles() -> None:
    found = boxes(flame_graph(ROWS, "t"))
    expected = {"all": [1.0], "main": [1.0], "f": [0.8], "g": [0.1], "h": [0.1], "a.c:3": [0.8], "b.c:9": [0.1],
                "issue": [0.6, 0.1], "branch": [0.2], "row miss": [0.1]}  # fmt: skip
    assert found.keys() == expected.keys()
    for name, widths in expected.items():
        assert found[name] == pytest.approx(widths, abs=1e-4)


def test_names_of_functions_and_files_are_only_text() -> None:
    evil = '</text><script>alert("&")</script>\x00\x1b\ud800'
    svg = flame_graph([hot((evil,), Place(evil, (), f"/x/{evil}.c", 1), issue=1)], evil)
    tree = ET.fromstring(svg)
    assert {element.tag.removeprefix(SVG) for element in tree.iter()} == {"svg", "title", "rect", "text", "g"}
    assert "script>" in "".join(tree.itertext())
    svg.encode()


def test_function_named_as_a_part_stays_a_function() -> None:
    found = boxes(
        flame_graph([hot(("issue",), Place("issue"), issue=3), hot(("issue",), Place("issue"), branch=1)], "")
    )
    assert sorted(found["issue"]) == pytest.approx([0.75, 1.0], abs=1e-4)


def test_empty_profile_is_a_picture_too() -> None:
    ET.fromstring(flame_graph([], "nothing"))


def test_every_part_has_a_colour_of_its_own() -> None:
    colours = [PART_COLOURS.get(part, REST_COLOUR) for part in STACK]
    assert len(set(colours)) == len(STACK)


def test_sums_by_function_and_line() -> None:
    found = {item.name: (item.own.cycles, item.total_cycles) for item in functions(ROWS)}
    assert found == {"main": (10, 100), "f": (80, 80), "g": (0, 10), "h": (10, 10)}
    assert [(line.place, line.function, line.costs.cycles) for line in lines([*ROWS, ROWS[0]])] == [
        ("a.c:3", "f", 160),
        ("b.c:9", "h", 10),
        ("", "main", 10),
    ]


def test_recursion_counts_once() -> None:
    (item,) = functions([hot(("f", "f", "f"), Place("f"), issue=5)])
    assert item.total_cycles == 5
