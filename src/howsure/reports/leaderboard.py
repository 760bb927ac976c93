"""The picture of a leaderboard: scores, rank ranges, and groups without significant differences.

Those of several slices stand under each other; a plan shows what more items or responses bring.
"""

import math
from typing import Any

from howsure.documents.names import short, shortened
from howsure.leaderboards import Leaderboard, LeaderboardPlan, Leaderboards
from howsure.reports import chart_files, drawing
from howsure.reports.colours import INK, MARK, NULL, QUIET, A, B
from howsure.reports.drawing import finite, rows, settings
from howsure.reports.rank_pictures import PICTURES
from howsure.wording.estimates import ci

MOST = 60
"""This many models fit into a picture."""
ROW = 22
BEST, OTHER = "may be the best", "significantly worse than another model"
SLICES, IN_ALL = 8, 80
"""This many slices, and this many models in all of them, fit into a picture."""
POWER, STAYS = "power", "leader stays first"


def chart(board: Leaderboard, most: int = MOST) -> Any:
    """Return the picture that was asked for.

    The overview has scores with their intervals, ranks with their ranges, and groups without significant differences.
    """
    alt = chart_files.altair()
    if board.picture in PICTURES:
        return PICTURES[board.picture](board)
    shown = board.models[: min(board.top or most, most)]
    names = shortened([row.name for row in shown], 32)
    points = [
        {
            "model": names[row.name],
            "rank": row.rank,
            "low": row.rank_low,
            "high": row.rank_high,
            "from": row.rank_low - 0.3,
            "to": row.rank_high + 0.3,
            "score": finite(row.score),
            "score_low": finite(row.confidence_interval.low),
            "score_high": finite(row.confidence_interval.high),
            "who": BEST if row.in_confidence_set else OTHER,
        }
        for row in shown
    ]
    colour = alt.Color(
        "who:N", title=None, scale=settings(domain=[BEST, OTHER], range=[MARK, A]), legend=settings(orient="bottom")
    )
    shape = alt.Shape("who:N", scale=settings(domain=[BEST, OTHER], range=["diamond", "circle"]), legend=None)
    parts = [_scores(board, points, colour, shape), _ranks(board, points, colour, shape)]
    groups = [group for group in board.groups if len(group) > 1 and any(name in names for name in group)]
    if groups:
        parts.append(_groups(groups, names, points))
    return alt.hconcat(*parts, spacing=14, title=drawing.title(_title(board, len(shown)), loud=True)).resolve_scale(
        y="shared"
    )


def _scores(board: Leaderboard, points: list[dict[str, Any]], colour: Any, shape: Any) -> Any:
    import altair as alt

    y = alt.Y(
        "model:N", sort=[point["model"] for point in points], title=None, axis=settings(labelLimit=240, ticks=False)
    )
    title = f"{board.title} ({board.better} is better), {ci(board.confidence_level)}"
    base = rows(points)
    line = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("score_low:Q", title=title, scale=settings(zero=False), axis=settings(tickCount=5)),
        x2="score_high:Q",
        y=y,
        color=colour,
    )
    dot = base.mark_point(filled=True, size=60, opacity=1).encode(x=alt.X("score:Q"), y=y, color=colour, shape=shape)
    return (line + dot).properties(width=230, height=ROW * len(points))


def _ranks(board: Leaderboard, points: list[dict[str, Any]], colour: Any, shape: Any) -> Any:
    import altair as alt

    y = alt.Y("model:N", sort=[point["model"] for point in points], title=None, axis=None)
    n = max(point["high"] for point in points)
    step = math.ceil(n / 12)
    x = alt.X(
        "from:Q",
        title=f"rank range, {100 * board.confidence_level:g}% confidence",
        scale=settings(domain=[0.5, n + 0.5], nice=False),
        axis=settings(values=[1, *range(step if step > 1 else 2, n + 1, step)], format="d", grid=False),
    )
    base = rows(points)
    told = drawing.tips("model:N", "rank:C", **{"low:C": "lowest rank", "high:C": "highest rank"})
    bars = base.mark_bar(height=8, opacity=0.4).encode(x=x, x2=alt.X2("to:Q"), y=y, color=colour, tooltip=told)
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(x=alt.X("rank:Q"), y=y, color=colour, shape=shape)
    return (bars + dots).properties(width=250, height=ROW * len(points))


