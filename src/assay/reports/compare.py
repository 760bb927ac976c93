"""A comparison as a picture: items and contrast, what was drawn, and who wins where; several as a forest plot."""

from typing import Any

import numpy as np

from assay.comparison import Comparison, Comparisons
from assay.comparison.verdicts import MANY, decided, level_of, shown_pvalue, verdict
from assay.documents.numbers import interval, number
from assay.reports import pages
from assay.reports.colours import BAND, MARK, NULL, QUIET, A, B

HEIGHT, WIDTH = 240, 360
MOST_POINTS, BINS, NAMED = 400, 60, 3


def chart(result: Comparison | Comparisons) -> Any:
    """Return the Altair chart of one comparison, or a forest plot of several."""
    entries = list(result) if isinstance(result, Comparisons) else [result]
    alt = pages.altair()
    alt.data_transformers.disable_max_rows()
    if len(entries) > 1:
        return forest(entries)
    [entry] = entries
    rows = [_estimation(entry)]
    below = [part for part in (_distributions(entry), _winners(entry)) if part is not None]
    if below:
        rows.append(alt.hconcat(*below, spacing=40).resolve_scale(color="independent"))
    whole = alt.vconcat(*rows, spacing=30).resolve_scale(color="independent")
    return whole.configure_view(stroke=None).configure_axis(grid=False)


def figures(result: Comparison | Comparisons) -> list[tuple[str, str, str, Any]]:
    """Return the pictures one by one, each with a title and with words for those who cannot see it."""
    entries = list(result) if isinstance(result, Comparisons) else [result]
    pages.altair()
    said = " ".join(verdict(entry) for entry in entries[:MANY])
    if len(entries) > 1:
        return [("forest", "Contrasts with their intervals", said, forest(entries))]
    [entry] = entries
    found = [("estimation", "Scores and contrast", said, _estimation(entry))]
    if (drawn := _distributions(entry)) is not None:
        words = (
            f"Resampled contrasts around {number(entry.contrast)}, beside contrasts if A and B were alike, around 0."
        )
        found.append(("draws", "The observed contrast beside what chance gives", words, drawn))
    if (drawn := _winners(entry)) is not None:
        found.append(("winners", "Who wins where", _won(entry), drawn))
    return found


def forest(entries: list[Comparison]) -> Any:
    """Return contrasts with intervals, one row each, around a line at zero and the margin where one was given."""
    import altair as alt

    rows = []
    for entry in entries:
        ends = entry.confidence_interval
        rows.append(
            {
                "name": _short(_name(entry, entries)),
                "contrast": _finite(entry.contrast),
                "low": _finite(ends.low),
                "high": _finite(ends.high),
                "told": f"{number(entry.contrast)} ({interval(ends.low, ends.high)}), p {shown_pvalue(entry)}",
                "who": _side(entry),
            }
        )
    _, a, b = entries[0].names
    order = [str(row["name"]) for row in rows]
    colour = alt.Color(
        "who:N",
        title=None,
        scale=alt.Scale(domain=[f"{_short(a)} is better", f"{_short(b)} is better", "no clear difference"],
                        range=[A, B, NULL]),
        legend=alt.Legend(orient="bottom"),
    )  # fmt: skip
    y = alt.Y("name:N", sort=order, title=None, axis=alt.Axis(labelLimit=260, ticks=False, domain=False))
    title = f"contrast with {level_of(entries[0])} interval (right of 0: {_short(a)} is better)"
    base = alt.Chart(alt.InlineData(values=rows))
    layers = [
        alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=QUIET, strokeDash=[4, 3]).encode(x="zero:Q"),
        base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title=title), x2="high:Q", y=y, color=colour),
        base.mark_point(filled=True, size=70, opacity=1).encode(x="contrast:Q", y=y, color=colour),
        base.mark_text(align="left", dx=6, color=QUIET).encode(x=alt.value(WIDTH + 10), y=y, text="told:N"),
    ]
    margins = {entry.margin.margin for entry in entries if entry.margin is not None}
    if len(margins) == 1:
        margin = margins.pop()
        band = alt.Chart(alt.InlineData(values=[{"low": -margin, "high": margin}])).mark_rect(color=BAND)
        layers.insert(0, band.encode(x="low:Q", x2="high:Q"))
    sized = alt.layer(*layers).properties(
        width=WIDTH, height=alt.Step(22), padding={"right": 260, "left": 5, "top": 5, "bottom": 5}
    )
    return sized.configure_view(stroke=None).configure_axis(grid=False)


