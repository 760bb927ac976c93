"""The difference of two models as pictures: by the agreement of raters, and its sources of error."""

from typing import Any

import numpy as np

from howsure.describing import TableDescription
from howsure.documents.names import shortened
from howsure.documents.numbers import rough
from howsure.raters import AdvantageComponents
from howsure.raters.advantage_components import TITLES
from howsure.reports.colours import INK, SERIES
from howsure.reports.drawing import forest, row, rule, settings
from howsure.reports.drawing import rows as of_rows

WIDTH = 620
Part = tuple[str, str, str, Any]
"""The name, the title, the words and the chart of a picture."""


def by_agreement(found: TableDescription) -> Part:
    """Return the advantage where gold's raters agree least, in between and most."""
    import altair as alt

    assert found.components is not None
    gold, a, b = shortened(found.components.names).values()
    rows = [
        row(f"{part.name} ({part.n_items:,} items)", part.advantage, part.confidence_interval) for part in found.strata
    ]
    title = f"advantage by {found.components.metric} (right of 0: {a} is better)"
    drawn = forest(rows, alt.X("low:Q", title=title), rule(0, "x"), width=WIDTH - 220)
    words = "; ".join(f"{one['name']}: {one['told']}" for one in rows)
    return "strata", f"{a} vs {b}, by the agreement of {gold} on the item", words, drawn


def shares_of_error(found: AdvantageComponents) -> Part | None:
    """Return what the error variance is made of, as one bar."""
    import altair as alt

    now = found.decision_study[0]
    known = [(TITLES[name], share) for name, share in now["shares"].items() if np.isfinite(share) and share >= 0.005]
    if not known:
        return None
    rows, start = [], 0.0
    for name, share in known:
        rows.append({"part": name, "share": share, "from": start, "to": start + share, "told": f"{100 * share:.0f}%"})
        start += share
    names = [name for name, _ in known]
    colour = alt.Color(
        "part:N",
        title=None,
        sort=names,
        scale=settings(domain=names, range=list(SERIES[: len(names)])),
        legend=settings(orient="bottom", labelLimit=220),
    )
    base = of_rows(rows)
    shares = settings(format="~%")
    x = alt.X("from:Q", title="share of the error variance", axis=shares, scale=settings(domain=[0, 1]))
    bar = base.mark_bar(height=30, stroke="white").encode(x=x, x2=alt.X2("to:Q"), color=colour, y=alt.value(38))
    told = base.transform_filter("datum.share >= 0.03").transform_calculate(middle="(datum.from + datum.to) / 2")
    text = told.mark_text(color=INK, fontWeight="bold").encode(
        x=alt.X("middle:Q"), y=alt.value(12), text=alt.Text("told:N")
    )
    a, b = shortened(found.names[1:]).values()
    title = f"{a} vs {b} by {found.metric}: sources of the standard error of {rough(now['standard_error'])}"
    words = f"Share of the error variance: {', '.join(f'{name} {100 * share:.0f}%' for name, share in known)}."
    return "shares", title, words, alt.layer(bar, text, width=WIDTH - 60, height=58)
