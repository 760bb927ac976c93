"""Charts of two lists of scores: histograms, unit sizes and power, each from its own step or all together."""

import math
from textwrap import wrap
from typing import Any

from howsure.documents.names import shortened
from howsure.documents.numbers import number, share
from howsure.inference.estimate import ConfidenceInterval
from howsure.paired.analysis import Effects, Finding, Overview, PairedAnalysis
from howsure.paired.description import Description
from howsure.paired.power import PowerPlan
from howsure.paired.power_curves import PowerCurve
from howsure.paired.score_lists import ACCURACY
from howsure.paired.systems import SystemsComparison
from howsure.paired.units import UnitSizes
from howsure.reports import chart_files, drawing
from howsure.reports.colours import INK
from howsure.reports.colours import MARK as ACCENT
from howsure.reports.colours import NULL as QUIET
from howsure.reports.colours import A as FIRST
from howsure.reports.colours import B as SECOND
from howsure.reports.drawing import rows, settings
from howsure.wording.estimates import brief

WIDTH, HEIGHT = 340, 200
MOST_PAIRS = 30
"""This many pairs of systems fit into a picture; the table has them all."""


def figures(result: Any) -> list[tuple[str, str, str, Any]]:
    """Return the pictures of a result one by one, for its report."""
    return [(name, caption, caption, drawn) for name, (caption, drawn) in charts(result).items()]


def chart(result: Any) -> Any:
    """Return the pictures of a result as one chart."""
    alt = chart_files.altair()
    drawn = [each.properties(title=drawing.title(wrap(caption, 58))) for caption, each in charts(result).values()]
    if len(drawn) == 1:
        return drawn[0]
    across = 1 if isinstance(result, SystemsComparison) else 2
    return alt.concat(*drawn, columns=across, spacing=30, resolve={"scale": {"color": "independent"}})


def charts(result: Any) -> dict[str, tuple[str, Any]]:
    """Return the charts of a result by name, each with its caption."""
    chart_files.altair()  # says what is missing
    if isinstance(result, PairedAnalysis):
        found = result.significance
        shown = (found.estimate, found.confidence_interval) if found.estimand != ACCURACY else None
        return {**_described(result.description, shown), **_units(result.unit_sizes), **_curve(result.curve)}
    if isinstance(result, Overview):
        return {**_described(result.description, None), **_units(result.unit_sizes)}
    if isinstance(result, Description):
        return _described(result, None)
    if isinstance(result, UnitSizes):
        return _units(result)
    if isinstance(result, PowerPlan):
        return {
            "power": (
                f"Power for a mean difference of {number(abs(result.effect))}, by size of the study",
                _plan(result),
            )
        }
    return _curve(result) if isinstance(result, PowerCurve) else _estimates(result)


def _estimates(found: Finding | Effects | SystemsComparison) -> dict[str, tuple[str, Any]]:
    """Return estimates with their intervals, one row each; what has another unit has an axis of its own."""
    entries: list[tuple[str, str, float, ConfidenceInterval]] = []
    more = ""
    if isinstance(found, SystemsComparison):
        names, axis = shortened(found.names, 20), found.pairs[0].estimand
        for pair, ends in zip(found.pairs, found.confidence_intervals, strict=True):
            entries.append((axis, " − ".join(names[name] for name in pair.names), pair.estimate, ends))
        if len(entries) > MOST_PAIRS:
            entries = sorted(entries, key=lambda entry: -abs(entry[2]))[:MOST_PAIRS]
            more = f"; the {MOST_PAIRS} of {len(found.pairs)} pairs that lie furthest apart"
    elif isinstance(found, Effects):
        entries += [(size.label, size.label, size.estimate, size.confidence_interval) for size in found.effects]
    else:
        a, b = found.significance.names
        entries.append((found.estimand, f"{a} − {b}", found.estimate, found.confidence_interval))
    axes = dict.fromkeys(axis for axis, *_ in entries)
    ranked = _ranked(found) if isinstance(found, SystemsComparison) and found.friedman is not None else {}
    return ranked | {
        f"estimates-{number}": (f"{axis[0].upper()}{axis[1:]} with its interval{more}", _forest(axis, entries))
        for number, axis in enumerate(axes)
    }


