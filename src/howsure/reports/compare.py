"""A comparison as a picture: items and advantage, what was drawn, and who wins where; several as a forest plot."""

import math
from typing import Any

import numpy as np

from howsure.comparison import Comparison, Comparisons
from howsure.comparison.results import ItemScores
from howsure.comparison.verdicts import MANY, tabled, verdict
from howsure.data.scales import FloatArray
from howsure.documents.names import short, shortened
from howsure.documents.numbers import counted, error_of, number, pvalue
from howsure.inference.bins import bin_edges, grid_step
from howsure.reports import chart_files, drawing
from howsure.reports.colours import BAND, INK, MARK, NULL, QUIET, A, B
from howsure.reports.drawing import finite, rows, settings, title
from howsure.wording.estimates import ci, with_interval

HEIGHT, WIDTH = 240, 360
MOST_POINTS, BINS, NAMED = 400, 50, 3
FEW_VALUES = 8
"""Up to this many different scores of items are shown as discs, not as dots."""
ALIKE, TAIL, RESAMPLED = "if A and B were alike", "at least as far from 0", "resampled"


def chart(result: Comparison | Comparisons) -> Any:
    """Return the Altair chart of one comparison, or a forest plot of several."""
    entries = list(result) if isinstance(result, Comparisons) else [result]
    alt = chart_files.altair()
    if len(entries) > 1:
        return forest(entries)
    [entry] = entries
    above = [_estimation(entry)]
    below = [part for part in (_distributions(entry), _winners(entry)) if part is not None]
    if below:
        above.append(alt.hconcat(*below, spacing=40, resolve={"scale": {"color": "independent"}}))
    said = title(_against(entry), loud=True)
    who = _side(entry) if entry.as_estimate.is_significant else "No clear difference"
    said.subtitle = [f"{who}: {entry.title}, {_told(entry)}"]
    whole = alt.vconcat(*above, spacing=30, resolve={"scale": {"color": "independent"}}, title=said)
    whole.config = alt.Config(axis={"grid": False})  # as configure_axis does, which copies all that is in it
    return whole


def figures(result: Comparison | Comparisons) -> list[tuple[str, str, str, Any]]:
    """Return the pictures one by one, each with a title and with words for those who cannot see it."""
    entries = list(result) if isinstance(result, Comparisons) else [result]
    chart_files.altair()
    said = " ".join(verdict(entry) for entry in entries[:MANY])
    if len(entries) > 1:
        return [("forest", "Advantages with their intervals", said, forest(entries))]
    [entry] = entries
    found = [("estimation", "Scores and advantage", said, _estimation(entry, width=200))]
    if (drawn := _distributions(entry)) is not None:
        words = f"Resampled advantages around {_number(entry)}, beside advantages if A and B were alike, around 0."
        found.append(("draws", "The observed advantage beside what chance gives", words, drawn))
    if (drawn := _winners(entry)) is not None:
        found.append(("winners", "Who wins where", _won(entry), drawn))
    return [(*told, picture.configure_axis(grid=False)) for *told, picture in found]


def forest(entries: list[Comparison]) -> Any:
    """Return advantages with intervals around a line at zero: one panel for each metric, one row for each slice."""
    import altair as alt

    n, entries = len(entries), list(tabled(entries))
    metrics = list(dict.fromkeys(entry.metric for entry in entries))
    panels = [
        _forest(
            [entry for entry in entries if entry.metric == metric], alone=len(metrics) == 1, last=metric == metrics[-1]
        )
        for metric in metrics
    ]
    said = title(
        _against(entries[0], by=entries[0].title if len(metrics) == 1 else f"{len(metrics)} metrics"), loud=True
    )
    adjusted = any(not math.isnan(entry.pvalue_adjusted) for entry in entries)
    margins = {entry.margin.margin for entry in entries if entry.margin is not None}
    said.subtitle = [
        *([f"Colours and p follow p-values that are adjusted for {n:,} comparisons."] if adjusted else []),
        *([f"Shown are the {len(entries)} with the smallest p-values."] if len(entries) < n else []),
        *([f"The band is the margin, {number(min(margins))} either way."] if len(margins) == 1 else []),
    ]
    whole = panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=14)
    return whole.configure_axis(grid=False).properties(title=said)


