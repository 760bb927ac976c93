"""What missing answers could change: the comparison if all of them were as good, or as bad, for A as they can be."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any

import numpy as np

from howsure import _matrices, _random
from howsure.comparison.comparing import compare
from howsure.comparison.default_metric import metrics_for
from howsure.comparison.results import Comparison, Comparisons
from howsure.comparison.together import adjusted
from howsure.data.contests import Contest
from howsure.data.responses import Responses
from howsure.data.scales import FloatArray
from howsure.data.summaries import lean, means, summarise
from howsure.errors import ArgumentError
from howsure.metrics import ItemMetric, Metric
from howsure.wording.estimates import brief
from howsure.wording.sentences import order_of

PREFERENCES = "preferences"
"""The reason of a scale of preferences: an answer for A is then one for B as well."""
NOTHING_MISSING = "No answer of A or B is missing."


@_matrices.on_one_thread
def missing_bounds(
    contest: Contest | Any,
    *,
    a: str | None = None,
    b: str | None = None,
    gold: str | None = None,
    metric: str | Metric | None = None,
    **settings: Any,
) -> tuple[Comparison, Comparison]:
    """Compare as if every missing answer were best for A, and as if every one were worst.

    An answer is missing where the data name it but give it no value: a sample that errored, an empty cell. Best for A
    means that A's missing answers are the best and B's the worst that the scale allows (the smallest and largest value
    seen, on a continuous scale). Missing answers to one item are assumed to be equal.

    Parameters
    ----------
    contest : Contest, or what one can be made of
        With the items that a source did not answer: ``table.contest(a=…, b=…, complete=False)``; or a table, a
        dataframe (pandas, Polars, Arrow) or a path, with the names of the sources.
    a, b, gold : str, optional
        The sources, where `contest` is no contest yet.
    metric : str or Metric, optional
        One that is a mean over items.
    **settings
        Those of `compare`.

    Returns
    -------
    best, worst : Comparison

    Examples
    --------
    >>> import polars
    >>> rows = {"item": [1, 1, 2, 2, 3, 3], "model": ["x", "y"] * 3, "score": [1, 0, 1, 0, None, 0]}
    >>> best, worst = missing_bounds(polars.DataFrame(rows), a="x", b="y", rng=0)
    >>> round(best.advantage, 3), round(worst.advantage, 3)
    (1.0, 0.667)
    """
    from howsure.io.reading import as_contest

    contest = as_contest(contest, a=a, b=b, gold=gold, complete=False)
    (chosen,), _ = metrics_for(contest, None if metric is None else [metric])
    bound = chosen.on(contest.scale)
    if not isinstance(bound, ItemMetric):
        raise ArgumentError(
            f"bounds for missing answers need a metric that is a mean over items; {chosen.name!r} is not one."
        )
    contest = lean(contest, [bound], n_spare=1)  # a missing answer may be a label that nobody gave to the item
    best, worst = (
        compare(filled(contest, bound, best_for=side).complete(), metric=chosen, **settings) for side in ("a", "b")
    )
    return best, worst


def with_bounds(
    found: Comparisons,
    whole: Contest,
    metrics: Sequence[Metric],
    *,
    by: str | None,
    rng: _random.Rng,
    **settings: Any,
) -> Comparisons:
    """Add to each comparison, by metric and slice, what its missing answers could change.

    `whole` is the contest with the items that a source did not answer. The bounds are adjusted for how many comparisons
    there are, as the comparisons are.
    """
    seed = _random.seed_of(rng)
    parts = {f"{by} = {value}": part for value, part in whole.slices(by)} if by is not None else {"": whole}
    missing = [n_missing(parts[entry.slice]) for entry in found]
    nothing = [_nothing(parts[entry.slice]) for entry in found]
    if not any(missing):
        return _noted(found, nothing)
    bests, worsts = [], []
    for entry, metric, n in zip(found, cycle(metrics), missing, strict=False):
        best, worst = entry, entry
        if n:
            best, worst = missing_bounds(parts[entry.slice], metric=metric, rng=seed, **settings)
        bests.append(replace(best, slice=entry.slice))
        worsts.append(replace(worst, slice=entry.slice))
    bests, worsts = (adjusted(side, found.correction, seed) for side in (bests, worsts))
    told = [
        sentence(entry, best, worst, n) if n else none
        for entry, best, worst, n, none in zip(found, bests, worsts, missing, nothing, strict=True)
    ]
    return _noted(found, told)


def _noted(found: Comparisons, told: Sequence[str]) -> Comparisons:
    """Return the comparisons with one more note each, which was asked for and comes first."""
    entries = (replace(entry, notes=(said, *entry.notes)) for entry, said in zip(found, told, strict=True))
    return found.having(entries, missing="bounds")


def n_missing(contest: Contest) -> int:
    """Return how many answers of A and B are missing and could be filled in."""
    sides = (contest.a,) if contest.scale.reason == PREFERENCES else (contest.a, contest.b)
    return sum(int(_lacking(source).sum()) for source in sides)


def _nothing(contest: Contest) -> str:
    """Say that no answer is missing, or that the missing ones are raters' and are left alone."""
    sides = (contest.a,) if contest.scale.reason == PREFERENCES else (contest.a, contest.b)
    left = sum(int(source.missing.sum()) for source in sides if source.missing is not None)
    if not left:
        return NOTHING_MISSING
    are = "answers of raters are" if left > 1 else "answer of a rater is"
    return (
        f"{left:,} {are} missing. Bounds are for answers without rater ids; leave the ids out (`rater=''`) to have "
        "them."
    )


