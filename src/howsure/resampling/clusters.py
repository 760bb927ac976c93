"""Items that come in clusters (sentences of a document): whole clusters are drawn, and whole clusters are swapped.

A mean over items needs no more than the sums of each cluster: its draws are sums over drawn clusters.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure import _random
from howsure.data.contests import Contest
from howsure.data.scales import FloatArray, IntArray
from howsure.resampling._plain import seed_stream
from howsure.resampling.draws import ALONE, WORK, Draws, Progress, block_size, summaries_of
from howsure.resampling.sampler import exchange
from howsure.resampling.seeds import SeedArray
from howsure.resampling.sums import ItemSums, SummedAdvantages
from howsure.resampling.weights import WeightedAdvantages, draw_weights

LEAST, MOST_ITEMS = 32, 2**24
"""The fewest draws that are scored at a time; the most items of a draw whose ranks fit into a word."""


def cluster_sums(advantages: FloatArray, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the sum of the item advantages and the number of items of each cluster."""
    return np.bincount(clusters, advantages).astype(np.float64), np.bincount(clusters).astype(np.float64)


def ratio_error(sums: FloatArray, sizes: FloatArray) -> Any:
    """Return the standard error of a mean over items when whole clusters are sampled; the last axis is clusters.

    A cluster pulls the mean towards its own items, by its share of them, so that its residual is too small. Dividing
    its square by one minus the share mends that (CR2, Bell and McCaffrey 2002); of equal clusters it is the usual
    n / (n − 1).

    Examples
    --------
    >>> round(ratio_error(np.array([1.0, 2.0, 6.0]), np.ones(3)), 6), round((7 / 3) ** 0.5, 6)
    (1.527525, 1.527525)
    """
    if sums.shape[-1] < 2:
        return np.full(sums.shape[:-1], np.nan) if sums.ndim > 1 else math.nan
    total = sizes.sum(axis=-1, keepdims=True)
    shares = sizes / total
    rest = sums / total - shares * sums.sum(axis=-1, keepdims=True) / total
    error = np.sqrt(np.sum(np.square(rest) / (1 - shares), axis=-1))
    return error if error.ndim else float(error)


def cluster_df(sizes: FloatArray) -> Any:
    """Return the degrees of freedom of `ratio_error`: one less than clusters if these are equally large, else fewer.

    They are those of the χ² distribution with the same mean and variance, if items are independent (Bell and McCaffrey
    2002; Pustejovsky and Tipton 2018): with one cluster of half of the items, hardly more than three.

    Examples
    --------
    >>> round(cluster_df(np.full(12, 5.0)), 2), round(cluster_df(np.array([11.0, *np.ones(11)])), 2)
    (11.0, 3.37)
    """
    if sizes.shape[-1] < 2:
        return np.full(sizes.shape[:-1], np.nan) if sizes.ndim > 1 else math.nan
    shares = sizes / sizes.sum(axis=-1, keepdims=True)
    products = np.square(shares) / (1 - shares)
    df = 1 / (np.square(shares).sum(axis=-1) + products.sum(axis=-1) ** 2 - np.square(products).sum(axis=-1))
    return df if df.ndim else float(df)


