"""What needs no dice: the contrasts of all ways to swap few items, and those that remain without each item."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.contests import Contest
from assay.resampling.draws import Draws, summaries_of
from assay.resampling.responses_kept import kept_responses
from assay.resampling.sampler import CELLS, exchange
from assay.resampling.schemes import Scheme
from assay.resampling.scored_draws import ScoresDraws
from assay.scales import FloatArray


def enumerate_swaps(contest: Contest, metrics: Sequence[Any], *, scheme: Scheme) -> Draws:
    """Return the contrasts of all 2ᴺ ways to exchange A and B item by item; the first is the data as they are."""
    contest = kept_responses(contest, scheme)
    n = contest.n_items
    contrasts = np.empty((len(metrics), 2**n))
    for i, metric in enumerate(metrics):
        gold, a, b = summaries_of(contest, metric.needs)
        a, b = metric.swappable(gold, a, b)
        batch = max(1, CELLS // max(a.size, b.size))
        linear = metric.additive and not metric.ignores
        own, other = (metric.item_contrasts(gold, *sides) if linear else a for sides in ((a, b), (b, a)))
        for low in range(0, 2**n, batch):
            numbers = np.arange(low, min(low + batch, 2**n))
            swaps = (numbers[:, np.newaxis] >> np.arange(n)) % 2 == 1
            contrasts[i, numbers] = (
                np.where(swaps, other, own).mean(axis=-1)
                if linear
                else metric.contrast(gold, *exchange(a, b, swaps, metric.needs))
            )
    return Draws(contrasts, np.full_like(contrasts, np.nan), exact=True)


def jackknife(contest: Contest, metric: ScoresDraws) -> FloatArray:
    """Return the contrasts that remain when each item (each of 200 groups of items above 1,000) is left out."""
    n = contest.n_items
    if n < 2:
        return np.full(n, np.nan)
    gold, a, b = summaries_of(contest, metric.needs)
    n_groups = n if n <= 1000 else 200
    groups = np.arange(n) % n_groups
    batch = max(1, CELLS // max(a.size, b.size))
    left = np.empty(n_groups)
    # The first groups may have one item more: batches hold groups of one size.
    for first, last in ((0, n % n_groups), (n % n_groups, n_groups)):
        for low in range(first, last, batch):
            out = np.arange(low, min(low + batch, last))
            kept = np.nonzero(groups != out[:, np.newaxis])[1].reshape(out.size, -1)
            left[out] = metric.contrast(None if gold is None else gold[kept], a[kept], b[kept])
    return left
