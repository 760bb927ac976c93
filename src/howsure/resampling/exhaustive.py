"""What needs no dice: the advantages of all ways to swap few items, and those that remain without each item."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from howsure.data.contests import Contest
from howsure.data.scales import FloatArray, IntArray
from howsure.resampling.draws import Draws, summaries_of
from howsure.resampling.responses_kept import kept_responses
from howsure.resampling.sampler import CELLS, exchange
from howsure.resampling.schemes import Scheme
from howsure.resampling.scored_draws import ScoresDraws
from howsure.resampling.weights import WeightedAdvantages

EACH, N_GROUPS = 1000, 200
"""Up to so many items each is left out; more are left out in so many groups."""

FEW = 256
"""Of so many items, metrics of order are scored anew without each: it takes less time than to weigh them."""


def enumerate_swaps(contest: Contest, metrics: Sequence[Any], *, scheme: Scheme) -> Draws:
    """Return the advantages of all 2ᴺ ways to exchange A and B item by item; the first is the data as they are."""
    contest = kept_responses(contest, scheme)
    n = contest.n_items
    advantages = np.empty((len(metrics), 2**n))
    for i, metric in enumerate(metrics):
        gold, a, b = summaries_of(contest, metric.needs)
        a, b = metric.swappable(gold, a, b)
        batch = max(1, CELLS // max(a.size, b.size))
        linear = metric.additive and not metric.ignores
        own, other = (metric.item_advantages(gold, *sides) if linear else a for sides in ((a, b), (b, a)))
        for low in range(0, 2**n, batch):
            numbers = np.arange(low, min(low + batch, 2**n))
            swaps = (numbers[:, np.newaxis] >> np.arange(n)) % 2 == 1
            advantages[i, numbers] = (
                np.where(swaps, other, own).mean(axis=-1)
                if linear
                else metric.advantage(gold, *exchange(a, b, swaps, metric.needs))
            )
    return Draws(advantages, np.full_like(advantages, np.nan), exact=True)


def jackknife(contest: Contest, metric: ScoresDraws, clusters: IntArray | None = None) -> FloatArray:
    """Return the advantages that remain without each item (each of 200 groups of items above 1,000), or each cluster.

    `clusters` is the number of each item's cluster.
    """
    n = contest.n_items
    groups = np.arange(n) % (n if n <= EACH else N_GROUPS) if clusters is None else clusters
    sizes = np.bincount(groups)
    left = np.full(sizes.size, np.nan)
    if sizes.size < 2:
        return left
    score, width = _scorer_of_kept(metric, *summaries_of(contest, metric.needs))
    batch = max(1, CELLS // width)
    for size in np.unique(sizes):  # so that rows are equally long
        alike = np.flatnonzero(sizes == size)
        for out in np.split(alike, range(batch, alike.size, batch)):
            left[out] = score(groups != out[:, np.newaxis])
    return left


def _scorer_of_kept(metric: Any, gold: Any, a: FloatArray, b: FloatArray) -> tuple[Callable[[Any], FloatArray], int]:
    """Return what turns rows of kept items (True) into advantages, and how many numbers it needs for each row.

    Sums are added up and entries in order are weighed, as they are for draws; other metrics get the items themselves.
    """
    if getattr(metric, "by_sums", False):
        columns = metric.item_sums(gold, a, b)
        return lambda kept: metric.advantage_of_sums(kept.astype(np.float64) @ columns), len(a)
    if len(a) > FEW and getattr(metric, "by_weights", False):
        weighted = WeightedAdvantages(metric, gold, a, b, swap=False)
        return lambda kept: weighted.scored(kept.view(np.uint8)), len(a)

    def advantage(kept: Any) -> FloatArray:
        items = np.nonzero(kept)[1].reshape(len(kept), -1)
        return np.asarray(metric.advantage(None if gold is None else gold[items], a[items], b[items]))

    return advantage, max(a.size, b.size)
