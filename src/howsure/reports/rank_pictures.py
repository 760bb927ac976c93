"""Pictures of a leaderboard for a paper: rank ranges, a critical-difference diagram, and a heat map of all pairs.

Each is a single panel that can be read in one column of a page.
"""

import math
from typing import Any

import numpy as np

from howsure.documents.names import shortened
from howsure.errors import ArgumentError
from howsure.inference.simultaneous import groups_alike
from howsure.leaderboards import Leaderboard
from howsure.reports import chart_files, drawing
from howsure.reports.colours import BAND, INK, LINE, MARK, NULL, PAPER, A, B
from howsure.reports.drawing import finite, rows, settings
from howsure.wording.estimates import ci

COLUMN = 300
"""The width of a picture without the names, in points: with them it fits a column of 3.3 to 6 inches."""
NAMES = 26
"""Letters of a name."""
MOST_RANKS, MOST_CRITICAL, MOST_PAIRS = 200, 25, 60
"""How many models each picture can hold."""
OPEN, DOMINATED = "may be worth its cost", "dominated"
MOST_BARS = 15
"""How many groups a critical-difference diagram can hold."""


def rank_ranges(board: Leaderboard) -> Any:
    """Return a row for each model: its rank and rank range, with the confidence set of the best shaded."""
    alt = chart_files.altair()
    shown = board.models[: min(board.top or MOST_RANKS, MOST_RANKS)]
    names = shortened([row.name for row in shown], NAMES)
    order, n = [names[row.name] for row in shown], max(row.rank_high for row in shown)
    points = [
        {"model": names[row.name], "rank": row.rank, "from": row.rank_low - 0.4, "to": row.rank_high + 0.4}
        for row in shown
    ]
    y = alt.Y("model:N", sort=order, title=None, axis=settings(labelLimit=240, ticks=False, domain=False))
    step = math.ceil(n / 8)
    x = alt.X(
        "from:Q",
        title=f"rank range ({100 * board.confidence_level:g}% confidence for all models)",
        scale=settings(domain=[0.5, n + 0.5], nice=False),
        axis=settings(values=[1, *range(step if step > 1 else 2, n + 1, step)], format="d", grid=False),
    )
    best = [{"model": names[row.name], "from": 0.5, "to": n + 0.5} for row in shown if row.in_confidence_set]
    behind = rows(best).mark_bar(color=BAND, height=alt.RelativeBandSize(1.0)).encode(x=x, x2=alt.X2("to:Q"), y=y)
    base = rows(points)
    line = base.mark_bar(height=3, color=A).encode(x=x, x2=alt.X2("to:Q"), y=y)
    dot = base.mark_point(filled=True, size=36, opacity=1, color=INK).encode(x=alt.X("rank:Q"), y=y)
    size = 15 if len(shown) <= 60 else 10
    told = f"Shaded: {len(board.confidence_set):,} of {len(board.models):,} models may be the best"
    return alt.layer(behind, line, dot).properties(
        width=COLUMN, height=alt.Step(size), title=drawing.title([f"Ranks by {board.title}", told])
    )


