"""Simulated responses as a picture: what gold, A and B answered, side by side."""

from typing import Any

import numpy as np

from howsure.errors import ArgumentError
from howsure.models import Simulation
from howsure.reports import chart_files
from howsure.reports.colours import INK, A, B
from howsure.reports.drawing import bars, rows, settings, title

WIDTH, HEIGHT, BINS, MOST = 190, 170, 20, 12


def chart(found: Simulation) -> Any:
    """Return one panel for each source: the shares of labels or levels, or a histogram of the responses."""
    alt = chart_files.altair()
    by_level = _levels(found) if 0 < len(found.sources[0].shares) <= MOST else _numbers(found)
    colours = dict(zip([one.name for one in found.sources], (INK, A, B), strict=True))
    highest = max(row["share"] for part in by_level.values() for row in part)
    scale = settings(domain=[0, highest], nice=True)
    y = alt.Y("share:Q", title="share of responses", axis=settings(format="~%"), scale=scale)
    panels = []
    for one in found.sources:
        base = rows(by_level[one.name]).mark_bar(color=colours[one.name], opacity=0.85)
        off = f", off by ε = {one.epsilon:g}" if one.epsilon else ""
        if "level" in by_level[one.name][0]:
            x = alt.X("level:N", sort=list(one.shares), title="response", axis=settings(labelAngle=0, labelLimit=90))
            drawn = base.encode(x=x, y=y)
        else:
            drawn = base.encode(x=alt.X("low:Q", title="response"), x2=alt.X2("high:Q"), y=y, y2=alt.Y2Datum(0))
        panels.append(drawn.properties(width=WIDTH, height=HEIGHT, title=title(f"{one.name}{off}")))
    said = title(f"{found.n_items:,} simulated items", loud=True)
    return alt.hconcat(*panels, resolve={"scale": {"y": "shared"}}, title=said)


def _levels(found: Simulation) -> dict[str, list[dict[str, Any]]]:
    return {
        one.name: [{"level": label, "share": share} for label, share in one.shares.items()] for one in found.sources
    }


def _numbers(found: Simulation) -> dict[str, list[dict[str, Any]]]:
    if found.table is None:
        raise ArgumentError("there is nothing to draw: the responses are not kept in a written result.")
    values = {name: source.values for name, source in found.table.sources.items()}
    together = np.concatenate(list(values.values()))
    edges = np.linspace(together.min(), together.max() or 1.0, BINS + 1)
    return {name: bars(part, edges) for name, part in values.items()}
