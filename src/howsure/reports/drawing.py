"""What charts share: short names, ticks that a person would write, bars, titles, rules."""

import math
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from howsure.data.scales import FloatArray
from howsure.documents.numbers import number
from howsure.reports.colours import QUIET, A
from howsure.wording.estimates import brief

NUMBERS = ",.6~r"
"""Numbers on an axis as a person writes them. Without a count of digits the axis would choose one, and write 1e+1."""


def ticks(values: Iterable[float], most: int = 8) -> list[float]:
    """Return which of the values that occur get a tick on a logarithmic axis: round ones, or some between the ends.

    Examples
    --------
    >>> ticks([1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100])
    [1, 2, 5, 10, 20, 50, 100]
    """
    known = sorted(set(values))
    if len(known) <= most:
        return known
    round_ones = [value for value in known if f"{value:e}"[:8] in ("1.000000", "2.000000", "5.000000")]
    if 4 <= len(round_ones) <= most:
        return round_ones
    logs = np.log([max(value, 1e-12) for value in known])
    wanted = np.linspace(logs[0], logs[-1], most)
    return [known[place] for place in sorted({int(np.abs(logs - at).argmin()) for at in wanted})]


def round_ticks(low: float, high: float) -> list[float]:
    """Return the round numbers between two ends of a logarithmic axis, six or so; the ends where there are none.

    Examples
    --------
    >>> round_ticks(40, 3073), round_ticks(0.9, 45_000)
    ([50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0], [1.0, 10.0, 100.0, 1000.0, 10000.0])
    >>> round_ticks(800, 3073), round_ticks(820, 880)
    ([1000.0, 1500.0, 2000.0, 3000.0], [820, 880])
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    inside: list[float] = []
    for digits in ("1", "125", ("1", "1.5", "2", "3", "5", "7"), "123456789"):
        found = [float(f"{digit}e{power}") for power in powers for digit in digits]
        inside = [tick for tick in found if low <= tick <= high]
        if len(inside) >= 4:
            break
    return inside if len(inside) > 1 else [low, high]


def bars(values: FloatArray, at: FloatArray, **also: Any) -> list[dict[str, Any]]:
    """Return the share of values between each two edges, as rows of a chart."""
    shares = np.histogram(values, at)[0] / max(values.size, 1)
    return [
        {"low": low, "high": high, "share": share, **also}
        for low, high, share in zip(at[:-1].tolist(), at[1:].tolist(), shares.tolist(), strict=True)
    ]


def title(text: str | Sequence[str], *, loud: bool = False) -> Any:
    """Return a title that stands at the left and does not shout."""
    import altair as alt

    if loud:
        return alt.TitleParams(text, anchor="start", fontSize=14, fontWeight="bold", offset=12)
    return alt.TitleParams(text, anchor="start", frame="group", fontSize=12, fontWeight="normal", color=QUIET)


def settings(**chosen: Any) -> dict[str, Any]:
    """Return settings of an axis, a scale or a legend. Altair's own hold all that there are, and are copied often."""
    return chosen


def rows(values: Sequence[dict[str, Any]] | None = None) -> Any:
    """Return a chart of these rows, or of those that its panels get, without a mark yet.

    Altair copies lists with every layer, and tuples never.
    """
    import altair as alt

    return _charts()() if values is None else _charts()(alt.InlineData(values=tuple(values)))


@cache
def _charts() -> type[Any]:
    """Return charts whose copies share their mark and channels: Altair copies layers and panels many times over."""
    import altair as alt

    class SharingChart(alt.Chart):
        def __deepcopy__(self, memo: Any) -> Any:
            return self.copy(deep=False)

    return SharingChart


def rule(at: float, axis: str, **style: Any) -> Any:
    """Return a dashed line at a value of the x or the y axis."""
    import altair as alt

    channel = {"x": alt.X, "y": alt.Y}[axis]("at:Q")  # with the name alone, Altair looks through all of its schemas
    return rows([{"at": at}]).mark_rule(**{"color": QUIET, "strokeDash": [4, 3], **style}).encode(channel)


def tips(*fields: str, **titled: str) -> list[Any]:
    """Return what a pointer shows: names, three digits of numbers, and all of counts (`field:C`); some with a title."""
    import altair as alt

    formats = {"Q": ",.3~r", "C": ",.15~r"}
    found = []
    for field in (*fields, *titled):
        name, _, kind = field.rpartition(":")
        look: dict[str, Any] = {"format": formats[kind]} if kind in formats else {}
        look |= {"title": titled[field]} if field in titled else {}
        found.append(alt.Tooltip(f"{name}:{'Q' if kind in formats else kind}", **look))
    return found


def row(name: str, value: float, ends: Any, before: str = "") -> dict[str, Any]:
    """Return a row of a forest plot: a value with its interval, and both as text."""
    shown = number(value) if math.isnan(ends.low) else brief(value, ends)
    limits = {"low": finite(ends.low), "high": finite(ends.high)}
    return {"name": name, "value": finite(value), **limits, "told": f"{before}{shown}"}


def forest(values: Sequence[dict[str, Any]], x: Any, *behind: Any, width: int, step: int = 22, **look: Any) -> Any:
    """Return a row for each name: `value` from `low` to `high` on the axis `x`, and beside it what is `told`."""
    import altair as alt

    names = list(dict.fromkeys(row["name"] for row in values))
    y = alt.Y("name:N", sort=names, title=None, axis=settings(labelLimit=300, ticks=False, domain=False))
    base, colour = rows(values), look.get("color", alt.ColorValue(A))
    return alt.layer(
        *behind,
        base.mark_rule(strokeWidth=2).encode(x=x, x2=alt.X2("high:Q"), y=y, color=colour),
        base.mark_point(filled=True, size=70, opacity=1).encode(x=alt.X("value:Q"), y=y, **{"color": colour, **look}),
        base.mark_text(align="left", color=QUIET).encode(x=alt.value(width + 12), y=y, text=alt.Text("told:N")),
    ).properties(width=width, height=alt.Step(step))


def finite(value: float) -> float | None:
    """Return a number that JSON can hold, or None."""
    return float(value) if math.isfinite(value) else None
