"""People and judge as pictures: the advantage by people alone, by the judge alone and by both."""

from typing import Any

from howsure.documents.numbers import error_of, interval, number
from howsure.judging import JudgedComparison
from howsure.reports import chart_files
from howsure.reports.colours import QUIET
from howsure.reports.drawing import NUMBERS, finite, forest, rows, settings

WIDTH = 380


def chart(found: JudgedComparison) -> Any:
    """Return a row each for people alone, the judge alone and both, with a line at zero."""
    alt = chart_files.altair()
    points = []
    for name, one in found.estimates:
        ends, error = one.confidence_interval, error_of(one.confidence_interval, one.value)
        told = f"{number(one.value, error)} ({interval(ends.low, ends.high, error)})"
        limits = {"low": finite(ends.low), "high": finite(ends.high)}
        points.append({"name": name, "value": finite(one.value), "told": told, **limits})
    _, a, b = found.combined.names
    level = f"{100 * found.confidence_interval.confidence_level:g}% CI"
    said = [f"Advantage by {found.combined.title} ({level})", f"positive: {a} is better; negative: {b} is better"]
    x = alt.X("low:Q", title=said, scale=settings(padding=8), axis=settings(format=NUMBERS))
    zero = rows([{"at": 0.0}]).mark_rule(color=QUIET, strokeDash=[4, 3]).encode(x=alt.X("at:Q"))
    return forest(points, x, zero, width=WIDTH)