def _groups(groups: list[tuple[str, ...]], names: dict[str, str], points: list[dict[str, Any]]) -> Any:
    """Return a bar over each group of models without significant differences, as in a critical-difference diagram."""
    import altair as alt

    members = [
        {"model": names[name], "group": number}
        for number, group in enumerate(groups, 1)
        for name in group
        if name in names
    ]
    base = rows(members).encode(
        x=alt.X("group:O", title="no significant difference", axis=settings(labels=False, ticks=False, domain=False)),
        y=alt.Y("model:N", sort=[point["model"] for point in points], title=None, axis=None),
        detail="group:O",
    )
    lines = base.mark_line(color=NULL, strokeWidth=3) + base.mark_point(filled=True, color=INK, size=30, opacity=1)
    return lines.properties(width=min(300, max(70, 16 * len(groups))), height=ROW * len(points))


def _title(board: Leaderboard, shown: int) -> str:
    n = len(board.models)
    where = f", {short(board.slice, 40)}" if board.slice else ""
    return f"Ranks by {board.title}{where}: {f'the first {shown} of {n:,} models' if shown < n else 'all models'}"


def of_slices(found: Leaderboards) -> Any:
    """Return the leaderboards of the first slices, one under the other."""
    alt = chart_files.altair()
    boards = found.leaderboards[:SLICES]
    most = max(3, IN_ALL // len(boards))
    return alt.vconcat(*(chart(board, most) for board in boards), spacing=30)


def of_plan(plan: LeaderboardPlan) -> Any:
    """Return power and how often the leader stays first, by items and by responses."""
    alt = chart_files.altair()
    panels = [_outlook(plan, "n_items", "items", plan.n_items, plan.now)]
    if len({one.n_responses for one in plan.outlooks}) > 1:
        panels.append(_outlook(plan, "n_responses", "responses per item", plan.n_responses, plan.responses_now))
    more = "items or responses" if len(panels) > 1 else "items"
    title = f"The first {len(plan.models)} models: what more {more} bring"
    return alt.hconcat(*panels, spacing=30, title=drawing.title(title, loud=True))


def _outlook(plan: LeaderboardPlan, varied: str, unit: str, needed: float | None, now: float) -> Any:
    import altair as alt

    other = "n_responses" if varied == "n_items" else "n_items"
    fixed = plan.responses_now if varied == "n_items" else plan.now
    known = {getattr(one, varied): one for one in plan.outlooks if getattr(one, other) == fixed}
    known |= {one.n_responses: one for one in plan.outlooks if varied == "n_responses" and one.n_items == plan.now}
    points = [
        {"size": size, "probability": value, "what": what}
        for size, one in sorted(known.items())
        for what, value in ((POWER, one.power), (STAYS, one.first_place_share))
    ]
    ticks = drawing.ticks([point["size"] for point in points], most=5)
    base = rows(points).encode(
        x=alt.X(
            "size:Q",
            title=unit,
            scale=settings(type="log", nice=False, padding=12),
            axis=settings(values=ticks, format=drawing.NUMBERS, grid=False),
        ),
        y=alt.Y("probability:Q", title="probability", scale=settings(domain=[0, 1]), axis=settings(format=".1~f")),
        color=alt.Color(
            "what:N",
            title=None,
            scale=settings(domain=[POWER, STAYS], range=[A, B]),
            legend=settings(orient="bottom"),
        ),
        shape=alt.Shape("what:N", title=None, scale=settings(domain=[POWER, STAYS], range=["circle", "diamond"])),
    )
    marks = [{"size": now, "told": "you are here", "at": 0.08}]
    if needed is not None:
        marks.append({"size": needed, "told": f"{needed:,} {unit}", "at": 0.18})
    at = rows(marks).encode(x=alt.X("size:Q"))
    words = at.mark_text(align="left", dx=5, color=INK)
    return alt.layer(
        drawing.rule(plan.target_power, "y"),
        at.mark_rule(color=QUIET, strokeDash=[2, 3]),
        base.mark_line(strokeWidth=2),
        base.mark_point(filled=True, size=60, opacity=1),
        words.encode(y=alt.Y("at:Q"), text=alt.Text("told:N")),
    ).properties(width=300, height=220)
