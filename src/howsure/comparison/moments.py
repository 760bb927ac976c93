"""What the data show before anything is resampled: rounding, item advantages, standard errors, effect sizes.

Functions of a stack have a row for each of its data sets.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from howsure import inference
from howsure.comparison.results import EffectSizes, ItemScores
from howsure.data.contests import Contest
from howsure.data.responses import Labels, frozen
from howsure.data.scales import FloatArray, IntArray
from howsure.intervals import FEW_TELLING
from howsure.metrics import AdditiveMetric, Metric
from howsure.resampling import Stack, cluster_df, cluster_sums, jackknife, ratio_error, summaries_of


class Moments(NamedTuple):
    """How certain each advantage is, by its items: its standard error, degrees of freedom, and the jackknife."""

    errors: FloatArray
    df: FloatArray
    jackknife: FloatArray


def roundings_of(metric: Metric, contest: Contest, starts: IntArray) -> FloatArray:
    """Return how far apart two advantages may be that are equal on paper, for each run of items between two starts.

    Errors are small differences of responses that may be large: 1000.3 − 1000.1 and 1000.2 − 1000.0 differ by 1e-13.
    Whole numbers that a double holds have exact differences (IEEE 754), so that only the size of these counts, however
    large the numbers are; the mean of several of them is rounded once.
    """
    eps, sources = float(np.finfo(np.float64).eps), list(contest.sources.values())
    unitless = metric.needs == "counts" or metric.ignores
    largest = np.max([np.maximum.reduceat(np.abs(each.values), each.offsets[starts[:-1]]) for each in sources], axis=0)
    if not all(each.weights is None and bool((each.values == np.rint(each.values)).all()) for each in sources):
        return np.asarray(100 * eps * (np.maximum(largest, 1.0) if unitless else largest))
    if unitless:
        return np.full(largest.shape, 100 * eps)
    low, high = np.full((2, contest.n_items), np.inf)
    for each in sources:
        np.minimum.at(low, each.items, each.values)
        np.minimum.at(high, each.items, -each.values)
    spread = np.where(np.isinf(low), 0.0, -high - low)  # of the responses to an item; a leaderboard has empty ones
    exact = 100 * eps * np.maximum.reduceat(spread, starts[:-1])
    n_most = max(int(each.sizes.max()) for each in sources)
    if n_most == 1:
        return np.asarray(exact)
    # A quotient is off by eps / 2 of itself; a sum beyond 2^53, by as much for each number that is added (Higham 2002,
    # eq. 4.4). Each of two advantages has two such means.
    return np.asarray(exact + 2 * eps * largest * np.where(n_most * largest > 2.0**53, n_most, 1))


def rounding_of(metric: Metric, contest: Contest) -> float:
    """Return the same for all items of a contest."""
    return float(roundings_of(metric, contest, np.array([0, contest.n_items]))[0])


def snapped_to_observed(
    advantages: FloatArray, observed: float | FloatArray, rounding: float | FloatArray
) -> FloatArray:
    """Return the advantages; those that differ from the observed one only by rounding are made equal to it."""
    return frozen(np.where(np.abs(advantages - observed) <= rounding, observed, advantages))


def moments(metric: Metric, seen: Stack, rounding: FloatArray, clusters: IntArray | None) -> Moments:
    """Return the moments of each data set; clusters take the place of items where there are any, in one data set.

    The error is that of the item advantages where there are any, else the metric's own formula, else the jackknife's.
    """
    if isinstance(metric, AdditiveMetric):
        if clusters is None:
            return _of_means(seen.item_advantages(metric), rounding)
        sums, sizes = cluster_sums(seen.item_advantages(metric)[0], clusters)
        left = (sums.sum() - sums) / (sizes.sum() - sizes)
        return Moments(np.array([ratio_error(sums, sizes)]), np.array([cluster_df(sizes)]), left[np.newaxis])
    rows = []
    left_out_of_each = jackknife(seen, metric, clusters)
    for contest, slack, left in zip(seen.contests, rounding.tolist(), left_out_of_each, strict=True):
        formula = metric.error(*summaries_of(contest, metric.needs)) if clusters is None else None
        own_df = left.size - 1.0 if clusters is None else cluster_df(np.bincount(clusters).astype(np.float64))
        own_df = own_df if clusters is not None else min(own_df, _df_of_ties(contest))
        rows.append((*(formula or (_jackknife_error(left, slack), own_df)), left))
    errors, df, left_out = zip(*rows, strict=True)
    return Moments(np.array(errors), np.array(df), np.stack(left_out))


def _df_of_ties(contest: Contest) -> float:
    """Return one less than the number of items on which A and B differ, where that is small; else no limit.

    Items that tie do not show how much others differ. Means of item scores have the same rule (`intervals.Symmetric`).
    """
    sums = [
        [np.add.reduceat(values, side.offsets[:-1]) / side.sizes for values in (side.values, np.square(side.values))]
        for side in (contest.a, contest.b)
    ]
    differ = int(np.any(np.array(sums[0]) != np.array(sums[1]), axis=0).sum())
    return max(1.0, differ - 1.0) if 0 < differ < FEW_TELLING else math.inf


def _of_means(advantages: FloatArray, rounding: FloatArray) -> Moments:
    n_rows, n = advantages.shape
    if n < 2:
        unknown = np.full(n_rows, np.nan)
        return Moments(unknown, unknown, np.full(advantages.shape, np.nan))
    spread = np.where(np.ptp(advantages, axis=1) <= rounding, 0.0, advantages.std(axis=1, ddof=1))
    left = (advantages.sum(axis=1, keepdims=True) - advantages) / (n - 1)
    return Moments(spread / math.sqrt(n), np.full(n_rows, n - 1.0), left)


def _jackknife_error(left: FloatArray, rounding: float) -> float:
    """Return the jackknife's standard error; 0 where leaving out an item changes nothing, NaN where it is undefined."""
    if left.size < 2 or np.isnan(left).any():
        return math.nan
    if np.ptp(left) <= rounding:
        return 0.0
    return math.sqrt((left.size - 1) / left.size * float(np.square(left - left.mean()).sum()))


def item_advantages(metric: Metric, contest: Contest) -> FloatArray | None:
    """Return how much better A is than B on each item, 0 where that is rounding; None without item scores."""
    if not isinstance(metric, AdditiveMetric):
        return None
    found = metric.item_advantages(*summaries_of(contest, metric.needs))
    return snapped_to_observed(found, 0.0, rounding_of(metric, contest))


def item_scores(metric: Metric, gold: Any, a: FloatArray, b: FloatArray, items: Labels) -> ItemScores | None:
    """Return what each item says; None for a metric without item scores."""
    if not isinstance(metric, AdditiveMetric):
        return None
    advantages = np.asarray(metric.item_advantages(gold, a, b))
    of_a, of_b = metric.scores_by_item(gold, a, b) or (np.empty(0), np.empty(0))
    return ItemScores(items, advantages, np.asarray(of_a), np.asarray(of_b))


def effects(metric: Metric, gold: Any, a: FloatArray, b: FloatArray) -> EffectSizes:
    """Return the effect sizes of a metric with item scores; NaN for the others."""
    if not isinstance(metric, AdditiveMetric):
        return EffectSizes()
    scores = metric.scores_by_item(gold, a, b)
    advantages = metric.item_advantages(gold, a, b)
    delta = float(inference.cliffs_delta(*scores)) if scores else math.nan
    return EffectSizes(
        float(inference.cohen_dz(advantages)),
        float(inference.hedges_g(advantages)),
        float(inference.win_rate(advantages)),
        -delta if metric.better == "lower" else delta,
    )
