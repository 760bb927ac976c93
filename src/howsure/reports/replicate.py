"""Replications as charts: published against recomputed numbers, the figures of the papers, and where a search ends."""

import math
from textwrap import wrap
from typing import Any

from howsure.papers import PaperFigure, Replication, Search
from howsure.papers.figures import Point
from howsure.papers.published import PublishedNumber
from howsure.reports import chart_files, drawing
from howsure.reports.colours import QUIET, A, B, line_styles
from howsure.reports.drawing import settings, title

SIDE, WIDTH, HEIGHT = 300, 300, 210
DASHED: dict[str, Any] = {"color": QUIET, "strokeDash": [5, 4]}
BOUND: dict[str, Any] = {"shape": "triangle-down", "filled": True, "size": 60, "opacity": 1}
BOUNDS = "▼ Upper bound: no simulation was as extreme."
LEVEL, FEW = 0.05, 3
"""The level of the papers; and up to how many series have bands, which more would hide."""


def chart(result: Replication | PaperFigure | Search) -> Any:
    """Return the Altair chart of a replication, of a figure or of a search."""
    chart_files.altair()
    if isinstance(result, PaperFigure):
        return _figure(result)
    return _search(result) if isinstance(result, Search) else _scatter(result)


def _scatter(result: Replication) -> Any:
    """Return one panel for each quantity: published on x, recomputed on y with two errors, and the diagonal."""
    import altair as alt

    panels = [_against(result, quantity) for quantity in result.quantities]
    tables = sorted({row.cell["table"] for row in result.rows})
    which = f"table {tables[0]}" if len(tables) == 1 else "all tables"
    said = f"{result.paper.upper()}, {which}: published and recomputed"
    told = "On the dashed line the two agree. Bars: two standard errors of the difference"
    told += "; of estimated p, twice its spread over data sets." if "estimated_p" in result.quantities else "."
    above = title(said, loud=True)
    above.subtitle = [told, BOUNDS] if any(row.is_bound for row in result.rows) else told
    return alt.concat(*panels, columns=2).resolve_scale(color="shared").properties(title=above)


def _against(result: Replication, quantity: str) -> Any:
    import altair as alt

    rows = [row for row in result.of(quantity) if not (math.isnan(row.published) or math.isnan(row.reproduced))]
    points = [_compared(row) for row in rows]
    if not points:
        text = drawing.rows([{}]).mark_text().encode(text=alt.TextValue("nothing to compare"))
        return text.properties(width=SIDE, height=SIDE, title=quantity)
    ends = [point[name] for point in points for name in ("published", "low", "high")]
    low, high = min(0.0, *ends), max(ends) * 1.03
    scale = settings(domain=[low, high], nice=False)
    x = alt.X("published:Q", title=f"published {_word(quantity)}", scale=scale)
    y = alt.Y("reproduced:Q", title=f"recomputed {_word(quantity)}", scale=scale)
    names = [name for name in rows[0].cell if name not in ("table", "epsilon")]
    colour = alt.Color(
        "agrees:N",
        title=None,
        scale=settings(domain=list(AGREES), range=list(AGREES.values())),
        legend=settings(orient="bottom", symbolOpacity=1),
    )
    named = [f"{name}:N" for name in ("table", *names)]
    told = drawing.tips(*named, "epsilon:Q", "published:Q", "reproduced:Q")
    base = drawing.rows(points)
    return alt.layer(
        _diagonal(low, high, scale),
        base.mark_rule(opacity=0.45).encode(x=x, y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q"), color=colour),
        base.transform_filter("!datum.bound")
        .mark_point(filled=True, size=34, opacity=0.85)
        .encode(x=x, y=y, color=colour, tooltip=told),
        base.transform_filter("datum.bound").mark_point(**BOUND).encode(x=x, y=y, color=colour, tooltip=told),
    ).properties(width=SIDE, height=SIDE, title=title(f"{_word(quantity)} ({len(points)} numbers)"))


def _diagonal(low: float, high: float, scale: Any) -> Any:
    import altair as alt

    ends = drawing.rows([{"x": low, "y": low}, {"x": high, "y": high}])
    return ends.mark_line(**DASHED).encode(x=alt.X("x:Q", scale=scale), y=alt.Y("y:Q", scale=scale))


AGREES = {"within two standard errors": A, "farther apart": B}


def _compared(row: PublishedNumber) -> dict[str, Any]:
    error = 0.0 if row.is_bound else row.standard_error
    return {
        **row.cell,
        "published": row.published,
        "reproduced": row.reproduced,
        "low": max(0.0, row.reproduced - 2 * error) if row.reproduced >= 0 else row.reproduced,
        "high": row.reproduced + 2 * error,
        "bound": row.is_bound,
        "agrees": list(AGREES)[0 if row.agrees else 1],
    }


def _word(quantity: str) -> str:
    return quantity.replace("_", " ")


def _figure(result: PaperFigure) -> Any:
    """Return the panels of a figure, each with its series, and a band or bars where a number is uncertain."""
    import altair as alt

    names = list(dict.fromkeys(point.series for point in result.points))
    panels = [_panel(result, panel, names) for panel in result.panels]
    columns = min(len(panels), 3 if len(panels) in (3, 6) else 2)
    lines = wrap(f"{result.paper.upper()}, figure {result.figure}: {result.title}", max(52, 46 * columns))
    above = title(lines, loud=True)
    if any(point.is_bound for point in result.points):
        above.subtitle = BOUNDS
    return (
        alt.concat(*panels, columns=columns)
        .resolve_scale(color="shared", y="shared" if _alike(result) else "independent")
        .properties(title=above)
    )


def _alike(result: PaperFigure) -> bool:
    """Whether all panels can be read on one axis: the largest number of each is within a factor of ten."""
    tops = [max(abs(point.y) for point in result.points if point.panel == panel) for panel in result.panels]
    return max(tops) <= 10 * min(tops)


def _panel(result: PaperFigure, panel: str, names: list[str]) -> Any:
    import altair as alt

    own = [point for point in result.points if point.panel == panel]
    floor = min((point.y for point in result.points if point.y > 0), default=1.0) / 2
    reach = max(point.x for point in own) - min(point.x for point in own)
    points = [_drawn(point, names, result, floor, reach) for point in own]
    x, y = _x_axis(result, points), _y_axis(result, floor)
    layers = _bars(points, result, y) if result.mark == "bar" else _lines(points, names, result, x, y)
    if result.mark != "bar" and min(point.x for point in own) < 0 < max(point.x for point in own):
        layers.insert(0, drawing.rule(0, "x"))
    if result.y == "expected p":
        level = drawing.rows([{"p": LEVEL, "said": f"p = {LEVEL:g}"}])
        layers += [
            level.mark_rule(**DASHED).encode(y=alt.Y("p:Q", scale=y["scale"])),
            level.mark_text(align="left", dx=3, dy=-6, fontSize=10, color=QUIET).encode(
                x=alt.value(0), y=alt.Y("p:Q", scale=y["scale"]), text="said:N"
            ),
        ]
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title(wrap(panel, 50)))


