"""Charts as pictures that stand in a report: light and dark, without JavaScript."""

import json
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from assay.documents import Figure
from assay.reports import colours


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
    convert: Any = import_module("vl_convert")
    unlabelled = colours.config(dark=dark) | {"aria": False}  # else every mark has words that no reader of images hears
    whole = {**spec, "config": merged(unlabelled, _own(spec.get("config", {})))}
    return str(convert.vegalite_to_svg(colours.on_dark(whole) if dark else whole))


def pdf(spec: Mapping[str, Any]) -> bytes:
    """Return the picture of a specification for paper."""
    convert: Any = import_module("vl_convert")
    return bytes(convert.vegalite_to_pdf({**spec, "config": merged(colours.config(), spec.get("config", {}))}))


def _own(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a chart that are not those which all charts share on light pages.

    Examples
    --------
    >>> _own({**colours.config(), "axis": {**colours.config()["axis"], "grid": False}, "view": {"stroke": None}})
    {'axis': {'grid': False}}
    """
    light, found = colours.config(), {}
    for key, value in config.items():
        shared, kept = light.get(key), value
        if isinstance(value, Mapping) and isinstance(shared, Mapping):
            kept = {name: each for name, each in value.items() if name not in shared or shared[name] != each}
        if kept not in ({}, shared):
            found[key] = kept
    return found


def merged(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the shared settings with a chart's own over them.

    Examples
    --------
    >>> merged({"axis": {"grid": True, "ticks": True}}, {"axis": {"grid": False}})
    {'axis': {'grid': False, 'ticks': True}}
    """
    both = {key: {**shared[key], **own[key]} for key in shared if isinstance(own.get(key), Mapping)}
    return {**shared, **own, **both}
