"""From draws to p-values: the tail p of one data set, and the expected p of a kind of study.

Both are counts of "at least as extreme", and both count ties. Draws that are equal on paper differ in their last bits
when their sums were added up in another order, so two values closer than `tie_tolerance` are taken to be equal; SciPy's
tolerance is a share of the observed statistic and misses ties at zero. A two-sided p is twice the smaller tail, at most
1, which assumes no symmetry.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from howsure import _check
from howsure.data.scales import BoolArray, FloatArray, IntArray
from howsure.documents.numbers import number, pvalue, rough

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


@dataclass(frozen=True, slots=True)
class PValue:
    """A p-value and how precise it is.

    Attributes
    ----------
    pvalue : float
        NaN when it is undefined; `notes` says why.
    standard_error : float
        How far another set of draws would move `pvalue`; 0 when it is exact.
    n_resamples : int
        The number of null draws that were counted; 0 where the p-value needs none.
    exact : bool
        Whether it counts all arrangements and not a sample of them.
    n_undefined : int
        The number of draws that were NaN and therefore left out.
    is_bound : bool
        The draws cannot tell this p-value from 0: all that may be said is that it is below `pvalue`.
    notes : tuple of str
        What the reader must know.
    """

    pvalue: float
    standard_error: float
    n_resamples: int
    exact: bool = False
    n_undefined: int = 0
    is_bound: bool = False
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name; `PValue(**fields)` gives the same value again."""
        return asdict(self)

    def __str__(self) -> str:
        if math.isnan(self.pvalue):
            text = "p is undefined"
        elif self.exact:
            counted = f", {self.n_resamples:,} arrangements" if self.n_resamples else ""
            text = f"p {'<' if self.is_bound else '='} {self.pvalue:.4g} (exact{counted})"
        else:
            sign = "<" if self.is_bound else "="
            known = pvalue(self.pvalue) if self.is_bound else number(self.pvalue, self.standard_error)
            text = f"p {sign} {known} (± {rough(self.standard_error)} from {self.n_resamples:,} resamples)"
        return "\n".join([text, *self.notes])


@dataclass(frozen=True, slots=True, eq=False)
class PValues:
    """The p-values of several data sets, an entry for each; `found[i]` is the one of a data set with its notes."""

    values: FloatArray
    standard_errors: FloatArray
    n_resamples: IntArray
    is_bound: BoolArray
    exact: bool
    n_undefined: IntArray
    why: Sequence[str]
    """Why a p-value is undefined; empty where it is not."""

    @classmethod
    def of(cls, found: Sequence[PValue]) -> "PValues":
        """Put p-values together that were computed one by one and need all their resamples."""
        return cls(
            values=np.array([one.pvalue for one in found]),
            standard_errors=np.array([one.standard_error for one in found]),
            n_resamples=np.array([one.n_resamples for one in found]),
            is_bound=np.array([one.is_bound for one in found]),
            exact=all(one.exact for one in found),
            n_undefined=np.zeros(len(found), dtype=np.int64),
            why=[" ".join(one.notes) for one in found],
        )

    def __getitem__(self, i: int) -> PValue:
        n, n_undefined = int(self.n_resamples[i]), int(self.n_undefined[i])
        notes = left_out(n_undefined, n + n_undefined)
        return PValue(
            pvalue=float(self.values[i]),
            standard_error=float(self.standard_errors[i]),
            n_resamples=n,
            exact=self.exact,
            n_undefined=n_undefined,
            is_bound=bool(self.is_bound[i]),
            notes=(*notes, self.why[i]) if self.why[i] else notes,
        )


