"""Tests by sign and rank: the sign test, Wilcoxon's signed-rank test, and selection among Walsh averages.

The Walsh averages of n numbers are the n(n + 1)/2 means of two of them (a number with itself included). Their median
is the Hodges–Lehmann estimate and two of them are the limits of Wilcoxon's interval. They are found by counting, so
the work grows as n log n and the memory as n.
"""

from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from howsure.data.scales import BoolArray, FloatArray, IntArray
from howsure.nulls.item_test import (
    DEPENDENT,
    HODGES_LEHMANN,
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
    recommended,
)

MOST_FOR_EXACT = 50
"""Up to this many differences that are not zero, Wilcoxon's p-value is exact, ties or not."""
IGNORES_SIZES = "valid, but it ignores the sizes of the differences and loses power."


class SignedTest(FormulaTest):
    """A test by signs or signed ranks of independent items."""

    ignores_zeros = True
    estimates_accuracy = True

    def can_reject(self, n_units: int, tail: float) -> bool:
        """Return whether one of the 2ⁿ arrangements of signs is rare enough."""
        return 2.0**-n_units <= tail


class SignTest(SignedTest):
    """Count positive against negative differences from `delta`; zeros say nothing and are left out.

    The interval for the median runs between two order statistics of all differences (exact, never too short).
    """

    name, score_name = "sign-test", "sign"
    label = "sign test"
    says = "no resampling: on an item where they differ, A and B are better with probability ½ each"
    account = (
        "the p-value is that of the sign test: of the items on which A and B differ, each is better on half (Arbuthnot "
        "1710). It tests how often A is better, not by how much"
    )
    rules = on_the_data(name)
    estimand = MEDIAN
    statistic = "positive differences"
    compares = "how many differences are positive and how many negative"
    how = "the number of positive differences is compared with a fair coin (Arbuthnott 1710)"
    suitability = MappingProxyType(
        {
            Shape.NORMAL: non_preferred(4, IGNORES_SIZES),
            Shape.SYMMETRIC: non_preferred(3, IGNORES_SIZES),
            Shape.SKEWED: recommended("it tests the median and assumes nothing about the shape."),
            Shape.CLUSTERED: inappropriate(1, DEPENDENT),
            Shape.RIGHT_OR_WRONG: recommended(
                "right-or-wrong scores differ by −1, 0 or 1, and on these it is McNemar's exact test."
            ),
        }
    )

    def estimate(self, ordered: FloatArray) -> float:
        """Return the median."""
        return float(np.median(ordered))

    def run(self, units: Units, hypothesis: Hypothesis, resamples: Resamples | None = None) -> TestedRows:
        """Test each row."""
        from scipy.special import bdtr, bdtrc

        rows, centred = units.sums, units.less(hypothesis.delta).sums
        positive = np.count_nonzero(centred > 0, axis=1)
        counted = positive + np.count_nonzero(centred < 0, axis=1)
        less = np.where(counted > 0, bdtr(positive, np.maximum(counted, 1), 0.5), 1.0)
        greater = np.where(positive > 0, bdtrc(positive - 1.0, np.maximum(counted, 1), 0.5), 1.0)
        low, high = no_interval(rows[:, 0])
        if hypothesis.interval:
            low, high = hypothesis.ends(*order_interval(np.sort(rows, axis=1), hypothesis.tail))
        pvalue, side = hypothesis.decide(less, greater)
        return TestedRows(np.median(rows, axis=1), positive.astype(np.float64), pvalue, side, low, high, exact=True)


