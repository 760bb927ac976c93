"""What a confidence interval is, and those made of bootstrap draws alone or with a jackknife: percentile, basic, BCa.

An interval that the draws cannot give is NaN at both ends, and its notes say why. In particular, draws that are all
equal say nothing about uncertainty, so they give no interval rather than one of width zero.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from howsure import _check
from howsure.documents.numbers import interval as ends_of
from howsure.inference.pvalues import ALTERNATIVES, defined, left_out, tie_tolerance
from howsure.scales import FloatArray

Method = Literal["percentile", "basic", "bca", "studentised", "symmetric", "score", "t"]


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


def percentile(
    draws: npt.ArrayLike, *, confidence_level: float = 0.95, alternative: str = "two-sided"
) -> ConfidenceInterval:
    """Return the interval between two quantiles of the draws.

    Parameters
    ----------
    draws : array of float
        Bootstrap draws of the advantage.
    confidence_level : float
    alternative : {"two-sided", "greater", "less"}
        "greater" gives a lower bound (low, ∞), "less" an upper bound (−∞, high), as in `scipy.stats.bootstrap`.

    Examples
    --------
    >>> print(percentile(range(1001), confidence_level=0.9))
    90% CI 50 to 950 (percentile)
    """
    tails = tails_of(confidence_level, alternative)
    kept, notes = usable(draws)
    low, high = quantiles(kept, tails)
    notes += extreme(kept, tails)
    return conclude("percentile", (low, high), confidence_level, alternative, notes)


def basic(
    draws: npt.ArrayLike, estimate: float, *, confidence_level: float = 0.95, alternative: str = "two-sided"
) -> ConfidenceInterval:
    """Return the percentile interval mirrored at the estimate (the reverse percentile interval).

    The draws vary around the estimate as the estimate varies around the truth, so a long upper tail of the draws makes
    a long *lower* arm of the interval.

    Examples
    --------
    >>> print(basic(range(1001), 400, confidence_level=0.9))
    90% CI −150 to 750 (basic)
    """
    tails = tails_of(confidence_level, alternative)
    kept, notes = usable(draws, estimate)
    low, high = quantiles(kept, tails)
    notes += extreme(kept, tails)
    return conclude("basic", (2 * estimate - high, 2 * estimate - low), confidence_level, alternative, notes)


def bca(
    draws: npt.ArrayLike,
    estimate: float,
    *,
    jackknife: npt.ArrayLike | Sequence[FloatArray],
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> ConfidenceInterval:
    """Return the bias-corrected and accelerated interval (Efron and Tibshirani 1993, eq. 14.10 and 15.36).

    Parameters
    ----------
    draws : array of float
        Bootstrap draws of the advantage.
    estimate : float
        The advantage of the data.
    jackknife : array of float, or a list of such arrays
        The advantage with each item left out; one array per factor when several are resampled (items and raters).
    confidence_level : float
    alternative : {"two-sided", "greater", "less"}

    Notes
    -----
    It is undefined when every draw is on one side of the estimate, when leaving out an item changes nothing, and when
    the correction is so large that the adjusted levels change places.

    Examples
    --------
    >>> print(bca(range(1001), 500, jackknife=[1.0, 2.0, 3.0], confidence_level=0.9))
    90% CI 50 to 950 (bca)
    """
    from scipy.special import ndtr, ndtri

    tails = np.array(tails_of(confidence_level, alternative))
    kept, notes = usable(draws, estimate)
    factors = jackknife if isinstance(jackknife, list | tuple) and jackknife and np.ndim(jackknife[0]) else [jackknife]
    tolerance = tie_tolerance(kept, estimate)
    # Draws equal to the estimate count half on each side, as in SciPy.
    below = np.count_nonzero(kept < estimate - tolerance) + np.count_nonzero(kept <= estimate + tolerance)
    bias = float(ndtri(below / (2 * kept.size))) if kept.size else math.nan
    rate = acceleration(*factors)
    shifted = bias + ndtri(tails)
    if math.isinf(bias):
        reason = "every resample is on the same side of the estimate"
    elif math.isnan(rate):
        reason = "the jackknife estimates are all equal or undefined"
    elif (rate * shifted >= 1).any():
        reason = "the acceleration is too large for this confidence level"
    else:
        reason = ""
    if not kept.size or reason:
        notes += (f"The BCa interval is undefined: {reason}.",) if kept.size else ()
        return conclude("bca", (math.nan, math.nan), confidence_level, alternative, notes)
    adjusted = ndtr(bias + shifted / (1 - rate * shifted))
    low, high = quantiles(kept, adjusted)
    used = {"two-sided": adjusted, "greater": adjusted[:1], "less": adjusted[1:]}[alternative]
    return conclude("bca", (low, high), confidence_level, alternative, notes + extreme(kept, used))


def acceleration(*jackknife: npt.ArrayLike) -> float:
    """Return the BCa acceleration: how fast the standard error changes with the truth (eq. 15.36).

    Each array holds the estimates with one unit of one factor left out. NaN when they do not vary.

    Examples
    --------
    >>> round(acceleration([1.0, 1.1, 1.2, 2.0]), 4)
    -0.0871
    """
    cubes = squares = rounding = 0.0
    for estimates in jackknife:
        values = np.asarray(estimates, dtype=np.float64).ravel()
        if values.size < 2 or not np.isfinite(values).all():
            return math.nan
        influence = (values.size - 1) * (values.mean() - values) / values.size
        cubes += float((influence**3).sum())
        squares += float((influence**2).sum())
        rounding = max(rounding, tie_tolerance(values))
    return cubes / squares**1.5 / 6 if math.sqrt(squares) > rounding else math.nan


def tails_of(confidence_level: float, alternative: str) -> tuple[float, float]:
    """Return the probabilities below the two ends."""
    level = _check.fraction("confidence_level", confidence_level)
    sides = 2 if _check.one_of("alternative", alternative, ALTERNATIVES) == "two-sided" else 1
    return (1 - level) / sides, 1 - (1 - level) / sides


def usable(draws: npt.ArrayLike, estimate: float = 0.0) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the draws that an interval can be made of (none, if none can), and the notes about the others."""
    kept, n_undefined = defined(draws)
    notes = left_out(n_undefined, kept.size + n_undefined)
    if math.isnan(estimate):
        return kept[:0], (*notes, "The interval is undefined: the estimate is undefined.")
    if kept.size < 2:
        return kept[:0], (*notes, f"The interval is undefined: it needs two resamples or more; got {kept.size}.")
    if kept.max() - kept.min() <= tie_tolerance(kept):
        return kept[:0], (*notes, "The interval is undefined: all resamples are equal.")
    return kept, notes


