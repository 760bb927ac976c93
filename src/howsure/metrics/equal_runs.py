"""Models with unequal numbers of runs, scored as if they had equally many.

A plurality vote, a mean or a distribution of more runs is closer to gold even if the models are equally good. So on
each item the model with more runs is scored by the mean over all subsets of as many runs as the other has (a
U-statistic), which no order of the runs changes.
"""

import math
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from howsure.data.contests import Contest
from howsure.data.scales import BoolArray, FloatArray, IntArray, Scale
from howsure.data.summaries import Needs
from howsure.errors import ArgumentError
from howsure.metrics.base import AdditiveMetric, ItemMetric, Metric

MOST = 64
"""Of more subsets so many are taken at random, the same in every run of the program."""

CELLS = 2**20
"""So many numbers of subsets are scored at a time."""

TRAITS = (
    "name", "title", "formula", "better", "kinds", "span", "uneven", "distance", "smooth", "relative", "label_blind",
)  # fmt: skip
"""What the metric has in common with the one that it averages."""


def are_equal(contest: Contest) -> bool:
    """Whether A and B have equally many responses to every item, or answer with probabilities."""
    if contest.a.weights is not None or contest.b.weights is not None:
        return True
    return bool(np.array_equal(contest.a.sizes, contest.b.sizes))


def typical_runs(contest: Contest) -> tuple[int, int]:
    """Return how many responses A and B have to a typical item: the median."""
    of_a, of_b = (int(np.median(side.sizes)) for side in (contest.a, contest.b))
    return of_a, of_b


def fair(metric: Metric, contest: Contest) -> Metric | None:
    """Return the metric by which models with the contest's numbers of runs can be compared; None where there is none.

    Where the models typically have unequally many runs, votes give way to single runs (`per_run`). Of two runs against
    one this is the same as a vote of equally many; of more runs it uses all of them.
    """
    if metric.per_response or metric.gold_free or are_equal(contest):
        return metric
    of_a, of_b = typical_runs(contest)
    if metric.per_run and of_a != of_b:
        from howsure.metrics.builtin import resolve

        return resolve(metric.per_run).on(contest.scale)
    return EqualRuns(metric, contest.scale) if isinstance(metric, AdditiveMetric) else None


