"""What a confidence interval is; `howsure.intervals` makes them."""

import math
from dataclasses import asdict, dataclass
from typing import Any

from howsure import _check
from howsure.documents.numbers import interval as ends_of
from howsure.inference.pvalues import ALTERNATIVES


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

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name; `ConfidenceInterval(**fields)` gives the same interval again."""
        return asdict(self)

    def __str__(self) -> str:
        ends = "is undefined" if math.isnan(self.low) else ends_of(self.low, self.high)
        return "\n".join([f"{100 * self.confidence_level:g}% CI {ends} ({self.method})", *self.notes])


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
