"""Tests of the median difference by bootstrap and by sign flips, by exact distributions: nothing is drawn.

The middle of n draws with replacement is one of the data, or the mean of two, with probabilities that can be written
down; and the median after random sign flips depends only on where the middle positive comes, going from the largest
difference to the smallest.
"""

import math
from abc import abstractmethod
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from howsure.data.scales import FloatArray
from howsure.inference.solving import edge
from howsure.nulls.item_test import (
    DEPENDENT,
    MEDIAN,
    FormulaTest,
    Hypothesis,
    Resamples,
    Shape,
    Tails,
    TestedRows,
    Units,
    inappropriate,
    no_interval,
    non_preferred,
    on_the_data,
)
from howsure.nulls.ranks import order_interval

LEAST = 100
"""From so many segments on the bootstrap of a median holds its level: 5.6% at most, one- or two-sided."""

HALVINGS = 50
"""So often an interval that holds an end is halved: to 1e-15 of its length."""
LESS_PRECISE = "valid, but the median is less precise than the mean here."
NEARLY_ZERO = "the median of −1, 0 and 1 is nearly always 0."


class MedianTest(FormulaTest):
    """A test of the median difference of independent items, by the distribution of a median."""

    estimand = MEDIAN
    statistic = "median"
    compares = "medians"

    @abstractmethod
    def at_least(self, centred: FloatArray) -> FloatArray:
        """Return the p-value of each row, (rows, n), that its median is greater than zero."""

    def estimate(self, ordered: FloatArray) -> float:
        """Return the median."""
        return float(np.median(ordered))

    def run(self, units: Units, hypothesis: Hypothesis, resamples: Resamples | None = None) -> TestedRows:
        """Test each row; the interval holds the values of `delta` that the test does not reject."""
        rows, centred = units.sums, units.less(hypothesis.delta).sums
        estimate = np.median(rows, axis=1)
        low, high = no_interval(estimate)
        if hypothesis.interval:
            low, high = hypothesis.ends(*self.interval(rows, hypothesis.tail))
        pvalue, side = hypothesis.decide(self.at_least(-centred), self.at_least(centred))
        return TestedRows(estimate, estimate, pvalue, side, low, high, exact=True)

    def interval(self, rows: FloatArray, tail: float) -> Tails:
        """Return the ends of each row's interval, with `tail` error on each side."""
        low = [self._lowest_kept(row, tail) for row in rows]
        high = [-self._lowest_kept(-row, tail) for row in rows]
        return np.array(low), np.array(high)

    def _lowest_kept(self, row: FloatArray, tail: float) -> float:
        """Return the smallest `delta` at which the one-sided (greater) p-value exceeds `tail`, by halving."""
        high = float(np.median(row))
        low = float(row.min()) - float(np.ptp(row)) - 1.0
        if self.at_least(row[np.newaxis] - low)[0] > tail:
            return -np.inf

        def kept(delta: float) -> bool:
            return bool(self.at_least(Units.independent(row[np.newaxis]).less(delta).sums)[0] > tail)

        end = float(edge(kept, low, high, halvings=HALVINGS))
        # The end is one of the data, or the mean of two: without the last digits, which halving leaves.
        digits = 12 - math.ceil(math.log10(max(abs(end), float(np.ptp(row)), 1e-300)))
        shorter = round(end, digits)
        return shorter if kept(shorter) else end


