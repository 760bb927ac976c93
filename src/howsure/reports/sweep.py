"""A sweep as a chart: a value of its grid points against one parameter, lines by a second, panels by a third."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from howsure import _check, _json
from howsure.documents.names import shortened
from howsure.documents.numbers import counted
from howsure.errors import ArgumentError, DataError
from howsure.reports import chart_files, drawing
from howsure.reports.colours import SERIES
from howsure.reports.drawing import settings
from howsure.sweeps import CellRow, Sweep

WIDTH, HEIGHT, ACROSS = 260, 220, 3
MOST_PANELS, MOST_LINES, MOST_TICKS = 24, 20, 9
WIDE = 20
"""From which ratio of the largest to the smallest number an axis is logarithmic."""


@dataclass(frozen=True, slots=True)
class _Axes:
    """Which parameter is drawn how, and which others vary."""

    x: str
    colour: str | None
    panel: str | None
    rest: tuple[str, ...]


def chart(
    study: Sweep | Sequence[CellRow],
    *,
    x: str | None = None,
    y: str | None = None,
    colour: str | None = None,
    panel: str | None = None,
) -> Any:
    """Return the Altair chart of a value `y` against the parameter `x`, with lines by `colour` and panels by `panel`.

    What is left out is chosen among the parameters that vary. Cells that differ in other parameters are drawn as their
    mean, with a bar from the least to the greatest.
    """
    alt = chart_files.altair()
    rows = study.rows if isinstance(study, Sweep) else study
    done = [row for row in rows if row.state == "done"]
    if not done:
        raise DataError("no grid point is done yet, so there is nothing to plot. Run the sweep first.")
    value = _value(done, y)
    drawn = [row for row in done if math.isfinite(row.values.get(value, math.nan))]
    if not drawn:
        raise DataError(f"{value} is undefined at every grid point; choose another value to plot.")
    axes = _axes(drawn, x, colour, panel)
    points = _points(drawn, value, axes)
    numeric = all(isinstance(point["x"], int | float) for point in points)
    base = drawing.rows().encode(x=_x(alt, axes.x, points, numeric=numeric))
    y_axis = alt.Y("mean:Q", title=value, scale=settings(zero=False), axis=settings(format=drawing.NUMBERS))
    at = "x:Q" if numeric else "x:N"
    named = {at: axes.x, "colour:N": axes.colour, "panel:N": axes.panel, "mean:Q": value, "cells:C": "grid points"}
    told = drawing.tips(**{field: title for field, title in named.items() if title})
    kind: dict[str, Any] = {} if axes.colour is None else _colours(alt, axes.colour, points)
    line = {name: kind[name] for name in kind if name == "color"}  # a line has no shape
    if not numeric and axes.colour is not None:  # names have no order for a line: points stand beside each other
        base = base.encode(xOffset=alt.XOffset("colour:N", sort=_domain(points)))
    parts = [base.mark_line().encode(y=y_axis, **line)] if numeric else []
    if axes.rest:
        parts.append(base.mark_rule(opacity=0.6).encode(y=alt.Y("low:Q", title=value), y2=alt.Y2("high:Q"), **line))
    marks = base.mark_point(filled=True, size=55, opacity=1).encode(y=y_axis, tooltip=told, **kind)
    layers = alt.layer(*parts, marks, data=alt.InlineData(values=tuple(points)), width=WIDTH, height=HEIGHT)
    if axes.panel is not None:
        order = list(dict.fromkeys(point["panel"] for point in points))
        layers = layers.facet(facet=alt.Facet("panel:N", sort=order, title=None), columns=min(ACROSS, len(order)))
    words = _words(value, axes, n_cells=len(drawn), n_undefined=len(done) - len(drawn))
    title = alt.TitleParams(words[0], subtitle=words[1:], anchor="start")
    return layers.properties(title=title, description=" ".join(words))


def _value(rows: Sequence[CellRow], asked: str | None) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    if not names:
        raise DataError("the grid points have no values to plot.")
    return names[0] if asked is None else _check.one_of("y", asked, names)


def _axes(rows: Sequence[CellRow], x: str | None, colour: str | None, panel: str | None) -> _Axes:
    """Choose among the parameters that vary what was left out: numbers for the axis, then the order of the grid."""
    names = list(dict.fromkeys(name for row in rows for name in row.parameters))
    asked = {"x": x, "colour": colour, "panel": panel}
    given = {role: _check.one_of(role, name, names) for role, name in asked.items() if name is not None}
    if len(set(given.values())) < len(given):
        raise ArgumentError("`x`, `colour` and `panel` must be different parameters.")
    varying = [name for name in names if len({_text(row.parameters.get(name)) for row in rows}) > 1]
    free = [name for name in varying if name not in given.values() and name != "repetition"]
    if "x" not in given:
        numbers = [name for name in free if all(_is_number(row.parameters.get(name)) for row in rows)]
        first = (numbers or free or names)[:1]
        if not first:
            raise DataError("the grid points have no parameters to plot against.")
        given["x"] = first[0]
        free = [name for name in free if name != first[0]]
    for role in ("colour", "panel"):
        if role not in given and free:
            given[role] = free.pop(0)
    rest = tuple(name for name in varying if name not in given.values())
    return _Axes(given["x"], given.get("colour"), given.get("panel"), rest)


def _points(rows: Sequence[CellRow], value: str, axes: _Axes) -> list[dict[str, Any]]:
    """Return a point for each place of the picture."""
    places: dict[tuple[Any, ...], list[CellRow]] = {}
    for row in rows:
        roles = (axes.x, axes.colour, axes.panel)
        key = tuple(None if name is None else _text(row.parameters.get(name)) for name in roles)
        places.setdefault(key, []).append(row)
    names = shortened(_text(row.parameters.get(axes.x)) for row in rows)
    points = []
    for (_, colour, panel), here in places.items():
        numbers = [float(row.values[value]) for row in here]
        at = here[0].parameters.get(axes.x)
        point = {
            "x": at if _is_number(at) else names[_text(at)],
            "mean": math.fsum(numbers) / len(numbers),
            "low": min(numbers),
            "high": max(numbers),
            "cells": len(here),
            "colour": colour,
            "order": _order(here[0], axes.colour),
        }
        points.append(point if panel is None else point | {"panel": f"{axes.panel} = {panel}"})
    for role, most in (("panel", MOST_PANELS), ("colour", MOST_LINES)):
        found = {point.get(role) for point in points}
        if len(found) > most:
            raise ArgumentError(f"`{role}` has {len(found):,} values; a chart can show {most}. Choose another.")
    return points


def _order(row: CellRow, name: str | None) -> Any:
    entry = None if name is None else row.parameters.get(name)
    return entry if _is_number(entry) else 0


def _x(alt: Any, name: str, points: Sequence[Mapping[str, Any]], *, numeric: bool) -> Any:
    if not numeric:
        order = list(dict.fromkeys(point["x"] for point in points))
        long = 6.5 * max(map(len, order)) > WIDTH / len(order)
        axis = settings(labelAngle=-35 if long else 0, labelLimit=160, grid=False)
        return alt.X("x:N", title=name, sort=order, axis=axis)
    places = sorted({point["x"] for point in points})
    wide = places[0] > 0 and places[-1] / places[0] >= WIDE
    scale = settings(type="log" if wide else "linear", zero=False, nice=False, padding=18)
    ticks = {"values": places} if len(places) <= MOST_TICKS else {}
    if wide and not ticks:
        ticks = {"values": drawing.round_ticks(places[0], places[-1])}
    return alt.X("x:Q", title=name, scale=scale, axis=settings(grid=False, format=drawing.NUMBERS, **ticks))


def _colours(alt: Any, name: str, points: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return colour, and a shape where there are few lines, so that grey print tells them apart."""
    domain = _domain(points)
    if len(domain) <= len(SERIES):
        scale = settings(domain=domain, range=list(SERIES[: len(domain)]))
        return {
            "color": alt.Color("colour:N", title=name, scale=scale, legend=settings(symbolOpacity=1)),
            "shape": alt.Shape("colour:N", title=name, scale=settings(domain=domain)),
        }
    return {"color": alt.Color("colour:N", title=name, scale=settings(domain=domain, scheme="viridis"))}