def quantiles(draws: FloatArray, probabilities: Sequence[float] | FloatArray) -> tuple[float, ...]:
    """Return quantiles of the draws; NaN if there are none."""
    if draws.size == 0:
        return (math.nan,) * len(probabilities)
    return tuple(_between(draws, (draws.size - 1) * float(share)) for share in probabilities)


def _between(draws: FloatArray, place: float) -> float:
    """Return the number at a place between two of the draws in their order: the bits of `np.quantile`, faster."""
    if draws.size == 1:
        return float(draws[0])
    first = min(math.floor(place), draws.size - 2)
    part = place - first
    split = np.partition(draws, first)  # several times as fast as sorting
    before, after = float(split[first]), float(split[first + 1 :].min())
    return before + (after - before) * part if part < 0.5 else after - (after - before) * (1 - part)


def extreme(draws: FloatArray, probabilities: Sequence[float] | FloatArray) -> tuple[str, ...]:
    """Return a note when there are too few draws for a quantile."""
    tails = np.minimum(probabilities, 1 - np.asarray(probabilities))
    if draws.size == 0 or tails.min() * (draws.size + 1) >= 1 - 1e-9:
        return ()
    return (f"An end of the interval is the most extreme of {draws.size:,} resamples: use more resamples.",)


def conclude(
    method: Method, ends: tuple[float, float], level: float, alternative: str, notes: tuple[str, ...]
) -> ConfidenceInterval:
    """Put the interval together; a one-sided one has its other end at infinity."""
    low, high = ends
    if not math.isnan(low + high):
        low = -math.inf if alternative == "less" else low
        high = math.inf if alternative == "greater" else high
    return ConfidenceInterval(low, high, method, float(level), notes)
