"""The sliders of the plan page: one process that keeps pools of item scores, and answers while a slider is dragged."""

import itertools
import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import chdir
from typing import Any

from howsure.documents.numbers import share
from howsure.errors import ArgumentError

MOST_SUBJECTS = 8
"""Response models and pilots that are kept."""

SUGGESTED = {"nominal": ("accuracy", "tv", "kl", "wins:tv"), "": ("mae", "mse", "wins")}
"""Metrics with item scores that the page offers, for labels and for everything else."""

TILE = (46, 26)
LEFT, TOP = 52, 6


KEPT: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
"""What the process of the sliders holds."""


def ask(question: Mapping[str, Any]) -> dict[str, Any]:
    """Answer in the process of the sliders, with what it holds."""
    return answered(question, KEPT)


def answered(question: Mapping[str, Any], kept: OrderedDict[tuple[Any, ...], Any]) -> dict[str, Any]:
    """Return what the design of a question may expect, and the map around it."""
    from howsure.planning.designs import Costs
    from howsure.planning.interactive import RaterSliders

    subject = _subject(question, kept)
    n_items, k = int(question["n_items"]), int(question["n_responses"])
    if isinstance(subject, RaterSliders):
        found = subject.at(
            n_items=n_items, n_raters=int(question["n_raters"]), n_responses=k, advantage=question.get("difference")
        )
        tiles, across = subject.map(n_responses=k, advantage=question.get("difference")), int(question["n_raters"])
    else:
        epsilon = float(question["epsilon"])
        found = subject.at(n_items=n_items, n_responses=k, epsilon=epsilon)
        tiles, across = subject.map(epsilon=epsilon), k
    given = {name: question.get(f"cost_{name}") for name in ("item", "response", "run", "rater")}
    costs = Costs(**{name: float(price or 0) for name, price in given.items()}) if any(given.values()) else Costs()
    return {
        "design": str(found.design),
        "advantage": found.advantage,
        "expected_pvalue": found.expected_pvalue,
        "ci_width": found.ci_width,
        "power": found.power,
        "cost": costs.of(found.design),
        "priced": any(given.values()),
        "across": subject.across,
        "metric": _metric(subject).name,
        "kind": _scale(subject).kind,
        "map": drawn([(tile.n_items, tile.across, tile.power) for tile in tiles], n_items, across),
    }


def _metric(subject: Any) -> Any:
    return subject.metric if hasattr(subject, "metric") else subject.scenario.metrics[0]


def _scale(subject: Any) -> Any:
    return subject.contest.scale if hasattr(subject, "contest") else subject.scenario.model.scale


def _subject(question: Mapping[str, Any], kept: OrderedDict[tuple[Any, ...], Any]) -> Any:
    """Return the model or pilot of a question; a table is read and fitted once."""
    names = ("preset", "folder", "files", "gold", "a", "b", "metric", "reading")
    key = tuple(str(question.get(name)) for name in names)
    if key not in kept:
        with chdir(question.get("folder") or "."):
            kept[key] = _read(question)
        while len(kept) > MOST_SUBJECTS:
            kept.popitem(last=False)
    kept.move_to_end(key)
    return kept[key]


def _read(question: Mapping[str, Any]) -> Any:
    from howsure.planning.interactive import ModelSliders, RaterSliders

    metric = question.get("metric") or None
    if question.get("preset"):
        return ModelSliders(str(question["preset"]), metric)
    from howsure.io.files import contest_from, table_from
    from howsure.raters.design import rated

    reading = question.get("reading") or {}
    files, gold, a, b = (question.get(name) or None for name in ("files", "gold", "a", "b"))
    if not files:
        raise ArgumentError("choose a response model or an upload.")
    if question.get("is_model"):
        return ModelSliders(str(files[0]), metric)
    if a and b:
        contest = contest_from(files, a=a, b=b, gold=gold, **reading)
        if rated(contest) or gold is None:
            return RaterSliders(contest, metric)
    if gold is None:
        raise ArgumentError("name `gold`; or `a` and `b` if the table has rater ids.")
    from howsure.models import fit

    return ModelSliders(fit(table_from(files, sources=[gold], **reading), rng=0).model, metric)


def drawn(tiles: Sequence[tuple[int, int, float]], n_items: int, across: int) -> dict[str, Any]:
    """Return where the tiles of the map lie, and the mark of the design among them."""
    rows = sorted({n for n, _, _ in tiles}, reverse=True)
    columns = sorted({k for _, k, _ in tiles})
    width, height = TILE
    return {
        "width": LEFT + width * len(columns) + 6,
        "height": TOP + height * len(rows) + 40,
        "tiles": [
            {
                "x": LEFT + width * columns.index(k),
                "y": TOP + height * rows.index(n),
                "power": round(power, 2),
                "said": f"{n:,} items × {k}: power {share(power, most=2)}",
            }
            for n, k, power in tiles
        ],
        "rows": [(TOP + height * place + height / 2 + 4, n) for place, n in enumerate(rows)],
        "columns": [(LEFT + width * place + width / 2, k) for place, k in enumerate(columns)],
        "bottom": TOP + height * len(rows),
        "mark": (
            LEFT + width * (_between(across, columns) + 0.5),
            TOP + height * (len(rows) - 0.5 - _between(n_items, rows[::-1])),
        ),
    }


def _between(value: float, steps: Sequence[int]) -> float:
    """Return the place of a value among ascending steps, by its logarithm; never outside of them.

    Examples
    --------
    >>> [_between(value, [1, 10, 100]) for value in (1, 10, 500)], round(_between(30, [1, 10, 100]), 2)
    ([0.0, 1.0, 2.0], 1.48)
    """
    if value <= steps[0]:
        return 0.0
    for place, (low, high) in enumerate(itertools.pairwise(steps)):
        if value <= high:
            return place + math.log(value / low) / math.log(high / low)
    return float(len(steps) - 1)
