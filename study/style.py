"""Colours and text of all figures: one palette, safe for colour-blind readers, light and dark pages.

Figures are SVG inside the page: text is real text, ink is the page's own colour (``currentColor``), the background is
transparent. Rasters (temperature maps, files beside a sweep) have a white ground of their own.
"""

import io
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import matplotlib as mpl

from study.results import PHASES, REMAINDER_LABEL

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#1c2128"
"""Text, axes and grid; replaced by the page's text colour in SVG."""

OKABE_ITO: Mapping[str, str] = {
    "orange": "#e69f00",
    "sky": "#56b4e9",
    "green": "#009e73",
    "yellow": "#f0e442",
    "blue": "#0072b2",
    "vermillion": "#d55e00",
    "purple": "#cc79a7",
    "grey": "#8c959f",
    "silver": "#c8ced5",
    "slate": "#444c56",
    "mint": "#b2e2d0",
}
"""Palette of M. Okabe and K. Ito, Color Universal Design (2008); three greys instead of black, and a light green."""

PHASE_STYLE: Mapping[str, tuple[str, str]] = {
    "copy": ("sky", ""),
    "flush": ("green", ""),
    "layout": ("blue", ""),
    "launch": ("yellow", ""),
    "map_combine": ("orange", ""),
    "shuffle": ("purple", ""),
    "reduce": ("vermillion", ""),
    "gather": ("sky", "////"),
    "host": ("silver", "xxxx"),
    "remainder": ("silver", ""),
    "baseline": ("grey", ""),
}
"""Phase -> colour and hatch: moving is blue and green, computing orange and red, host work grey."""

CYCLE = ("orange", "blue", "green", "purple", "vermillion", "sky", "yellow", "grey", "silver")
"""Colours of things that have no fixed one, in order of use."""

LEVEL_MARKER: Mapping[str, str] = {"bank": "o", "chip": "s", "rank": "^"}

PHASE_ORDER: Mapping[str, str] = {
    "baseline": "offloadable part on the baseline",
    **PHASES,
    "remainder": REMAINDER_LABEL,
}
"""Key -> label of everything a time bar can hold, from left to right."""

_RC: Mapping[str, Any] = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name may hold a $
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": INK,
    "grid.alpha": 0.15,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.8,
    "hatch.color": INK,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.facecolor": "white",
    "savefig.dpi": 150,
}


def colour(name: str) -> str:
    """Return the hex value of a palette colour."""
    return OKABE_ITO[name]


def new_figure(width_in: float, height_in: float) -> "Figure":
    """Return an empty figure in our style, independent of pyplot and of any display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 (0.5 s; the command line starts without)
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(width_in, height_in), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def styled() -> Any:
    """Return the context in which figures are made and saved."""
    return mpl.rc_context(cast(Any, _RC))


def to_svg(figure: "Figure", description: str) -> str:
    """Return a figure as an inline ``<svg>`` in the page's ink, with ``description`` for screen readers."""
    from html import escape  # noqa: PLC0415

    stream = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": description}):  # same figure, same bytes; ids unique on the page
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = stream.getvalue()
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    used = set(re.findall(r'(?:url\(#|href="#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]+)"', lambda m: m[0] if m[1] in used else "", svg)
    width, height = (float(x) for x in re.search(r'viewBox="0 0 (\S+) (\S+)"', svg).groups())  # type: ignore[union-attr]
    svg = re.sub(r'(<svg[^>]*?) width="[^"]+"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]+"', r"\1", svg, count=1)
    label = escape(description, quote=True)
    return svg.replace(
        "<svg ",
        f'<svg role="img" aria-label="{label}" style="aspect-ratio:{width:g}/{height:g}" ',
        1,
    )


def to_png(figure: "Figure") -> bytes:
    """Return a figure as PNG on white."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", metadata={"Software": None})
    return stream.getvalue()
