"""A fitted response model as a chart: simulated beside real, one row of panels for each feature of the items."""

from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np

from assay.errors import ArgumentError
from assay.models import Fit
from assay.models.fitting.results import Feature
from assay.reports import pages
from assay.scales import FloatArray

WIDTH, HEIGHT = 340, 200
BINS = 12
SIDES = ("real", "simulated")
COLOURS = ["#9ecae9", "#b5322b"]


def write_chart(fit: Fit, path: str | Path) -> None:
    """Write the chart as a page (.html, JavaScript included), a picture, or a Vega-Lite specification (.json)."""
    pages.write(path, chart=lambda: chart(fit))


def chart(fit: Fit) -> Any:
    """Return the Altair chart: for each feature its histogram and its cumulative distribution, simulated over real.

    The simulated side is the average of data sets drawn from the fitted model with the items' own numbers of
    responses, so the two should agree up to the noise of the real sample.
    """
    alt = pages.altair()
    if not fit.goodness or not fit.goodness[0].real.size:
        raise ArgumentError(f"there is nothing to draw: {fit.model} are the real items themselves.")
    rows = [alt.hconcat(_histogram(feature), _cumulative(feature), spacing=30) for feature in fit.goodness]
    title = wrap(f"{fit.source}: {fit.n_items:,} items, {fit.n_responses:.3g} responses each; {fit.model}.", 110)
    return alt.vconcat(*rows).properties(title=alt.TitleParams(title, anchor="start", fontSize=13))


def _histogram(feature: Feature) -> Any:
    import altair as alt

    edges = _edges(feature)
    real, simulated = (np.histogram(getattr(feature, side), edges)[0] / getattr(feature, side).size for side in SIDES)
    bars = [
        {"low": low, "high": high, "middle": (low + high) / 2, "real": of_real, "simulated": of_simulated}
        for low, high, of_real, of_simulated in zip(edges[:-1], edges[1:], real, simulated, strict=True)
    ]
    points = [{"middle": bar["middle"], "share": bar["simulated"], "side": "simulated"} for bar in bars]
    x = alt.X("low:Q", title=feature.name, scale=alt.Scale(domain=[edges[0], edges[-1]], nice=False))
    y = alt.Y("share:Q", title="share of items")
    tips = [alt.Tooltip(name, format=".3f") for name in ("low:Q", "high:Q", "real:Q", "simulated:Q")]
    drawn = alt.Chart(alt.InlineData(values=[bar | {"share": bar["real"], "side": "real"} for bar in bars])).mark_bar()
    told = f"{feature.name}: distance {feature.distance:.3f}, p = {feature.pvalue:.2g}"
    return alt.layer(
        drawn.encode(x=x, x2="high:Q", y=y, y2=alt.datum(0), color=_colour(), tooltip=tips),
        alt.Chart(alt.InlineData(values=points))
        .mark_line(point={"size": 22})
        .encode(x="middle:Q", y=y, color=_colour()),
    ).properties(width=WIDTH, height=HEIGHT, title=alt.TitleParams(told, anchor="start", fontSize=12))


def _cumulative(feature: Feature) -> Any:
    import altair as alt

    steps = []
    for side in SIDES:
        values: FloatArray = getattr(feature, side)
        # A few hundred steps draw the same line as the hundred thousand values that were simulated.
        places = np.unique(np.linspace(0, values.size - 1, min(values.size, 400)).round().astype(int))
        steps += [{"value": float(values[at]), "share": (at + 1) / values.size, "side": side} for at in places.tolist()]
    return (
        alt.Chart(alt.InlineData(values=steps))
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X("value:Q", title=feature.name, scale=alt.Scale(zero=False)),
            y=alt.Y("share:Q", title="share of items up to here", scale=alt.Scale(domain=[0, 1])),
            color=_colour(),
            strokeWidth=alt.StrokeWidth("side:N", legend=None, scale=alt.Scale(domain=list(SIDES), range=[4, 1.5])),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )


def _colour() -> Any:
    import altair as alt

    scale = alt.Scale(domain=list(SIDES), range=COLOURS)
    return alt.Color("side:N", scale=scale, legend=alt.Legend(title=None, orient="bottom"))


def _edges(feature: Feature) -> list[float]:
    """Return where bins meet: around each value where there are few, such as means of five ratings; else in steps."""
    together = np.concatenate([feature.real, feature.simulated])
    values = np.unique(together.round(9))
    if values.size == 1:
        return [float(values[0]) - 0.5, float(values[0]) + 0.5]
    if values.size <= 2 * BINS + 1 and np.ptp(np.diff(values)) < 1e-6:
        step = float(values[1] - values[0])
        return [float(value) - step / 2 for value in values] + [float(values[-1]) + step / 2]
    return [float(edge) for edge in np.linspace(together.min(), together.max(), BINS + 1)]
