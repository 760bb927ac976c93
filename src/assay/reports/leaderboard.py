"""The picture of a board: scores, between which ranks each model lies, and which groups nothing tells apart."""

import math
from typing import Any

from assay.leaderboard import Leaderboard
from assay.reports import drawing, pages
from assay.reports.colours import INK, MARK, NULL, A
from assay.reports.drawing import finite, rows

MOST = 60
"""So many models fit into a picture."""
ROW = 22
BEST, OTHER = "may be best", "not the best"


def chart(board: Leaderboard) -> Any:
    """Return scores with their intervals, rank sets with the rank by score, and groups that nothing tells apart."""
    alt = pages.altair()
    shown = board.models[: min(board.top or MOST, MOST)]
    names = drawing.shortened([row.name for row in shown], 32)
    points = [
        {
            "model": names[row.name], "rank": row.rank, "low": row.rank_low, "high": row.rank_high,
            "from": row.rank_low - 0.3, "to": row.rank_high + 0.3, "score": finite(row.score),
            "score_low": finite(row.confidence_interval.low), "score_high": finite(row.confidence_interval.high),
            "who": BEST if row.may_be_best else OTHER,
        }
        for row in shown
    ]  # fmt: skip
    colour = alt.Color(
        "who:N", title=None, scale=alt.Scale(domain=[BEST, OTHER], range=[MARK, A]), legend=alt.Legend(orient="bottom")
    )
    shape = alt.Shape("who:N", scale=alt.Scale(domain=[BEST, OTHER], range=["diamond", "circle"]), legend=None)
    parts = [_scores(board, points, colour, shape), _ranks(board, points, colour, shape)]
    groups = [group for group in board.groups if len(group) > 1 and any(name in names for name in group)]
    if groups:
        parts.append(_groups(groups, names, points))
    return alt.hconcat(*parts, spacing=14, title=drawing.title(_title(board), loud=True)).resolve_scale(y="shared")


def _scores(board: Leaderboard, points: list[dict[str, Any]], colour: Any, shape: Any) -> Any:
    import altair as alt

    y = alt.Y(
        "model:N", sort=[point["model"] for point in points], title=None, axis=alt.Axis(labelLimit=240, ticks=False)
    )
    title = f"{board.title} ({board.better} is better), {100 * board.confidence_level:g} % interval"
    base = rows(points)
    line = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("score_low:Q", title=title, scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=5)), x2="score_high:Q",
        y=y, color=colour,
    )  # fmt: skip
    dot = base.mark_point(filled=True, size=60, opacity=1).encode(x="score:Q", y=y, color=colour, shape=shape)
    return (line + dot).properties(width=230, height=ROW * len(points))


def _ranks(board: Leaderboard, points: list[dict[str, Any]], colour: Any, shape: Any) -> Any:
    import altair as alt

    y = alt.Y("model:N", sort=[point["model"] for point in points], title=None, axis=None)
    n = max(point["high"] for point in points)
    step = math.ceil(n / 12)
    x = alt.X(
        "from:Q", title=f"rank, {100 * board.confidence_level:g} % together",
        scale=alt.Scale(domain=[0.5, n + 0.5], nice=False),
        axis=alt.Axis(values=[1, *range(step if step > 1 else 2, n + 1, step)], format="d", grid=False),
    )  # fmt: skip
    base = rows(points)
    told = ["model:N", "rank:Q", alt.Tooltip("low:Q", title="rank_low"), alt.Tooltip("high:Q", title="rank_high")]
    bars = base.mark_bar(height=8, opacity=0.4).encode(x=x, x2="to:Q", y=y, color=colour, tooltip=told)
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(x="rank:Q", y=y, color=colour, shape=shape)
    return (bars + dots).properties(width=250, height=ROW * len(points))


def _groups(groups: list[tuple[str, ...]], names: dict[str, str], points: list[dict[str, Any]]) -> Any:
    """Return a bar over each group of models that nothing tells apart, as in a critical-difference diagram."""
    import altair as alt

    members = [
        {"model": names[name], "group": number}
        for number, group in enumerate(groups, 1)
        for name in group
        if name in names
    ]
    base = rows(members).encode(
        x=alt.X("group:O", title="not told apart", axis=alt.Axis(labels=False, ticks=False, domain=False)),
        y=alt.Y("model:N", sort=[point["model"] for point in points], title=None, axis=None),
        detail="group:O",
    )
    lines = base.mark_line(color=NULL, strokeWidth=3) + base.mark_point(filled=True, color=INK, size=30, opacity=1)
    return lines.properties(width=min(300, max(70, 16 * len(groups))), height=ROW * len(points))


def _title(board: Leaderboard) -> str:
    first = f"the first {MOST} of {len(board.models):,} models" if len(board.models) > MOST else "all models"
    return f"Ranks by {board.title}: {first if board.top is None else f'the first {board.top} models'}"
