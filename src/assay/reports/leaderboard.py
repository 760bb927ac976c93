"""The picture of a board: between which ranks each model lies, and which groups nothing tells apart."""

from typing import Any

from assay.leaderboard import Leaderboard
from assay.reports.pages import altair

MOST = 60
"""So many models fit into a picture."""
BEST, OTHER, QUIET = "#b5322b", "#4c78a8", "#8a8a8a"
ROW = 22


def chart(board: Leaderboard) -> Any:
    """Return rank sets as bars with the rank by score on them, and beside them the groups that nothing tells apart."""
    alt = altair()
    shown = board.models[: min(board.top or MOST, MOST)]
    names = [row.name for row in shown]
    rows = [
        {
            "model": row.name, "rank": row.rank, "low": row.rank_low, "high": row.rank_high, "from": row.rank_low - 0.3,
            "to": row.rank_high + 0.3, "score": row.score if row.score == row.score else None,
            "may be best": "may be best" if row.may_be_best else "not the best",
        }
        for row in shown
    ]  # fmt: skip
    height = ROW * len(shown)
    order = alt.Y("model:N", sort=names, title=None)
    colour = alt.Color(
        "may be best:N", title=None, scale=alt.Scale(domain=["may be best", "not the best"], range=[BEST, OTHER])
    )
    base = alt.Chart(alt.Data(values=rows))
    tooltip = [
        alt.Tooltip("model:N"), alt.Tooltip("rank:Q"), alt.Tooltip("low:Q", title="rank_low"),
        alt.Tooltip("high:Q", title="rank_high"), alt.Tooltip("score:Q", format=".4g", title=board.title),
    ]  # fmt: skip
    ticks = alt.Axis(tickMinStep=1, format="d", grid=True)
    bars = base.mark_bar(height=8, opacity=0.45).encode(
        x=alt.X("from:Q", title=f"rank, {100 * board.confidence_level:g} % together", axis=ticks),
        x2="to:Q", y=order, color=colour, tooltip=tooltip,
    )  # fmt: skip
    points = base.mark_point(filled=True, size=60).encode(x="rank:Q", y=order, color=colour, tooltip=tooltip)
    ranks = (bars + points).properties(width=360, height=height)
    drawn = [group for group in board.groups if len(group) > 1 and any(name in names for name in group)]
    if not drawn:
        return ranks.properties(title=_title(board))
    members = [
        {"model": name, "group": number, "n": len(group)}
        for number, group in enumerate(drawn, 1)
        for name in group
        if name in names
    ]
    across = alt.Chart(alt.Data(values=members)).encode(
        x=alt.X("group:O", title="groups not told apart", axis=alt.Axis(labels=False, ticks=False)),
        y=alt.Y("model:N", sort=names, title=None, axis=None),
        detail="group:O",
        tooltip=[alt.Tooltip("model:N"), alt.Tooltip("group:O"), alt.Tooltip("n:Q", title="models")],
    )
    lines = across.mark_line(color=QUIET, strokeWidth=2) + across.mark_point(filled=True, color=QUIET, size=40)
    groups = lines.properties(width=min(300, 18 * len(drawn) + 20), height=height)
    return alt.hconcat(ranks, groups, title=_title(board)).resolve_scale(y="shared")


def _title(board: Leaderboard) -> str:
    first = f"the first {MOST} of {len(board.models):,} models" if len(board.models) > MOST else "all models"
    return f"Ranks by {board.title}: {first if board.top is None else f'the first {board.top} models'}"
