"""The verdict of a gate as a picture: the difference with its interval, the margin and zero; slices below it."""

import math
from typing import Any

from howsure.documents.names import shortened
from howsure.gating.result import GateResult
from howsure.reports import chart_files
from howsure.reports.colours import QUIET
from howsure.reports.drawing import NUMBERS, forest, row, rows, settings
from howsure.wording.estimates import ci

WIDTH, NAMES, MOST = 360, 26, 40
"""Of very many slices, those with the largest loss are drawn."""


def chart(found: GateResult) -> Any:
    """Return a row for all items and one for each slice, with lines at zero and at the margin."""
    alt = chart_files.altair()
    slices = sorted(found.slices, key=lambda one: one.advantage)[:MOST]
    measured = [found.overall, *slices]
    names = shortened([one.slice or "all items" for one in measured], NAMES)
    points = []
    for one in measured:
        name = names[one.slice or "all items"]
        points.append(row(name, one.advantage, one.confidence_interval, f"{one.verdict}: "))
    level = ci(found.overall.confidence_interval.confidence_level)
    said = f"advantage in {found.title} ({level}; dashed: margin)"
    x = alt.X("low:Q", title=said, scale=settings(zero=True, padding=8), axis=settings(format=NUMBERS))
    edges = [{"edge": edge} for edge in found.rule.region if math.isfinite(edge)]
    lines = rows(edges).mark_rule(strokeDash=[4, 3], color=QUIET).encode(x=alt.X("edge:Q"))
    zero = rows([{"edge": 0.0}]).mark_rule(color=QUIET).encode(x=alt.X("edge:Q"))
    return forest(points, x, zero, lines, width=WIDTH)