@dataclass(frozen=True)
class EqualRuns(AdditiveMetric):
    """A metric with item scores, averaged over subsets of equally many runs of A and B.

    Attributes
    ----------
    averaged : AdditiveMetric
    scale : Scale
        Of the responses, whose labels are counted.

    Examples
    --------
    A's two runs miss by 1 in either direction; their mean would be right:

    >>> from howsure.data.scales import Scale
    >>> from howsure.metrics import BUILTIN
    >>> fair_error = EqualRuns(BUILTIN["mae"], Scale("continuous"))
    >>> fair_error.item_advantages(np.array([[3.0]]), np.array([[2.0, 4.0]]), np.array([[4.0]])).tolist()
    [0.0]
    """

    needs: ClassVar[Needs] = "values"

    averaged: AdditiveMetric
    scale: Scale = field(repr=False)

    def __post_init__(self) -> None:
        for trait in TRAITS:
            object.__setattr__(self, trait, getattr(self.averaged, trait))

    def item_advantages(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
        """Return how much better A is on each item, on average over the subsets."""
        return self._mean(gold, a, b, lambda *sides: (self.averaged.item_advantages(*sides),))[0]

    def scores(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores of A and of B with equally many runs."""
        if isinstance(self.averaged, ItemMetric):
            of_a, of_b = self.scores_by_item(gold, a, b)
            return np.asarray(of_a.mean(axis=-1)), np.asarray(of_b.mean(axis=-1))
        found = self._mean(gold, a, b, self._alone)
        return np.asarray(found[0].mean(axis=-1)), np.asarray(found[1].mean(axis=-1))

    def scores_by_item(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, ...]:
        """Return the scores of A and of B on each item; none for a metric that exists only between two models."""
        if not isinstance(self.averaged, ItemMetric):
            return ()
        inner = self.averaged
        return self._mean(gold, a, b, lambda g, *sides: tuple(inner.item_scores(g, side) for side in sides))

    def score(self, gold: FloatArray, model: FloatArray) -> FloatArray:
        """Refuse: how many runs count depends on the other model."""
        raise ArgumentError(f"metric {self.name!r} of equally many runs needs two models.")

    def titled(self, n_runs: set[int]) -> str:
        """Return the title for the smallest number of runs."""
        return self.averaged.titled({min(n_runs)})

    def notes(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> list[str]:
        """Return the notes of the metric itself."""
        return self.averaged.notes(*(self._summary(side) for side in (gold, a, b)))

    def _alone(self, gold: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, ...]:
        """Return the scores of A and of B against each other on each item, as of data sets of one item."""
        axis = -1 if self.averaged.needs == "means" else -2
        return self.averaged.scores(*(np.expand_dims(side, axis) for side in (gold, a, b)))

    def _mean(self, gold: FloatArray, a: FloatArray, b: FloatArray, score: Any) -> tuple[FloatArray, ...]:
        """Return what `score` gives on each item, averaged over the subsets of the side with more runs."""
        lead = np.broadcast_shapes(*(side.shape[:-1] for side in (gold, a, b)))
        gold, a, b = (
            np.broadcast_to(side, lead + side.shape[-1:]).reshape(-1, side.shape[-1]) for side in (gold, a, b)
        )
        counts = np.stack([np.count_nonzero(~np.isnan(side), axis=-1) for side in (a, b)], axis=-1)
        most = max(len(subsets(int(sizes.max()), int(sizes.min()))) for sizes in np.unique(counts, axis=0))
        width = 1 if self.averaged.needs == "means" else max(len(self.scale.levels), int(counts.max()))
        step = max(1, CELLS // (most * width))
        found: list[FloatArray] = []
        for low in range(0, len(a), step):
            part = slice(low, low + step)
            of_a, of_b, own = _sets_of_runs(counts[part])
            sides = _taken(a[part], of_a), _taken(b[part], of_b)
            scored = score(*(self._summary(side) for side in (gold[part], *sides)))
            found = found or [np.empty(len(a)) for _ in scored]
            for whole, values in zip(found, scored, strict=True):
                whole[part] = np.where(own, values, 0.0).sum(axis=0) / own.sum(axis=0)
        return tuple(whole.reshape(lead) for whole in found)

    def _summary(self, values: FloatArray) -> FloatArray:
        """Return the summary that the metric itself needs of runs on the last axis."""
        needs = self.averaged.needs
        if needs == "means":
            return np.asarray(np.nanmean(values, axis=-1))
        if needs == "counts":
            n_levels, lead = len(self.scale.levels), values.shape[:-1]
            rows, runs = np.nonzero(~np.isnan(flat := values.reshape(-1, values.shape[-1])))
            cells = rows * n_levels + self.scale.codes(flat[rows, runs])
            counted = np.bincount(cells, minlength=len(flat) * n_levels).astype(np.float64)
            return counted.reshape(*lead, n_levels)
        return np.sort(values, axis=-1) if needs == "sorted" else values


def _sets_of_runs(counts: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
    """Return the sets of runs of A and of B (items × sets × runs), and which of them an item is scored by.

    The side with fewer runs has all of them in every set. −1 stands for no run, as where an item has fewer.
    """
    n_items, n_runs = len(counts), int(counts.max())
    kinds = np.unique(counts, axis=0)
    n_sets = max(len(subsets(int(sizes.max()), int(sizes.min()))) for sizes in kinds)
    chosen = np.full((2, n_items, n_sets, n_runs), -1)
    is_own = np.zeros((n_sets, n_items), dtype=bool)
    for sizes in kinds:
        items = np.flatnonzero((counts == sizes).all(axis=1))
        k = int(sizes.min())
        sets = [subsets(int(n), k) for n in sizes]
        n_own = max(map(len, sets))
        is_own[:n_own, items] = True
        for side, own in enumerate(sets):
            chosen[side, items, :, :k] = own[0]
            chosen[side, items, :n_own, :k] = own
    return chosen[0], chosen[1], is_own


def _taken(values: FloatArray, sets: IntArray) -> FloatArray:
    """Return the responses of the sets of runs: sets × items × runs, NaN for no run."""
    padded = np.concatenate([values, np.full((len(values), 1), np.nan)], axis=1)
    return np.take_along_axis(padded[:, np.newaxis], np.where(sets < 0, values.shape[1], sets), axis=-1).swapaxes(0, 1)


@lru_cache(maxsize=256)
def subsets(n: int, k: int) -> IntArray:
    """Return the subsets of k of n runs, a row each: all of them, or `MOST` at random.

    Examples
    --------
    >>> subsets(3, 2).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    if math.comb(n, k) <= MOST:
        return np.array([*combinations(range(n), k)], dtype=np.int64)
    rng = np.random.default_rng([n, k])
    return np.sort(rng.random((MOST, n)).argsort(axis=1)[:, :k], axis=1)
