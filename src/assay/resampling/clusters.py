"""Items that come in clusters (sentences of a document): whole clusters are drawn, and whole clusters are swapped."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay import _random
from assay.contests import Contest
from assay.resampling.draws import Draws, Progress, ScoresDraws, summaries_of
from assay.resampling.sampler import exchange
from assay.scales import FloatArray, IntArray


def cluster_sums(contrasts: FloatArray, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the sum of the item contrasts and the number of items of each cluster."""
    return np.bincount(clusters, contrasts).astype(np.float64), np.bincount(clusters).astype(np.float64)


def ratio_error(sums: FloatArray, sizes: FloatArray) -> float:
    """Return the standard error of a mean over items when whole clusters are sampled."""
    if sums.size < 2:
        return float("nan")
    rest = sums - sizes * sums.sum() / sizes.sum()
    return float(np.sqrt(sums.size / (sums.size - 1) * (rest @ rest)) / sizes.sum())


def draw_clusters(
    contest: Contest,
    metrics: Sequence[ScoresDraws],
    clusters: IntArray,
    *,
    swap: bool,
    n_resamples: int,
    seed: np.random.SeedSequence,
    workers: int = 1,
    progress: Progress | None = None,
) -> Draws:
    """Draw contrasts: clusters drawn with replacement or, with `swap`, A and B exchanged cluster by cluster."""
    from assay.resampling import _kernels, _rater_kernels

    known = [summaries_of(contest, metric.needs) for metric in metrics]
    scores = [_item_contrasts(metric, side) for metric, side in zip(metrics, known, strict=True)]
    n_clusters = int(clusters.max()) + 1
    order = np.argsort(clusters, kind="stable")
    starts = np.searchsorted(clusters[order], np.arange(n_clusters))
    of_cluster = np.split(order, starts[1:])

    def block(number: int, start: int, stop: int) -> tuple[FloatArray, FloatArray]:
        purpose = "swapped-clusters" if swap else "clusters"
        seeds = _random.generator(seed, purpose, number).integers(2**64, size=stop - start, dtype=np.uint64)
        contrasts = np.full((len(metrics), stop - start), np.nan)
        errors = np.full_like(contrasts, np.nan)
        if swap:
            coins = _kernels.draw_swaps(n_clusters, seeds)
            for i, metric in enumerate(metrics):
                contrasts[i] = _swapped(metric, known[i], coins, clusters)
            return contrasts, errors
        weights = _rater_kernels.draw_weights(n_clusters, seeds)
        for i, metric in enumerate(metrics):
            item_contrasts = scores[i]
            if item_contrasts is not None:
                contrasts[i], errors[i] = _ratios(weights, item_contrasts, clusters)
                continue
            for d in range(stop - start):
                drawn = np.concatenate([of_cluster[c] for c in np.repeat(np.arange(n_clusters), weights[d])])
                contrasts[i, d] = float(metric.contrast(*_rows(known[i], drawn)))
        return contrasts, errors

    parts = _random.map_blocks(block, n_resamples, workers=workers, progress=progress, width=contest.n_items)
    contrasts, errors = (np.concatenate(side, axis=1) for side in zip(*parts, strict=True))
    return Draws(contrasts, errors)


def enumerate_cluster_swaps(contest: Contest, metrics: Sequence[ScoresDraws], clusters: IntArray) -> Draws:
    """Return the contrasts of all ways to exchange A and B cluster by cluster; the first is the data as they are."""
    n_clusters = int(clusters.max()) + 1
    coins = (np.arange(2**n_clusters)[:, np.newaxis] >> np.arange(n_clusters)) % 2 == 1
    contrasts = np.stack([_swapped(metric, summaries_of(contest, metric.needs), coins, clusters) for metric in metrics])
    return Draws(contrasts, np.full_like(contrasts, np.nan), exact=True)


def cluster_jackknife(contest: Contest, metric: ScoresDraws, clusters: IntArray) -> FloatArray:
    """Return the contrasts that remain when each cluster is left out."""
    known = summaries_of(contest, metric.needs)
    return np.array(
        [float(metric.contrast(*_rows(known, np.flatnonzero(clusters != c)))) for c in range(int(clusters.max()) + 1)]
    )


def _item_contrasts(metric: Any, known: tuple[Any, ...]) -> FloatArray | None:
    return metric.item_contrasts(*known) if metric.additive else None


def _swapped(metric: Any, known: tuple[Any, ...], coins: Any, clusters: IntArray) -> FloatArray:
    gold, a, b = known
    if metric.additive:
        sums, sizes = cluster_sums(metric.item_contrasts(gold, a, b), clusters)
        return np.asarray((1.0 - 2.0 * coins) @ sums / sizes.sum())
    a, b = metric.swappable(gold, a, b)
    found = np.empty(coins.shape[0])
    for d in range(coins.shape[0]):
        found[d] = float(metric.contrast(gold, *exchange(a, b, coins[d, clusters], metric.needs)))
    return found


def _ratios(weights: IntArray, contrasts: FloatArray, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean over the items of the drawn clusters, and its standard error, for each draw."""
    centre = contrasts.mean()
    sums, sizes = cluster_sums(contrasts - centre, clusters)
    n_items = weights @ sizes
    moved = weights @ sums / n_items
    squares = weights @ np.square(sums) - 2 * moved * (weights @ (sums * sizes)) + moved**2 * (weights @ sizes**2)
    n = sums.size
    with np.errstate(invalid="ignore", divide="ignore"):
        return centre + moved, np.sqrt(np.maximum(squares, 0.0) * n / (n - 1)) / n_items


def _rows(known: tuple[Any, ...], items: IntArray) -> list[Any]:
    return [None if side is None else side[items] for side in known]
