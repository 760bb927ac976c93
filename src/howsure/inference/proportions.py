"""Proportions: intervals for a rate that was counted, and the counts that a known rate allows.

Power and error rates are proportions of simulated data sets, so each of them is shown with an interval, and each test
of a rate asks whether the count lies in the acceptance region.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from howsure import _check
from howsure.data.scales import FloatArray
from howsure.inference.estimate import ConfidenceInterval, tails_of


def wilson(
    successes: int, n: int, *, confidence_level: float = 0.95, alternative: str = "two-sided"
) -> ConfidenceInterval:
    """Return Wilson's score interval for `successes` out of `n`: its coverage is close to nominal on average.

    Examples
    --------
    >>> print(wilson(8, 10))
    95% CI 0.49 to 0.94 (wilson)
    """
    tail = _checked(successes, n, confidence_level, alternative)
    if n == 0:
        return _conclude("wilson", math.nan, math.nan, confidence_level, alternative)
    from scipy.special import ndtri

    # As `scipy.stats.binomtest(…).proportion_ci(method="wilson")`, without the 0.4 s that loading scipy.stats takes.
    z = -float(ndtri(tail))
    share = successes / n
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    arm = z / (1 + z**2 / n) * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    low = 0.0 if successes == 0 else centre - arm
    high = 1.0 if successes == n else centre + arm
    return _conclude("wilson", low, high, confidence_level, alternative)


def clopper_pearson(
    successes: int, n: int, *, confidence_level: float = 0.95, alternative: str = "two-sided"
) -> ConfidenceInterval:
    """Return the exact interval for `successes` out of `n`: its coverage is never below nominal.

    Examples
    --------
    >>> print(clopper_pearson(8, 10))
    95% CI 0.44 to 0.97 (clopper-pearson)
    """
    tail = _checked(successes, n, confidence_level, alternative)
    if n == 0:
        return _conclude("clopper-pearson", math.nan, math.nan, confidence_level, alternative)
    from scipy.special import betaincinv

    # As `scipy.stats.binomtest(…).proportion_ci(method="exact")`, which finds the ends by root finding.
    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - tail))
    return _conclude("clopper-pearson", low, high, confidence_level, alternative)


def effective_wilson(
    means: FloatArray,
    variances: FloatArray,
    n: FloatArray | float,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    df: FloatArray | float = math.inf,
    confidence_level: float = 0.95,
) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's interval of means of scores that lie between `bounds`, by their effective number of items.

    The effective number is the number of right-or-wrong items whose share would vary as much as the mean does: the
    ratio p (1 − p) / variance (Korn and Graubard 1998, who put it into Clopper and Pearson's interval). It is computed
    after half an item was added at either end of the range, because n items may lack the rare item that fails: ten
    scores of 0.99 do not exclude a mean of 0.9. Where every item is 0 or 1 the effective number is n, and the interval
    is that of Wilson (1927).

    Parameters
    ----------
    means, variances : array of float
        The means and their squared standard errors.
    n : array or float
        How many independent items the means rest on.
    bounds : tuple of float
        The smallest and the largest score of an item.
    df : array or float
        Degrees of freedom of the variances where few clusters determine them: the effective number shrinks by (z / t)²
        then, as in Korn and Graubard (1998). Infinite where items stand alone.
    confidence_level : float

    Returns
    -------
    low, high : array of float

    Examples
    --------
    >>> low, high = effective_wilson(np.array([0.8]), np.array([0.8 * 0.2 / 9]), 10)
    >>> low.round(3).tolist(), high.round(3).tolist(), str(wilson(8, 10))
    ([0.49], [0.943], '95% CI 0.49 to 0.94 (wilson)')

    Fifteen items with five runs each, of which all but one run passed:

    >>> items = np.array([0.8] + 14 * [1.0])
    >>> low, high = effective_wilson(items.mean(), items.var(ddof=1) / 15, 15)
    >>> round(float(low), 2), round(float(high), 3)
    (0.82, 0.999)
    """
    from scipy.special import ndtri, stdtrit

    tail, _ = tails_of(confidence_level, "two-sided")
    least, most = bounds
    share = (np.asarray(means, dtype=np.float64) - least) / (most - least)
    spread = np.asarray(variances, dtype=np.float64) / (most - least) ** 2
    # Mean and variance of the Bayesian bootstrap (Rubin 1981) of n items and half an item at either end.
    middle = (n * share + 0.5) / (n + 1)
    squares = n * (n - 1) * spread + n * (share - middle) ** 2 + 0.5 * middle**2 + 0.5 * (1 - middle) ** 2
    effective = middle * (1 - middle) / (squares / ((n + 1) * (n + 2))) - 2
    z = -float(ndtri(tail))
    if np.isfinite(df).any():
        effective = (
            effective * np.where(np.isfinite(df), z / -stdtrit(np.where(np.isfinite(df), df, 1.0), tail), 1.0) ** 2
        )
    effective = np.maximum(effective, 1.0)
    centre = (share + z**2 / (2 * effective)) / (1 + z**2 / effective)
    arm = z / (1 + z**2 / effective) * np.sqrt(share * (1 - share) / effective + z**2 / (4 * effective**2))
    low, high = np.clip(centre - arm, 0.0, share), np.clip(centre + arm, share, 1.0)
    return least + (most - least) * low, least + (most - least) * high


