"""A described table as pictures: who judged what, how far they agree, who stands out, and what an error is made of."""

import json
import math
from collections import Counter
from itertools import product
from typing import Any

import numpy as np

from howsure.data.response_tables import ResponseTable
from howsure.data.responses import Responses
from howsure.data.scales import FloatArray, IntArray
from howsure.describing import TableDescription
from howsure.describing.strata import item_agreement
from howsure.documents.names import short
from howsure.errors import ArgumentError
from howsure.inference.bins import bin_edges
from howsure.raters import Agreement
from howsure.reports import chart_files
from howsure.reports.advantages import WIDTH, Part, by_agreement, shares_of_error
from howsure.reports.colours import BAND, INK, MARK, QUIET, SERIES, A
from howsure.reports.drawing import NUMBERS, forest, row, rule, settings, tips
from howsure.reports.drawing import rows as of_rows
from howsure.wording.estimates import ci

HEIGHT = 250
MOST_ITEMS, MOST_RATERS, MOST_NAMES, MOST_MAPS = 150, 60, 40, 2
"""How much of a large table a map shows, and how many raters can be named beside it."""
MOST_ROWS = 34
BINS, FEW_NAMES = 20, 12
STANDS_OUT = "stands out"
OTHER = "other"


def chart(found: TableDescription) -> Any:
    """Return all pictures of a description below each other."""
    alt = chart_files.altair()
    alt.data_transformers.disable_max_rows()
    parts = _parts(found)
    if not parts:
        raise ArgumentError("there is nothing to draw: no source has several identified raters; name `a` and `b`.")
    drawn = [part.properties(title=_title(*title.split("\n"))) for _, title, _, part in parts]
    whole = alt.vconcat(*drawn, spacing=36).resolve_scale(
        color="independent", shape="independent", x="independent", y="independent"
    )
    return whole.configure_view(stroke=None).configure_axis(grid=False)


def figures(found: TableDescription) -> list[Part]:
    """Return the name, the title, the words and the chart of each picture."""
    chart_files.altair()
    return [(name, title, words, drawn.configure_axis(grid=False)) for name, title, words, drawn in _parts(found)]


def _parts(found: TableDescription) -> list[Part]:
    rated = [part.agreement for part in found.sources if part.agreement is not None]
    parts: list[Part] = []
    if found.table is not None:
        parts += [_map(found.table, one) for one in rated[:MOST_MAPS]]
    if rated:
        parts.append(_forest(rated))
        parts += [_raters(one) for one in rated[:MOST_MAPS] if len(one.raters) > 2]
    if found.table is not None:
        parts += [part for one in rated[:MOST_MAPS] if (part := _by_item(found.table, one)) is not None]
    if found.strata:
        parts.append(by_agreement(found))
    if found.components is not None and (bar := shares_of_error(found.components)) is not None:
        parts.append(bar)
    return parts


