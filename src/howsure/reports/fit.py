"""A fitted response model as a chart: simulated beside real, for all responses and for each feature of the items."""

from textwrap import wrap
from typing import Any

import numpy as np

from howsure.data.scales import FloatArray
from howsure.errors import ArgumentError
from howsure.inference.bins import bin_edges
from howsure.models import Fit
from howsure.models.fitting.fits import Feature, Pooled
from howsure.reports import chart_files, drawing
from howsure.reports.colours import MARK, NULL
from howsure.reports.drawing import rows, settings

WIDTH, HEIGHT = 340, 200
BINS = 24
SIDES = ("real", "simulated")
MISFIT = 0.05


def chart(fit: Fit) -> Any:
    """Return the Altair chart: histograms and cumulative distributions, simulated over real.

    The first row shows all responses of all items together, the others one feature of the items each.
    The simulated side is the average of data sets drawn from the fitted model with the items' own numbers of
    responses, so the two should agree up to the noise of the real sample. Shares of labels are a hanging rootogram:
    bars hang from the curve, and where they do not reach zero, or go beyond it, the model misses.
    """
    alt = chart_files.altair()
    if not fit.goodness or not fit.goodness[0].real.size:
        raise ArgumentError(f"there is nothing to draw: {fit.model} are the real items themselves.")
    panels = [] if fit.responses is None else [_pooled(fit.responses)]
    for feature in fit.goodness:
        first = _rootogram(feature) if feature.name.startswith("shares of") else _histogram(feature, verdict(feature))
        panels.append(alt.hconcat(first, _cumulative(feature), spacing=30))
    said = wrap(f"{fit.source}: {fit.n_items:,} items, {fit.n_responses:.3g} responses each; {fit.described}.", 100)
    return alt.vconcat(*panels).properties(title=drawing.title(said, loud=True))


def verdict(feature: Feature) -> str:
    """Return in words how well the model reproduces a feature."""
    word = "the model misses them" if feature.pvalue < MISFIT else "the model reproduces them"
    return f"{feature.name}: {word} (distance {feature.distance:.3f}, p\u00a0=\u00a0{feature.pvalue:.2g})"


def _pooled(responses: Pooled) -> Any:
    """Return all responses: labels as bars with their names, numbers as a histogram and a cumulative distribution."""
    import altair as alt

    said = "all responses of all items together"
    if not responses.labels:
        histogram = _histogram(responses, said, "responses")
        return alt.hconcat(histogram, _cumulative(responses, "responses"), spacing=30)
    found = [
        {"label": label, "side": side, "share": float(np.mean(getattr(responses, side) == code))}
        for code, label in enumerate(responses.labels)
        for side in SIDES
    ]
    x = alt.X("label:N", title="label", sort=list(responses.labels), axis=settings(labelAngle=0, labelLimit=80))
    y, tips = alt.Y("share:Q", title="share of responses"), drawing.tips("label:N", "side:N", "share:Q")
    bars = rows([one for one in found if one["side"] == "real"]).mark_bar(opacity=0.8)
    points = rows([one for one in found if one["side"] == "simulated"]).mark_point(filled=True, size=50, opacity=1)
    drawn = alt.layer(*(part.encode(x=x, y=y, color=_colour(), tooltip=tips) for part in (bars, points)))
    return drawn.properties(width=WIDTH, height=HEIGHT, title=drawing.title(said))


def _bars(feature: Feature | Pooled) -> tuple[list[dict[str, Any]], FloatArray]:
    edges = bin_edges(np.concatenate([feature.real, feature.simulated]), BINS)
    real, simulated = (drawing.bars(getattr(feature, side), edges) for side in SIDES)
    found = [
        {
            "low": bar["low"],
            "high": bar["high"],
            "middle": (bar["low"] + bar["high"]) / 2,
            "real": bar["share"],
            "simulated": other["share"],
        }
        for bar, other in zip(real, simulated, strict=True)
    ]
    return found, edges