def _estimation(entry: Comparison) -> Any:
    """Return the items of A and B side by side, and their contrast on an axis of its own."""
    import altair as alt

    _, a, b = map(_short, entry.names)
    means = [{"model": a, "score": _finite(entry.a_score)}, {"model": b, "score": _finite(entry.b_score)}]
    x = alt.X("model:N", sort=[a, b], title=None, axis=alt.Axis(labelAngle=0, labelLimit=150))
    colour = alt.Color("model:N", scale=alt.Scale(domain=[a, b], range=[A, B]), legend=None)
    y = alt.Y("score:Q", title=f"{entry.title} ({entry.better} is better)", scale=alt.Scale(zero=False))
    left = (
        alt.Chart(alt.InlineData(values=means))
        .mark_tick(thickness=3, size=60, opacity=1)
        .encode(x=x, y=y, color=colour)
    )
    labels = alt.Chart(alt.InlineData(values=means)).mark_text(dx=38, align="left", fontWeight="bold").encode(
        x=x, y=y, text=alt.Text("score:Q", format=".4~g"), color=colour
    )  # fmt: skip
    layers = [left, labels]
    scores = entry.item_scores
    told = f"{entry.n_items:,} items"
    if scores is not None and scores.a.size:
        kept = _thinned(scores.a.size)
        told += f" ({kept.size} shown)" if kept.size < scores.a.size else ""
        spread = np.linspace(-0.28, 0.28, kept.size)[np.argsort(np.argsort((kept * 7919) % 104729))]
        points = [
            {"model": name, "score": float(values[i]), "item": str(scores.items[i]), "jitter": float(shift)}
            for name, values in ((a, scores.a), (b, scores.b))
            for i, shift in zip(kept.tolist(), spread.tolist(), strict=True)
        ]
        dots = alt.Chart(alt.InlineData(values=points)).mark_circle(size=14, opacity=0.35).encode(
            x=x, y=y, color=colour, xOffset=alt.XOffset("jitter:Q", scale=alt.Scale(domain=[-0.5, 0.5])),
            tooltip=["item:N", "score:Q"],
        )  # fmt: skip
        layers.insert(0, dots)
    items = alt.layer(*layers).properties(width=WIDTH - 60, height=HEIGHT, title=_title(f"{told}; bars are the scores"))
    return alt.hconcat(items, _contrast(entry), spacing=30).resolve_scale(y="independent")


def _contrast(entry: Comparison) -> Any:
    import altair as alt

    ends = entry.confidence_interval
    point = {"contrast": _finite(entry.contrast), "low": _finite(ends.low), "high": _finite(ends.high), "x": ""}
    base = alt.Chart(alt.InlineData(values=[point]))
    x = alt.X("x:N", title=None, axis=None)
    title = f"contrast, {level_of(entry)} interval"
    y = alt.Y("contrast:Q", title=title, axis=alt.Axis(orient="right"))
    layers = [
        alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=QUIET, strokeDash=[4, 3]).encode(y="zero:Q"),
        base.mark_rule(strokeWidth=3, color="#222").encode(x=x, y=alt.Y("low:Q", title=title), y2="high:Q"),
        base.mark_point(filled=True, size=110, color="#222", opacity=1).encode(x=x, y=y),
    ]
    if entry.margin is not None:
        band = [{"low": -entry.margin.margin, "high": entry.margin.margin}]
        layers.insert(0, alt.Chart(alt.InlineData(values=band)).mark_rect(color=BAND).encode(y="low:Q", y2="high:Q"))
    told = f"contrast {number(entry.contrast)}, p {shown_pvalue(entry)}"
    return alt.layer(*layers).properties(width=110, height=HEIGHT, title=_title(told))


def _distributions(entry: Comparison) -> Any:
    """Return the null and the bootstrap distribution of the contrast; the tail of the null is shaded."""
    import altair as alt

    parts = {"if A and B were alike": entry.null_draws, "resampled": entry.draws}
    known = {name: draws[np.isfinite(draws)] for name, draws in parts.items() if draws.size}
    known = {name: draws for name, draws in known.items() if draws.size > 1 and np.ptp(draws) > 0}
    if not known or not np.isfinite(entry.contrast):
        return None
    everything = np.concatenate([*known.values(), [entry.contrast, 0.0]])
    edges = np.linspace(everything.min(), everything.max(), BINS + 1)
    bars = []
    for name, draws in known.items():
        shares = np.histogram(draws, edges)[0] / draws.size
        for low, high, share in zip(edges[:-1].tolist(), edges[1:].tolist(), shares.tolist(), strict=True):
            tail = name != "resampled" and abs((low + high) / 2) >= abs(entry.contrast)
            bars.append({"low": low, "high": high, "share": share, "of": "tail of the null" if tail else name})
    domain = ["if A and B were alike", "tail of the null", "resampled"]
    colour = alt.Color(
        "of:N", title=None, scale=alt.Scale(domain=domain, range=[NULL, MARK, A]), legend=alt.Legend(orient="bottom")
    )
    drawn = alt.Chart(alt.InlineData(values=bars)).mark_bar(opacity=0.65, binSpacing=0).encode(
        x=alt.X("low:Q", title="contrast"), x2="high:Q",
        y=alt.Y("share:Q", title="share of draws", stack=None, axis=alt.Axis(format="~%")),
        y2=alt.datum(0), color=colour,
    )  # fmt: skip
    seen = alt.Chart(alt.InlineData(values=[{"at": entry.contrast}])).mark_rule(color="#222", strokeWidth=2)
    title = _title("what draws look like; the line is the observed contrast")
    return alt.layer(drawn, seen.encode(x="at:Q")).properties(width=WIDTH, height=HEIGHT - 60, title=title)


