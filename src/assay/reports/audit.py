"""An audit as a chart: how often each test rejects and each interval covers, beside what they promise; and a page."""

from pathlib import Path
from typing import Any

from assay.auditing import Audit
from assay.auditing.estimators import EXPECTED, NO_SCHEME
from assay.auditing.tables import tables
from assay.reports import pages

WIDTH, STEP = 220, 16


def write_chart(audit: Audit, path: str | Path) -> None:
    """Write the chart as a page (.html, JavaScript included), a picture, or a Vega-Lite specification (.json)."""
    pages.write(path, chart=lambda: chart(audit), page=lambda: to_html(audit))


def to_html(audit: Audit) -> str:
    """Return one page with the recommendation, how to read it, chart and tables, which needs no network."""
    return pages.render(
        "audit.html", charts={"rates": chart(audit)}, title="Which p-value can you trust?", result=audit,
        tables=tables(audit),
    )  # fmt: skip


def chart(audit: Audit) -> Any:
    """Return the Altair chart: a panel for each metric and kind of data, a point with its 95 % interval for each test.

    Below it, the same for the coverage of intervals, where there are any. The rule is what was promised: the level of
    the tests where a null is true, the level of the intervals everywhere.
    """
    alt = pages.altair()
    alt.data_transformers.disable_max_rows()
    tests = [
        _point(row, _name(row.scheme, row.null, row.pvalue), row.rate, row.rate_interval)
        | {"promised": 100 * audit.alpha if row.is_null else None}
        for row in audit.tests
        if row.n_data_sets
    ]
    intervals = [
        _point(row, f"{row.interval} ({row.scheme})", row.coverage, row.coverage_interval)
        | {"promised": 100 * audit.confidence_level}
        for row in audit.intervals
        if row.n_data_sets
    ]
    parts = [_panels(tests, f"rejected at {100 * audit.alpha:g} %, percent")]
    if intervals:
        parts.append(_panels(intervals, f"{100 * audit.confidence_level:g} % intervals that cover, percent"))
    return alt.vconcat(*parts).resolve_scale(x="independent", y="independent")


def _panels(points: list[dict[str, Any]], title: str) -> Any:
    import altair as alt

    order = list(dict.fromkeys(point["name"] for point in points))
    kinds = list(dict.fromkeys(point["kind"] for point in points))
    # The data are given with the layers, so that each panel of the facet sees its own part of them.
    base = alt.Chart()
    name = alt.Y("name:N", sort=order, title=None, axis=alt.Axis(labelLimit=320))
    beside = alt.YOffset("design:N", sort=list(dict.fromkeys(point["design"] for point in points)))
    scale = alt.Scale(zero=False)  # coverage is read between 90 and 100
    told = ["name:N", "design:N", "share:Q", "low:Q", "high:Q", "n_data_sets:Q"]
    layers = alt.layer(
        base.mark_rule(color="#bbb", strokeDash=[4, 3]).encode(x="promised:Q"),
        base.mark_rule().encode(
            x=alt.X("low:Q", title=title, scale=scale), x2="high:Q", y=name, yOffset=beside, color="design:N"
        ),
        base.mark_point(filled=True, opacity=1).encode(
            x=alt.X("share:Q", title=title),
            y=name,
            yOffset=beside,
            color=alt.Color("design:N", title="items × responses"),
            tooltip=told,
        ),
        data=alt.InlineData(values=points),
    )
    height = alt.Step(STEP, **{"for": "position"})  # the designs of a row share its height
    return layers.properties(width=WIDTH, height=height).facet(
        column=alt.Column("kind:N", sort=kinds, title=None), row=alt.Row("metric:N", title=None)
    )


def _point(row: Any, name: str, share: float, ends: tuple[float, float]) -> dict[str, Any]:
    return {
        "metric": row.metric, "name": name, "kind": f"{row.truth}, ε = {row.epsilon:g}",
        "design": f"{row.n_items}×{row.n_responses}", "share": 100 * share, "low": 100 * ends[0], "high": 100 * ends[1],
        "n_data_sets": row.n_data_sets,
    }  # fmt: skip


def _name(scheme: str, null: str, pvalue: str) -> str:
    if scheme == NO_SCHEME:
        return null
    return f"{null} ({scheme}{', expected' if pvalue == EXPECTED else ''})"