@dataclass(frozen=True, slots=True)
class BinomialRegion:
    """The counts that are no surprise, from `low` to `high`, both included.

    Examples
    --------
    >>> region = binomial_region(1000, 0.05)
    >>> 60 in region, 80 in region
    (True, False)
    """

    low: int
    high: int
    n: int
    p: float
    confidence_level: float

    def __contains__(self, count: int) -> bool:
        return self.low <= count <= self.high

    def __str__(self) -> str:
        return (
            f"{self.low:,} to {self.high:,} of {self.n:,} ({self.low / self.n:.2%} to {self.high / self.n:.2%}) "
            f"with probability of at least {100 * self.confidence_level:g}% if the rate is {self.p:g}"
        )


def binomial_region(n: int, p: float, *, confidence_level: float = 0.95) -> BinomialRegion:
    """Return the equal-tailed region that holds a Binomial(n, p) count with at least `confidence_level` probability.

    Examples
    --------
    >>> print(binomial_region(1200, 0.05))
    46 to 75 of 1,200 (3.83% to 6.25%) with probability of at least 95% if the rate is 0.05
    """
    from scipy.special import bdtr

    n = _check.integer("n", n, at_least=1)
    p = _check.real("p", p, at_least=0, at_most=1)
    tail = (1 - _check.fraction("confidence_level", confidence_level)) / 2

    def quantile(probability: float) -> int:
        return bisect_left(range(n), probability, key=lambda count: float(bdtr(count, n, p)))

    return BinomialRegion(quantile(tail), quantile(1 - tail), n, p, confidence_level)


def _checked(successes: int, n: int, confidence_level: float, alternative: str) -> float:
    """Check the arguments of an interval and return the probability beyond each of its ends."""
    _check.integer("n", n, at_least=0)
    _check.integer("successes", successes, at_least=0)
    _check.real("successes", successes, at_least=0, at_most=n)
    return tails_of(confidence_level, alternative)[0]


def _conclude(method: str, low: float, high: float, confidence_level: float, alternative: str) -> ConfidenceInterval:
    if math.isnan(low):
        note = "The interval is undefined: nothing was counted."
        return ConfidenceInterval(low, high, method, float(confidence_level), (note,))
    low = 0.0 if alternative == "less" else max(0.0, low)
    high = 1.0 if alternative == "greater" else min(1.0, high)
    return ConfidenceInterval(low, high, method, float(confidence_level))
