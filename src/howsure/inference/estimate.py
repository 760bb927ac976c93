"""The one type for a number with uncertainty: an advantage, a score or a bias with its interval and p-value.

Rules that belong to estimates stand here once: which p-value decides, the significance level of a confidence level, the
opposite difference, and whether 0 lies outside the interval. `howsure.intervals` makes the intervals.
"""

import math
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from howsure import _check
from howsure.documents.numbers import interval as ends_of
from howsure.inference.pvalues import ALTERNATIVES
from howsure.wording.estimates import ci

ROUNDING = 1e-12
"""1 − 0.9 is a little below 0.1; a p-value this much above it is still significant at 10%."""


def alpha_of(confidence_level: float) -> float:
    """Return the largest p-value that is significant at a confidence level.

    Examples
    --------
    >>> 0.1 <= 1 - 0.9, 0.1 <= alpha_of(0.9)
    (False, True)
    """
    return 1 - confidence_level + ROUNDING


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
    """An interval, how it was made, and what to know about it.

    Attributes
    ----------
    low, high : float
        NaN when the interval is undefined; one of them is infinite when it is one-sided.
    method : str
    confidence_level : float
    notes : tuple of str
        What the reader must know.

    Examples
    --------
    >>> interval = ConfidenceInterval(0.1, 0.3, "basic", 0.95)
    >>> print(interval, 0.2 in interval)
    95% CI 0.100 to 0.300 (basic) True
    """

    low: float
    high: float
    method: str
    confidence_level: float
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        """The length of the interval."""
        return self.high - self.low

    @property
    def alpha(self) -> float:
        """The largest p-value that is significant at the level of the interval."""
        return alpha_of(self.confidence_level)

    @property
    def excludes_zero(self) -> bool:
        """Whether 0 lies outside; False where the interval is undefined."""
        return self.low > 0 or self.high < 0

    def turned(self) -> "ConfidenceInterval":
        """Return the interval of the opposite difference."""
        return replace(self, low=-self.high, high=-self.low)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name; `ConfidenceInterval(**fields)` gives the same interval again."""
        return asdict(self)

    def __str__(self) -> str:
        ends = "is undefined" if math.isnan(self.low) else ends_of(self.low, self.high)
        return "\n".join([f"{ci(self.confidence_level)} {ends} ({self.method})", *self.notes])


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its confidence interval, standard error and p-values; what is unknown is NaN.

    Attributes
    ----------
    value : float
        JSON calls it "advantage".
    confidence_interval : ConfidenceInterval
    standard_error : float
    pvalue, pvalue_adjusted : float
        By itself, and corrected for the other estimates of the same answer.

    Examples
    --------
    >>> bias = Estimate(-0.2, ConfidenceInterval(-0.3, -0.1, "t", 0.95), pvalue=0.001)
    >>> bias.is_significant, bias.unsigned().value, bias.unsigned().confidence_interval.low
    (True, 0.2, 0.1)
    """

    value: float = field(metadata={"json": "advantage"})
    confidence_interval: ConfidenceInterval
    standard_error: float = math.nan
    pvalue: float = math.nan
    pvalue_adjusted: float = math.nan

    @property
    def final_pvalue(self) -> float:
        """The p-value that decides: the adjusted one where there is one."""
        return self.pvalue if math.isnan(self.pvalue_adjusted) else self.pvalue_adjusted

    @property
    def is_significant(self) -> bool:
        """Whether the p-value that decides is small enough for the level of the interval; False where it is NaN."""
        return self.final_pvalue <= self.confidence_interval.alpha

    def turned(self) -> "Estimate":
        """Return the opposite difference: B − A instead of A − B."""
        return replace(self, value=-self.value, confidence_interval=self.confidence_interval.turned())

    def unsigned(self) -> "Estimate":
        """Return the estimate in the direction in which it is not negative."""
        return replace(self.turned() if self.value < 0 else self, value=abs(self.value))


def tails_of(confidence_level: float, alternative: str) -> tuple[float, float]:
    """Return the probabilities below the two ends."""
    level = _check.fraction("confidence_level", confidence_level)
    sides = 2 if _check.one_of("alternative", alternative, ALTERNATIVES) == "two-sided" else 1
    return (1 - level) / sides, 1 - (1 - level) / sides


def conclude(
    method: str, ends: tuple[float, float], level: float, alternative: str, notes: tuple[str, ...]
) -> ConfidenceInterval:
    """Put the interval together; a one-sided one has its other end at infinity."""
    low, high = ends
    if not math.isnan(low + high):
        low = -math.inf if alternative == "less" else low
        high = math.inf if alternative == "greater" else high
    return ConfidenceInterval(low, high, method, float(level), notes)
