"""An audit as a chart: how often each test rejects and each interval covers, beside the nominal rates."""

import math
from collections.abc import Callable
from typing import Any

from howsure.auditing import Audit, LeaderAudit
from howsure.auditing.estimators import EXPECTED, NO_SCHEME
from howsure.reports import chart_files, drawing
from howsure.reports.colours import QUIET, SERIES, SHAPES, line_styles
from howsure.reports.drawing import settings

WIDTH, STEP = 190, 16
MOST_ROWS, MOST_METRICS, MOST_KINDS = 14, 3, 4
"""More tests, metrics or types of data than this do not fit a picture; the tables have them all."""


def chart(audit: Audit) -> Any:
    """Return the Altair chart: a panel for each type of data, a point with its 95% interval for each test, best first.

    Best is a test that holds its level and finds most; the worst stands last and is named in the title. Below it, the
    same for the coverage of intervals; and where LEADER's estimators were asked for, their errors against ε. The rule
    is the nominal rate: the significance level where a null is true, and the confidence level of intervals.
    """
    alt = chart_files.altair()
    nominal = 100 * audit.alpha
    tests = [
        _point(row, _name(row.scheme, row.null, row.pvalue), row.rate, row.rate_interval)
        | {"nominal": nominal if row.is_null else None}
        for row in audit.tests
        if row.n_data_sets
    ]
    intervals = [
        _point(row, f"{row.interval} ({row.scheme})", row.coverage, row.coverage_interval)
        | {"nominal": 100 * audit.confidence_level}
        for row in audit.intervals
        if row.n_data_sets
    ]
    parts = [_errors(audit)] if audit.smallest and len({row.epsilon for row in audit.smallest}) > 2 else []
    parts += _by_metric(
        tests,
        f"rejection rate at {nominal:g}% (%)",
        lambda group: _excess(group, nominal),
        "type I error up to {:.0f}%",
    )
    if intervals:
        level = 100 * audit.confidence_level
        parts += _by_metric(
            intervals,
            f"coverage of {level:g}% intervals (%)",
            lambda group: _shortfall(group, level),
            "coverage {:.0f}% at worst",
        )
    return alt.vconcat(*parts, spacing=24).resolve_scale(
        x="independent", y="independent", color="independent", shape="independent"
    )


def leader_chart(found: LeaderAudit) -> Any:
    """Return the error of estimated p against ε, by sampling method and by metric, for each of the data."""
    alt = chart_files.altair()
    sides = [_errors(audit).properties(title=drawing.title(audit.model)) for audit in found.audits]
    said = drawing.title("Mean absolute error of estimated p against ε (LEADER, figures 1 and 2)", loud=True)
    whole = alt.hconcat(*sides, spacing=40).resolve_scale(color="independent", strokeDash="independent")
    return whole.properties(title=said)


def _by_metric(
    points: list[dict[str, Any]],
    title: str,
    worse: Callable[[list[dict[str, Any]]], tuple[float, float, float]],
    said: str,
) -> list[Any]:
    """Return one strip of panels for each metric; its rows are ordered by how well they do."""
    metrics = list(dict.fromkeys(point["metric"] for point in points))
    strips = []
    for metric in metrics[:MOST_METRICS]:
        of_metric = [point for point in points if point["metric"] == metric]
        groups: dict[str, list[dict[str, Any]]] = {}
        for point in of_metric:
            groups.setdefault(point["name"], []).append(point)
        order = sorted(groups, key=lambda name: worse(groups[name]))
        last = order[-1]
        told = f"{metric}; worst: {last}, {said.format(worse(groups[last])[2])}"
        if len(order) > MOST_ROWS:
            left = len(order) - MOST_ROWS
            order = order[: MOST_ROWS - 3] + order[-3:]
            told += f" ({left} more between the best and the worst)"
        more = len(metrics) - MOST_METRICS
        if more > 0 and metric == metrics[MOST_METRICS - 1]:
            told += f"; {more} more metrics are in the tables"
        strips.append(_panels([point for point in of_metric if point["name"] in order], order, title, told))
    return strips


