"""Intervals without resamples: Student's t, Edgeworth's correction of it for many items, and Tango's score interval."""

import math
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.scales import BoolArray, FloatArray
from howsure.inference.estimate import ConfidenceInterval, conclude, tails_of
from howsure.inference.evidence import Evidence
from howsure.inference.solving import root
from howsure.intervals.interval import Ends, Interval, Notes, arms

SAME_SIZE = 1e-13
"""Item advantages that differ by less than this share, times their number, are equal: a jackknife rounds them."""
ROUNDING = 1e-12


class Student(Interval):
    """Student's interval: estimate ± t · standard error.

    For a mean of item advantages it covers better than resampling where items are few (docs/evidence/levels.md), unless
    the advantages are very skewed; for metrics without item advantages, with the jackknife's standard error, too. Where
    raters are a random factor its error is that of items and raters, and it stays within the possible advantages.
    """

    name = "t"
    says = "is the advantage plus and minus its standard error times a quantile of Student's t"
    needs = "resampled items and all responses"
    items_alone = True
    random_raters = True
    from_resamples = False
    leaves_out = True
    takes = ("standard_error",)

    def ends(self, evidence: Evidence, level: float, alternative: str) -> Ends:
        """Return the estimate plus and minus a quantile of t times the standard error."""
        if evidence.rater_error is not None:
            found = evidence.rater_error.interval(
                float(evidence.estimates[0]), confidence_level=level, alternative=alternative
            )
            low, high = (np.clip([end], -evidence.span, evidence.span) for end in (found.low, found.high))
            return Ends(low, high, [found.notes])
        df = np.where(np.isnan(evidence.df), evidence.jackknife.shape[1] - 1.0, evidence.df)
        lengths, told = student_arms(evidence, df, tails_of(level, alternative)[0])
        undefined = ("The t interval is undefined: the standard error is 0 or undefined.",)
        return arms(evidence, lengths, told, [() if fine else undefined for fine in told.tolist()])


def student_arms(evidence: Evidence, df: FloatArray, tail: float) -> tuple[FloatArray, BoolArray]:
    """Return the length of each row's arm by Student's t, and where it is defined."""
    from scipy.special import stdtrit

    with np.errstate(invalid="ignore"):
        told = (df > 0) & (evidence.errors > 0) & ~np.isnan(evidence.estimates)
        return -stdtrit(np.where(told, df, 1.0), tail) * evidence.errors, told


class Edgeworth(Interval):
    """Student's interval with Edgeworth's correction for the skewness and kurtosis of item advantages (Hall 1988).

    It gives what the symmetric bootstrap-t converges to, without resamples: the quantile of |t| of a mean of n
    advantages to order 1/n, or the quantile of t of one side. `enough` says where it is as good as resampling
    (docs/evidence/levels.md).
    """

    name = "edgeworth"
    says = (
        "is the advantage plus and minus its standard error times a quantile of Student's t, corrected for the "
        "skewness and kurtosis of the item advantages (Hall 1988)"
    )
    needs = "item scores, resampled items and all responses"
    item_scores = True
    items_alone = True
    from_resamples = False
    yields_to_test = True
    takes = ("jackknife", "standard_error")

    def ends(self, evidence: Evidence, level: float, alternative: str) -> Ends:
        """Return the estimate minus two corrected quantiles of t, times the standard error."""
        lengths = corrected_quantiles(evidence.units, level, alternative)
        told = (evidence.errors > 0) & np.isfinite(lengths).all(axis=0) & ~np.isnan(evidence.estimates)
        undefined = ("The edgeworth interval is undefined: the standard error is 0 or undefined.",)
        notes: Notes = [() if fine else undefined for fine in told.tolist()]
        low, high = (np.where(told, evidence.estimates - length * evidence.errors, np.nan) for length in lengths)
        return Ends(low, high, notes)


LARGE = {"two-sided": 500, "greater": 1000, "less": 1000}
"""From this many items on the corrected t covers as well as resampling (docs/evidence/levels.md), ..."""

LONGER = 1.05
"""... if the correction lengthens an arm by at most this factor: beyond it the expansion is not to be trusted."""


def enough(advantages: FloatArray, level: float, alternative: str) -> bool:
    """Whether item advantages are so many, and so little skewed, that Edgeworth's correction needs no resamples."""
    n = advantages.size
    if n < LARGE[alternative] or not np.isfinite(advantages).all() or not np.ptp(advantages) > 0:
        return False
    lengths = np.abs(corrected_quantiles(advantages[np.newaxis], level, alternative)).ravel()
    from scipy.special import stdtrit

    plain = -float(stdtrit(n - 1, tails_of(level, alternative)[0]))
    asked = {"two-sided": lengths, "greater": lengths[:1], "less": lengths[1:]}[alternative]
    return bool((asked <= LONGER * plain).all() and (asked >= plain / LONGER).all())


