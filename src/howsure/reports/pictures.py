"""Charts as pictures that stand in a report: light and dark, without JavaScript."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from howsure.documents import Figure
from howsure.reports import chart_files, colours

COLOUR = re.compile(r'"(#[0-9a-f]{6})"(?=[^<>]*>)')
"""A colour of a mark, and not one in a text."""
SHADE = re.compile(r'"rgb[^<>]*>')
"""A shade between two colours: the one between those of dark pages is known to who draws only."""


def can_draw() -> bool:
    """Whether the extra charts is there."""
    return find_spec("altair") is not None and find_spec("vl_convert") is not None


def pictured(name: str, title: str, alternative: str, chart: Any, *, draw: bool = True) -> Figure:
    """Return a figure with its pictures, from an Altair chart; or only with its specification."""
    # The tests check every chart; to check it here takes longer than to draw it.
    spec = json.loads(chart.to_json(indent=None, validate=False))
    if not draw:
        return Figure(name, title, alternative, spec)
    return Figure(name, title, alternative, spec, svg(spec), svg(spec, dark=True))


def svg(spec: Mapping[str, Any], *, dark: bool = False) -> str:
    """Return the picture of a specification, for a light or a dark page: an image with words of its own beside it."""
    unlabelled = colours.config() | {"aria": False}  # else every mark has words that no reader of images hears
    whole = {**spec, "config": merged(unlabelled, spec.get("config", {}))}
    light = _drawn(json.dumps(whole))
    if not dark:
        return light
    if SHADE.search(light):
        return _drawn(json.dumps(colours.on_dark(whole)))
    return COLOUR.sub(lambda found: f'"{colours.on_dark(found[1])}"', light)


@lru_cache(maxsize=8)
def _drawn(spec: str) -> str:
    """Return a picture as vl-convert draws it; kept, because the same one is for dark pages and for paper, too."""
    convert: Any = import_module("vl_convert")
    drawn = convert.vegalite_to_svg(json.loads(spec))  # which reads the last digit of a text's numbers otherwise
    return chart_files.renumbered(str(drawn))


def pdf(spec: Mapping[str, Any]) -> bytes:
    """Return the picture of a specification for paper."""
    convert: Any = import_module("vl_convert")
    return bytes(convert.svg_to_pdf(svg(spec)))


def merged(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the shared settings with a chart's own over them.

    Examples
    --------
    >>> merged({"axis": {"grid": True, "ticks": True}}, {"axis": {"grid": False}})
    {'axis': {'grid': False, 'ticks': True}}
    """
    both = {key: {**shared[key], **own[key]} for key in shared if isinstance(own.get(key), Mapping)}
    return {**shared, **own, **both}
