"""Tests of the median difference by bootstrap and by sign flips.

Neither needs to touch all n numbers in every draw. The middle of n draws with replacement is found from the beta
distribution of the middle of n uniform numbers, and the median after random sign flips has a distribution that can be
written down: going from the largest difference to the smallest, it depends only on where the middle positive comes.
"""

from types import MappingProxyType

import numpy as np

from howsure.data.scales import FloatArray, IntArray
from howsure.difference_tests.base import (
    DEPENDENT,
    MEDIAN,
    DifferenceTest,
    Hypothesis,
    Resamples,
    Sample,
    Shape,
    TestedRows,
    extreme_draws,
    inappropriate,
    no_interval,
    non_preferred,
    shares,
)
from howsure.difference_tests.ranks import away_from, order_interval

LEAST = 100
"""From so many segments on the bootstrap of a median holds its level: 5.6% at most, one- or two-sided."""

N_BISECTIONS = 50
LESS_PRECISE = "valid, but the median is less precise than the mean here."
NEARLY_ZERO = "the median of −1, 0 and 1 is nearly always 0."


class MedianTest(DifferenceTest):
    """A test of the median difference of independent items."""

    estimand = MEDIAN
    statistic = "median"
    compares = "medians"

    def estimate(self, ordered: FloatArray) -> float:
        """Return the median."""
        return float(np.median(ordered))


class BootstrapMedian(MedianTest):
    """Resample segments and see how often the median falls on the other side of `delta`.

    The p-value is that of the percentile interval: `delta` is outside if and only if p ≤ alpha. Of continuous
    differences it depends on nothing but how many are positive, so that its type I error can be counted: 12.5% at 7
    segments, 7.8% at 21, 7.3% at 45, 6.4% at 75. Below `LEAST` segments p and interval are therefore the exact ones of
    order statistics.
    """

    name = "bootstrap-median"
    label = "bootstrap test of the median"
    how = "segments are resampled with replacement, and the interval of their median is inverted (Efron 1981)"
    resamples = True
    suitability = MappingProxyType(
        {
            Shape.NORMAL: non_preferred(6, LESS_PRECISE),
            Shape.SYMMETRIC: non_preferred(5, "valid, but usually less powerful than Wilcoxon's test."),
            Shape.SKEWED: non_preferred(
                1, "it tests the median and assumes nothing about the shape, but needs resampling."
            ),
            Shape.CLUSTERED: inappropriate(3, DEPENDENT),
            Shape.RIGHT_OR_WRONG: inappropriate(1, NEARLY_ZERO),
        }
    )

    def caution_for(self, n: int) -> str:
        """Say that few segments are not resampled."""
        if n >= LEAST:
            return ""
        return (
            f"Fewer than {LEAST} segments: a bootstrap of their median rejects too often, so p and interval are exact."
        )

    def run(self, sample: Sample, hypothesis: Hypothesis, resamples: Resamples) -> TestedRows:
        """Test each row."""
        ordered = np.sort(sample.sums, axis=1)
        n = ordered.shape[1]
        if n < LEAST:
            return _by_order(ordered, hypothesis)

        low, high = resamples.blocks(lambda generator, count: _middle_places(generator, count, n), "bootstrap-median")
        medians = (ordered[:, low] + ordered[:, high]) / 2
        rounding = 8 * np.finfo(np.float64).eps * np.maximum(np.abs(ordered[:, :1]), np.abs(ordered[:, -1:]))
        at_least = np.count_nonzero(medians <= hypothesis.delta + rounding, axis=1)
        at_most = np.count_nonzero(medians >= hypothesis.delta - rounding, axis=1)
        pvalue, side = hypothesis.decide(*shares(at_most, at_least, resamples.n_resamples))
        estimate = np.median(ordered, axis=1)
        low, high = no_interval(estimate)
        if hypothesis.interval:
            low, high = hypothesis.ends(*extreme_draws(medians, hypothesis))
        return TestedRows(estimate, estimate, pvalue, side, low, high, resamples.n_resamples)


def _by_order(ordered: FloatArray, hypothesis: Hypothesis) -> TestedRows:
    """Test the median of each ascending row by how many differences lie on either side of `delta`.

    Differences that equal `delta` speak against neither side, so that `delta` is outside of the interval between order
    statistics if and only if p ≤ alpha.
    """
    from scipy.special import bdtr

    n = ordered.shape[1]
    apart = away_from(ordered, hypothesis.delta)
    above, below = np.count_nonzero(apart > 0, axis=1), np.count_nonzero(apart < 0, axis=1)
    pvalue, side = hypothesis.decide(bdtr(n - below, n, 0.5), bdtr(n - above, n, 0.5))
    estimate = np.median(ordered, axis=1)
    low, high = no_interval(estimate)
    if hypothesis.interval:
        low, high = hypothesis.ends(*order_interval(ordered, hypothesis.tail))
    return TestedRows(estimate, estimate, pvalue, side, low, high, exact=True)


