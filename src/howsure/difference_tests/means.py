"""Tests of the mean difference: t, studentised bootstrap and sign-flip permutation, with or without clusters."""

from types import MappingProxyType

import numpy as np

from howsure.data.scales import FloatArray
from howsure.difference_tests.base import (
    MEAN,
    DifferenceTest,
    Hypothesis,
    Resamples,
    Sample,
    Shape,
    Suitability,
    TestedRows,
    extreme_draws,
    inappropriate,
    no_interval,
    non_preferred,
    recommended,
    shares,
)
from howsure.resampling import cluster_df, ratio_error

NEGLIGIBLE = 1e-13
"""Deviations this small beside the numbers they come from are rounding."""
MANY = 100
"""From this many differences on, a two-sided t test is nearly right on the skewed data of docs/evidence/scores.md."""
LONG_TAIL = "it tests the mean, which a long tail pulls away from the typical difference."


class MeanTest(DifferenceTest):
    """A test of the mean difference, of items or of whole clusters."""

    estimand = MEAN
    compares = "means"
    takes_clusters = True

    def estimate(self, ordered: FloatArray) -> float:
        """Return the mean."""
        return float(ordered.mean())


class StudentT(MeanTest):
    """Student's paired t test; with clusters, the error and degrees of freedom of `compare` (CR2, `ratio_error`)."""

    name = "t"
    label = "paired t test"
    statistic = "t"
    how = "t is the mean difference over its standard error, s / √n, against Student's t (Student 1908)"
    needs_variation = True
    suitability = MappingProxyType(
        {
            Shape.NORMAL: recommended("the most powerful test of the mean when differences are normal."),
            Shape.SYMMETRIC: inappropriate(
                1, "it assumes normal differences, and there are too few of them for an approximation."
            ),
            Shape.SKEWED: inappropriate(1, LONG_TAIL),
            Shape.CLUSTERED: non_preferred(
                2,
                "its standard error allows for clusters, but it assumes that clusters differ normally.",
            ),
            Shape.RIGHT_OR_WRONG: non_preferred(1, "valid for many flips; it estimates the difference in accuracy."),
        }
    )

    def suits(self, shape: Shape, n: int) -> Suitability:
        """Return how well it suits `n` differences of this shape; many symmetric ones need not be normal."""
        if shape is Shape.SYMMETRIC and n >= MANY:
            return non_preferred(0, f"with {n:,} differences its error rate is nominal, but outliers cost it power.")
        return super().suits(shape, n)

    def run(self, sample: Sample, hypothesis: Hypothesis, resamples: Resamples | None = None) -> TestedRows:
        """Test each row."""
        from scipy.special import stdtr, stdtrit

        mean, error = mean_and_error(sample)
        degrees = np.asarray(sample.n - 1.0)
        if (sample.sizes != 1).any():
            error = np.where(np.isnan(error), np.nan, ratio_error(sample.sums, sample.sizes))
            degrees = cluster_df(sample.sizes)
        t = (mean - hypothesis.delta) / error
        pvalue, side = hypothesis.decide(stdtr(degrees, t), stdtr(degrees, -t))
        arm = -stdtrit(degrees, hypothesis.tail) * error
        low, high = hypothesis.ends(mean - arm, mean + arm)
        return TestedRows(mean, t, pvalue, side, low, high)


class Bootstrap(MeanTest):
    """Resample segments (or clusters) and compare t with its bootstrap distribution, centred on the data's mean.

    The interval is the studentised one. It and the p-value read the same draws: `delta` is outside the interval if and
    only if p ≤ alpha.
    """

    name = "bootstrap"
    label = "bootstrap test of the mean"
    statistic = "t"
    how = (
        "segments are resampled with replacement, and the t of each is compared with the observed one "
        "(Davison and Hinkley 1997)"
    )
    resamples = True
    uses_threads = True
    needs_variation = True
    suitability = MappingProxyType(
        {
            Shape.NORMAL: non_preferred(3, "valid for large samples, needs resampling, and no better than t here."),
            Shape.SYMMETRIC: non_preferred(
                2, "valid for large samples, but outliers cost it power and it needs resampling."
            ),
            Shape.SKEWED: inappropriate(3, LONG_TAIL),
            Shape.CLUSTERED: non_preferred(1, "it resamples whole clusters, and needs at least a few dozen."),
            Shape.RIGHT_OR_WRONG: non_preferred(4, "valid for many flips, and needs resampling."),
        }
    )

    def caution_for(self, n: int) -> str:
        """Say that few segments are few for a bootstrap; the error rate is that of docs/evidence/scores.md."""
        if n >= MANY:
            return ""
        return (
            f"Fewer than {MANY} segments are few for a bootstrap. One-sided, it rejected 6.7% of true null hypotheses "
            "on 20 skewed differences, instead of 5%."
        )

    def run(self, sample: Sample, hypothesis: Hypothesis, resamples: Resamples) -> TestedRows:
        """Test each row."""
        mean, error = mean_and_error(sample)
        n, sizes = sample.n, sample.sizes
        centred = sample.sums - mean[:, np.newaxis] * sizes
        centred_squares = centred**2
        clustered = bool((sizes != 1).any())

        def ratios(weights: FloatArray) -> FloatArray:
            total = sizes @ weights.T if clustered else np.full((1, 1), float(n))
            shift = centred @ weights.T / total
            # The sum of (sum - mean · size)² over what was drawn; with sizes of one it is the textbook formula.
            squares = centred_squares @ weights.T
            if clustered:
                squares += shift**2 * (sizes**2 @ weights.T) - 2 * shift * (centred * sizes @ weights.T)
            else:
                squares -= n * shift**2
            spread = np.sqrt(n / (n - 1) * np.maximum(squares, 0)) / total
            with np.errstate(divide="ignore", invalid="ignore"):
                # A resample of one value many times over has no spread: t is infinite, or 0 where it did not move.
                return np.where(np.abs(shift) <= NEGLIGIBLE * np.abs(mean)[:, np.newaxis], 0.0, shift / spread)

        resampled = resamples.counts(ratios, n, "bootstrap")
        t = (mean - hypothesis.delta) / error
        at_most = np.count_nonzero(resampled <= t[:, np.newaxis], axis=1)
        at_least = np.count_nonzero(resampled >= t[:, np.newaxis], axis=1)
        less, greater = shares(at_most, at_least, resamples.n_resamples)
        pvalue, side = hypothesis.decide(less, greater)
        pvalue = np.where(np.isnan(t), np.nan, pvalue)
        low, high = no_interval(mean)
        if hypothesis.interval:
            smallest, largest = extreme_draws(resampled, hypothesis)
            low, high = hypothesis.ends(mean - largest * error, mean - smallest * error)
        return TestedRows(mean, t, pvalue, side, low, high, resamples.n_resamples)