def draw_clusters(
    contest: Contest,
    metrics: Sequence[Any],
    clusters: IntArray,
    *,
    swap: bool,
    n_resamples: int,
    seed: np.random.SeedSequence,
    workers: int = 1,
    progress: Progress | None = None,
) -> Draws:
    """Draw advantages: clusters drawn with replacement or, with `swap`, A and B exchanged cluster by cluster."""
    linear = [i for i, metric in enumerate(metrics) if metric.additive]
    means = _Means(contest, [metrics[i] for i in linear], clusters, swap=swap, n_draws=n_resamples) if linear else None
    others = {
        i: _advantages(metric, summaries_of(contest, metric.needs), clusters, swap=swap, n_draws=n_resamples)
        for i, metric in enumerate(metrics)
        if i not in linear
    }
    advantages, errors = np.full((2, len(metrics), n_resamples), np.nan)
    key = np.uint64(_random.key(seed, "swapped-clusters" if swap else "clusters"))

    def block(_: int, start: int, stop: int) -> None:
        part = slice(start, stop)
        seeds = seed_stream(key, 1, 0, start, stop)
        if means is not None:
            advantages[linear, part], errors[linear, part] = means.of(seeds)
        for i, other in others.items():
            advantages[i, part] = other.of(seeds)

    size = n_resamples
    if others:
        size = block_size(n_resamples, WORK["summaries"] // contest.n_items, workers, LEAST)
    elif means is not None and means.sums.compiled:
        size = block_size(n_resamples, WORK["signed sums" if swap else "sums"] // means.sums.columns.size, workers)
    if contest.n_items < ALONE and any(isinstance(other, _OneByOne) for other in others.values()):
        workers = 1
    _random.map_blocks(block, n_resamples, workers=workers, progress=progress, size=size)
    return Draws(advantages, errors)


def enumerate_cluster_swaps(contest: Contest, metrics: Sequence[Any], clusters: IntArray) -> Draws:
    """Return the advantages of all ways to exchange A and B cluster by cluster; the first is the data as they are."""
    n_clusters = int(clusters.max()) + 1
    coins = (np.arange(2**n_clusters)[:, np.newaxis] >> np.arange(n_clusters)) % 2
    advantages = np.empty((len(metrics), len(coins)))
    for i, metric in enumerate(metrics):
        gold, a, b = summaries_of(contest, metric.needs)
        if metric.additive:
            sums, sizes = cluster_sums(metric.item_advantages(gold, a, b), clusters)
            advantages[i] = (1.0 - 2.0 * coins) @ sums / sizes.sum()
        else:
            swapped = metric.swappable(gold, a, b)
            advantages[i] = _OneByOne(metric, gold, *swapped, swap=True, clusters=clusters).scored(coins)
    return Draws(advantages, np.full_like(advantages, np.nan), exact=True)


class _Means:
    """Means over the items of drawn clusters, or with random signs for each cluster: of several metrics at once."""

    def __init__(
        self, contest: Contest, metrics: Sequence[Any], clusters: IntArray, *, swap: bool, n_draws: int
    ) -> None:
        found = np.array([metric.item_advantages(*summaries_of(contest, metric.needs)) for metric in metrics])
        self.swap, self.sizes = swap, np.bincount(clusters).astype(np.float64)
        # Squares about the data's mean: about zero, a small spread would be lost in the rounding of large squares.
        self.centres = found.mean(axis=1, keepdims=True) * (not swap)
        sums = np.array([np.bincount(clusters, each) for each in found - self.centres])
        columns = sums if swap else np.array([self.sizes, self.sizes**2, *sums, *np.square(sums), *sums * self.sizes])
        self.sums = ItemSums(np.ascontiguousarray(columns.T), swap=swap, n_draws=n_draws, alone=False)

    def of(self, seeds: SeedArray) -> tuple[FloatArray, FloatArray]:
        """Return advantages and their standard errors, metrics × draws; swapped ones have none."""
        drawn, n = self.sums.of(seeds).T, self.sizes.size
        if self.swap:
            return drawn / self.sizes.sum(), np.full(drawn.shape, np.nan)
        n_items, squared_sizes = drawn[:2]
        sums, squares, products = drawn[2:].reshape(3, len(self.centres), -1)
        moved = sums / n_items
        spread = squares - 2 * moved * products + moved**2 * squared_sizes
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.centres + moved, np.sqrt(np.maximum(spread, 0.0) * n / (n - 1)) / n_items


def _advantages(metric: Any, known: tuple[Any, ...], clusters: IntArray, *, swap: bool, n_draws: int) -> Any:
    """Return what turns seeds into advantages of a metric that is no mean over items."""
    if getattr(metric, "by_sums", False):
        return SummedAdvantages(metric, *known, swap=swap, n_draws=n_draws, alone=False, clusters=clusters)
    gold, a, b = known
    if swap:
        a, b = metric.swappable(gold, a, b)
    largest_draw = np.bincount(clusters).max() * (clusters.max() + 1)
    if getattr(metric, "by_weights", False) and largest_draw <= MOST_ITEMS:
        return WeightedAdvantages(metric, gold, a, b, swap=swap, clusters=clusters)
    return _OneByOne(metric, gold, a, b, swap=swap, clusters=clusters)


class _OneByOne:
    """Advantages of any metric: items are written out as often as their cluster is drawn, or swapped with it."""

    def __init__(self, metric: Any, gold: Any, a: FloatArray, b: FloatArray, *, swap: bool, clusters: IntArray) -> None:
        self.metric, self.sides, self.swap, self.clusters = metric, (gold, a, b), swap, clusters

    def of(self, seeds: SeedArray) -> FloatArray:
        """Return one advantage for each seed."""
        return self.scored(draw_weights(int(self.clusters.max()) + 1, seeds, swap=self.swap))

    def scored(self, weights: npt.NDArray[np.integer]) -> FloatArray:
        """Return one advantage for each row of weights, or of coins, of the clusters."""
        found = np.empty(len(weights))
        gold, a, b = self.sides
        for d in range(len(weights)):
            row = weights[d, self.clusters]
            if self.swap:
                drawn = [gold, *exchange(a, b, row == 1, self.metric.needs)]
            else:
                drawn = _rows(self.sides, np.repeat(np.arange(row.size), row))
            found[d] = float(self.metric.advantage(*drawn))
        return found


def _rows(known: tuple[Any, ...], items: IntArray) -> list[Any]:
    return [None if side is None else side[items] for side in known]