def corrected_quantiles(rows: FloatArray, level: float, alternative: str) -> tuple[FloatArray, FloatArray]:
    """Return by how many standard errors the ends lie below the mean of each row: the lower end's, the upper end's."""
    from scipy.special import ndtri, stdtrit

    tail, _ = tails_of(level, alternative)
    n = rows.shape[1]
    centred = rows - rows.mean(axis=1, keepdims=True)
    squares = np.square(centred)
    variance = squares.mean(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        skew = (squares * centred).mean(axis=1) / variance**1.5
        excess = np.square(squares).mean(axis=1) / variance**2 - 3
    if alternative == "two-sided":
        z = -float(ndtri(tail))
        more = z * (skew**2 * (z**4 + 2 * z**2 - 3) / 18 - excess * (z**2 - 3) / 12) / n
        length = -float(stdtrit(n - 1, tail)) + more
        return length, -length
    return tuple(_one_sided(n, skew, excess, float(ndtri(share))) for share in (1 - tail, tail))  # type: ignore[return-value]


def _one_sided(n: int, skew: FloatArray, excess: FloatArray, z: float) -> FloatArray:
    """Return the quantile of t at the normal quantile z, by Cornish and Fisher's expansion of the studentised mean."""
    first = skew * (2 * z**2 + 1) / 6
    second = z * (excess * (z**2 - 3) / 12 - skew**2 * (z**4 + 2 * z**2 - 3) / 18 - (z**2 + 1) / 4)
    return np.asarray(z - first / math.sqrt(n) - second / n + (2 * skew * z * first / 3 - z * first**2 / 2) / n)


class Tango(Interval):
    """Tango's score interval of the mean of item advantages that are −c, 0 or c (Tango 1998).

    It holds the differences of two paired proportions that the score test does not reject: for accuracy and wins, whose
    item advantages are signs, and any metric of single labels. It covers where few items tell A and B apart, which
    leaves resampling too few different outcomes.
    """

    name = "score"
    says = "inverts the score test of paired proportions (Tango 1998)"
    needs = "item scores, resampled items and all responses"
    item_scores = True
    items_alone = True
    from_resamples = False
    sparse = True
    yields_to_test = True
    takes = ("jackknife",)

    def fits(self, metric: Any) -> bool:
        """Whether item advantages are signs."""
        return bool(metric.counts_items)

    def ends(self, evidence: Evidence, level: float, alternative: str) -> Ends:
        """Return the ends by the numbers of items won and lost."""
        found = [
            score(row, span=evidence.span, confidence_level=level, alternative=alternative) for row in evidence.units
        ]
        low, high = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
        return Ends(low, high, [one.notes for one in found])


def student(
    estimate: float, *, standard_error: float, df: float, confidence_level: float = 0.95, alternative: str = "two-sided"
) -> ConfidenceInterval:
    """Return Student's interval of an estimate whose standard error has these degrees of freedom.

    Examples
    --------
    >>> print(student(2.0, standard_error=0.5, df=9))
    95% CI 0.87 to 3.13 (t)
    """
    known = Evidence(np.array([estimate]), errors=np.array([standard_error]), df=np.array([float(df)]))
    return Student().limits(known, confidence_level, alternative)


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
    unknown = bool(np.isnan(values).any())
    if values.size < 2 or unknown or not are_signs(values, span=span):
        reason = "there is one item" if values.size < 2 else "an item advantage is undefined"
        if values.size > 1 and not unknown:
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
    discriminant = linear**2 + 8 * n * lost * difference * (1 - difference)
    share = (math.sqrt(max(discriminant, 0.0)) - linear) / (4 * n)  # rounding can leave −1e-16
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
    """Return the smallest difference of shares that the score test does not reject.

    It is below the observed one for a positive z, above it for a negative one.
    """
    observed = (won - lost) / n
    low, high = (-1.0, observed) if z >= 0 else (observed, 1.0)

    def excess(difference: float) -> float:
        return z - score_statistic(won, lost, n, difference)

    if excess(low) >= 0 or excess(high) < 0:  # no difference is rejected, or all of them
        return low if excess(low) >= 0 else high
    return root(excess, low, high, tolerance=ROUNDING)