def _panels(points: list[dict[str, Any]], order: list[str], title: str, told: str) -> Any:
    import altair as alt

    kinds = list(dict.fromkeys(point["kind"] for point in points))
    if len(kinds) > MOST_KINDS:
        kinds = [*kinds[: MOST_KINDS - 1], kinds[-1]]
        points = [point for point in points if point["kind"] in kinds]
    designs = list(dict.fromkeys(point["design"] for point in points))
    # The data are given with the layers, so that each panel of the facet sees its own part of them.
    base = drawing.rows()
    name = alt.Y("name:N", sort=order, title=None, axis=settings(labelLimit=320))
    beside = alt.YOffset("design:N", sort=designs)
    scale = settings(zero=False)  # coverage is read between 90 and 100
    shared: dict[str, Any] = {"title": "items × responses", "legend": settings(orient="bottom")}
    colour = alt.Color("design:N", scale=settings(domain=designs, range=list(SERIES)), **shared)
    shape = alt.Shape("design:N", scale=settings(domain=designs, range=list(SHAPES)), **shared)
    tips = drawing.tips("name:N", "design:N", "share:Q", "low:Q", "high:Q", "n_data_sets:C")
    layers = alt.layer(
        base.mark_rule(color=QUIET, strokeDash=[4, 3]).encode(x=alt.X("nominal:Q")),
        base.mark_rule().encode(
            x=alt.X("low:Q", title=title, scale=scale),
            x2="high:Q",
            y=name,
            yOffset=beside,
            color=colour,
        ),
        base.mark_point(filled=True, opacity=1, size=36).encode(
            x=alt.X("share:Q", title=title), y=name, yOffset=beside, color=colour, shape=shape, tooltip=tips
        ),
        data=alt.InlineData(values=tuple(points)),
    )
    height = alt.Step(STEP if len(designs) > 1 else STEP + 4, **{"for": "position"})  # designs share a row's height
    return layers.properties(width=WIDTH, height=height).facet(
        column=alt.Column("kind:N", sort=kinds, title=None), title=drawing.title(told)
    )


def _errors(audit: Audit) -> Any:
    """Return the mean absolute error of estimated p against ε, by sampling method and by metric."""
    import altair as alt

    parts = []
    for by, said in (("scheme", "by sampling method (items/responses)"), ("metric", "by metric")):
        points = [
            {
                "epsilon": row.epsilon,
                "error": row.mean,
                "smallest": row.smallest,
                "name": row.name,
                "design": f"{row.n_items:,} items × {row.n_responses} responses",
            }
            for row in audit.smallest
            if row.by == by and math.isfinite(row.mean) and row.truth != "different errors"
        ]
        names = list(dict.fromkeys(point["name"] for point in points))
        scale: dict[str, Any] = {"domain": names}
        lines, dashes = line_styles(len(names))
        look = {
            "color": alt.Color(
                "name:N",
                title=None,
                scale=settings(**scale, range=lines),
                legend=settings(symbolSize=90, symbolOpacity=1, labelLimit=260),
            ),
            "strokeDash": alt.StrokeDash("name:N", title=None, scale=settings(**scale, range=dashes)),
        }
        shapes = alt.Shape("name:N", title=None, scale=settings(**scale, range=[*SHAPES, *SHAPES]), legend=None)
        base = drawing.rows()
        x = alt.X("epsilon:Q", title="ε", axis=settings(grid=False))
        y = alt.Y("error:Q", title="mean absolute error of p")
        tips = drawing.tips("name:N", "epsilon:Q", "error:Q", "smallest:Q")
        dots = base.mark_point(filled=True, opacity=1, size=40)
        drawn = alt.layer(
            base.mark_line().encode(x=x, y=y, **look),
            dots.encode(x=x, y=y, color=look["color"], shape=shapes, tooltip=tips),
            data=alt.InlineData(values=tuple(points)),
        ).properties(width=260, height=200)
        parts.append(drawn.facet(column=alt.Column("design:N", title=None), title=drawing.title(f"error {said}")))
    return alt.vconcat(*parts).resolve_scale(color="independent", strokeDash="independent", shape="independent")


def _excess(group: list[dict[str, Any]], nominal: float) -> tuple[float, float, float]:
    """Return what a test is ordered by: whether it fails its level, then how little it finds; and its worst level."""
    nulls = [point for point in group if point["nominal"] is not None]
    found = [point["share"] for point in group if point["nominal"] is None]
    most = max((point["share"] for point in nulls), default=0.0)
    fails = any(point["low"] > nominal for point in nulls)
    return (most if fails else 0.0), -sum(found) / max(len(found), 1), most


def _shortfall(group: list[dict[str, Any]], nominal: float) -> tuple[float, float, float]:
    """Return what an interval is ordered by: whether it covers too seldom, then how far from nominal it is."""
    least = min(point["share"] for point in group)
    fails = any(point["high"] < nominal for point in group)
    apart = sum(abs(point["share"] - nominal) for point in group) / len(group)
    return (nominal - least if fails else 0.0), apart, least


def _point(row: Any, name: str, share: float, ends: tuple[float, float]) -> dict[str, Any]:
    return {
        "metric": row.metric,
        "name": name,
        "kind": f"{row.truth}, ε = {row.epsilon:g}",
        "design": f"{row.n_items} × {row.n_responses}",
        "share": 100 * share,
        "low": 100 * ends[0],
        "high": 100 * ends[1],
        "n_data_sets": row.n_data_sets,
    }


def _name(scheme: str, null: str, pvalue: str) -> str:
    if scheme == NO_SCHEME:
        return null
    return f"{null} ({scheme}{', expected' if pvalue == EXPECTED else ''})"
