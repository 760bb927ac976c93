"""The interval of one model's score, and those of differences of shares: the same for `score` and for leaderboards."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from howsure.data.scales import FloatArray, IntArray, Scale
from howsure.inference.estimate import ConfidenceInterval
from howsure.inference.evidence import Evidence
from howsure.inference.proportions import effective_wilson
from howsure.intervals import INTERVALS, are_signs, score
from howsure.intervals.direct import enough, won_and_lost
from howsure.leaderboards.pairs import Findings, PairSettings
from howsure.metrics import ItemMetric, Metric
from howsure.resampling import cluster_df, ratio_error

FEW = 30
"""With so few items or clusters, Student's interval of skewed scores is too short (docs/evidence/runs.md)."""

FEW_GRADED = 20
"""With fewer items, Wilson's interval of several runs or of pass@k may cover 91.9% (15 items); with 25, 93.5%."""

AT_ONCE = 2**22
"""So many differences of item scores are in memory at a time (32 MB)."""

Part = tuple[float, FloatArray, IntArray | None]
"""The weight of a task, the item scores there (items, or items × models), and the cluster of each item."""


def score_bounds(metric: Metric, scale: Scale) -> tuple[float, float]:
    """Return the range of a score: a mean rating is on the scale, errors are not below 0, shares between 0 and 1."""
    if metric.gold_free and scale.levels and scale.is_numeric:
        passes = set(scale.levels) <= {0.0, 0.5, 1.0}  # also where every run of these data passes
        return (0.0, 1.0) if passes else (min(scale.levels), max(scale.levels))
    return metric.bounds


def is_share(metric: Metric, bounds: tuple[float, float]) -> bool:
    """Whether a score is a mean of item scores between 0 and 1."""
    return isinstance(metric, ItemMetric) and bounds == (0.0, 1.0)


def mean_interval(
    items: FloatArray,
    mean: float,
    clusters: IntArray | None,
    level: float,
    bounds: tuple[float, float],
    *,
    share: bool | None = None,
) -> ConfidenceInterval:
    """Return the interval of a mean of item scores (or of jackknife pseudo-values); see `score_interval`.

    Examples
    --------
    >>> print(mean_interval(np.array([1.0, 1.0, 0.0, 1.0]), 0.75, None, 0.95, (0.0, 1.0)))
    95% CI 0.30 to 0.95 (wilson)
    """
    return score_interval([(1.0, items, clusters)], mean, level, bounds, share=share)


def score_interval(
    parts: Sequence[Part], mean: float, level: float, bounds: tuple[float, float], *, share: bool | None = None
) -> ConfidenceInterval:
    """Return the interval of a weighted mean over tasks of mean item scores, within the range of the score.

    Of shares it is Wilson's with the effective number of items. Of other scores it is Student's, with Edgeworth's
    correction where items are many, and with the cluster-robust error where they come in clusters.

    Parameters
    ----------
    parts : sequence of (weight, item scores, clusters)
        One for each task; a score without tasks has one part of weight 1.
    mean : float
    level : float
    bounds : tuple of float
    share : bool, optional
        Whether items score between 0 and 1. By default, whether the bounds are these.
    """
    if any(items.size < 2 for _, items, _ in parts) or any(np.isnan(items).any() for _, items, _ in parts):
        why = "there is one item" if any(items.size < 2 for _, items, _ in parts) else "an item has no score"
        return ConfidenceInterval(math.nan, math.nan, "t", level, (f"The interval is undefined: {why}.",))
    clustered = any(clusters is not None for *_, clusters in parts)
    units = sum(items.size if clusters is None else np.unique(clusters).size for _, items, clusters in parts)
    few = (f"{units} {'clusters' if clustered else 'items'} are few: if scores are skewed, the interval is too short.",)
    columns: list[Part] = [(weight, items[:, np.newaxis], clusters) for weight, items, clusters in parts]
    if bounds == (0.0, 1.0) if share is None else share:
        low, high = _share_limits(columns, np.array([mean]), level, bounds)
        graded = not all(np.isin(items, (0.0, 1.0)).all() for _, items, _ in parts)
        most = FEW if clustered else FEW_GRADED if graded else 0
        return ConfidenceInterval(float(low[0]), float(high[0]), "wilson", level, few if units <= most else ())
    variance, _, df = moments(columns)
    if not variance[0] > 0:
        same = "The interval is undefined: all items have the same score, so how much scores vary is unknown."
        return ConfidenceInterval(math.nan, math.nan, "t", level, (same,))
    method, jackknife = "t", np.empty((1, 0))
    if len(parts) == 1:
        _, items, clusters = parts[0]
        method = "edgeworth" if clusters is None and enough(items, level, "two-sided") else "t"
        jackknife = ((items.sum() - items) / (items.size - 1))[np.newaxis]
    known = Evidence(np.array([mean]), errors=np.sqrt(variance), df=df, jackknife=jackknife)
    found = INTERVALS[method].limits(known, level)
    notes = found.notes or (few if units <= FEW else ())
    return ConfidenceInterval(max(found.low, bounds[0]), min(found.high, bounds[1]), method, level, notes)