def _x_axis(result: PaperFigure, points: list[dict[str, Any]]) -> Any:
    import altair as alt

    known = [point["x"] for point in points]
    if not result.log_x:
        return alt.X(
            "place:Q",
            title=result.x,
            scale=settings(zero=False, nice=False, padding=0 if result.mark == "step" else 8),
        )
    ticks = [place for place in (1, 2, 5, 10, 20, 50, 100, 200, 500) if min(known) <= place <= max(known)]
    scale = settings(type="log", nice=False, padding=8)
    return alt.X("place:Q", title=result.x, scale=scale, axis=settings(values=ticks, format="d"))


def _y_axis(result: PaperFigure, floor: float) -> Any:
    import altair as alt

    if not result.log_y:
        return alt.Y("y:Q", title=result.y, scale=settings(zero=True, nice=True))
    ticks = [float(f"{digit}e{power}") for power in range(-12, 1) for digit in (1, 2, 5)]
    top = max(max(point.y, point.high if point.high == point.high else 0) for point in result.points)
    axis = settings(values=[tick for tick in ticks if floor <= tick <= top], format=drawing.NUMBERS, labelOverlap=False)
    return alt.Y("y:Q", title=result.y, scale=settings(type="log", domain=[floor, top], nice=False), axis=axis)


def _bars(points: list[dict[str, Any]], result: PaperFigure, y: Any) -> list[Any]:
    import altair as alt

    places = sorted({point["x"] for point in points})
    step = places[1] - places[0] if len(places) > 1 else 1.0
    data = [{**point, "left": point["x"] - 0.46 * step, "right": point["x"] + 0.46 * step} for point in points]
    axis = settings(grid=False) if len(places) > 9 else settings(grid=False, values=places, format=drawing.NUMBERS)
    scale = settings(domain=[places[0] - 0.6 * step, places[-1] + 0.6 * step], nice=False)
    ends = alt.X("left:Q", title=result.x, axis=axis, scale=scale)
    bars = drawing.rows(data).mark_bar(color=A)
    return [bars.encode(x=ends, x2=alt.X2("right:Q"), y=y, y2=alt.Y2Datum(0), tooltip=_told(result))]


