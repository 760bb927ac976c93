"""Confidence intervals without draws: Student's t for means of items, and Tango's score interval for signs."""

import math
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.inference.intervals import ConfidenceInterval, conclude, tails_of
from howsure.scales import FloatArray

SAME_SIZE = 1e-13
"""Item advantages that differ by less than this share, times their number, are equal: a jackknife rounds them."""
ROUNDING = 1e-12


def student(
    estimate: float,
    *,
    standard_error: float,
    df: float,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> ConfidenceInterval:
    """Return Student's interval: estimate ± t · standard error.

    For a mean of item advantages it covers better than resampling where items are few (docs/audit-defaults.md), unless
    the advantages are very skewed; for metrics without item advantages, with the jackknife's standard error, too.

    Parameters
    ----------
    estimate, standard_error : float
    df : float
        Degrees of freedom of the standard error: the number of items, or of clusters, minus one where it comes from
        these.
    confidence_level : float
    alternative : {"two-sided", "greater", "less"}

    Examples
    --------
    >>> print(student(2.0, standard_error=0.5, df=9))
    95% CI 0.87 to 3.13 (t)
    """
    from scipy.special import stdtrit

    tail, _ = tails_of(confidence_level, alternative)
    if not df > 0 or not standard_error > 0 or math.isnan(estimate):
        notes = ("The t interval is undefined: the standard error is 0 or undefined.",)
        return conclude("t", (math.nan, math.nan), confidence_level, alternative, notes)
    arm = -float(stdtrit(df, tail)) * standard_error
    return conclude("t", (estimate - arm, estimate + arm), confidence_level, alternative, ())


def score(
    advantages: npt.ArrayLike,
    *,
    span: float = math.inf,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> ConfidenceInterval:
    """Return Tango's score interval of the mean of item advantages that are −c, 0 or c (Tango 1998).

    It holds the differences of two paired proportions that the score test does not reject: for accuracy and wins, whose
    item advantages are signs, and any metric of single labels. It needs no draws, and it covers where few items tell A
    and B apart, which leaves resampling too few different outcomes.

    Parameters
    ----------
    advantages : array of float
        One for each item; if not all are zero or of the same size, the interval is undefined.
    span : float
        The largest advantage that an item can have. Where all advantages are zero it stands for c, and the interval is
        ± span · z² / (n + z²); without it nothing says how large an advantage could be, and the interval is undefined.
    confidence_level : float
    alternative : {"two-sided", "greater", "less"}

    Examples
    --------
    A is better on 1 of 21 items, B on 7:

    >>> print(score([1.0] + 7 * [-1.0] + 13 * [0.0]))
    95% CI −0.52 to −0.03 (score)

    A and B differ on no item, but each could by 1:

    >>> print(score(60 * [0.0], span=1.0))
    95% CI −0.060 to 0.060 (score)
    A and B differ on no item: the interval shows how large a difference 60 such items leave possible.
    """
    from scipy.special import ndtri

    tail, _ = tails_of(confidence_level, alternative)
    values = np.asarray(advantages, dtype=np.float64).ravel()
    size = float(np.abs(values).max(initial=0.0))
    if values.size < 2 or not are_signs(values, span=span):
        reason = "there is one item"
        if values.size > 1:
            reason = "A and B differ on no item" if size == 0 else "the item advantages are not all −c, 0 or c"
        undefined = (f"The score interval is undefined: {reason}.",)
        return conclude("score", (math.nan, math.nan), confidence_level, alternative, undefined)
    notes: tuple[str, ...] = ()
    if size == 0:
        size = span
        notes = (
            f"A and B differ on no item: the interval shows how large a difference {values.size:,} such items leave "
            "possible.",
        )
    (won, lost), z = won_and_lost(values).tolist(), -float(ndtri(tail))
    low, high = _score_end(won, lost, values.size, z), -_score_end(lost, won, values.size, z)
    return conclude("score", (size * low, size * high), confidence_level, alternative, notes)


def score_statistic(won: int, lost: int, n: int, difference: float) -> float:
    """Return how far (won − lost) / n is from `difference`, in standard errors under that difference (Tango 1998).

    Examples
    --------
    >>> round(score_statistic(12, 5, 100, 0.0), 4)
    1.6977
    """
    # The share of lost items that is most likely under the difference (Tango 1998, eq. 11).
    linear = (2 * n - won + lost) * difference - won - lost
    share = (math.sqrt(linear**2 + 8 * n * lost * difference * (1 - difference)) - linear) / (4 * n)
    variance = max(2 * share + difference * (1 - difference), 0.0) / n
    distance = (won - lost) / n - difference
    return distance / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, distance) if distance else 0.0


def are_signs(advantages: npt.ArrayLike, *, span: float = math.inf) -> Any:
    """Return whether all item advantages are −c, 0 or c; where all are zero, c is `span` if that is finite.

    The last axis is items: of several rows, it is said of each.

    Examples
    --------
    >>> are_signs([0.5, 0.0, -0.5]), are_signs([0.5, 1.0]), are_signs([0.0, 0.0]), are_signs([0.0, 0.0], span=1.0)
    (True, False, False, True)
    """
    sizes = np.abs(np.asarray(advantages, dtype=np.float64))
    tolerance = _rounding(sizes)
    differs = sizes > tolerance
    alike = ~differs | (np.abs(sizes - sizes.max(axis=-1, keepdims=True, initial=0.0)) <= tolerance)
    found = np.where(differs.any(axis=-1), alike.all(axis=-1), bool(sizes.shape[-1]) and math.isfinite(span))
    return found if found.ndim else bool(found)


def won_and_lost(advantages: npt.ArrayLike) -> Any:
    """Return how many item advantages are above zero, and how many below; the last axis is items.

    Examples
    --------
    >>> won_and_lost([0.2, 0.0, -0.1, 0.3, 1e-17]).tolist()
    [2, 1]
    """
    values = np.asarray(advantages, dtype=np.float64)
    tolerance = _rounding(np.abs(values))
    return np.stack([np.count_nonzero(values > tolerance, axis=-1), np.count_nonzero(values < -tolerance, axis=-1)])


def telling(advantages: npt.ArrayLike) -> int:
    """Return how many item advantages differ from zero: the items that tell A and B apart.

    Examples
    --------
    >>> telling([0.2, 0.0, -0.1, 1e-17])
    2
    """
    sizes = np.abs(np.asarray(advantages, dtype=np.float64).ravel())
    return int(np.count_nonzero(sizes > _rounding(sizes)))


def _rounding(sizes: FloatArray) -> FloatArray:
    """Return the size below which an advantage is rounding."""
    return np.asarray(SAME_SIZE * max(1, sizes.shape[-1]) * sizes.max(axis=-1, keepdims=True, initial=0.0))


@lru_cache(maxsize=2**12)
def _score_end(won: int, lost: int, n: int, z: float) -> float:
    """Return the smallest difference of shares that the score test does not reject, by bisection.

    It is below the observed one for a positive z, above it for a negative one.
    """
    observed = (won - lost) / n
    low, high = (-1.0, observed) if z >= 0 else (observed, 1.0)
    while high - low > ROUNDING:
        middle = (low + high) / 2
        if score_statistic(won, lost, n, middle) > z:
            low = middle
        else:
            high = middle
    return low