def _map(table: ResponseTable, one: Agreement) -> Part:
    """Return raters × items, coloured by what was answered; what nobody answered stays empty."""
    import altair as alt

    responses = table.sources[one.source]
    assert responses.raters is not None
    items, raters = _order_of_items(table, responses), _order_of_raters(table, one)
    shown_items, shown_raters = _thinned(items, MOST_ITEMS), _thinned(raters, MOST_RATERS)
    place = {int(item): at for at, item in enumerate(shown_items.tolist())}
    row = {int(rater): at for at, rater in enumerate(shown_raters.tolist())}
    nominal = table.scale.kind == "nominal"
    said = dict(zip(table.scale.levels, table.scale.labels, strict=False))
    cells = [
        {"item": place[item], "rater": row[rater], "value": said.get(value, f"{value:g}") if nominal else value}
        for item, rater, value in zip(
            responses.items.tolist(), responses.raters.tolist(), responses.values.tolist(), strict=True
        )
        if item in place and rater in row
    ]
    named = shown_raters.size <= MOST_NAMES
    odd = {entry.rater for entry in one.raters if entry.stands_out}
    labels = [short(table.raters[rater]) + (" *" if table.raters[rater] in odd else "") for rater in shown_raters]
    height = max(60, min(360, 14 * shown_raters.size))
    x = alt.X("item:O", title="items", axis=_no_labels())
    names = settings(
        labelExpr=f"{json.dumps(labels, ensure_ascii=False)}[datum.value]",
        labelLimit=130,
        ticks=False,
        domain=False,
        labelOverlap=False,
    )
    y = alt.Y(
        "rater:O",
        title="raters",
        axis=names if named else _no_labels(),
        scale=settings(domain=list(range(shown_raters.size))),
    )
    if nominal:
        kinds = _kinds(cells)
        colour = alt.Color(
            "value:N",
            title="answer",
            scale=settings(domain=kinds, range=list(SERIES[: len(kinds)])),
            legend=settings(orient="bottom", labelLimit=140),
        )
    else:
        colour = alt.Color(
            "value:Q",
            title="answer",
            scale=settings(scheme="viridis", domain=[float(end(responses.values)) for end in (np.min, np.max)]),
            legend=settings(orient="bottom", gradientLength=200, tickMinStep=1),
        )
    width = max(200, min(WIDTH, 14 * shown_items.size))
    empty = (
        of_rows([{}])
        .mark_rect(color=BAND)
        .encode(x=alt.value(0), x2=alt.value(width), y=alt.value(0), y2=alt.value(height))
    )
    tiles = of_rows(cells).mark_rect().encode(x=x, y=y, color=colour)
    missing = 1 - responses.sizes.sum() / max(1, items.size * raters.size)
    gaps = f"{100 * missing:.0f}% of the cells are empty (grey)" if missing > 0.005 else "no cell is empty"
    how = "those on whom raters agree least on the left" if nominal else "by their mean answer"
    whom = "highest answers on top" if _of_numbers(one) else "those who agree least with the others on top"
    first = gaps if not one.design.repeated else "raters answered repeatedly"
    title = (
        f"{short(one.source)}: who answered what; {first}.\n"
        f"Rows: {_some(shown_raters.size, raters.size, 'raters')}, {whom}"
        f"{', * stands out' if odd and named else ''}. "
        f"Columns: {_some(shown_items.size, items.size, 'items')}, {how}."
    )
    words = f"A map of {raters.size} raters by {items.size} items of {one.source}, coloured by their answers; {gaps}."
    return f"map-{one.source}", title, words, alt.layer(empty, tiles).properties(width=width, height=height)


def _forest(rated: list[Agreement]) -> Part:
    """Return coefficients with their intervals."""
    import altair as alt

    several = len(rated) > 1
    rows: list[dict[str, Any]] = []
    for one in rated:
        for entry in one.coefficients:
            name = f"{short(one.source)}: {entry.title}" if several else entry.title
            if np.isfinite(entry.value):
                rows.append(row(name, entry.value, entry.confidence_interval))
    left_out = len(rows) - MOST_ROWS
    rows = rows[:MOST_ROWS]
    level = rated[0].coefficients[0].confidence_interval.confidence_level
    low = min([0.0, *(one["low"] for one in rows if one["low"] is not None), *(one["value"] for one in rows)])
    title = f"1 is perfect; 0 is what chance gives (not for observed agreement); {ci(level)}"
    x = alt.X("low:Q", title=title, scale=settings(domain=[max(-1.0, low), 1.0]))
    drawn = forest(rows, x, rule(0, "x"), rule(1, "x"), width=WIDTH - 200, step=19)
    who = short(rated[0].source) if not several else f"{len(rated)} sources"
    title = f"{who}: agreement of raters" + (f" (the first {MOST_ROWS} coefficients)" if left_out > 0 else "")
    words = "; ".join(f"{one['name']} {one['told']}" for one in rows)
    return "agreement", title, words, drawn