def filled(contest: Contest, metric: ItemMetric, *, best_for: str) -> Contest:
    """Return the contest with the missing answers of A and B as good as they can be for one of them."""
    sides = {}
    for role, source in (("a", contest.a), ("b", contest.b)):
        if not _lacking(source).any():
            continue
        options = [_extended(source, values) for values in _candidates(contest)]
        scores = np.stack([_scores(contest, metric, option) for option in options])
        wants_high = (metric.better == "higher") == (role == best_for)
        ranked = np.where(np.isnan(scores), -np.inf if wants_high else np.inf, scores)
        best = ranked.argmax(axis=0) if wants_high else ranked.argmin(axis=0)
        values = np.stack([np.broadcast_to(values, contest.n_items) for values in _candidates(contest)])
        sides[role] = _extended(source, values[best, np.arange(contest.n_items)])
    return contest.having(sides)


def sentence(found: Comparison, best: Comparison, worst: Comparison, missing: int) -> str:
    """Say what the missing answers could change."""
    a = found.names[1]
    answers = {1: "the missing answer", 2: "both missing answers"}.get(missing, f"all {missing:,} missing answers")

    def told(result: Comparison) -> str:
        by, order = result.as_estimate.unsigned(), order_of(result.as_estimate, result.alternative)
        return f"{result.names[1:][::order][0]} scores better by {brief(by.value, by.confidence_interval)}"

    kinds = {result.as_estimate.is_significant * np.sign(result.advantage) for result in (found, best, worst)}
    change = "The verdict stays the same." if len(kinds) == 1 else "The verdict depends on them."
    return f"If {answers} were best for {a}, {told(best)}; if worst, {told(worst)}. {change}"


def _lacking(source: Responses) -> Any:
    """Return how many answers of each item can be filled in: those of a model, which has no raters."""
    if source.missing is None or source.raters is not None or source.weights is not None:
        return np.zeros(source.n_items, dtype=np.int64)
    return source.missing


def _candidates(contest: Contest) -> Iterator[FloatArray]:
    """Yield values for the missing answers of every item: each level, else the ends of the scale and gold's mean."""
    if contest.scale.levels:
        yield from (np.array(level) for level in contest.scale.levels)
        return
    seen = np.concatenate([source.values for source in contest.sources.values()])
    yield from (seen.min(), seen.max())
    if contest.gold is not None:
        answered = contest.gold.sizes > 0
        centre = np.full(contest.n_items, seen.mean())
        centre[answered] = means(contest.gold.take(np.flatnonzero(answered)))
        yield centre


def _extended(source: Responses, values: FloatArray) -> Responses:
    """Return the responses with as many more of each item as it lacks, all of the item's value."""
    lacking = _lacking(source)
    items = np.concatenate([source.items, np.repeat(np.arange(source.n_items), lacking)])
    added = np.repeat(np.broadcast_to(values, source.n_items), lacking)
    order = np.argsort(items, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(source.sizes + lacking)])
    return Responses(np.concatenate([source.values, added])[order], offsets)


def _scores(contest: Contest, metric: ItemMetric, model: Responses) -> FloatArray:
    """Return the score of each item; NaN where the model or gold has no response."""
    answered = model.sizes > 0 if contest.gold is None else (model.sizes > 0) & (contest.gold.sizes > 0)
    items = np.flatnonzero(answered)
    scores = np.full(contest.n_items, np.nan)
    if items.size:
        gold = None if contest.gold is None else summarise(contest.gold.take(items), metric.needs, contest.scale)
        scores[items] = metric.item_scores(gold, summarise(model.take(items), metric.needs, contest.scale))  # type: ignore[arg-type]
    return scores
