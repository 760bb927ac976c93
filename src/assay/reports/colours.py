"""The colours of every chart: they can be told apart with any colour vision, and in grey; on dark pages they turn."""

from collections.abc import Mapping
from typing import Any

INK, QUIET, NULL, BAND, PAPER = "#222222", "#5f6874", "#8c96a3", "#dfe6ee", "#ffffff"
"""Text and estimates; what explains them; what chance would do; bands behind; and the page."""
A, B = "#1f5fa8", "#d97706"
"""Model A is blue and dark, model B orange and lighter."""
MARK = "#a3171e"
"""What to look at: a tail, a recommendation."""
SERIES = ("#1f5fa8", "#d97706", "#12906f", "#8e4ea8", "#e377a5", "#4a4f57")
DASHES = ((1, 0), (6, 3), (2, 2), (8, 3, 2, 3), (4, 4), (1, 3))
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
"""Lines and points of several series also differ by dash and shape, for grey print."""

ON_DARK = {
    INK: "#f0f2f5", QUIET: "#a9b3bf", NULL: "#7d8894", BAND: "#2c3642", PAPER: "#14181f", A: "#6cb0ff", B: "#ffab40",
    MARK: "#ff7b7b", SERIES[2]: "#3fd0a5", SERIES[3]: "#cf9be6", SERIES[4]: "#ff9cc4", SERIES[5]: "#c3cad3",
}  # fmt: skip
"""What each colour becomes on a dark page."""


def config(*, dark: bool = False) -> dict[str, Any]:
    """Return what every picture shares: quiet axes, readable letters, no background of its own."""
    ink, soft, line = ("#f0f2f5", "#c3cad3", "#39424e") if dark else (INK, "#444b55", "#d5dae1")
    words = {"labelColor": soft, "titleColor": soft, "labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": 400}
    return {
        "background": "transparent",
        "axis": words | {"domainColor": soft, "tickColor": soft, "gridColor": line},
        "legend": words,
        "header": words,
        "title": {"color": ink, "subtitleColor": soft},
        "text": {"color": ink},
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