class BootstrapMedian(MedianTest):
    """Resample items and see how often the median falls on the other side of `delta`, in the limit of many resamples.

    The p-value is that of the percentile interval: `delta` is outside if and only if p ≤ alpha. Of continuous
    differences it depends on nothing but how many are positive, so that its type I error can be counted: 12.5% at 7
    segments, 7.8% at 21, 7.3% at 45, 6.4% at 75. Below `LEAST` segments p and interval are therefore those of order
    statistics.
    """

    name, score_name = "bootstrap-median", "bootstrap-median"
    label = "bootstrap test of the median"
    says = "no resampling: the exact bootstrap distribution of the median item advantage, of 100 items or more"
    account = (
        "the p-value is the share of bootstrap samples whose median item advantage lies on the other side of 0 (Efron "
        "1981), computed without drawing them; with fewer than 100 items it is that of order statistics, because so "
        "few bootstrap samples reject too often"
    )
    how = (
        "segments are resampled with replacement, and the interval of their median is inverted (Efron 1981). The "
        "distribution of the resampled median is computed, not drawn"
    )
    rules = on_the_data(name)
    suitability = MappingProxyType(
        {
            Shape.NORMAL: non_preferred(6, LESS_PRECISE),
            Shape.SYMMETRIC: non_preferred(5, "valid, but usually less powerful than Wilcoxon's test."),
            Shape.SKEWED: non_preferred(1, "it tests the median and assumes nothing about the shape."),
            Shape.CLUSTERED: inappropriate(3, DEPENDENT),
            Shape.RIGHT_OR_WRONG: inappropriate(1, NEARLY_ZERO),
        }
    )

    def caution_for(self, n: int) -> str:
        """Say that few segments are not resampled."""
        if n >= LEAST:
            return ""
        return (
            f"Fewer than {LEAST} segments: a bootstrap of their median rejects too often, so p and interval are those "
            "of order statistics."
        )

    def interval(self, rows: FloatArray, tail: float) -> Tails:
        """Return the ends of each row's interval: of few items those between order statistics, as their p-value."""
        return super().interval(rows, tail) if rows.shape[1] >= LEAST else order_interval(np.sort(rows, axis=1), tail)

    def at_least(self, centred: FloatArray) -> FloatArray:
        """Return P(resampled median ≤ 0), the p-value against a median of zero or below.

        With few items it is the chance of as few heads of n fair coins as there are items at zero or below: differences
        of zero speak against neither side.
        """
        from scipy.special import bdtr

        n = centred.shape[1]
        ordered = np.sort(centred, axis=1)
        at_most = np.count_nonzero(ordered <= 0, axis=1)
        if n < LEAST:
            return np.asarray(bdtr(at_most, n, 0.5))
        upto = _lower_middle(n)
        tails = upto[at_most] if n % 2 else np.array([_even_median_at_most(row, upto) for row in ordered])
        return np.asarray(np.maximum(tails, 0.5**n))  # no test of a median can be surer than all signs alike are


@lru_cache(maxsize=64)
def _lower_middle(n: int) -> FloatArray:
    """Return P(the middle of n draws, the lower one of two, is among the smallest i of the data) for i = 0, 1, …, n.

    It is the chance that (n + 1) / 2 draws or more are among them.
    """
    from scipy.special import bdtrc

    upto: FloatArray = np.asarray(bdtrc((n + 1) // 2 - 1, n, np.arange(n + 1) / n))
    upto.flags.writeable = False
    return upto


def _even_median_at_most(ordered: FloatArray, upto: FloatArray) -> float:
    """Return P(mean of the two middle draws ≤ 0) of n = 2 · half draws from ascending numbers; `upto` is of the lower.

    The lower one is the i-th of the data and the upper one the j-th, i < j, where half of the draws are at most i, not
    all of them below, and half are at least j, not all of them beyond (multinomial):
    C(n, half) · [(i/n)^half − ((i−1)/n)^half] · [((n−j+1)/n)^half − ((n−j)/n)^half]. Summed over j this telescopes.
    """
    from scipy.special import gammaln

    n = ordered.size
    half, places = n // 2, np.arange(1, n + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_share = half * np.log(np.arange(n + 1) / n)  # log of (k/n)^half
        at_i = gammaln(n + 1) - 2 * gammaln(half + 1) + log_share[1:] + log_share[n - places]
        beyond_i = np.exp(at_i) * -np.expm1(log_share[:-1] - log_share[1:])  # lower at i, upper at any j > i
        # For each i the last j whose mean with it is at most zero, up to rounding.
        rounding = 8 * np.finfo(np.float64).eps * float(np.abs(ordered).max())
        last = np.maximum(np.searchsorted(ordered, rounding - ordered, side="right"), places)
        near = np.where(last > places, -np.expm1(log_share[n - last] - log_share[n - places]), 0.0)
    together = np.diff(upto) - beyond_i
    return float((beyond_i * near).sum() + together[ordered <= 0].sum())


class PermutationMedian(MedianTest):
    """Flip signs of differences from `delta` and compare medians; the null is symmetry about `delta`."""

    name, score_name = "permutation-median", "permutation-median"
    label = "permutation test of the median"
    says = "no resampling: the median item advantage with all signs that the items may have"
    account = (
        "the p-value is the share of all ways to exchange A and B on the items whose median item advantage is at least "
        "as far from 0 as the observed one (Fisher 1935)"
    )
    how = "the signs of the differences are flipped by fair coins, and medians compared (Fisher 1935)"
    caution = "Null hypothesis: differences are symmetric about `delta`. The test also rejects skewed differences."
    rules = on_the_data(name)
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

    def at_least(self, centred: FloatArray) -> FloatArray:
        """Return P(median after sign flips ≥ median of the data) for each row."""
        sizes = np.sort(np.abs(centred), axis=1)
        rounding = 64 * np.finfo(np.float64).eps * sizes[:, -1]
        median = np.median(centred, axis=1)
        above = median > rounding
        tail = _flipped_at_least(sizes, np.where(above, median - rounding, rounding - median))
        return np.where(above, tail, np.where(sizes[:, -1] > 0, 1 - tail, 1.0))


def _flipped_at_least(sizes: FloatArray, levels: FloatArray) -> FloatArray:
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
