"""People and judge as pictures: the advantage by people alone, by the judge alone and by both."""

from typing import Any

from howsure.judging import JudgedComparison
from howsure.reports import chart_files
from howsure.reports.colours import QUIET
from howsure.reports.drawing import NUMBERS, forest, row, rows, settings
from howsure.wording.estimates import ci

WIDTH = 380


def chart(found: JudgedComparison) -> Any:
    """Return a row each for people alone, the judge alone and both, with a line at zero."""
    alt = chart_files.altair()
    points = [row(name, one.value, one.confidence_interval) for name, one in found.estimates]
    _, a, b = found.combined.names
    level = ci(found.confidence_interval.confidence_level)
    said = [f"Advantage by {found.combined.title} ({level})", f"positive: {a} is better; negative: {b} is better"]
    x = alt.X("low:Q", title=said, scale=settings(padding=8), axis=settings(format=NUMBERS))
    zero = rows([{"at": 0.0}]).mark_rule(color=QUIET, strokeDash=[4, 3]).encode(x=alt.X("at:Q"))
    return forest(points, x, zero, width=WIDTH)
