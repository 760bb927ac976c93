"""How far runs repeat themselves, as pictures: which items are unstable, and what more runs are worth."""

from typing import Any

from howsure.documents.names import shortened
from howsure.errors import ArgumentError
from howsure.reports import chart_files
from howsure.reports.colours import BAND, NULL, A, B, line_styles
from howsure.reports.drawing import NUMBERS, rows, settings, tips, title
from howsure.scoring import ModelReliability, Reliability
from howsure.scoring.repeated_runs import RUNS

WIDTH, HEIGHT, NAMES = 360, 200, 26
MOST_LINES = 6
"""So many models have curves: more lines could not be told apart."""
SHARES = {"always right": A, "sometimes": B, "never": BAND}
"""The parts of a bar, and their colours."""


def chart(found: Reliability) -> Any:
    """Return a bar for each model where runs are right or wrong, and the standard error by runs per item."""
    alt = chart_files.altair()
    if not found.models:
        raise ArgumentError("there is nothing to draw: no model has repeated runs.")
    names = shortened([one.name for one in found.models], NAMES)
    parts = [_shares(found.models, names)] if found.right_or_wrong else []
    parts.append(_errors(found.models[:MOST_LINES], names))
    return alt.vconcat(*parts, spacing=30).resolve_scale(x="independent", y="independent", color="independent")


def _shares(models: tuple[ModelReliability, ...], names: dict[str, str]) -> Any:
    """Return the items that all runs, some runs and no run got right, stacked."""
    import altair as alt

    order = [names[one.name] for one in models]
    parts = [
        {"model": names[one.name], "runs": kind, "share": share, "place": place}
        for one in models
        for place, (kind, share) in enumerate(zip(SHARES, (one.always, one.sometimes, one.never), strict=True))
    ]
    colour = alt.Color(
        "runs:N",
        sort=list(SHARES),
        scale=settings(domain=list(SHARES), range=list(SHARES.values())),
        legend=settings(title=None, orient="top"),
    )
    drawn = rows(parts).mark_bar(stroke=NULL, strokeWidth=0.5)
    return drawn.encode(
        x=alt.X("share:Q", title="share of items", axis=settings(format="~%"), scale=settings(domain=[0, 1])),
        y=alt.Y("model:N", sort=order, title=None, axis=settings(labelLimit=300, ticks=False, domain=False)),
        color=colour,
        order=alt.Order("place:Q"),
        tooltip=tips("model:N", "runs:N", "share:Q"),
    ).properties(width=WIDTH, height=alt.Step(26), title=title("Items that runs get right"))


def _errors(models: tuple[ModelReliability, ...], names: dict[str, str]) -> Any:
    """Return the standard error of the score by runs per item, and what endlessly many runs would leave (dashed)."""
    import altair as alt

    order = [names[one.name] for one in models]
    points = [
        {"model": names[one.name], "runs": runs, "error": one.standard_error(runs), "limit": one.standard_error()}
        for one in models
        for runs in RUNS
    ]
    colour = alt.Color(
        "model:N",
        sort=order,
        scale=settings(domain=order, range=line_styles(len(order))[0]),
        legend=settings(title=None, orient="bottom", columns=2, labelLimit=220) if len(order) > 1 else None,
    )
    base = rows(points)
    ends = settings(type="log", domain=[RUNS[0], RUNS[-1]], nice=False)
    x = alt.X("runs:Q", title="runs per item", scale=ends, axis=settings(values=list(RUNS), format="d"))
    y = alt.Y("error:Q", title="standard error of the score", scale=settings(zero=True), axis=settings(format=NUMBERS))
    hints = tips("model:N", "runs:C", "error:Q")
    curve = base.mark_line(point=True).encode(x=x, y=y, color=colour, tooltip=hints)
    limit = base.mark_line(strokeDash=[3, 3], opacity=0.7).encode(x=x, y=alt.Y("limit:Q"), color=colour)
    said = title("Error by runs per item; dashed: with endlessly many runs")
    return alt.layer(limit, curve).properties(width=WIDTH, height=HEIGHT, title=said)