def critical_difference(board: Leaderboard) -> Any:
    """Return the models on the axis of scores, with a bar over each group without significant differences."""
    alt = chart_files.altair()
    shown = [row for row in board.models[: board.top or MOST_CRITICAL] if not math.isnan(row.score)]
    if len(shown) > MOST_CRITICAL:
        raise ArgumentError(
            f"a critical-difference diagram holds at most {MOST_CRITICAL} models; this leaderboard has {len(shown)}. "
            "Show fewer with `top`."
        )
    names = shortened([row.name for row in shown], NAMES)
    scores = [row.score for row in shown]
    room = (max(scores) - min(scores)) or 1.0
    low, high = min(scores) - 0.04 * room, max(scores) + 0.04 * room
    flip = board.better == "lower"
    groups = _groups(board, list(names))
    bars, members = [], []
    for number, group in enumerate(groups):
        inside, at = [row.score for row in shown if row.name in group], -0.35 - 0.3 * number
        bars.append({"from": min(inside), "to": max(inside), "y": at})
        members += [{"score": score, "y": at} for score in inside]  # a bar may pass over models that are not in it
    first = -0.9 - 0.3 * len(groups)  # the labels begin below the last bar
    half = math.ceil(len(shown) / 2)
    labels: list[dict[str, Any]] = []
    for place, row in enumerate(shown):
        left = place < half
        down = first - 0.75 * (place if left else len(shown) - 1 - place)
        edge = (high if flip else low) if not left else (low if flip else high)
        told = f"{names[row.name]} ({row.score:.3g})"
        labels.append({"model": told, "score": row.score, "y": down, "top": 0.0, "edge": edge, "left": left})
    # The best model stands on the left.
    x_scale = settings(domain=[low, high], nice=False, reverse=not flip)
    axis = settings(orient="top", offset=0, tickCount=6, grid=False)
    bottom = min(label["y"] for label in labels) - 0.4
    y = alt.Y("y:Q", axis=None, scale=settings(domain=[bottom, 0.0], nice=False))
    x = alt.X("score:Q", title=f"{board.title} ({board.better} is better)", scale=x_scale, axis=axis)
    base = rows(labels)
    thin = {"color": NULL, "strokeWidth": 1}
    stems = base.mark_rule(**thin).encode(x=x, y=y, y2=alt.Y2("top:Q"))
    arms = base.mark_rule(**thin).encode(x=x, x2=alt.X2("edge:Q"), y=y)
    texts = []
    for left in (True, False):
        some = rows([label for label in labels if label["left"] == left])
        side = settings(align="right", dx=-4) if left else settings(align="left", dx=4)
        words = some.mark_text(**side, color=INK, fontSize=11, baseline="middle")
        texts.append(words.encode(x=alt.X("edge:Q", scale=x_scale), y=y, text=alt.Text("model:N")))
    marks = [stems, arms, *texts]
    if bars:
        lines = rows(bars).mark_rule(color=MARK, strokeWidth=2)
        marks.append(lines.encode(x=alt.X("from:Q", scale=x_scale), x2=alt.X2("to:Q"), y=y))
        marks.append(rows(members).mark_point(filled=True, size=28, opacity=1, color=MARK).encode(x=x, y=y))
    told = "Dots on a line: models without significant differences"
    return alt.layer(*marks).properties(width=COLUMN, height=max(90, -26 * bottom), title=drawing.title(told))


def _groups(board: Leaderboard, names: list[str]) -> list[tuple[str, ...]]:
    """Return the largest groups of these models without significant differences, whatever others there are."""
    place = {name: number for number, name in enumerate(names)}
    apart = np.zeros((len(names), len(names)), dtype=bool)
    for pair in board.significant:
        if pair.a in place and pair.b in place:
            apart[place[pair.a], place[pair.b]] = apart[place[pair.b], place[pair.a]] = True
    found, _ = groups_alike(apart)
    return [tuple(names[j] for j in group) for group in found if len(group) > 1][:MOST_BARS]