def _ranked(found: SystemsComparison) -> dict[str, tuple[str, Any]]:
    """Return the critical-difference diagram: mean ranks, and a bar over systems that are not that far apart."""
    import altair as alt

    assert found.friedman is not None
    reach = found.friedman.critical_difference
    names = shortened(found.names, 40)
    ranked = sorted(zip(found.mean_ranks, names.values(), strict=True))
    points = [{"rank": rank, "system": name, "place": place} for place, (rank, name) in enumerate(ranked)]
    runs: list[tuple[int, int]] = []
    for first, (rank, _) in enumerate(ranked):
        last = max(place for place, (other, _) in enumerate(ranked) if other - rank <= reach)
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    spans = [
        {"low": ranked[first][0], "high": ranked[last][0], "place": len(ranked) + 0.4 * number}
        for number, (first, last) in enumerate(runs)
    ]
    x = alt.X(
        "rank:Q", title="mean rank (1 is best)", scale=settings(zero=False, padding=20), axis=settings(grid=False)
    )
    y = alt.Y("place:Q", axis=None, scale=settings(reverse=True, domain=[-0.7, len(ranked) + 0.4 * max(len(runs), 1)]))
    base = rows(points)
    layers = [
        base.mark_point(filled=True, size=60, color=FIRST, opacity=1).encode(x=x, y=y),
        base.mark_text(align="left", dx=8).encode(x=x, y=y, text=alt.Text("system:N")),
    ]
    if spans:
        layers.append(
            rows(spans).mark_rule(strokeWidth=5, color=QUIET).encode(x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=y)
        )
    caption = f"Mean ranks; systems under one bar differ by less than {reach:.2g}, not significantly (Nemenyi)"
    return {"ranks": (caption, alt.layer(*layers, width=WIDTH, height=24 * len(ranked) + 30))}


def _forest(axis: str, entries: list[tuple[str, str, float, ConfidenceInterval]]) -> Any:
    import altair as alt

    def end(value: float, estimate: float) -> float | None:
        return drawing.finite(estimate if math.isinf(value) else value)

    own = [row for row in entries if row[0] == axis]
    short = shortened([name for _, name, *_ in own], 44)
    points = [
        {
            "name": short[name],
            "value": drawing.finite(estimate),
            "low": end(ends.low, estimate),
            "high": end(ends.high, estimate),
            "told": brief(estimate, ends),
        }
        for _, name, estimate, ends in own
    ]
    x = alt.X("low:Q", title=axis, scale=settings(padding=12), axis=settings(grid=False))
    return drawing.forest(points, x, drawing.rule(0, "x"), width=WIDTH, step=28)


def _described(found: Description, shown: tuple[float, ConfidenceInterval] | None) -> dict[str, tuple[str, Any]]:
    a, b = found.names
    both = _bars(found.histograms["a"], a) + _bars(found.histograms["b"], b)
    differences = _differences(_bars(found.histograms["difference"], "difference"), shown, found.counted)
    said = "; the line is the estimate, the band its CI" if shown else ""
    return {
        "scores": (f"Scores of {a} and {b}", _overlaid(both, (a, b), found.counted)),
        "difference": (f"Differences {a} − {b}{said}; the dashed line is no difference", differences),
    }


def _units(found: UnitSizes) -> dict[str, tuple[str, Any]]:
    if len(found.sizes) < 2:
        return {}
    return {"units": ("Standard deviation of the differences, by unit size", _unit_sizes(found))}


def _curve(found: PowerCurve) -> dict[str, tuple[str, Any]]:
    return {"power": (f"Power for {found.assumed}, by size of the study", _power(found))}


def _bars(histogram: Any, name: str) -> list[dict[str, Any]]:
    edges = histogram.edges
    return [
        {"from": low, "to": high, "count": count, "system": name}
        for low, high, count in zip(edges[:-1], edges[1:], histogram.counts, strict=True)
    ]


def _overlaid(bars: list[dict[str, Any]], names: tuple[str, str], counted: str) -> Any:
    """Return the first system as bars and the second as a line over them, which grey print shows as well."""
    import altair as alt

    a, b = shortened(names, 40).values()
    colour = alt.Color(
        "system:N", title=None, scale=settings(domain=[a, b], range=[FIRST, SECOND]), legend=settings(orient="top")
    )
    x = alt.X("from:Q", title="score", scale=settings(zero=False, nice=False), axis=settings(grid=False))
    y = alt.Y("count:Q", title=counted, stack=None)
    filled = [bar | {"system": a} for bar in bars if bar["system"] == names[0]]
    line = [bar | {"system": b} for bar in bars if bar["system"] == names[1]]
    line += [line[-1] | {"from": line[-1]["to"], "count": 0}]
    tips = drawing.tips("system:N", "from:Q", "to:Q", "count:C")
    return alt.layer(
        rows(filled)
        .mark_bar(opacity=0.55, binSpacing=0)
        .encode(x=x, x2=alt.X2("to:Q"), y=y, y2=alt.Y2Datum(0), color=colour, tooltip=tips),
        rows(line).mark_line(interpolate="step-after", strokeWidth=2).encode(x=x, y=y, color=colour),
    ).properties(width=WIDTH, height=HEIGHT)