def _lines(points: list[dict[str, Any]], names: list[str], result: PaperFigure, x: Any, y: Any) -> list[Any]:
    import altair as alt

    colours, dashes = line_styles(len(names))
    across = min(8, max(3, 2 * len(result.panels)))
    legend = settings(
        title=result.series,
        orient="bottom",
        columns=across,
        labelLimit=260,
        symbolType="stroke",
        symbolOpacity=1,
        symbolStrokeWidth=2.5,
        symbolSize=700,
    )
    shown: dict[str, Any] = {"sort": names, "legend": legend if len(names) > 1 else None}
    colour = alt.Color("series:N", title=result.series, scale=settings(domain=names, range=colours), **shown)
    dash = alt.StrokeDash("series:N", title=result.series, scale=settings(domain=names, range=dashes), **shown)
    base = drawing.rows(points)
    ends = {"x": x, "y": alt.Y("low:Q", title=result.y, scale=y["scale"]), "y2": "high:Q", "color": colour}
    layers = []
    if result.mark == "line" and any(point["low"] is not None for point in points):
        few = len(names) <= FEW
        layers.append((base.mark_area(opacity=0.13) if few else base.mark_rule(opacity=0.6)).encode(**ends))
    line = base.mark_line(interpolate="step-after" if result.mark == "step" else "linear", strokeWidth=1.8, clip=True)
    order = {"order": "y:Q"} if result.mark == "step" else {}
    layers.append(line.encode(x=x, y=y, color=colour, strokeDash=dash, **order))
    if result.mark == "line" and len({point["x"] for point in points}) < 30:
        dots = base.transform_filter("!datum.bound").mark_point(filled=True, size=22, opacity=1)
        layers.append(dots.encode(x=x, y=y, color=colour, tooltip=_told(result)))
    if any(point["bound"] for point in points):
        bounds = base.transform_filter("datum.bound").mark_point(**BOUND)
        layers.append(bounds.encode(x=x, y=y, color=colour, tooltip=_told(result)))
    return layers


def _told(result: PaperFigure) -> list[Any]:
    import altair as alt

    return [alt.Tooltip("series:N", title=result.series), *drawing.tips("x:Q", "y:Q", "low:Q", "high:Q")]


def _drawn(point: Point, names: list[str], result: PaperFigure, floor: float, reach: float) -> dict[str, Any]:
    """Return a point as a row; bars of several series stand beside each other, a little off their place.

    A bound has no error of its own, so it has no bar.
    """
    known = not (math.isnan(point.low) or math.isnan(point.high) or point.is_bound)
    low = max(point.low, floor) if result.log_y else point.low
    aside = names.index(point.series) - (len(names) - 1) / 2 if known and len(names) > FEW else 0.0
    place = point.x * 1.025**aside if result.log_x else point.x + 0.004 * reach * aside
    return {
        "series": point.series,
        "x": point.x,
        "place": place,
        "y": max(point.y, floor) if result.log_y else point.y,
        "low": low if known else None,
        "high": point.high if known else None,
        "bound": point.is_bound,
    }


CHEAPEST = "cheapest design for the question as stated"


def _search(result: Search) -> Any:
    """Return the budget found against the printed one on logarithmic axes; cells with a dash stand at the edge."""
    import altair as alt

    known = [cell for cell in result.cells if not math.isnan(cell.printed_budget) and not math.isnan(cell.budget)]
    points: list[dict[str, Any]] = [
        {
            "cell": f"table {cell.table}, {cell.dataset}, {cell.metric}",
            "printed": cell.printed_budget,
            "found": budget,
            "K printed": cell.printed_responses,
            "what": what,
        }
        for cell in known
        for what, budget in (("as printed", cell.budget), (CHEAPEST, cell.cheapest_budget))
        if not math.isnan(budget)
    ]
    ends = [point[name] for point in points for name in ("printed", "found")] or [1, 10]
    low, high = min(ends) * 0.8, max(ends) * 1.25
    scale = settings(type="log", domain=[low, high], nice=False)
    axis = settings(format=drawing.NUMBERS, values=drawing.round_ticks(low, high))
    legend = settings(orient="bottom", labelLimit=300)
    x = alt.X("printed:Q", title="printed N × K", scale=scale, axis=axis)
    y = alt.Y("found:Q", title="found N × K", scale=scale, axis=axis)
    return alt.layer(
        _diagonal(low, high, scale),
        drawing.rows(points)
        .mark_point(filled=True, size=46, opacity=0.7)
        .encode(
            x=x,
            y=y,
            color=alt.Color("what:N", title=None, legend=legend, scale=settings(range=[A, B])),
            shape=alt.Shape("what:N", title=None),
            tooltip=drawing.tips("cell:N", "printed:C", "found:C", "K printed:C"),
        ),
    ).properties(
        width=SIDE + 80,
        height=SIDE + 80,
        title=title(f"{result.paper.upper()}: the smallest N × K with p below .05", loud=True),
    )