def tail_pvalue(
    observed: float, null_draws: npt.ArrayLike, *, alternative: str = "two-sided", exact: bool = False
) -> PValue:
    """Return the share of null draws that are at least as extreme as the observed advantage.

    Parameters
    ----------
    observed : float
        The advantage of the data; positive means that A is better.
    null_draws : array of float
        Advantages drawn under the null.
    alternative : {"two-sided", "greater", "less"}
        "greater" asks whether A is better, "less" whether B is. Two-sided is twice the smaller of the two, at most 1,
        as in `scipy.stats.permutation_test`; it needs no symmetry of the null.
    exact : bool
        Whether `null_draws` are all arrangements there are, the observed one included. If they are a random sample,
        the observed advantage is counted as one more draw: only then is P(p ≤ α) ≤ α for any number of draws.

    Returns
    -------
    PValue
        Its standard error is the binomial one, doubled when two-sided (too large, never too small, near the cap of 1).

    Examples
    --------
    >>> print(tail_pvalue(2.0, [-2.0, -1.0, 0.0, 0.0, 1.0, 2.0, -1.0, 1.0], alternative="greater", exact=True))
    p = 0.125 (exact, 8 arrangements)
    >>> tail_pvalue(0.0, [0.0, 0.0, 0.0]).pvalue
    1.0
    """
    draws = np.asarray(null_draws, dtype=np.float64).ravel()
    return tail_pvalues(np.array([observed]), draws[np.newaxis], alternative=alternative, exact=exact)[0]


def tail_pvalues(
    observed: FloatArray, null_draws: FloatArray, *, alternative: str = "two-sided", exact: bool = False
) -> PValues:
    """Return the `tail_pvalue` of each observed advantage, from its row of null draws.

    Examples
    --------
    >>> tail_pvalues(np.array([2.0, 0.0]), np.array([[-1.0, 0.0, 1.0], [1.0, 0.0, -1.0]])).values
    array([0.5, 1. ])
    """
    _check.one_of("alternative", alternative, ALTERNATIVES)
    n_undefined = np.count_nonzero(np.isnan(null_draws), axis=1)
    n = null_draws.shape[1] - n_undefined
    unknown, none = np.isnan(observed), n == 0
    slack = tie_tolerances(null_draws, observed)
    counts = {
        "greater": np.count_nonzero(null_draws >= (observed - slack)[:, np.newaxis], axis=1),
        "less": np.count_nonzero(null_draws <= (observed + slack)[:, np.newaxis], axis=1),
    }
    count = np.minimum(*counts.values()) if alternative == "two-sided" else counts[alternative]
    sides, extra = 2 if alternative == "two-sided" else 1, 0 if exact else 1
    share = (count + extra) / np.maximum(n + extra, 1)
    error = np.zeros_like(share) if exact else sides * np.sqrt(share * (1 - share) / np.maximum(n, 1))
    undefined = unknown | none
    why = [""] * len(observed)
    for i in np.flatnonzero(undefined).tolist():
        lacks = "The observed advantage is undefined." if unknown[i] else "No resample under the null is defined."
        why[i] = lacks
    return PValues(
        values=np.where(undefined, np.nan, np.minimum(1.0, sides * share)),
        standard_errors=np.where(undefined, np.nan, error),
        n_resamples=n,
        is_bound=(count == 0) & ~undefined & (not exact),
        exact=exact,
        n_undefined=n_undefined,
        why=why,
    )


def expected_pvalue(null_draws: npt.ArrayLike, draws: npt.ArrayLike, *, alternative: str = "two-sided") -> PValue:
    """Return the p-value that a study like this gives on average: P(null draw ≥ draw) over all pairs.

    This is the published papers' p-value. It describes a kind of study; it is not a calibrated test of one data set.
    Two-sided, the direction follows the data: both are negated first if the null's median exceeds that of `draws`.

    Parameters
    ----------
    null_draws : array of float
        Advantages drawn under the null.
    draws : array of float
        Advantages drawn under the alternative, independently of `null_draws`.
    alternative : {"two-sided", "greater", "less"}
        "greater" counts null draws that are at least as large, "less" those that are at most as large.

    Returns
    -------
    PValue
        Its standard error is that of a two-sample U-statistic, from the variances of the placements (DeLong, DeLong
        and Clarke-Pearson 1988). A share below 1 / (b + 1), b the smaller number of draws, is reported as that bound.

    Examples
    --------
    >>> expected_pvalue([-1.0, 0.0, 1.0, 2.0], [0.0, 1.0, 3.0]).pvalue
    0.4166666666666667
    >>> expected_pvalue([-1.0, 0.0, 1.0, 2.0], [0.0, 1.0, 3.0], alternative="less").pvalue
    0.75
    """
    null, null_undefined = defined(null_draws)
    drawn, draws_undefined = defined(draws)
    n_undefined = null_undefined + draws_undefined
    notes = left_out(n_undefined, null.size + drawn.size + n_undefined)
    if null.size == 0 or drawn.size == 0:
        notes = (*notes, f"No resample{' under the null' if null.size == 0 else ''} is defined.")
        return PValue(math.nan, math.nan, null.size, n_undefined=n_undefined, notes=notes)
    tolerance = max(tie_tolerance(null), tie_tolerance(drawn))
    above, below = _placements(null, drawn, tolerance, _check.one_of("alternative", alternative, ALTERNATIVES))
    n_fewest = min(null.size, drawn.size)
    bound = 1 / (n_fewest + 1)
    share = int(above.sum()) / (null.size * drawn.size)
    if share < bound:
        error = math.sqrt(bound * (1 - bound) / n_fewest)
    else:
        error = math.sqrt(_variance(above, null.size) + _variance(below, drawn.size))
    return PValue(max(share, bound), error, null.size, n_undefined=n_undefined, is_bound=share < bound, notes=notes)


