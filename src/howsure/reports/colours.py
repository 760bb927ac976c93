"""The colours of every chart: they can be told apart with any colour vision, and in grey; on dark pages they turn."""

from collections.abc import Mapping
from typing import Any

INK, QUIET, NULL, BAND, PAPER = "#222222", "#5f6874", "#8c96a3", "#dfe6ee", "#ffffff"
"""Text and estimates; what explains them; what chance would do; bands behind; and the page."""
SOFT, LINE = "#444b55", "#d5dae1"
"""Words and lines of axes and legends; the grid."""
A, B = "#1f5fa8", "#d97706"
"""Model A is blue and dark, model B orange and lighter."""
MARK = "#a3171e"
"""What to look at: a tail, a recommendation."""
SERIES = ("#1f5fa8", "#d97706", "#20b06c", "#9330ee", "#cd83b1", "#4b4454")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (4, 4), (1, 3))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
"""Lines and points of several series also differ by dash and shape, for grey print."""

FONT = "Arial, Helvetica, Liberation Sans, Arimo, DejaVu Sans Condensed, sans-serif"
"""Letters as wide as those that pictures are measured with; wider ones would be cut off at the edge of a picture."""

ON_DARK = {
    INK: "#f0f2f5", QUIET: "#a9b3bf", NULL: "#7d8894", BAND: "#2c3642", PAPER: "#14181f", A: "#5aa2f5", B: "#ffb54d",
    SOFT: "#c3cad3", LINE: "#39424e", MARK: "#ff7b7b",
    SERIES[2]: "#6dffa1", SERIES[3]: "#dccaff", SERIES[4]: "#f070a6", SERIES[5]: "#c7fde7",
}  # fmt: skip
"""What each colour becomes on a dark page."""


def line_styles(n: int) -> tuple[list[str], list[list[int]]]:
    """Return colours and dashes of n lines; where colours start again, their dashes are others.

    Examples
    --------
    >>> colours, dashes = line_styles(12)
    >>> len(set(zip(colours, map(tuple, dashes), strict=True)))
    12
    """
    places = range(n)
    return [SERIES[i % len(SERIES)] for i in places], [
        list(DASHES[(i + i // len(SERIES)) % len(DASHES)]) for i in places
    ]


def config() -> dict[str, Any]:
    """Return what every picture shares: quiet axes, readable letters, no background of its own."""
    words = {"labelColor": SOFT, "titleColor": SOFT, "labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": 400}
    return {
        "background": "transparent",
        "font": FONT,
        "axis": words | {"domainColor": SOFT, "tickColor": SOFT, "gridColor": LINE},
        "axisQuantitative": {"tickCount": 6},
        "legend": words,
        "header": words,
        "title": {"color": INK, "subtitleColor": SOFT},
        "text": {"color": INK},
        "view": {"stroke": None},
    }


def on_dark(spec: Any) -> Any:
    """Return a specification with every colour of this module turned for a dark page.

    Examples
    --------
    >>> on_dark({"mark": {"color": INK}, "title": "#222222 is a name"})
    {'mark': {'color': '#f0f2f5'}, 'title': '#222222 is a name'}
    """
    if isinstance(spec, Mapping):
        return {name: on_dark(value) for name, value in spec.items()}
    if isinstance(spec, list | tuple):
        return [on_dark(value) for value in spec]
    return ON_DARK.get(spec, spec) if isinstance(spec, str) else spec