def _differences(bars: list[dict[str, Any]], shown: tuple[float, ConfidenceInterval] | None, counted: str) -> Any:
    import altair as alt

    histogram = (
        rows(bars)
        .mark_bar(color=QUIET, opacity=0.6, binSpacing=0)
        .encode(
            x=alt.X("from:Q", title="difference", scale=settings(nice=False), axis=settings(grid=False)),
            x2="to:Q",
            y=alt.Y("count:Q", title=counted),
            y2=alt.Y2Datum(0),
            tooltip=drawing.tips("from:Q", "to:Q", "count:C"),
        )
    )
    zero = drawing.rule(0, "x", color=INK)
    layers = [histogram, zero]
    if shown is not None:
        estimate, ends = shown
        edges = [bar["from"] for bar in bars] + [bars[-1]["to"]]
        low = ends.low if math.isfinite(ends.low) else min(edges)
        high = ends.high if math.isfinite(ends.high) else max(edges)
        band = rows([{"low": low, "high": high}]).mark_rect(color=ACCENT, opacity=0.25)
        line = rows([{"x": estimate}]).mark_rule(color=ACCENT, strokeWidth=2).encode(x=alt.X("x:Q"))
        layers = [histogram, band.encode(x=alt.X("low:Q"), x2=alt.X2("high:Q")), zero, line]
    return alt.layer(*layers, width=WIDTH, height=HEIGHT)


def _unit_sizes(sizes: UnitSizes) -> Any:
    import altair as alt

    points = [
        {"size": size, "sd": deviation} for size, deviation in zip(sizes.sizes, sizes.standard_deviations, strict=True)
    ]
    return (
        rows(points)
        .mark_line(color=FIRST, point=alt.OverlayMarkDef(size=16))
        .encode(
            x=alt.X("size:Q", title="segments per unit"),
            y=alt.Y("sd:Q", title="standard deviation"),
            tooltip=drawing.tips("size:C", "sd:Q"),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )


def _power(curve: PowerCurve) -> Any:
    import altair as alt

    found = zip(curve.sizes, curve.power, curve.confidence_intervals, strict=True)
    points = [{"n": n, "power": power, "low": end.low, "high": end.high} for n, power, end in found]
    base = rows(points).encode(x=alt.X("n:Q", title=curve.unit, scale=settings(zero=True)))
    band = base.mark_area(color=FIRST, opacity=0.2).encode(y=alt.Y("low:Q", title="power"), y2=alt.Y2("high:Q"))
    line = base.mark_line(color=FIRST, point=True).encode(
        y=alt.Y("power:Q", scale=settings(domain=[0, 1])), tooltip=drawing.tips("n:C", "power:Q", "low:Q", "high:Q")
    )
    usual = drawing.rule(0.8, "y")
    return alt.layer(band, line, usual, width=WIDTH, height=HEIGHT)


def _plan(found: PowerPlan) -> Any:
    """Return the power of studies up to twice as large, and the one that was asked for."""
    import altair as alt

    sizes = sorted({max(2, round(found.n_items * share / 20)) for share in range(1, 41)} | {found.n_items})
    points = [{"n": n, "power": found.power_with(n)} for n in sizes]
    unit = found.unit
    x = alt.X("n:Q", title=unit, scale=settings(zero=True), axis=settings(format=drawing.NUMBERS))
    y = alt.Y("power:Q", title="power", scale=settings(domain=[0, 1]))
    line = rows(points).mark_line(color=FIRST).encode(x=x, y=y)
    told = f"{found.n_items:,} {unit}: {share(found.power, most=2)}"
    here = rows([{"n": found.n_items, "power": found.power, "told": told}])
    dot = here.mark_point(filled=True, size=80, opacity=1, color=ACCENT).encode(x=alt.X("n:Q"), y=alt.Y("power:Q"))
    words = here.mark_text(align="left", baseline="top", dx=8, dy=6, color=INK).encode(
        x="n:Q", y="power:Q", text="told:N"
    )
    usual = drawing.rule(0.8, "y")
    return alt.layer(usual, line, dot, words, width=WIDTH, height=HEIGHT)
