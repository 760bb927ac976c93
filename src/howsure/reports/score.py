"""The scores of models as pictures: each with its interval, and pass@k and pass^k by the number of runs."""

from typing import Any

from howsure.documents.names import shortened
from howsure.reports import chart_files
from howsure.reports.colours import line_styles
from howsure.reports.drawing import NUMBERS, forest, row, rows, settings, tips, title
from howsure.scoring import ModelScore, ModelScores
from howsure.wording.estimates import ci

WIDTH, HEIGHT, NAMES = 360, 200, 26
MOST_LINES = 6
"""So many models have curves: more lines could not be told apart."""


def chart(found: ModelScores) -> Any:
    """Return the intervals, a panel for each metric, and the curves of the first models below them."""
    alt = chart_files.altair()
    names = shortened([one.name for one in found.models], NAMES)
    by_metric: dict[str, list[ModelScore]] = {}
    for one in found.models:
        by_metric.setdefault(one.metric, []).append(one)
    parts = [_intervals(models, names) for models in by_metric.values()]
    curves = [one for one in found.models if len(one.passes) > 1][:MOST_LINES]
    parts += [_curves(curves, names)] if curves else []
    return alt.vconcat(*parts, spacing=30).resolve_scale(x="independent", y="independent", color="independent")


def _intervals(models: list[ModelScore], names: dict[str, str]) -> Any:
    """Return a row for each model: its score and interval."""
    import altair as alt

    points = [row(names[one.name], one.score, one.confidence_interval) for one in models]
    first = models[0]
    said = f"{first.title} ({ci(first.confidence_interval.confidence_level)}; {first.better} is better)"
    x = alt.X("low:Q", title=said, scale=settings(zero=False, padding=8), axis=settings(format=NUMBERS))
    return forest(points, x, width=WIDTH)


def _curves(models: list[ModelScore], names: dict[str, str]) -> Any:
    """Return the chance that at least one of k runs passes (solid) and that all of them pass (dashed)."""
    import altair as alt

    points = [
        {"model": names[one.name], "k": at.k, "chance": chance, "kind": kind}
        for one in models
        for at in one.passes
        for kind, chance in (("pass@k", at.any_of_k), ("pass^k", at.all_of_k))
    ]
    order = [names[one.name] for one in models]
    runs = list(range(1, max(len(one.passes) for one in models) + 1))
    colour = alt.Color(
        "model:N",
        sort=order,
        scale=settings(domain=order, range=line_styles(len(order))[0]),
        legend=settings(title=None, orient="bottom", columns=2, labelLimit=220) if len(order) > 1 else None,
    )
    kinds = settings(domain=["pass@k", "pass^k"], range=[[1, 0], [5, 3]])
    dash = alt.StrokeDash("kind:N", scale=kinds, legend=None)
    x = alt.X("k:Q", title="runs (k)", axis=settings(values=runs, format="d"), scale=settings(nice=False))
    y = alt.Y("chance:Q", title="share of items", scale=settings(domain=[0, 1]), axis=settings(format="~%"))
    hints = tips("model:N", "kind:N", "k:C", "chance:Q")
    drawn = rows(points).mark_line(point=True).encode(x=x, y=y, color=colour, strokeDash=dash, tooltip=hints)
    said = title("Solid: at least one of k runs passes (pass@k); dashed: all pass (pass^k)")
    return drawn.properties(width=WIDTH, height=HEIGHT, title=said)
