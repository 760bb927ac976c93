"""Student's t of item differences, with a cluster-robust error (CR2), and Welch's t without the pairing."""

from types import MappingProxyType

import numpy as np

from howsure.data.scales import FloatArray
from howsure.nulls.item_test import (
    MEAN,
    FormulaTest,
    Hypothesis,
    ItemTest,
    Resamples,
    Shape,
    Suitability,
    Tails,
    TestedRows,
    Units,
    inappropriate,
    non_preferred,
    on_the_data,
    recommended,
)
from howsure.resampling.clusters import cluster_df, ratio_error

NEGLIGIBLE = 1e-13
"""Deviations this small beside the numbers they come from are rounding."""
MANY = 100
"""From this many differences on, a two-sided t test is nearly right on the skewed data of docs/evidence/scores.md."""
LONG_TAIL = "it tests the mean, which a long tail pulls away from the typical difference."


class MeanTest(ItemTest):
    """A test of the mean difference, of items or of whole clusters."""

    estimand = MEAN
    compares = "means"
    item_scores = True
    clusters = True

    def estimate(self, ordered: FloatArray) -> float:
        """Return the mean."""
        return float(ordered.mean())


class StudentT(MeanTest, FormulaTest):
    """The mean difference over its standard error, against Student's t.

    It is what a comparison falls back on where there are too few clusters for any exchange of them to be rare.
    """

    name, score_name = "paired-t", "t"
    label = "paired t test"
    statistic = "t"
    says = "no resampling: the mean item advantage over its standard error, against Student's t"
    account = (
        "the p-value compares the mean item advantage over its standard error with Student's t (Student 1908), which "
        "assumes many items or normal advantages"
    )
    how = "t is the mean difference over its standard error, s / √n, against Student's t (Student 1908)"
    rules = on_the_data(name)
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

    def run(self, units: Units, hypothesis: Hypothesis, resamples: Resamples | None = None) -> TestedRows:
        """Test each row."""
        from scipy.special import stdtr, stdtrit

        mean, error, degrees = robust_error(units)
        with np.errstate(invalid="ignore"):
            t = (mean - hypothesis.delta) / error
        pvalue, side = hypothesis.decide(stdtr(degrees, t), stdtr(degrees, -t))
        arm = -stdtrit(degrees, hypothesis.tail) * error
        low, high = hypothesis.ends(mean - arm, mean + arm)
        return TestedRows(mean, t, pvalue, side, low, high)


def robust_error(units: Units) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return each row's mean, its standard error, and the degrees of freedom of that.

    Where units are single items they are s / √n and n − 1; for clusters see `ratio_error` and `cluster_df` (CR2, Bell
    and McCaffrey 2002). The error is NaN where the units do not vary.
    """
    mean = units.means
    rests = units.sums - mean[:, np.newaxis] * units.sizes
    constant = np.sqrt(np.square(rests).sum(axis=1)) <= NEGLIGIBLE * np.abs(units.sums).max(axis=1)
    return mean, np.where(constant, np.nan, ratio_error(units.sums, units.sizes)), cluster_df(units.sizes)


def welch(a: FloatArray, b: FloatArray) -> tuple[FloatArray, Tails]:
    """Return Welch's t of rows of item scores of A and of B, as if they were not of the same items, and its tails.

    RATINGS (section 5.3) reports it beside tests that use the pairing; scores are signed so that more is better.
    """
    from scipy.special import stdtr

    n = a.shape[1]
    of_a, of_b = a.var(axis=1, ddof=1) / n, b.var(axis=1, ddof=1) / n
    difference, total = a.mean(axis=1) - b.mean(axis=1), of_a + of_b
    with np.errstate(invalid="ignore", divide="ignore"):
        degrees = np.nan_to_num(total**2 * (n - 1) / (of_a**2 + of_b**2), nan=1.0)  # Welch 1947; Satterthwaite 1946
        # Without any spread the sign of the difference decides.
        t = np.where(total > 0, difference / np.sqrt(total), np.where(difference == 0, 0.0, np.sign(difference) * 1e9))
    return t, (stdtr(degrees, t), stdtr(degrees, -t))