class Permutation(MeanTest):
    """Flip the sign of each line's (or cluster's) difference from `delta` by a fair coin.

    Flipping changes the total by minus twice the sum of what was flipped, so a draw is as large as the data exactly
    when the flipped part sums to zero or less. For the same reason the means of the flipped parts are the limits of
    the intervals that go with the test (Hartigan 1969). All arrangements are enumerated when there are few.
    """

    name = "permutation"
    label = "permutation test of the mean"
    statistic = MEAN
    how = "the signs of the differences are flipped by fair coins (Fisher 1935)"
    resamples = True
    uses_threads = True
    exact_with_few_clusters = True
    suitability = MappingProxyType(
        {
            Shape.NORMAL: non_preferred(2, "valid and about as powerful as t, but needs resampling."),
            Shape.SYMMETRIC: non_preferred(
                1, "valid for symmetric differences, but outliers cost it power and it needs resampling."
            ),
            Shape.SKEWED: inappropriate(4, "it assumes symmetric differences, and tests the mean."),
            Shape.CLUSTERED: recommended("it flips whole clusters; its error rate is nominal even with few clusters."),
            Shape.RIGHT_OR_WRONG: non_preferred(
                2, "the same p-value as the sign test up to resampling, with an interval for the accuracy."
            ),
        }
    )

    def can_reject(self, n: int, tail: float) -> bool:
        """Return whether one of the 2ⁿ arrangements is rare enough."""
        return 2.0**-n <= tail

    def run(self, sample: Sample, hypothesis: Hypothesis, resamples: Resamples) -> TestedRows:
        """Test each row."""
        n, sizes = sample.n, sample.sizes
        mean = sample.sums.sum(axis=1) / sizes.sum(axis=1)
        centred = sample.sums - hypothesis.delta * sizes

        def flip(flipped: FloatArray) -> FloatArray:
            sums = centred @ flipped.T
            return np.stack([sums, np.broadcast_to(sizes @ flipped.T, sums.shape)])

        exact = 2**n - 1 <= resamples.n_resamples
        if exact:
            every = np.arange(1, 2**n, dtype=np.int64)[:, np.newaxis] >> np.arange(n) & 1
            sums, flipped_sizes = flip(every.astype(np.float64))
        else:
            sums, flipped_sizes = resamples.coins(flip, n, "permutation")
        n_draws = sums.shape[1]
        tolerance = NEGLIGIBLE * np.abs(centred).sum(axis=1, keepdims=True)
        at_most = np.count_nonzero(sums >= -tolerance, axis=1)
        at_least = np.count_nonzero(sums <= tolerance, axis=1)
        pvalue, side = hypothesis.decide(*shares(at_most, at_least, n_draws))
        low, high = no_interval(mean)
        if hypothesis.interval:
            with np.errstate(invalid="ignore"):
                typical = sums / flipped_sizes + hypothesis.delta
            nothing = flipped_sizes == 0  # flips nothing: no value of delta is ever refuted by it
            low = extreme_draws(np.where(nothing, -np.inf, typical), hypothesis)[0]
            high = extreme_draws(np.where(nothing, np.inf, typical), hypothesis)[1]
            low, high = hypothesis.ends(low, high)
        return TestedRows(mean, mean - hypothesis.delta, pvalue, side, low, high, n_draws, exact)


def mean_and_error(sample: Sample) -> tuple[FloatArray, FloatArray]:
    """Return each row's mean and its (cluster-robust) standard error, NaN where the differences do not vary."""
    total = sample.sizes.sum(axis=1)
    mean = sample.sums.sum(axis=1) / total
    deviations = sample.sums - mean[:, np.newaxis] * sample.sizes
    n = sample.n
    spread = np.sqrt((deviations**2).sum(axis=1))
    constant = spread <= NEGLIGIBLE * np.abs(sample.sums).max(axis=1)
    return mean, np.where(constant, np.nan, np.sqrt(n / max(n - 1, 1)) * spread / total)
