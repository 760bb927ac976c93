"""Intervals of agreement over items and raters: what other items, judged by other raters, would have shown."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from assay import _random
from assay.inference import CombinedError, ConfidenceInterval
from assay.scales import FloatArray, IntArray

GROUPS = 20
"""Up to this many raters each is left out in turn; more are left out in this many groups."""

Coefficients = Callable[[FloatArray], Callable[[FloatArray], Mapping[str, FloatArray]]]
"""Takes raters (1 or 0: left out); returns a function from item weights (items × draws) to coefficients by name."""


def measure_errors(
    coefficients: Coefficients,
    *,
    n_items: int,
    n_raters: int,
    n_resamples: int,
    seed: np.random.SeedSequence,
    workers: int,
    clusters: IntArray | None = None,
    at_once: int = _random.BLOCK,
    progress: Callable[[int], object] | None = None,
) -> dict[str, CombinedError]:
    """Return the error of each coefficient: the part of raters (where it can be estimated), and the part of items.

    The variance of items is that of draws of items. The variance of raters comes from the coefficient without each
    rater in turn (a jackknife), less the part that is due to the items at hand: how far the coefficients without one
    rater move apart when items are drawn. Otherwise a rater's answers to single items would count twice, as they do
    when items and raters are drawn together.

    `clusters` is the number of each item's cluster, where whole clusters are drawn instead of items. `at_once` is for
    how many draws the coefficients are computed at a time. `progress` is told of `n_resamples` draws of items, and of
    as many again while raters are left out.
    """
    left_out = _left_out(n_raters, _random.generator(seed, "raters"))
    each = -(-n_resamples // len(left_out)) if left_out else 0
    once = np.ones((n_items, 1))
    of_item = np.arange(n_items) if clusters is None else clusters
    n_units = int(of_item.max()) + 1

    def measured(raters: FloatArray, n_draws: int, **how: Any) -> dict[str, FloatArray]:
        of = coefficients(raters)

        def block(number: int, start: int, stop: int) -> list[Mapping[str, FloatArray]]:
            return [of(items) for items in _item_weights(of_item, seed, number, stop - start, at_once)]

        parts = [of(once), *itertools.chain(*_random.map_blocks(block, n_draws, **how))]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def without(number: int, start: int, stop: int) -> dict[str, FloatArray]:
        found = measured(left_out[number], each, workers=1)
        if progress is not None:
            progress(stop * n_resamples // len(left_out) - start * n_resamples // len(left_out))
        return found

    whole = measured(np.ones(n_raters), n_resamples, workers=workers, progress=progress)
    others = _random.map_blocks(without, len(left_out), workers=workers, size=1)
    if progress is not None and not left_out:
        progress(n_resamples)
    corrected = n_units / max(1, n_units - 1)
    found = {}
    for name, (_, *draws) in whole.items():
        of_items = float(_variances(np.array(draws)) * corrected)
        error = CombinedError((of_items,), (max(1.0, n_units - 1.0),), n_resamples=n_resamples)
        known = np.array([other[name] for other in others if not np.isnan(other[name][0])])
        n = len(known)
        if n > 1:
            as_it_is, moved = known[:, 0], known[:, 1:].T
            moved = moved[~np.isnan(moved).any(axis=1)]
            by_items = _variances(moved - moved.mean(axis=1, keepdims=True)).sum() * corrected if moved.size else 0.0
            of_raters = (n - 1) / n * (np.square(as_it_is - as_it_is.mean()).sum() - by_items)
            variances = (max(0.0, float(of_raters)), *error.variances)
            error = CombinedError(variances, (n - 1.0, *error.dfs), n_resamples=n_resamples)
        found[name] = error
    return found


def fisher_interval(name: str, value: float, error: CombinedError, *, confidence_level: float) -> ConfidenceInterval:
    """Return the interval of a coefficient whose largest value is 1, from its error on Fisher's scale, artanh.

    Observed agreement lies between 0 and 1, and is stretched to −1 and 1 first.
    """
    low, high = (0.0, 1.0) if name == "agreement" else (-1.0, 1.0)
    share = (value - low) / (high - low) * 2 - 1
    if math.isnan(value) or not error.variance > 0 or not share < 1:
        return error.interval(math.nan, confidence_level=confidence_level)
    reach = error.half_width((1 - confidence_level) / 2) * 2 / (high - low)
    if share <= -1:  # correlations of means of raters have no lower bound
        ends = share - reach, min(1.0, share + reach)
    else:
        middle, reach = math.atanh(share), reach / (1 - share**2)
        ends = math.tanh(middle - reach), math.tanh(middle + reach)
    lower, upper = (low + (end + 1) / 2 * (high - low) for end in ends)
    return ConfidenceInterval(lower, upper, "t", confidence_level)


def _left_out(n_raters: int, rng: np.random.Generator) -> list[FloatArray]:
    """Return weights (1 or 0) that leave out each rater in turn, or each group of raters; none for two raters."""
    if n_raters < 3:
        return []
    group = np.arange(n_raters) if n_raters <= GROUPS else rng.permutation(n_raters) % GROUPS
    return [(group != number).astype(np.float64) for number in range(min(n_raters, GROUPS))]


def _item_weights(
    clusters: IntArray, seed: np.random.SeedSequence, block: int, n_draws: int, at_once: int
) -> Iterator[FloatArray]:
    """Yield how often each item counts in the draws of a block, some draws at a time: items × draws."""
    rng = _random.generator(seed, "agreement", block)
    n_units = int(clusters.max()) + 1
    for start in range(0, n_draws, at_once):
        weights = np.empty((clusters.size, min(at_once, n_draws - start)))
        for column in weights.T:
            column[:] = np.bincount(rng.integers(n_units, size=n_units), minlength=n_units)[clusters]
        yield weights


def _variances(draws: FloatArray) -> FloatArray:
    """Return the variance over draws (the first axis) of what is defined; NaN where nothing is."""
    known = ~np.isnan(draws)
    counts = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(known, draws, 0.0).sum(axis=0) / counts
        return np.asarray(np.where(known, np.square(draws - means), 0.0).sum(axis=0) / counts)
