"""Tests of the median difference by bootstrap and by sign flips.

Neither needs to touch all n numbers in every draw. The middle of n draws with replacement is found from the beta
distribution of the middle of n uniform numbers, and the median after random sign flips has a distribution that can be
written down: going from the largest difference to the smallest, it depends only on where the middle positive comes.
"""

import numpy as np
from scipy.special import bdtrc, gammaln

from assay.paired.difference_rows import Hypothesis, Resamples, Sample, TestedRows, no_interval, shares
from assay.paired.means import limits
from assay.scales import FloatArray, IntArray

N_BISECTIONS = 50


def bootstrap_median(sample: Sample, hypothesis: Hypothesis, draws: Resamples) -> TestedRows:
    """Resample lines and see how often the median falls on the other side of `delta`.

    The p-value is that of the percentile interval: `delta` is outside if and only if p ≤ alpha.
    """
    ordered = np.sort(sample.sums, axis=1)
    n = ordered.shape[1]

    def draw(generator: np.random.Generator, count: int) -> FloatArray:
        low, high = _middle_places(generator, count, n)
        return (ordered[:, low] + ordered[:, high]) / 2

    medians = draws.blocks(draw, "bootstrap-median")
    rounding = 8 * np.finfo(np.float64).eps * np.maximum(np.abs(ordered[:, :1]), np.abs(ordered[:, -1:]))
    at_least = np.count_nonzero(medians <= hypothesis.delta + rounding, axis=1)
    at_most = np.count_nonzero(medians >= hypothesis.delta - rounding, axis=1)
    pvalue, side = hypothesis.decide(*shares(at_most, at_least, draws.n_resamples))
    estimate = np.median(ordered, axis=1)
    low, high = hypothesis.ends(*limits(medians, hypothesis)) if hypothesis.interval else no_interval(estimate)
    return TestedRows(estimate, estimate, pvalue, side, low, high, draws.n_resamples)


def permutation_median(sample: Sample, hypothesis: Hypothesis, draws: Resamples) -> TestedRows:
    """Flip signs of differences from `delta` and compare medians; the p-value is exact, nothing is drawn.

    The null is symmetry about `delta`. The interval holds the values of `delta` that the test does not reject.
    """
    rows = sample.sums
    less = np.array([_flipped_at_least(hypothesis.delta - row) for row in rows])
    greater = np.array([_flipped_at_least(row - hypothesis.delta) for row in rows])
    estimate = np.median(rows, axis=1)
    low, high = no_interval(estimate)
    if hypothesis.interval:
        low = np.array([_lower_limit(row, hypothesis.tail) for row in rows])
        high = np.array([-_lower_limit(-row, hypothesis.tail) for row in rows])
        low, high = hypothesis.ends(low, high)
    pvalue, side = hypothesis.decide(less, greater)
    return TestedRows(estimate, estimate, pvalue, side, low, high, exact=True)


def _middle_places(generator: np.random.Generator, count: int, n: int) -> tuple[IntArray, IntArray]:
    """Draw which two (for odd n: the same) order statistics of the data are in the middle of a resample."""
    half = (n + 1) // 2
    low = generator.beta(half, n - half + 1, size=count)
    high = low
    if n % 2 == 0:
        # Given the n/2-th smallest of n uniform numbers, the next is the smallest of n/2 beyond it.
        high = 1 - (1 - low) * generator.random(count) ** (1 / (n - half))
    return tuple(np.minimum((n * place).astype(np.int64), n - 1) for place in (low, high))  # type: ignore[return-value]


def _flipped_at_least(centred: FloatArray) -> float:
    """Return P(median after sign flips ≥ median of the data)."""
    sizes = np.sort(np.abs(centred))
    rounding = 64 * np.finfo(np.float64).eps * sizes[-1]
    median = float(np.median(centred))
    if median > rounding:
        return _tail(sizes, median - rounding)
    return 1 - _tail(sizes, rounding - median) if sizes[-1] > 0 else 1.0


def _tail(sizes: FloatArray, level: float) -> float:
    """Return P(median of the numbers with random signs ≥ level), for ascending sizes and level > 0."""
    n = sizes.size
    if n % 2:
        n_above = n - int(np.searchsorted(sizes, level))
        return float(bdtrc((n - 1) / 2, n_above, 0.5)) if n_above > n // 2 else 0.0
    half = n // 2
    # Places count from the largest size, 1 to n. P(the half-th positive is at place j) is negative binomial.
    places = np.arange(half, n + 1)
    log_chance = gammaln(places) - gammaln(half) - gammaln(places - half + 1) - places * np.log(2)
    chance = np.exp(log_chance)
    here = sizes[n - places]
    # Both middle values positive: the next positive must come early enough for their mean to reach the level.
    last = n - np.searchsorted(sizes, 2 * level - here)
    both = np.where(last > places, -np.expm1(-np.log(2) * np.maximum(last - places, 0)), 0.0)
    # Exactly half positive, the smallest negative: the median is the mean of the last positive and that negative.
    mixed = np.where((here - sizes[0] >= 2 * level) & (places < n), 0.5 ** (n - places), 0.0)
    return float(np.sum(chance * (both + mixed)))


def _lower_limit(row: FloatArray, tail: float) -> float:
    """Return the smallest `delta` at which the one-sided (greater) p-value exceeds `tail`."""
    high = float(np.median(row))
    low = float(row.min()) - float(np.ptp(row)) - 1.0
    if _flipped_at_least(row - low) > tail:
        return -np.inf
    for _ in range(N_BISECTIONS):
        middle = low + (high - low) / 2
        if _flipped_at_least(row - middle) > tail:
            high = middle
        else:
            low = middle
    return high
