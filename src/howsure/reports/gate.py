"""The verdict of a gate as a picture: the difference with its interval, the margin and zero; slices below it."""

import math
from typing import Any

from howsure.documents.names import shortened
from howsure.documents.numbers import error_of, interval, number
from howsure.gating.result import GateResult
from howsure.reports import chart_files
from howsure.reports.colours import QUIET
from howsure.reports.drawing import NUMBERS, finite, forest, rows, settings

WIDTH, NAMES, MOST = 360, 26, 40
"""Of very many slices, those with the largest loss are drawn."""


def chart(found: GateResult) -> Any:
    """Return a row for all items and one for each slice, with lines at zero and at the margin."""
    alt = chart_files.altair()
    slices = sorted(found.slices, key=lambda row: row.advantage)[:MOST]
    measured = [found.overall, *slices]
    names = shortened([row.slice or "all items" for row in measured], NAMES)
    points = []
    for row in measured:
        ends, error = row.confidence_interval, error_of(row.confidence_interval, row.advantage)
        told = f"{row.verdict}: {number(row.advantage, error)}"
        told += f" ({interval(ends.low, ends.high, error)})" if finite(ends.low) is not None else ""
        limits = {"low": finite(ends.low), "high": finite(ends.high)}
        points.append({"name": names[row.slice or "all items"], "value": finite(row.advantage), "told": told, **limits})
    level = f"{100 * found.overall.confidence_interval.confidence_level:g}% CI"
    said = f"advantage in {found.title} ({level}; dashed: margin)"
    x = alt.X("low:Q", title=said, scale=settings(zero=True, padding=8), axis=settings(format=NUMBERS))
    edges = [{"edge": edge} for edge in found.rule.region if math.isfinite(edge)]
    lines = rows(edges).mark_rule(strokeDash=[4, 3], color=QUIET).encode(x=alt.X("edge:Q"))
    zero = rows([{"edge": 0.0}]).mark_rule(color=QUIET).encode(x=alt.X("edge:Q"))
    return forest(points, x, zero, lines, width=WIDTH)