def _axis(feature: Feature | Pooled, edges: FloatArray) -> Any:
    import altair as alt

    low, high = float(min(feature.real[0], feature.simulated[0])), float(max(feature.real[-1], feature.simulated[-1]))
    within = [tick for tick in _nice(low, high) if low - 1e-9 <= tick <= high + 1e-9]
    scale = settings(domain=[float(edges[0]), float(edges[-1])], nice=False)
    return alt.X("low:Q", title=feature.name, scale=scale, axis=settings(values=within, grid=False))


def _nice(low: float, high: float) -> list[float]:
    """Return round numbers around a range: steps of 1, 2 or 5 times a power of ten."""
    span = max(high - low, 1e-12)
    power = 10.0 ** np.floor(np.log10(span / 5))
    step = next(power * each for each in (1, 2, 5, 10) if span / (power * each) <= 8)
    return [round(float(tick), 10) for tick in np.arange(np.floor(low / step), np.ceil(high / step) + 1) * step]


def _histogram(feature: Feature | Pooled, said: str, of: str = "items") -> Any:
    import altair as alt

    bars, edges = _bars(feature)
    x, y = _axis(feature, edges), alt.Y("share:Q", title=f"share of {of}")
    points = [{"middle": bar["middle"], "share": bar["simulated"], "side": "simulated"} for bar in bars]
    tips = drawing.tips("low:Q", "high:Q", "real:Q", "simulated:Q")
    drawn = rows([bar | {"share": bar["real"], "side": "real"} for bar in bars]).mark_bar(opacity=0.8, binSpacing=0)
    return alt.layer(
        drawn.encode(x=x, x2=alt.X2("high:Q"), y=y, y2=alt.Y2Datum(0), color=_colour(), tooltip=tips),
        rows(points).mark_line(point={"size": 24, "color": MARK}).encode(x=alt.X("middle:Q"), y=y, color=_colour()),
    ).properties(width=WIDTH, height=HEIGHT, title=drawing.title(wrap(said, 75)))


def _rootogram(feature: Feature) -> Any:
    """Return bars of √share that hang from the simulated curve (Tukey's rootogram)."""
    import altair as alt

    bars, edges = _bars(feature)
    x = _axis(feature, edges)
    hanging = [
        bar | {"top": bar["simulated"] ** 0.5, "end": bar["simulated"] ** 0.5 - bar["real"] ** 0.5, "side": "real"}
        for bar in bars
    ]
    y = alt.Y("top:Q", title="√ share of items; bars hang from the curve")
    points = [{"middle": bar["middle"], "top": bar["top"], "side": "simulated"} for bar in hanging]
    tips = drawing.tips("low:Q", "high:Q", "real:Q", "simulated:Q")
    return alt.layer(
        rows(hanging)
        .mark_bar(opacity=0.8, binSpacing=4)
        .encode(x=x, x2=alt.X2("high:Q"), y=y, y2=alt.Y2("end:Q"), color=_colour(), tooltip=tips),
        rows(points).mark_line(point={"size": 24, "color": MARK}).encode(x=alt.X("middle:Q"), y=y, color=_colour()),
        drawing.rule(0, "y"),
    ).properties(width=WIDTH, height=HEIGHT, title=drawing.title(wrap(verdict(feature), 75)))


def _cumulative(feature: Feature | Pooled, of: str = "items") -> Any:
    import altair as alt

    steps = []
    for side in SIDES:
        values: FloatArray = getattr(feature, side)
        # A few hundred steps draw the same line as the hundred thousand values that were simulated.
        places = np.unique(np.linspace(0, values.size - 1, min(values.size, 400)).round().astype(int))
        steps += [{"value": float(values[at]), "share": (at + 1) / values.size, "side": side} for at in places.tolist()]
    return (
        rows(steps)
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("value:Q", title=feature.name, scale=settings(zero=False), axis=settings(grid=False)),
            y=alt.Y("share:Q", title=f"share of {of} up to here", scale=settings(domain=[0, 1])),
            color=_colour(),
            strokeWidth=alt.StrokeWidth("side:N", legend=None, scale=settings(domain=list(SIDES), range=[5, 1.5])),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )


def _colour() -> Any:
    import altair as alt

    scale = settings(domain=list(SIDES), range=[NULL, MARK])
    return alt.Color("side:N", scale=scale, legend=settings(title=None, orient="bottom"))
