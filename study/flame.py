"""A profile as a flame graph: an SVG that needs nothing else.

The width of a box is its share of all core cycles. Below stand the callers, above them what they call, then the lines,
and on top of each line the parts of its CPI stack, in colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from pim.isa.debug import UNKNOWN
from pim.system import STACK
from pim.system.profile import Hot
from study.hot_spots import frames
from study.style import OKABE_ITO

WIDTH = 1200
MARGIN, ROW, HEAD = 10, 18, 62
NARROWEST = 0.3
"""Pixels; a narrower box is not drawn, its room stays empty."""
CHARACTER = 6.7
"""Pixels of a character of the font used, 11 px monospace."""

PART_COLOURS = {
    "issue": "silver",
    "mul/div/fp": "grey",
    "branch": "yellow",
    "load-use": "sky",
    "instruction buffer": "purple",
    "row hit": "green",
    "row miss": "orange",
    "row conflict": "vermillion",
    "refresh": "blue",
    "contention": "slate",
    "host": "mint",
}
"""The rest is brown."""
REST_COLOUR = "#a6761d"
FUNCTION_FILL, LINE_FILL = "#f3d9b1", "#fbeedb"


@dataclass
class _Box:
    """A function, line or part of the CPI stack, with what stands on it by kind and name."""

    name: str
    fill: str
    is_part: bool = False
    cycles: int = 0
    above: dict[tuple[bool, str], "_Box"] = field(default_factory=dict)

    def child(self, name: str, fill: str, *, is_part: bool = False) -> "_Box":
        return self.above.setdefault((is_part, name), _Box(name, fill, is_part))

    def height(self, least: float) -> int:
        """Return how many boxes of at least so many cycles stand on each other, this one included."""
        return 1 + max((box.height(least) for box in self.above.values() if box.cycles >= least), default=0)


def flame_graph(rows: Sequence[Hot], title: str) -> str:
    """Return the SVG of a profile; ``title`` says of what."""
    root = _tree(rows)
    scale = (WIDTH - 2 * MARGIN) / max(root.cycles, 1)
    height = HEAD + root.height(NARROWEST / scale) * ROW + MARGIN
    drawn: list[str] = []
    _draw(root, MARGIN, height - MARGIN - ROW, scale, root.cycles, drawn)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            'font-family="monospace" font-size="11">',
            f"<title>{_text(title)}</title>",
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            f'<text x="{MARGIN}" y="22" font-size="14" font-weight="bold">{_text(_fitted(title, WIDTH))}</text>',
            *_legend(),
            *drawn,
            "</svg>\n",
        ]
    )


def _tree(rows: Sequence[Hot]) -> _Box:
    root = _Box("all", FUNCTION_FILL)
    for row in rows:
        box = root
        box.cycles += row.costs.cycles
        for name in frames(row):
            box = box.child(name, FUNCTION_FILL)
            box.cycles += row.costs.cycles
        if row.place.line:
            box = box.child(f"{row.place.file}:{row.place.line}", LINE_FILL)
            box.cycles += row.costs.cycles
        for part, cycles in zip(STACK, row.costs.stack, strict=True):
            if cycles:
                box.child(part, _colour(part), is_part=True).cycles += cycles
    return root


def _colour(part: str) -> str:
    return OKABE_ITO[PART_COLOURS[part]] if part in PART_COLOURS else REST_COLOUR


def _draw(box: _Box, x: float, y: float, scale: float, all_cycles: int, drawn: list[str]) -> None:
    """Append a box and what stands on it."""
    width = box.cycles * scale
    if width < NARROWEST:
        return
    label = _fitted(box.name, width - 4)
    share = 100 * box.cycles / max(all_cycles, 1)
    drawn.append(
        f'<g><title>{_text(box.name)}: {box.cycles:,} cycles, {share:.2f} %</title><rect x="{x:.2f}" y="{y}" '
        f'width="{width:.2f}" height="{ROW - 1}" fill="{box.fill}" stroke="#ffffff" stroke-width="0.5"/>'
        + (f'<text x="{x + 2:.2f}" y="{y + ROW - 5}">{_text(label)}</text>' if label else "")
        + "</g>"
    )
    for other in sorted(box.above.values(), key=lambda item: (item.is_part, -item.cycles, item.name)):
        _draw(other, x, y - ROW, scale, all_cycles, drawn)
        x += other.cycles * scale


def _legend() -> list[str]:
    made, x = [], float(MARGIN)
    for part in STACK:
        made.append(f'<rect x="{x:.0f}" y="34" width="12" height="12" fill="{_colour(part)}"/>')
        made.append(f'<text x="{x + 16:.0f}" y="44">{_text(part)}</text>')
        x += 16 + CHARACTER * len(part) + 14
    return made


def _fitted(text: str, width: float) -> str:
    """Return as much of a text as fits into ``width`` pixels; nothing if that is too little to read."""
    room = int(width / CHARACTER)
    if len(text) <= room:
        return text
    return f"{text[: room - 2]}.." if room > 4 else ""


def _text(text: str) -> str:
    """Return a text for XML, which allows no control characters."""
    return escape("".join(c if c.isprintable() else UNKNOWN for c in text))