def heat_map(board: Leaderboard) -> Any:
    """Return a cell for each pair: how much better the model of the row is, where the two differ significantly."""
    alt = chart_files.altair()
    shown = board.models[: min(board.top or MOST_PAIRS, MOST_PAIRS)]
    names = shortened([row.name for row in shown], NAMES)
    order = list(names.values())
    cells: list[dict[str, Any]] = []
    for pair in board.pairs:
        if pair.a not in names or pair.b not in names or math.isnan(pair.advantage):
            continue
        told = pair.as_estimate.is_significant
        for a, b, sign in ((pair.a, pair.b, 1.0), (pair.b, pair.a, -1.0)):
            by = sign * pair.advantage if told else None
            cells.append({"row": names[a], "column": names[b], "by": by, "adjusted p": pair.pvalue_adjusted})
    most = max((abs(cell["by"]) for cell in cells if cell["by"] is not None), default=1.0)
    side = max(4, min(16, COLUMN // max(len(shown), 1)))
    colour = alt.Color(
        "by:Q",
        title="row better by",
        scale=settings(domain=[-most, 0, most], range=[B, PAPER, A], interpolate="rgb"),
        legend=settings(gradientLength=120, gradientThickness=8, tickCount=3, orient="bottom", direction="horizontal"),
    )
    look = settings(labelLimit=240, labelFontSize=min(11, side), ticks=False, domain=False)
    x = alt.X("column:N", sort=order, title=None, axis={**look, "labelAngle": -90, "orient": "top"})
    y = alt.Y("row:N", sort=order, title=None, axis=look)
    significant = [cell for cell in cells if cell["by"] is not None]
    others = [cell for cell in cells if cell["by"] is None]
    tips = drawing.tips("row:N", "column:N", "by:Q", "adjusted p:Q")
    parts = [rows(cells).mark_rect(color=LINE, stroke=PAPER, strokeWidth=0.5).encode(x=x, y=y)]
    if significant:
        parts.append(
            rows(significant).mark_rect(stroke=PAPER, strokeWidth=0.5).encode(x=x, y=y, color=colour, tooltip=tips)
        )
    said = f"{board.title}: grey cells do not differ significantly" if others else f"{board.title}: all pairs differ"
    return alt.layer(*parts).properties(width=alt.Step(side), height=alt.Step(side), title=drawing.title(said))


def frontier(board: Leaderboard) -> Any:
    """Return cost and score of each model; grey ones are dominated, and a line joins the best for their cost."""
    alt = chart_files.altair()
    if not board.costs:
        raise ArgumentError("the frontier needs what models cost; pass it with `cost`.")
    shown = [one for one in board.costs if not math.isnan(board.model(one.name).score)]
    names = shortened([one.name for one in shown], NAMES)
    points: list[dict[str, Any]] = []
    for one in shown:
        row = board.model(one.name)
        ends = row.confidence_interval
        who = DOMINATED if one.dominated_by else OPEN
        points.append(
            {"model": names[one.name], "cost": one.cost, "score": row.score, "low": finite(ends.low),
             "high": finite(ends.high), "who": who}
        )  # fmt: skip
    sign = 1.0 if board.better == "higher" else -1.0
    steps: list[dict[str, Any]] = []
    for point in sorted(points, key=lambda point: (point["cost"], -sign * point["score"])):
        if not steps or sign * point["score"] > sign * steps[-1]["score"]:
            steps.append(point)
    spread = [point["cost"] for point in points if point["cost"] > 0]
    log = len(spread) == len(points) and max(spread) > 10 * min(spread)
    kind = settings(type="log", nice=False, padding=12) if log else settings(zero=False, padding=12)
    x = alt.X("cost:Q", title=board.cost_name, scale=kind, axis=settings(grid=False, tickCount=5))
    title = f"{board.title} ({board.better} is better), {ci(board.confidence_level)}"
    y = alt.Y("score:Q", title=title, scale=settings(zero=False, padding=8))
    colour = alt.Color(
        "who:N", title=None, scale=settings(domain=[OPEN, DOMINATED], range=[A, NULL]), legend=settings(orient="bottom")
    )
    base = rows(points)
    labels = base.mark_text(align="left", dx=6, dy=-6, fontSize=9, color=INK)
    return alt.layer(
        rows(steps).mark_line(color=LINE, interpolate="step-after", strokeWidth=2).encode(x=x, y=y),
        base.mark_rule(strokeWidth=1).encode(x=x, y=alt.Y("low:Q", title=title), y2=alt.Y2("high:Q"), color=colour),
        base.mark_point(filled=True, size=45, opacity=1).encode(x=x, y=y, color=colour),
        labels.encode(x=x, y=y, text=alt.Text("model:N")) if len(points) <= MOST_CRITICAL else base.mark_point(size=0),
    ).properties(width=COLUMN + 60, height=240, title=drawing.title("Cost and quality"))


PICTURES = {"ranks": rank_ranges, "critical-difference": critical_difference, "pairs": heat_map, "frontier": frontier}
"""Who draws which picture."""