class PermutationMedian(MedianTest):
    """Flip signs of differences from `delta` and compare medians; the p-value is exact, nothing is drawn.

    The null is symmetry about `delta`. The interval holds the values of `delta` that the test does not reject.
    """

    name = "permutation-median"
    label = "permutation test of the median"
    how = "the signs of the differences are flipped by fair coins, and medians compared (Fisher 1935)"
    caution = "Null hypothesis: differences are symmetric about `delta`. The test also rejects skewed differences."
    suitability = MappingProxyType(
        {
            Shape.NORMAL: non_preferred(5, LESS_PRECISE),
            Shape.SYMMETRIC: non_preferred(
                4, "valid for symmetric differences, but usually less powerful than Wilcoxon's test."
            ),
            Shape.SKEWED: non_preferred(
                2, "it tests the median, but also rejects a skewed distribution with median zero."
            ),
            Shape.CLUSTERED: inappropriate(4, DEPENDENT),
            Shape.RIGHT_OR_WRONG: inappropriate(2, NEARLY_ZERO),
        }
    )

    def run(self, sample: Sample, hypothesis: Hypothesis, resamples: Resamples | None = None) -> TestedRows:
        """Test each row."""
        rows = sample.sums
        less, greater = (_flipped_at_least(centred) for centred in (hypothesis.delta - rows, rows - hypothesis.delta))
        estimate = np.median(rows, axis=1)
        low, high = no_interval(estimate)
        if hypothesis.interval:
            low = np.array([_lower_limit(row, hypothesis.tail) for row in rows])
            high = np.array([-_lower_limit(-row, hypothesis.tail) for row in rows])
            low, high = hypothesis.ends(low, high)
        pvalue, side = hypothesis.decide(less, greater)
        return TestedRows(estimate, estimate, pvalue, side, low, high, exact=True)


def _middle_places(generator: np.random.Generator, count: int, n: int) -> IntArray:
    """Draw which two (for odd n: the same) order statistics of the data are in the middle of a resample: (2, count)."""
    half = (n + 1) // 2
    low = generator.beta(half, n - half + 1, size=count)
    high = low
    if n % 2 == 0:
        # Given the n/2-th smallest of n uniform numbers, the next is the smallest of n/2 beyond it.
        high = 1 - (1 - low) * generator.random(count) ** (1 / (n - half))
    return np.minimum((n * np.stack([low, high])).astype(np.int64), n - 1)


def _flipped_at_least(centred: FloatArray) -> FloatArray:
    """Return P(median after sign flips ≥ median of the data) for each row."""
    sizes = np.sort(np.abs(centred), axis=1)
    rounding = 64 * np.finfo(np.float64).eps * sizes[:, -1]
    median = np.median(centred, axis=1)
    above = median > rounding
    tail = _tail(sizes, np.where(above, median - rounding, rounding - median))
    return np.where(above, tail, np.where(sizes[:, -1] > 0, 1 - tail, 1.0))


def _tail(sizes: FloatArray, levels: FloatArray) -> FloatArray:
    """Return P(median of the numbers with random signs ≥ level), for rows of ascending sizes and levels > 0."""
    from scipy.special import bdtrc, gammaln

    n = sizes.shape[1]
    if n % 2:
        n_above = np.count_nonzero(sizes >= levels[:, np.newaxis], axis=1)
        return np.where(n_above > n // 2, bdtrc((n - 1) / 2, n_above, 0.5), 0.0)
    half = n // 2
    # Places count from the largest size, 1 to n. P(the half-th positive is at place j) is negative binomial.
    places = np.arange(half, n + 1)
    log_chance = gammaln(places) - gammaln(half) - gammaln(places - half + 1) - places * np.log(2)
    chance = np.exp(log_chance)
    here = sizes[:, n - places]
    twice = 2 * levels[:, np.newaxis]
    # Both middle values positive: the next positive must come early enough for their mean to reach the level.
    last = n - np.stack([np.searchsorted(row, goals) for row, goals in zip(sizes, twice - here, strict=True)])
    early = -np.expm1(-np.log(2) * np.arange(n + 1))
    both = np.where(last > places, early[np.maximum(last - places, 0)], 0.0)
    # Exactly half positive, the smallest negative: the median is the mean of the last positive and that negative.
    mixed = np.where((here - sizes[:, :1] >= twice) & (places < n), 0.5 ** (n - places), 0.0)
    return np.asarray((chance * (both + mixed)).sum(axis=1))


def _lower_limit(row: FloatArray, tail: float) -> float:
    """Return the smallest `delta` at which the one-sided (greater) p-value exceeds `tail`."""
    high = float(np.median(row))
    low = float(row.min()) - float(np.ptp(row)) - 1.0
    if _flipped_at_least(row[np.newaxis] - low)[0] > tail:
        return -np.inf
    for _ in range(N_BISECTIONS):
        middle = low + (high - low) / 2
        if _flipped_at_least(row[np.newaxis] - middle)[0] > tail:
            high = middle
        else:
            low = middle
    return high