def _winners(entry: Comparison) -> Any:
    """Return the contrast of each item, sorted; the items that differ most are named."""
    import altair as alt

    scores = entry.item_scores
    if scores is None or scores.contrasts.size < 2 or not np.ptp(scores.contrasts) > 0:
        return None
    order = np.argsort(-scores.contrasts, kind="stable")
    kept = (
        order if order.size <= 2 * MOST_POINTS else order[np.linspace(0, order.size - 1, 2 * MOST_POINTS).astype(int)]
    )
    _, a, b = map(_short, entry.names)
    places = {int(item): place for place, item in enumerate(order.tolist())}
    rows = [
        {"place": places[int(i)], "contrast": float(scores.contrasts[i]), "item": str(scores.items[i]),
         "who": a if scores.contrasts[i] > 0 else b}
        for i in kept.tolist() if scores.contrasts[i] != 0
    ]  # fmt: skip
    extremes = [*order[:NAMED].tolist(), *order[-NAMED:].tolist()] if order.size >= 2 * NAMED else []
    named: list[dict[str, Any]] = [
        {"place": places[i], "contrast": float(scores.contrasts[i]), "item": _short(str(scores.items[i]), 18)}
        for i in extremes if scores.contrasts[i] != 0
    ]  # fmt: skip
    colour = alt.Color(
        "who:N", title="better", scale=alt.Scale(domain=[a, b], range=[A, B]), legend=alt.Legend(orient="bottom")
    )
    x = alt.X(
        "place:Q",
        title="items, sorted",
        axis=alt.Axis(tickMinStep=1),
        scale=alt.Scale(domain=[0, order.size], nice=False),
    )
    bars = alt.Chart(alt.InlineData(values=rows)).mark_rule(strokeWidth=max(1.0, WIDTH / max(order.size, 1) * 0.8))
    layers = [bars.encode(x=x, y=alt.Y("contrast:Q", title="contrast of the item"), y2=alt.datum(0), color=colour)]
    for side, shift in (("left", 8), ("right", -8)):
        group = [row for row in named if (row["place"] < order.size / 2) == (side == "left")]
        for line, row in enumerate(group):
            down = 12 * line if side == "left" else 12 * (line - len(group) + 1)
            mark: Any = alt.Chart(alt.InlineData(values=[row])).mark_text
            text = mark(align=side, dx=shift, dy=down, fontSize=10, color=QUIET)
            at = group[0 if side == "left" else -1]["contrast"]
            layers.append(text.encode(x=alt.X("place:Q"), y=alt.datum(at), text="item:N"))
    title = _title(_won(entry))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT - 60, title=title)


def _won(entry: Comparison) -> str:
    assert entry.item_scores is not None
    contrasts = entry.item_scores.contrasts
    better, worse = int((contrasts > 0).sum()), int((contrasts < 0).sum())
    _, a, b = map(_short, entry.names)
    return f"{a} is better on {better:,} items, {b} on {worse:,}; {contrasts.size - better - worse:,} ties"


def _side(entry: Comparison) -> str:
    _, a, b = map(_short, entry.names)
    if not decided(entry):
        return "no clear difference"
    return f"{a if entry.contrast > 0 else b} is better"


def _name(entry: Comparison, entries: list[Comparison]) -> str:
    several = len({other.metric for other in entries}) > 1
    return ", ".join(part for part in (entry.slice, entry.metric if several or not entry.slice else "") if part)


def _thinned(n: int) -> Any:
    return np.arange(n) if n <= MOST_POINTS else np.linspace(0, n - 1, MOST_POINTS).astype(int)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _short(text: str, most: int = 32) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _title(text: str) -> Any:
    import altair as alt

    return alt.TitleParams(text, anchor="start", fontSize=12, fontWeight="normal", color=QUIET)