def _forest(entries: list[Comparison], *, alone: bool, last: bool) -> Any:
    """Return the rows of one metric, which share its unit."""
    import altair as alt

    a, b = _names(entries[0])
    names = shortened([entry.slice or entry.metric for entry in entries], 40)
    points = [_row(entry, names[entry.slice or entry.metric]) for entry in entries]
    domain = [f"{a} is better", f"{b} is better", "no clear difference"]
    legend = settings(orient="bottom", symbolType="circle")
    colour = alt.Color("who:N", title=None, scale=settings(domain=domain, range=[A, B, NULL]), legend=legend)
    shape = alt.Shape(
        "who:N", scale=settings(domain=domain, range=["triangle-right", "triangle-left", "circle"]), legend=None
    )
    unit = "advantage" if alone else f"advantage of {entries[0].title}"
    side = f" (right of 0: {a} is better)" if last else ""
    x = alt.X(
        "low:Q",
        title=f"{unit}, {ci(entries[0].confidence_interval.confidence_level)}{side}",
        scale=settings(padding=12),
    )
    behind = [drawing.rule(0, "x")]
    margins = {entry.margin.margin for entry in entries if entry.margin is not None}
    if len(margins) == 1:
        behind.insert(0, _band(margins.pop(), "x"))
    return drawing.forest(points, x, *behind, width=WIDTH, color=colour, shape=shape)


def _band(margin: float, axis: str) -> Any:
    """Return the band of differences that do not matter."""
    between = {axis: "low:Q", f"{axis}2": "high:Q"}
    return rows([{"low": -margin, "high": margin}]).mark_rect(color=BAND).encode(**between)


def _row(entry: Comparison, name: str) -> dict[str, Any]:
    ends = entry.confidence_interval
    return {
        "name": name,
        "value": finite(entry.advantage),
        "low": finite(ends.low),
        "high": finite(ends.high),
        "who": _side(entry),
        "told": "undefined" if finite(entry.advantage) is None else _told(entry),
    }


