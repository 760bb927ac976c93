"""Tests against a margin: better by more than it, not worse by more than it, or within it.

They follow from the intervals: the p-value of "the advantage exceeds m" is one minus the largest level at which the
one-sided interval still lies above m. So test and interval cannot contradict each other, whatever the interval is.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from howsure import _check
from howsure.inference import ConfidenceInterval
from howsure.inference.solving import edge

STEPS = 40
SMALLEST = 1e-6
"""No p-value from resampling is claimed to be smaller than this."""


@dataclass(frozen=True, slots=True)
class MarginTests:
    """Three questions about a margin, and the interval that answers them.

    Attributes
    ----------
    margin : float
        The smallest difference that matters, in units of the metric.
    superiority, non_inferiority, equivalence : float
        p-values: A is better by more than the margin; A is not worse by more than the margin; the difference is within
        the margin in both directions (two one-sided tests).
    confidence_interval : ConfidenceInterval
        The two-sided interval at level 1 − 2α: A and B are equivalent where it lies within the margin.
    """

    margin: float
    superiority: float
    non_inferiority: float
    equivalence: float
    confidence_interval: ConfidenceInterval


def margin_tests(
    margin: float,
    limits: Callable[[float, str], ConfidenceInterval],
    *,
    confidence_level: float,
    tails: Callable[[float], tuple[float, float] | None] = lambda advantage: None,
) -> MarginTests:
    """Return the three tests; `limits` gives the interval at a level, one-sided ("greater", "less") or two-sided.

    `tails` gives the p-values (less, greater) of an advantage where the interval's own test has them.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> def limits(level, side):
    ...     low = norm.ppf(1 - level, 0.1, 0.05) if side == "greater" else -math.inf
    ...     return ConfidenceInterval(low, norm.ppf(level, 0.1, 0.05) if side == "less" else math.inf, "z", level)
    >>> found = margin_tests(0.05, limits, confidence_level=0.95)
    >>> round(found.superiority, 4), round(found.non_inferiority, 4), round(found.equivalence, 4)
    (0.1587, 0.0013, 0.8413)
    """
    _check.real("margin", margin, at_least=0)
    within = limits(max(2 * confidence_level - 1, SMALLEST), "two-sided")
    if math.isnan(within.low):
        return MarginTests(margin, math.nan, math.nan, math.nan, within)
    at_margin, at_loss = tails(margin), tails(-margin)
    if at_margin is not None and at_loss is not None:
        (below, beyond), (_, above) = at_margin, at_loss
    else:
        below = smallest_alpha(lambda level: limits(level, "less").high < margin)
        above = smallest_alpha(lambda level: limits(level, "greater").low > -margin)
        beyond = smallest_alpha(lambda level: limits(level, "greater").low > margin)
    return MarginTests(
        margin=margin,
        superiority=beyond,
        non_inferiority=above,
        equivalence=max(above, below),
        confidence_interval=within,
    )


def smallest_alpha(rejects: Callable[[float], bool]) -> float:
    """Return the smallest α at which a test rejects; `rejects` is asked at level 1 − α."""
    if rejects(1 - SMALLEST):
        return SMALLEST
    if not rejects(SMALLEST):
        return 1.0
    # On the scale of log-odds small and large α have the same relative precision.
    low = math.log(SMALLEST / (1 - SMALLEST))
    odds = float(edge(lambda x: rejects(1 / (1 + math.exp(x))), low, -low, halvings=STEPS))
    return 1 / (1 + math.exp(-odds))
