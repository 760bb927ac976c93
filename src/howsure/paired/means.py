"""Tests of the mean difference: t, studentised bootstrap and sign-flip permutation, with or without clusters."""

import numpy as np
from scipy.special import stdtr, stdtrit

from howsure.paired.difference_rows import Hypothesis, Resamples, Sample, TestedRows, no_interval, shares
from howsure.scales import FloatArray

NEGLIGIBLE = 1e-13
"""Deviations this small beside the numbers they come from are rounding."""


def t_test(sample: Sample, hypothesis: Hypothesis, draws: Resamples) -> TestedRows:
    """Student's paired t test; with clusters, the cluster-robust standard error and clusters − 1 degrees of freedom."""
    mean, error = mean_and_error(sample)
    degrees = sample.n - 1
    t = (mean - hypothesis.delta) / error
    pvalue, side = hypothesis.decide(stdtr(degrees, t), stdtr(degrees, -t))
    arm = -stdtrit(degrees, hypothesis.tail) * error
    low, high = hypothesis.ends(mean - arm, mean + arm)
    return TestedRows(mean, t, pvalue, side, low, high)


def bootstrap(sample: Sample, hypothesis: Hypothesis, draws: Resamples) -> TestedRows:
    """Resample segments (or clusters) and compare t with its bootstrap distribution, centred on the data's mean.

    The interval is the studentised one. It and the p-value read the same draws: `delta` is outside the interval if and
    only if p ≤ alpha.
    """
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

    resampled = draws.counts(ratios, n, "bootstrap")
    t = (mean - hypothesis.delta) / error
    at_most = np.count_nonzero(resampled <= t[:, np.newaxis], axis=1)
    at_least = np.count_nonzero(resampled >= t[:, np.newaxis], axis=1)
    less, greater = shares(at_most, at_least, draws.n_resamples)
    pvalue, side = hypothesis.decide(less, greater)
    pvalue = np.where(np.isnan(t), np.nan, pvalue)
    low, high = no_interval(mean)
    if hypothesis.interval:
        smallest, largest = limits(resampled, hypothesis)
        low, high = hypothesis.ends(mean - largest * error, mean - smallest * error)
    return TestedRows(mean, t, pvalue, side, low, high, draws.n_resamples)


def permutation(sample: Sample, hypothesis: Hypothesis, draws: Resamples) -> TestedRows:
    """Flip the sign of each line's (or cluster's) difference from `delta` by a fair coin.

    Flipping changes the total by minus twice the sum of what was flipped, so a draw is as large as the data exactly
    when the flipped part sums to zero or less. For the same reason the means of the flipped parts are the limits of
    the intervals that go with the test (Hartigan 1969). All arrangements are enumerated when there are few.
    """
    n, sizes = sample.n, sample.sizes
    mean = sample.sums.sum(axis=1) / sizes.sum(axis=1)
    centred = sample.sums - hypothesis.delta * sizes

    def flip(flipped: FloatArray) -> FloatArray:
        sums = centred @ flipped.T
        return np.stack([sums, np.broadcast_to(sizes @ flipped.T, sums.shape)])

    exact = 2**n - 1 <= draws.n_resamples
    if exact:
        every = np.arange(1, 2**n, dtype=np.int64)[:, np.newaxis] >> np.arange(n) & 1
        sums, flipped_sizes = flip(every.astype(np.float64))
    else:
        sums, flipped_sizes = draws.coins(flip, n, "permutation")
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
        low = limits(np.where(nothing, -np.inf, typical), hypothesis)[0]
        high = limits(np.where(nothing, np.inf, typical), hypothesis)[1]
        low, high = hypothesis.ends(low, high)
    return TestedRows(mean, mean - hypothesis.delta, pvalue, side, low, high, n_draws, exact)


def limits(values: FloatArray, hypothesis: Hypothesis) -> tuple[FloatArray, FloatArray]:
    """Return the k-th smallest and the k-th largest value of each row, infinite when there are too few draws."""
    n_draws = values.shape[1]
    k = hypothesis.rank(n_draws)
    if k < 1:
        return np.full(values.shape[0], -np.inf), np.full(values.shape[0], np.inf)
    ordered = np.partition(values, sorted({k - 1, n_draws - k}), axis=1)
    return ordered[:, k - 1], ordered[:, n_draws - k]


def mean_and_error(sample: Sample) -> tuple[FloatArray, FloatArray]:
    """Return each row's mean and its (cluster-robust) standard error, NaN where the differences do not vary."""
    total = sample.sizes.sum(axis=1)
    mean = sample.sums.sum(axis=1) / total
    deviations = sample.sums - mean[:, np.newaxis] * sample.sizes
    n = sample.n
    spread = np.sqrt((deviations**2).sum(axis=1))
    constant = spread <= NEGLIGIBLE * np.abs(sample.sums).max(axis=1)
    return mean, np.where(constant, np.nan, np.sqrt(n / max(n - 1, 1)) * spread / total)