def _raters(one: Agreement) -> Part:
    """Return each rater beside the others: agreement and, on numbers, the mean shift; who stands out is named."""
    import altair as alt

    known = [entry for entry in one.raters if np.isfinite(entry.with_plurality)]
    shifted = any(np.isfinite(entry.mean_shift) for entry in known)
    numbers = _of_numbers(one) and shifted  # on which two raters hardly ever agree
    both = shifted and not numbers
    order = sorted(known, key=lambda entry: entry.mean_shift if numbers else entry.with_plurality)
    far = sorted(known, key=lambda entry: -np.nan_to_num(entry.distance))
    named = {entry.rater for entry in known if entry.stands_out}
    named |= {entry.rater for entry in (known if len(known) <= FEW_NAMES else far[:3])}
    rows = [
        {
            "rater": short(entry.rater),
            "across": entry.mean_shift if numbers else entry.with_plurality,
            "up": entry.mean_shift if both else float(-place),
            "items": entry.n_items,
            "who": STANDS_OUT if entry.stands_out else "like the others",
            "label": short(entry.rater, 16) if entry.rater in named else "",
        }
        for place, entry in enumerate(order)
        if np.isfinite(entry.mean_shift) or not shifted
    ]
    _place_labels(rows, WIDTH - 160)
    agree, above = (
        "items on which the rater is with the plurality of the others",
        "mean answer minus that of the others",
    )
    shares = settings() if numbers else settings(format="~%")
    x = alt.X("across:Q", title=above if numbers else agree, axis=shares, scale=settings(zero=False, padding=8))
    axis = settings() if both else settings(labels=False, ticks=False)
    y = alt.Y("up:Q", title=above if both else "raters, in order", axis=axis, scale=settings(zero=both, padding=8))
    kinds = ["like the others", STANDS_OUT]
    legend = settings(orient="bottom", title=None)
    colour = alt.Color("who:N", scale=settings(domain=kinds, range=[A, MARK]), legend=legend)
    shape = alt.Shape("who:N", scale=settings(domain=kinds, range=["circle", "diamond"]), legend=legend)
    base = of_rows(rows)
    points = base.mark_point(filled=True, size=70, opacity=0.85)
    right = base.mark_text(align="left", dx=8, fontSize=10)
    left = base.mark_text(align="right", dx=-8, fontSize=10)
    layers = [
        points.encode(x=x, y=y, color=colour, shape=shape, tooltip=tips("rater:N", "across:Q", "items:C")),
        right.encode(x=x, y=alt.Y("at:Q"), text=alt.Text("right:N")),
        left.encode(x=x, y=alt.Y("at:Q"), text=alt.Text("left:N")),
    ]
    odd = [f"{entry.rater} ({entry.stands_out})" for entry in known if entry.stands_out]
    told = "none stands out" if not odd else f"{len(odd)} {'stands' if len(odd) == 1 else 'stand'} out"
    said = f"Who stands out: {', '.join(odd)}." if odd else "Nobody stands out."
    zero = [rule(0, "y" if both else "x")] if shifted else []
    drawn = alt.layer(*zero, *layers).properties(width=WIDTH - 160, height=HEIGHT)
    return (
        f"raters-{one.source}",
        f"{short(one.source)}: {len(known)} raters, {told}",
        f"Each rater of {one.source} beside the others. {said}",
        drawn,
    )


def _place_labels(rows: list[dict[str, Any]], width: int) -> None:
    """Write each label right or left of its point, at the height `at`, where it covers no other; else leave it out."""
    spans = {name: (min(row[name] for row in rows), max(row[name] for row in rows)) for name in ("across", "up")}
    sizes = {"across": width, "up": HEIGHT}
    unit = {name: (high - low or 1.0) / sizes[name] for name, (low, high) in spans.items()}
    points = [(row["across"] / unit["across"], row["up"] / unit["up"]) for row in rows]
    taken = [(x - 5, x + 5, y - 5, y + 5) for x, y in points]
    for place in sorted(range(len(rows)), key=lambda place: rows[place]["who"] != STANDS_OUT):
        row, (x, y) = rows[place], points[place]
        long, label = 6.0 * len(row["label"]), row.pop("label")
        row |= {"right": "", "left": "", "at": row["up"]}
        for rise, side in product((0, -12, 12) if label else (), ("right", "left")):
            start = x + 8 if side == "right" else x - 8 - long
            box = (start, start + long, y + rise - 5, y + rise + 5)
            others = taken[:place] + taken[place + 1 :]
            if not any(box[0] < o[1] and o[0] < box[1] and box[2] < o[3] and o[2] < box[3] for o in others):
                row |= {side: label, "at": row["up"] + rise * unit["up"]}
                taken.append(box)
                break
        else:
            row["right"] = label if row["who"] == STANDS_OUT else ""