def expected_pvalues(null_draws: FloatArray, draws: FloatArray) -> FloatArray:
    """Return the expected p-value of each row.

    Examples
    --------
    >>> expected_pvalues(np.array([[-1.0, 0.0, 1.0, 2.0]]), np.array([[0.0, 3.0, 1.0]]))
    array([0.41666667])
    """
    return np.array([expected_pvalue(*row).pvalue for row in zip(null_draws, draws, strict=True)])


def _placements(null: FloatArray, drawn: FloatArray, tolerance: float, alternative: str) -> tuple[IntArray, IntArray]:
    """Return how many draws of the other sample are at least as extreme as each draw.

    These are null draws at or above a draw, and draws at or below a null draw. Both samples are negated for "less" and,
    two-sided, if the null's median exceeds that of the other sample.
    """
    null, drawn = np.sort(null), np.sort(drawn)
    if alternative == "less" or (alternative == "two-sided" and _middle(null) > _middle(drawn)):
        null, drawn = -null[::-1], -drawn[::-1]
    above = null.size - np.searchsorted(null, drawn - tolerance, side="left")
    return above, np.searchsorted(drawn, null + tolerance, side="right")


def _variance(placements: IntArray, n_others: int) -> float:
    """Return the variance of the mean share that placements are of `n_others` draws."""
    if placements.size < 2:
        return math.nan
    return float(placements.var(ddof=1)) / n_others**2 / placements.size


def tie_tolerance(draws: FloatArray, observed: float = 0.0) -> float:
    """Return how far apart two advantages may be and still count as equal.

    SciPy takes 100 machine epsilons of the observed statistic. An advantage near zero is a difference of larger numbers
    and carries their rounding error, so we take 100 epsilons of the largest advantage around.
    """
    ends = (float(draws.min()), float(draws.max())) if draws.size else ()
    largest = max([abs(end) for end in (observed, *ends) if math.isfinite(end)], default=0.0)
    return 100 * sys.float_info.epsilon * largest


def tie_tolerances(draws: FloatArray, observed: FloatArray | None = None) -> FloatArray:
    """Return the `tie_tolerance` of each row of draws, with its observed advantage; NaN does not count."""
    largest = np.zeros(len(draws))
    for end in (np.fmin, np.fmax):
        largest = np.maximum(largest, _finite_size(end.reduce(draws, axis=1, initial=0.0)))
    if observed is not None:
        largest = np.maximum(largest, _finite_size(observed))
    return np.asarray(100 * sys.float_info.epsilon * largest)


def _finite_size(values: FloatArray) -> FloatArray:
    return np.where(np.isfinite(values), np.abs(values), 0.0)


def defined(draws: npt.ArrayLike) -> tuple[FloatArray, int]:
    """Return the draws that are not NaN, and how many are."""
    array = np.asarray(draws, dtype=np.float64).ravel()
    missing = np.isnan(array)
    n_undefined = int(np.count_nonzero(missing))
    return (array[~missing] if n_undefined else array), n_undefined


def _middle(ascending: FloatArray) -> float:
    """Return the median of sorted numbers."""
    half = ascending.size // 2
    return float(ascending[half] if ascending.size % 2 else (ascending[half - 1] + ascending[half]) / 2)


def left_out(n_undefined: int, n_draws: int) -> tuple[str, ...]:
    """Return a note where some draws were undefined."""
    return (f"{n_undefined:,} of {n_draws:,} resamples were undefined and omitted.",) if n_undefined else ()