class Wilcoxon(SignedTest):
    """Sum the ranks of the positive differences from `delta`; zeros are left out, ties share their mean rank.

    Up to 50 differences the null distribution is enumerated given the ties; beyond that it is normal with the variance
    corrected for ties. The interval consists of Walsh averages.
    """

    name, score_name = "wilcoxon", "wilcoxon"
    label = "Wilcoxon signed-rank test"
    says = "no resampling: the signed ranks of the item advantages, which are symmetric around zero"
    account = (
        "the p-value is that of Wilcoxon's signed ranks of the item advantages (Wilcoxon 1945), which tests their "
        "median and assumes that they are symmetric around it"
    )
    rules = on_the_data(name)
    estimand = HODGES_LEHMANN
    statistic = "positive rank sum"
    compares = "the ranks of positive and negative differences"
    how = "the sizes of the differences are ranked, and the ranks of the positive ones are added (Wilcoxon 1945)"
    suitability = MappingProxyType(
        {
            Shape.NORMAL: non_preferred(1, "valid, and on normal differences almost as powerful as t."),
            Shape.SYMMETRIC: recommended("it needs symmetry but not normality, and is powerful when tails are heavy."),
            Shape.SKEWED: inappropriate(2, "it assumes symmetric differences."),
            Shape.CLUSTERED: inappropriate(2, DEPENDENT),
            Shape.RIGHT_OR_WRONG: non_preferred(3, "all flips have the same size, so it is nearly the sign test."),
        }
    )

    def estimate(self, ordered: FloatArray) -> float:
        """Return the median of the Walsh averages."""
        return hodges_lehmann(ordered)

    def run(self, units: Units, hypothesis: Hypothesis, resamples: Resamples | None = None) -> TestedRows:
        """Test each row."""
        from scipy.special import ndtr

        rows, ranked = units.sums, SignedRanks.of(units.less(hypothesis.delta).sums)
        rank_sum = ranked.rank_sum
        less, greater = ndtr(ranked.z), ndtr(-ranked.z)
        few, plain = ranked.counted <= MOST_FOR_EXACT, ranked.plain
        if rows.shape[1] <= MOST_FOR_EXACT and plain.any():
            cumulative = np.append(_rank_sum_distribution(tuple(range(2, 2 * rows.shape[1] + 1, 2))), 0.0)
            doubled = np.rint(2 * rank_sum[plain]).astype(np.int64)
            less[plain], greater[plain] = cumulative[doubled], 1 - cumulative[doubled - 1]  # of −1 the last, which is 0
        for row in np.flatnonzero(few & ~plain):
            cumulative = _rank_sum_distribution(ranked.pattern(int(row)))
            doubled = round(2 * rank_sum[row])
            less[row] = cumulative[doubled]
            greater[row] = 1 - (cumulative[doubled - 1] if doubled else 0.0)
        pvalue, side = hypothesis.decide(less, greater)
        exact = bool(few.all())
        if not hypothesis.interval:  # nor the estimate: selecting Walsh averages is the slow part
            nothing, _ = no_interval(rank_sum)
            return TestedRows(nothing, rank_sum, pvalue, side, nothing, nothing, exact=exact)
        ordered = np.sort(rows, axis=1)
        bounds = np.array([walsh_interval(row, hypothesis.tail) for row in ordered])
        low, high = hypothesis.ends(bounds[:, 0], bounds[:, 1])
        estimate = np.array([hodges_lehmann(row) for row in ordered])
        return TestedRows(estimate, rank_sum, pvalue, side, low, high, exact=exact)


@dataclass(frozen=True, slots=True, eq=False)
class SignedRanks:
    """The signed ranks of rows of differences, by groups of tied sizes.

    Attributes
    ----------
    rank_sum : array of float
        Each row's sum of the ranks of its positive differences.
    counted : array of int
        Each row's number of differences that are not zero.
    squares : array of float
        Each row's sum of squared ranks.
    row, ranks2, lengths : arrays of int
        The row of each group, twice the rank its members share, and their number.
    n_columns : int
        The number of differences in each row.
    """

    rank_sum: FloatArray
    counted: IntArray
    squares: FloatArray
    row: IntArray
    ranks2: IntArray
    lengths: IntArray
    n_columns: int

    @classmethod
    def of(cls, centred: FloatArray) -> "SignedRanks":
        """Rank the sizes of each row; zeros are left out.

        One sort does it: the size of a difference and, in the last bit, its sign make one integer. Sizes that agree to
        1e-10 of the largest are ties, because 0.3 − 0.2 and 0.2 − 0.1 are equal on paper only.
        """
        n_rows, n = centred.shape
        size = np.abs(centred)
        largest = size.max(axis=1, keepdims=True)
        scaled = np.divide(size, largest, out=np.zeros_like(size), where=largest > 0)
        keys = np.rint(scaled * 2.0**33).astype(np.int64) + (size > 0)  # +1: only a true zero has key 0
        keys = np.sort((keys << 1) | (centred > 0), axis=1)
        sizes = keys >> 1
        fresh = np.ones(keys.shape, dtype=bool)
        fresh[:, 1:] = sizes[:, 1:] != sizes[:, :-1]
        starts = np.flatnonzero(fresh)
        lengths = np.diff(starts, append=n_rows * n)
        row = starts // n
        zero = sizes.ravel()[starts] == 0
        n_zero = np.bincount(row[zero], weights=lengths[zero], minlength=n_rows).astype(np.int64)
        # The members of a group stand at places first + 1 to first + length and share the mean of these.
        ranks2 = np.where(zero, 0, 2 * (starts - n * row - n_zero[row]) + lengths + 1)
        positive = np.diff(np.cumsum(keys & 1)[starts + lengths - 1], prepend=0)
        rank_sum = np.bincount(row, weights=ranks2 * positive, minlength=n_rows) / 2
        squares = np.bincount(row, weights=lengths * ranks2**2, minlength=n_rows) / 4
        return cls(rank_sum, n - n_zero, squares, row, ranks2, lengths, n)

    @property
    def z(self) -> FloatArray:
        """Each rank sum in standard deviations of the null; 0 if all differences are zero."""
        # A sum of independent signs: its variance is the sum of the squared ranks over 4, tie correction included.
        deviation = self.rank_sum - self.counted * (self.counted + 1) / 4
        spread = np.sqrt(self.squares / 4)
        return np.divide(deviation, spread, out=np.zeros_like(deviation), where=spread > 0)

    @property
    def plain(self) -> BoolArray:
        """Which rows have neither zeros nor ties, and so the ranks 1, 2, …."""
        return np.asarray(np.bincount(self.row[self.ranks2 > 0], minlength=self.counted.size) == self.n_columns)

    def pattern(self, row: int) -> tuple[int, ...]:
        """Return twice the ranks of one row, ascending."""
        first, last = np.searchsorted(self.row, [row, row + 1])
        ranks2 = np.repeat(self.ranks2[first:last], self.lengths[first:last])
        return tuple(ranks2[ranks2 > 0].tolist())