def _by_item(table: ResponseTable, one: Agreement) -> Part | None:
    """Return how many items raters agree on how far."""
    import altair as alt

    nominal = table.scale.kind == "nominal"
    agreed = np.abs(item_agreement(table.sources[one.source], table.scale))
    agreed = agreed[np.isfinite(agreed)]
    if agreed.size < 2:
        return None
    bars, kinds = _histogram(agreed)
    what = "pairs of raters who agree on the item" if nominal else "standard deviation of the answers to the item"
    ticks: dict[str, Any] = {"values": kinds} if kinds else {}
    axis = settings(format=".0%" if nominal else NUMBERS, **ticks)
    x = alt.X("low:Q", title=what, axis=axis, scale=settings(zero=False, nice=False))
    drawn = (
        of_rows(bars)
        .mark_bar(color=A, opacity=0.8, binSpacing=1)
        .encode(
            x=x,
            x2="high:Q",
            y=alt.Y("items:Q", title="items", axis=settings(tickMinStep=1)),
            y2=alt.Y2Datum(0),
        )
    )
    all_agree = int((agreed > 1 - 1e-9).sum() if nominal else (agreed < 1e-12).sum())
    title = f"{short(one.source)}: all raters agree on {all_agree:,} of {agreed.size:,} items"
    words = f"A histogram of {what}, over {agreed.size:,} items. All agree on {all_agree:,}."
    return f"items-{one.source}", title, words, drawn.properties(width=WIDTH - 160, height=160)


def _order_of_items(table: ResponseTable, responses: Responses) -> IntArray:
    """Return the items that have a response: by their mean, or on labels by how far raters agree."""
    answered = np.flatnonzero(responses.sizes > 0)
    if table.scale.kind == "nominal":
        by = np.nan_to_num(item_agreement(responses, table.scale), nan=2.0)
    else:
        by = np.bincount(responses.items, responses.values, responses.n_items) / np.maximum(responses.sizes, 1)
    return answered[np.argsort(by[answered], kind="stable")]


def _of_numbers(one: Agreement) -> bool:
    """Whether answers are numbers on which two raters hardly ever agree."""
    return one.measurement_level in ("interval", "ratio")


def _order_of_raters(table: ResponseTable, one: Agreement) -> IntArray:
    number_of = {name: code for code, name in enumerate(table.raters)}
    if _of_numbers(one):
        order = sorted(one.raters, key=lambda entry: -np.nan_to_num(entry.mean_shift, nan=-math.inf))
    else:
        order = sorted(one.raters, key=lambda entry: np.nan_to_num(entry.with_plurality, nan=2.0))
    return np.array([number_of[entry.rater] for entry in order])


def _thinned(order: IntArray, most: int) -> IntArray:
    return order if order.size <= most else order[np.linspace(0, order.size - 1, most).round().astype(int)]


def _some(shown: int, of: int, what: str) -> str:
    return f"{of:,} {what}" if shown == of else f"{shown:,} of {of:,} {what}"


def _kinds(cells: list[dict[str, Any]]) -> list[str]:
    """Return the labels of the legend; of more than there are colours, all but the most frequent become "other"."""
    counts = Counter(str(cell["value"]) for cell in cells)
    kinds = sorted(counts)
    if len(kinds) <= len(SERIES):
        return kinds
    kept = sorted(label for label, _ in counts.most_common(len(SERIES) - 1))
    for cell in cells:
        cell["value"] = cell["value"] if cell["value"] in kept else OTHER
    return [*kept, OTHER]


def _no_labels() -> Any:
    return settings(labels=False, ticks=False, domain=False)


def _histogram(values: FloatArray) -> tuple[list[dict[str, float]], list[float]]:
    """Return bars around each value where there are few, with these values as ticks; else bars on the data's grid."""
    kinds, counts = np.unique(values.round(9), return_counts=True)
    few = kinds.size <= FEW_NAMES
    half = 0.35 * np.diff(kinds).min() if kinds.size > 1 else 0.05
    at = bin_edges(values, BINS)
    low, high = (kinds - half, kinds + half) if few else (at[:-1], at[1:])
    inside = (counts if few else np.histogram(values, at)[0]).tolist()
    rows = zip(low.tolist(), high.tolist(), inside, strict=True)
    found = [{"low": start, "high": end, "items": count} for start, end, count in rows]
    return found, kinds.tolist() if few else []


def _title(text: str, below: str = "") -> Any:
    import altair as alt

    more: dict[str, Any] = {"subtitle": below, "subtitleColor": QUIET} if below else {}
    return alt.TitleParams(text, anchor="start", frame="group", fontSize=13, fontWeight="bold", color=INK, **more)