def _domain(points: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return what lines stand for: numbers in their order, names in that of the grid."""
    found: dict[Any, tuple[Any, int]] = {}
    for point in points:
        found.setdefault(point["colour"], (point["order"], len(found)))
    return sorted(found, key=lambda name: found[name])


def _words(value: str, axes: _Axes, *, n_cells: int, n_undefined: int) -> list[str]:
    *most, last = [name for name in (axes.x, axes.colour, axes.panel) if name]
    lines = [f"{value} by {', '.join(most)} and {last}" if most else f"{value} by {last}"]
    if axes.rest:
        lines.append(f"Points are means over {', '.join(axes.rest)}; bars go from the least to the greatest.")
    lines.append(
        counted(n_cells, "grid point") + (f"; in {n_undefined:,} more it is undefined." if n_undefined else ".")
    )
    return lines


def _is_number(entry: Any) -> bool:
    return isinstance(entry, int | float) and not isinstance(entry, bool) and math.isfinite(entry)


def _text(entry: Any) -> str:
    """Return a parameter as a person would write it: a file by its name."""
    if isinstance(entry, Mapping) and "path" in entry:
        return PurePath(str(entry["path"])).name
    if isinstance(entry, float):
        return f"{entry:g}"
    return entry if isinstance(entry, str) else _json.canonical(entry)