def with_score_intervals(
    found: Findings,
    parts: Sequence[Part],
    names: Sequence[str],
    settings: PairSettings,
    *,
    metric: Metric,
    bounds: tuple[float, float],
    share: bool,
) -> tuple[Findings, list[str]]:
    """Return the findings with the interval that `score` gives each model, and notes on them.

    `share` says whether parts have item scores between 0 and 1.

    Differences of shares get an interval within −1 and 1. All of them hold together at Bonferroni's level: resampling
    cannot tell how far they have to reach where few items tell two models apart.
    """
    sign = 1.0 if metric.better == "higher" else -1.0
    ends = [
        score_interval(
            [(weight, sign * items[:, j], clusters) for weight, items, clusters in parts],
            float(sign * found.scores[j]),
            settings.level,
            bounds,
            share=share,
        )
        for j in range(found.scores.size)
    ]
    low, high = np.array([(one.low, one.high) if sign > 0 else (-one.high, -one.low) for one in ends]).T
    found = replace(found, score_low=low, score_high=high)
    # What concerns every model is said once; an undefined interval is said of its model.
    notes = []
    for name, one in zip(names, ends, strict=True):
        notes += [f"{name}: {note}" if math.isnan(one.low) else note for note in one.notes]
    if not share:
        return found, notes
    pairs, tail = settings.pairs, 1 - settings.level
    n_pairs, n_models = pairs.first.size, found.scores.size

    def limits(n_questions: int) -> tuple[FloatArray, FloatArray]:
        level = 1 - tail / n_questions
        return difference_limits(parts, pairs.first, pairs.second, found.advantages, level)

    low, high = limits(n_pairs)
    # The rank of one model depends on its own pairs only.
    own_low, own_high = (low, high) if pairs.baseline is not None else limits(n_models - 1)
    arms = np.where(found.advantages > 0, found.advantages - own_low, own_high - found.advantages)
    return replace(found, low=low, high=high, marginal=np.stack([arms, arms])), notes


def difference_limits(
    parts: Sequence[Part], first: IntArray, second: IntArray, differences: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the limits, within −1 and 1, of the differences of two shares each: models `first` minus `second`.

    Tango's (1998) where each item says 1, 0 or −1, as `compare` gives it; else Wilson's with the effective number of
    items, of the differences of item scores.
    """
    low, high = np.empty((2, first.size))
    n = sum(items.shape[0] for _, items, _ in parts)
    signs_only = len(parts) == 1 and parts[0][2] is None
    for start in range(0, first.size, max(1, AT_ONCE // n)):
        some = slice(start, start + max(1, AT_ONCE // n))
        columns: list[Part] = [
            (weight, items[:, first[some]] - items[:, second[some]], clusters) for weight, items, clusters in parts
        ]
        low[some], high[some] = _share_limits(columns, differences[some], level, (-1.0, 1.0))
        if signs_only:
            rows = np.ascontiguousarray(columns[0][1].T)
            largest = np.abs(rows).max(axis=1)
            # Equal sizes that are not 1, such as one run in five, are not the shares of Tango's test.
            signs = np.flatnonzero(are_signs(rows, span=1.0) & ((largest == 0) | (largest == 1)))
            counts, which = np.unique(won_and_lost(rows[signs]), axis=1, return_inverse=True)
            for number, (won, lost) in enumerate(counts.T.tolist()):
                of_one = np.repeat([1.0, -1.0, 0.0], [won, lost, n - won - lost])
                ends = score(of_one, span=1.0, confidence_level=level)
                places = start + signs[which == number]
                low[places], high[places] = ends.low, ends.high
    return low, high


def _share_limits(
    parts: Sequence[Part], means: FloatArray, level: float, bounds: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's limits by the effective number of items, for each column of the item scores."""
    variance, n, df = moments(parts)
    clustered = any(clusters is not None for *_, clusters in parts)
    return effective_wilson(means, variance, n, bounds=bounds, df=df if clustered else math.inf, confidence_level=level)


def moments(parts: Sequence[Part]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the variance of each column's weighted mean, its number of independent items, and degrees of freedom.

    Items of a cluster repeat each other: n items count as n / deff, where the design effect (Kish 1965) is the ratio of
    the variance by clusters to that of as many independent items. It is at least 1, and at most what it would be if all
    items of a cluster were equal. Degrees of freedom of several tasks are those of Satterthwaite (1946).
    """
    variance, per_item, spread = (np.zeros(parts[0][1].shape[1]) for _ in range(3))
    total_df = 0.0
    for weight, items, clusters in parts:
        n = items.shape[0]
        rest = items - items.mean(axis=0)
        alone = np.square(rest).sum(axis=0) / (n * (n - 1))
        own, number, df = alone, np.full(alone.size, float(n)), n - 1.0
        if clusters is not None:
            codes = np.unique(clusters, return_inverse=True)[1]
            sizes = np.bincount(codes).astype(np.float64)
            if sizes.size < 2:
                return np.full(alone.size, np.nan), np.full(alone.size, 1.0), np.full(alone.size, np.nan)
            shares = sizes / n
            sums = np.zeros((sizes.size, alone.size))
            np.add.at(sums, codes, rest)  # of deviations: large means would only be rounded
            own = np.square(ratio_error(sums.T, sizes))
            most = n * float(np.square(shares).sum())
            with np.errstate(divide="ignore", invalid="ignore"):
                effect = np.where(alone > 0, own / alone, most)
            number, df = n / np.clip(effect, 1.0, most), cluster_df(sizes)
        variance += weight**2 * own
        per_item += weight**2 / number
        spread += (weight**2 * own) ** 2 / df
        total_df += df
    with np.errstate(divide="ignore", invalid="ignore"):
        return variance, 1 / per_item, np.where(spread > 0, variance**2 / spread, total_df)