def _estimation(entry: Comparison, *, width: int = WIDTH - 60) -> Any:
    """Return the items of A and B side by side, and their advantage on an axis of its own."""
    import altair as alt

    a, b = _names(entry, width // 13)
    error = error_of(entry.confidence_interval, entry.advantage)
    means = [
        {"model": name, "score": finite(score), "said": number(score, error)}
        for name, score in ((a, entry.a_score), (b, entry.b_score))
    ]
    x = alt.X("model:N", sort=[a, b], title=None, axis=settings(labelAngle=0, labelLimit=width // 2, ticks=False))
    colour = alt.Color("model:N", scale=settings(domain=[a, b], range=[A, B]), legend=None)
    y = alt.Y(
        "score:Q",
        title=f"{entry.title} ({entry.better} is better)",
        scale=settings(zero=False, nice=False, padding=12),
    )
    left = rows(means).mark_tick(thickness=3, size=60, opacity=1).encode(x=x, y=y, color=colour)
    labels = (
        rows(means)
        .mark_text(dx=34, align="left", fontWeight="bold")
        .encode(x=x, y=y, text=alt.Text("said:N"), color=colour)
    )
    layers = [left, labels]
    scores, place = entry.item_scores, {"x": x, "y": y, "color": colour}
    told = f"{entry.n_items:,} items"
    if scores is not None and scores.a.size:
        few = np.unique(np.concatenate([scores.a, scores.b])).size <= FEW_VALUES
        kept = np.linspace(0, scores.a.size - 1, 0 if few else min(scores.a.size, MOST_POINTS)).astype(int)
        told += f" ({kept.size} shown)" if 0 < kept.size < scores.a.size else ""
        layers.insert(0, _stacks(scores, (a, b), place) if few else _dots(scores, (a, b), kept, place))
    items = alt.layer(*layers, width=width, height=HEIGHT, title=title(f"{told}; bars are the scores"))
    return alt.hconcat(items, _advantage(entry), spacing=24, resolve={"scale": {"y": "independent"}})


def _dots(scores: ItemScores, names: tuple[str, str], kept: Any, place: dict[str, Any]) -> Any:
    """Return a dot for each item, spread sideways so that they can be seen."""
    import altair as alt

    spread = np.linspace(-0.28, 0.28, kept.size)[np.argsort(np.argsort((kept * 7919) % 104729))]
    points = [
        {"model": name, "score": float(values[i]), "item": str(scores.items[i]), "jitter": float(shift)}
        for name, values in zip(names, (scores.a, scores.b), strict=True)
        for i, shift in zip(kept.tolist(), spread.tolist(), strict=True)
    ]
    aside = alt.XOffset("jitter:Q", scale=settings(domain=[-0.5, 0.5]))
    told = drawing.tips("item:N", "score:Q")
    return rows(points).mark_circle(size=14, opacity=0.35).encode(**place, xOffset=aside, tooltip=told)


def _stacks(scores: ItemScores, names: tuple[str, str], place: dict[str, Any]) -> Any:
    """Return a disc for each score that items can have, as large as its share of them, with their number."""
    import altair as alt

    points = []
    for name, values in zip(names, (scores.a, scores.b), strict=True):
        known, counts = np.unique(values, return_counts=True)
        points += [
            {"model": name, "score": value, "items": count, "said": f"{count:,} items"}
            for value, count in zip(known.tolist(), counts.tolist(), strict=True)
        ]
    size = alt.Size("items:Q", scale=settings(range=[20, 900], zero=True), legend=None)
    base = rows(points)
    discs = base.mark_circle(opacity=0.35).encode(**place, size=size, tooltip=["said:N"])
    words = base.mark_text(dx=-22, align="right", fontSize=10).encode(**place, text=alt.Text("said:N"))
    return alt.layer(discs, words)


def _advantage(entry: Comparison) -> Any:
    import altair as alt

    ends = entry.confidence_interval
    point = {"advantage": finite(entry.advantage), "low": finite(ends.low), "high": finite(ends.high), "x": ""}
    base = rows([point])
    x = alt.X("x:N", title=None, axis=None)
    said = f"advantage (0: no difference), {ci(entry.confidence_interval.confidence_level)}"
    y = alt.Y("advantage:Q", title=said, axis=settings(orient="right"), scale=settings(padding=8))
    layers = [
        drawing.rule(0, "y"),
        base.mark_rule(strokeWidth=3, color=INK).encode(x=x, y=alt.Y("low:Q", title=said), y2=alt.Y2("high:Q")),
        base.mark_point(filled=True, size=110, color=INK, opacity=1).encode(x=x, y=y),
    ]
    if entry.margin is not None:
        layers.insert(0, _band(entry.margin.margin, "y"))
    told = [f"advantage {_number(entry)}", _pvalue(entry)]
    if entry.margin is not None:
        told.append(f"band: margin {number(entry.margin.margin)}")
    return alt.layer(*layers, width=100, height=HEIGHT, title=title(told))


def _distributions(entry: Comparison) -> Any:
    """Return the null and the bootstrap distribution of the advantage; the tail of the null is shaded."""
    import altair as alt

    parts = dict(zip((ALIKE, RESAMPLED), _resamples(entry), strict=True))
    known = {name: draws[np.isfinite(draws)] for name, draws in parts.items() if draws.size}
    known = {name: draws for name, draws in known.items() if draws.size > 1 and np.ptp(draws) > 0}
    if not known or not np.isfinite(entry.advantage):
        return None
    edges = _edges(list(known.values()), entry.advantage)
    bars = [bar for name, draws in known.items() for bar in drawing.bars(draws, edges, of=name)]
    for bar in bars:
        if bar["of"] == ALIKE and abs(bar["low"] + bar["high"]) / 2 >= abs(entry.advantage):
            bar["of"] = TAIL
    order = {ALIKE: NULL, TAIL: MARK, RESAMPLED: A}
    shown = [name for name in order if any(bar["of"] == name and bar["share"] for bar in bars)]
    scale = settings(domain=shown, range=[order[name] for name in shown])
    colour = alt.Color("of:N", title=None, scale=scale, legend=settings(orient="bottom"))
    x = alt.X("low:Q", title="advantage")
    y = alt.Y("share:Q", title="share", stack=None, axis=settings(format="~%"))
    filled = [bar for bar in bars if bar["of"] in shown and bar["of"] != RESAMPLED]
    line = [bar for bar in bars if bar["of"] in shown and bar["of"] == RESAMPLED]
    line += [{**line[-1], "low": line[-1]["high"], "share": 0.0}] if line else []
    drawn = alt.layer(
        rows(filled)
        .mark_bar(opacity=0.7, binSpacing=0)
        .encode(x=x, x2=alt.X2("high:Q"), y=y, y2=alt.Y2Datum(0), color=colour),
        rows(line).mark_line(interpolate="step-after", strokeWidth=2).encode(x=x, y=y, color=colour),
    )
    seen = rows([{"at": entry.advantage}]).mark_rule(color=INK, strokeWidth=2).encode(x=alt.X("at:Q"))
    said = title("null distribution; the line is the observed advantage")
    return alt.layer(drawn, seen, width=WIDTH, height=HEIGHT - 60, title=said)


def _resamples(entry: Comparison) -> tuple[FloatArray, FloatArray]:
    """Return the advantages under the null and those of resamples.

    Of many items nothing was resampled, because both are normal: then 999 quantiles of these distributions stand for
    them.
    """
    if entry.draws.size or entry.evidence is None or not entry.evidence.items.size:
        return entry.null_draws, entry.draws
    from scipy.special import ndtri

    items, z = entry.evidence.items[0], ndtri((np.arange(999) + 0.5) / 999)
    root = math.sqrt(items.size)
    null, spread = math.sqrt(float(np.square(items).mean())) / root, float(items.std()) / root
    return null * z, entry.advantage + spread * z


def _edges(parts: list[FloatArray], advantage: float) -> FloatArray:
    """Return the edges of bars that are narrow enough for each distribution, also where they lie far apart."""
    together = np.concatenate([*parts, [advantage, 0.0]])
    each = bin_edges(np.concatenate([draws - np.median(draws) for draws in parts]), BINS)
    most = min(4 * BINS, math.ceil(np.ptp(together) / (each[1] - each[0])))
    if grid_step(np.unique(together)):
        return bin_edges(together, most)
    return np.linspace(together.min(), together.max(), most + 1)


def _winners(entry: Comparison) -> Any:
    """Return the advantage of each item, sorted, ties included; the items that differ most are named."""
    import altair as alt

    scores = entry.item_scores
    if scores is None or scores.advantages.size < 2 or not np.ptp(scores.advantages) > 0:
        return None
    advantages, n = scores.advantages, scores.advantages.size
    order = np.argsort(-advantages, kind="stable")
    kept = np.unique(np.linspace(0, n - 1, min(n, 2 * MOST_POINTS)).astype(int))
    a, b = _names(entry)
    points = [
        {
            "place": place,
            "advantage": float(advantages[order[place]]),
            "item": str(scores.items[order[place]]),
            "who": a if advantages[order[place]] > 0 else b if advantages[order[place]] < 0 else "tie",
        }
        for place in kept.tolist()
    ]
    shown = [name for name in (a, b, "tie") if any(point["who"] == name for point in points)]
    scale = settings(domain=shown, range=[{a: A, b: B}.get(name, NULL) for name in shown])
    colour = alt.Color("who:N", title="better:", scale=scale, legend=settings(orient="bottom", symbolType="square"))
    x = alt.X(
        "place:Q",
        title="items, sorted",
        axis=settings(tickMinStep=1, labelOverlap=True),
        scale=settings(domain=[-0.5, n - 0.5], nice=False),
    )
    y = alt.Y("advantage:Q", title="advantage of the item")
    thick = max(1.0, 0.85 * WIDTH / len(points))
    base = rows(points)
    layers = [
        base.mark_bar(size=thick, binSpacing=0).encode(
            x=x, y=y, y2=alt.Y2Datum(0), color=colour, tooltip=drawing.tips("item:N", "advantage:Q")
        ),
        rows([point for point in points if point["who"] == "tie"])
        .mark_point(shape="stroke", size=24, opacity=1)
        .encode(x=x, y=y, color=colour),
    ]
    below = abs(float(advantages.min())) > float(advantages.max())  # which corner the sorted items leave free
    lines = _most(entry, order, a, b)
    for place, line in enumerate(lines):
        at = HEIGHT - 60 - 12 * (len(lines) - place) + 4 if below else 8 + 12 * place
        text = rows([{"said": line}]).mark_text(align="left" if below else "right", fontSize=10, color=QUIET)
        layers.append(text.encode(x=alt.value(6 if below else WIDTH - 2), y=alt.value(at), text=alt.Text("said:N")))
    return alt.layer(*layers, width=WIDTH, height=HEIGHT - 60, title=title(_won(entry)))


def _most(entry: Comparison, order: Any, a: str, b: str) -> list[str]:
    """Return which items speak most for A and for B, a line each."""
    assert entry.item_scores is not None
    advantages, items = entry.item_scores.advantages, entry.item_scores.items
    lines = []
    for name, places in ((a, order[:NAMED]), (b, order[::-1][:NAMED])):
        told = [i for i in places.tolist() if (advantages[i] > 0 if name == a else advantages[i] < 0)]
        if told and (advantages == advantages[told[0]]).sum() <= NAMED:  # of many equal ones, none is the most
            listed = ", ".join(shortened((str(items[i]) for i in told), 15).values())
            lines += [f"most for {short(name, 24)}:", listed]
    return lines


def _won(entry: Comparison) -> str:
    assert entry.item_scores is not None
    advantages = entry.item_scores.advantages
    better, worse = int((advantages > 0).sum()), int((advantages < 0).sum())
    a, b = _names(entry, 24)
    ties = advantages.size - better - worse
    return f"{a} is better on {counted(better, 'item')}, {b} on {worse:,}; {counted(ties, 'tie')}"


def _against(entry: Comparison, *, by: str = "") -> list[str]:
    """Return the title: who is compared with whom, on two lines where names are long."""
    a, b = _names(entry, 60)
    end = f" by {by}" if by else ""
    return [f"{a} against {b}{end}"] if len(a + b) <= 60 else [a, f"against {b}{end}"]


def _told(entry: Comparison) -> str:
    """Return by how much the better score is better, with its interval and the p-value."""
    by = entry.as_estimate.unsigned()
    named = f"{entry.better} by" if entry.as_estimate.is_significant else "difference"
    return f"{named} {with_interval(by.value, by.confidence_interval)}, {_pvalue(entry)}"


def _pvalue(entry: Comparison) -> str:
    """Return the p-value that decides: the adjusted one where there are several comparisons."""
    adjusted = entry.pvalue_adjusted
    said = entry.shown_pvalue if math.isnan(adjusted) else pvalue(adjusted, entry.pvalue_se)
    return f"p {said}" if said[0] in "<u" else f"p = {said}"


def _side(entry: Comparison) -> str:
    a, b = _names(entry)
    if not entry.as_estimate.is_significant:
        return "no clear difference"
    return f"{a if entry.advantage > 0 else b} is better"


def _names(entry: Comparison, most: int = 30) -> tuple[str, str]:
    """Return short names of A and B that can be told apart."""
    a, b = shortened(entry.names[1:], most).values()
    return a, b


def _number(entry: Comparison) -> str:
    return number(entry.advantage, error_of(entry.confidence_interval, entry.advantage))