def hodges_lehmann(ordered: FloatArray) -> float:
    """Return the median of the Walsh averages of ascending numbers.

    Examples
    --------
    >>> hodges_lehmann(np.array([1.0, 2.0, 6.0]))
    2.75
    """
    total = ordered.size * (ordered.size + 1) // 2
    low = walsh_average(ordered, (total + 1) // 2)
    if total % 2:
        return low
    return (low + walsh_average(ordered, total // 2 + 1)) / 2


def walsh_interval(ordered: FloatArray, tail: float) -> tuple[float, float]:
    """Return the Walsh averages between which Wilcoxon's test does not reject, with `tail` error on each side."""
    from scipy.special import ndtri

    n = ordered.size
    total = n * (n + 1) // 2
    if n <= MOST_FOR_EXACT:
        cumulative = _rank_sum_distribution(tuple(range(2, 2 * n + 1, 2)))[::2]
        k = int(np.searchsorted(cumulative, tail, side="right"))
    else:
        k = int(np.floor(total / 2 + ndtri(tail) * np.sqrt(n * (n + 1) * (2 * n + 1) / 24) + 0.5))
    if k < 1:
        return -np.inf, np.inf
    return walsh_average(ordered, k), walsh_average(ordered, total + 1 - k)


def walsh_average(ordered: FloatArray, k: int) -> float:
    """Return the k-th smallest (from 1) Walsh average of ascending numbers.

    Bisection on the value: at each step every number looks up which partners (from its own place on) keep the mean at
    or below the middle. Once no more than about n Walsh averages are left, they are written down and selected from.

    Examples
    --------
    >>> [walsh_average(np.array([0.0, 1.0, 5.0]), k) for k in range(1, 7)]
    [0.0, 0.5, 1.0, 2.5, 3.0, 5.0]
    """
    n = ordered.size
    place = np.arange(n)
    first, last = place, np.full(n, n)  # number i is still to be paired with places first[i] to last[i] - 1
    low, high = float(ordered[0]), float(ordered[-1])
    resolution = 4 * float(np.finfo(np.float64).eps) * max(abs(low), abs(high))
    while int((last - first).sum()) > max(n, 1000):
        if high - low <= resolution:  # what is left is one value many times over
            row = int(np.argmax(last > first))
            return float(ordered[row] + ordered[first[row]]) / 2
        middle = low + (high - low) / 2
        partners = np.maximum(np.searchsorted(ordered, 2 * middle - ordered, side="right"), place)
        if int((partners - place).sum()) >= k:
            high, last = middle, partners
        else:
            low, first = middle, partners
    left = last - first
    starts = np.cumsum(left) - left
    rows = np.repeat(place, left)
    columns = np.arange(rows.size) + np.repeat(first - starts, left)
    rank = k - 1 - int((first - place).sum())
    return float(np.partition(ordered[rows] + ordered[columns], rank)[rank]) / 2


def order_interval(ordered: FloatArray, tail: float) -> Tails:
    """Return the order statistics of ascending rows that hold the median, with at most `tail` error on each side."""
    k = _binomial_rank(ordered.shape[1], tail)
    if not k:
        unbounded = np.full(len(ordered), np.inf)
        return -unbounded, unbounded
    return ordered[:, k - 1], ordered[:, -k]


def _binomial_rank(n: int, tail: float) -> int:
    """Return the largest k with P(Binomial(n, ½) < k) ≤ tail, or 0."""
    from scipy.special import bdtr, ndtri

    k = max(0, int(np.floor(n / 2 + ndtri(tail) * np.sqrt(n) / 2)) - 2)
    if bdtr(max(k - 1, 0), n, 0.5) > tail:
        k = 0
    while bdtr(k, n, 0.5) <= tail:
        k += 1
    return k


@lru_cache(maxsize=1024)
def _rank_sum_distribution(ranks2: tuple[int, ...]) -> FloatArray:
    """Return P(twice the positive rank sum ≤ s) for s = 0, 1, …, each rank positive by a fair coin."""
    probabilities = np.zeros(sum(ranks2) + 1)
    probabilities[0] = 1.0
    for rank in ranks2:
        moved = np.zeros_like(probabilities)
        moved[rank:] = probabilities[: probabilities.size - rank]
        probabilities = (probabilities + moved) / 2
    cumulative = np.minimum(1.0, np.cumsum(probabilities))
    cumulative.flags.writeable = False
    return cumulative
