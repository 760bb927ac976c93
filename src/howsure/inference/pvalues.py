"""From draws to p-values: the tail p of one data set, and the expected p of a kind of study.

Both are counts of "at least as extreme", and both count ties. Draws that are equal on paper differ in their last bits
when their sums were added up in another order, so two values closer than `tie_tolerance` are taken to be equal.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from howsure import _check
from howsure._loading import pays
from howsure.documents.numbers import number, pvalue, rough
from howsure.responses import frozen
from howsure.scales import FloatArray, IntArray

Alternative = Literal["two-sided", "greater", "less"]
STEPS = 8
"""How many numbers go through NumPy for each that is placed: it looks for its place step by step."""
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
    _check.one_of("alternative", alternative, ALTERNATIVES)
    draws, n_undefined = defined(null_draws)
    notes = left_out(n_undefined, draws.size + n_undefined)
    if math.isnan(observed) or draws.size == 0:
        reason = (
            "The observed advantage is undefined." if math.isnan(observed) else "No resample under the null is defined."
        )
        return PValue(math.nan, math.nan, draws.size, exact, n_undefined, notes=(*notes, reason))
    tolerance = tie_tolerance(draws, observed)
    counts = {
        "greater": int(np.count_nonzero(draws >= observed - tolerance)),
        "less": int(np.count_nonzero(draws <= observed + tolerance)),
    }
    count = min(counts.values()) if alternative == "two-sided" else counts[alternative]
    sides = 2 if alternative == "two-sided" else 1
    extra = 0 if exact else 1
    share = (count + extra) / (draws.size + extra)
    error = 0.0 if exact else sides * math.sqrt(share * (1 - share) / draws.size)
    is_bound = count == 0 and not exact
    return PValue(min(1.0, sides * share), error, draws.size, exact, n_undefined, is_bound, notes)


def tail_pvalues(
    observed: FloatArray, null_draws: FloatArray, *, alternatives: Sequence[str] = ALTERNATIVES, exact: bool = False
) -> FloatArray:
    """Return the `tail_pvalue` of each observed advantage, from its row of null draws: (alternatives, rows).

    Examples
    --------
    >>> tail_pvalues(np.array([2.0, 0.0]), np.array([[-1.0, 0.0, 1.0], [1.0, 0.0, -1.0]]), alternatives=["two-sided"])
    array([[0.5, 1. ]])
    """
    told = np.isfinite(null_draws).all(axis=1) & np.isfinite(observed)
    slack = tie_tolerances(null_draws, observed)
    above = np.count_nonzero(null_draws >= (observed - slack)[:, np.newaxis], axis=1)
    below = np.count_nonzero(null_draws <= (observed + slack)[:, np.newaxis], axis=1)
    extra = 0 if exact else 1
    greater, less = ((counts + extra) / (null_draws.shape[1] + extra) for counts in (above, below))
    sides = {"greater": greater, "less": less, "two-sided": np.minimum(1.0, 2 * np.minimum(greater, less))}
    found = np.array([sides[alternative] for alternative in alternatives])
    for i in np.flatnonzero(~told).tolist():
        found[:, i] = [
            tail_pvalue(float(observed[i]), null_draws[i], alternative=alternative, exact=exact).pvalue
            for alternative in alternatives
        ]
    return found


def expected_pvalue(null_draws: npt.ArrayLike, draws: npt.ArrayLike) -> PValue:
    """Return the p-value that a study like this gives on average: P(null draw ≥ draw) over all pairs.

    This is the published papers' p-value. It describes a kind of study; it is not a calibrated test of one data set.
    If the null's median exceeds that of `draws`, both are negated first, so the direction follows the data.

    Parameters
    ----------
    null_draws : array of float
        Advantages drawn under the null.
    draws : array of float
        Advantages drawn under the alternative, independently of `null_draws`.

    Returns
    -------
    PValue
        Its standard error is that of a two-sample U-statistic, from the variances of the placements (DeLong, DeLong
        and Clarke-Pearson 1988). A share below 1 / (b + 1), b the smaller number of draws, is reported as that bound.

    Examples
    --------
    >>> expected_pvalue([-1.0, 0.0, 1.0, 2.0], [0.0, 1.0, 3.0]).pvalue
    0.4166666666666667
    """
    null, null_undefined = defined(null_draws)
    alternative, alternative_undefined = defined(draws)
    n_undefined = null_undefined + alternative_undefined
    notes = left_out(n_undefined, null.size + alternative.size + n_undefined)
    if null.size == 0 or alternative.size == 0:
        notes = (*notes, f"No resample{' under the null' if null.size == 0 else ''} is defined.")
        return PValue(math.nan, math.nan, null.size, n_undefined=n_undefined, notes=notes)
    above, below = _placements(np.sort(null), alternative, max(tie_tolerance(null), tie_tolerance(alternative)))
    share, error, is_bound = placed(above, below, alternative.size, null.size)
    return PValue(float(share), float(error), null.size, n_undefined=n_undefined, is_bound=bool(is_bound), notes=notes)


def expected_pvalues(null_draws: FloatArray, draws: FloatArray, times: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the expected p-value of each row and its standard error; column j of `draws` counts `times[j]` times.

    Examples
    --------
    >>> expected_pvalues(np.array([[-1.0, 0.0, 1.0, 2.0]]), np.array([[0.0, 3.0, 1.0]]), np.array([1, 1, 1]))[0]
    array([0.41666667])
    """
    from howsure.inference._placement_kernels import placements

    null = np.sort(null_draws, axis=1)
    ends = [null[:, 0], null[:, -1], draws.min(axis=1), draws.max(axis=1)]
    slack = 100 * sys.float_info.epsilon * np.abs(ends).max(axis=0)
    above, below = placements(null, frozen(draws), times, slack)
    share, error, _ = placed(above, below, int(times.sum()), null_draws.shape[1])
    return share, error


def _placements(null: FloatArray, alternative: FloatArray, tolerance: float) -> Any:
    """Return the sums that `placed` takes, of two samples, of which `null` ascends.

    A placement counts draws of the other sample: null draws at or above it, alternative draws at or below it. Both are
    negated if the null's median exceeds that of the other sample.
    """
    if pays(STEPS * (null.size + alternative.size)):
        from howsure.inference._placement_kernels import placements

        once = np.ones(alternative.size, dtype=np.int64)
        return placements(null[np.newaxis], frozen(alternative[np.newaxis]), once, np.array([tolerance]))[:, :, 0]
    alternative = np.sort(alternative)
    if _middle(null) > _middle(alternative):
        null, alternative = -null[::-1], -alternative[::-1]
    above = null.size - np.searchsorted(null, alternative - tolerance, side="left")
    below = np.searchsorted(alternative, null + tolerance, side="right")
    return _counted(above), _counted(below)


def placed(above: Any, below: Any, n_draws: int, n_null: int) -> tuple[Any, Any, Any]:
    """Return the expected p-value, its standard error and whether it is a bound, from the sums of placements.

    `above` and `below` hold the sum of the placements, and the sum and the sum of squares of their distances from the
    mean rounded down: whole numbers, so the order does not matter. They may be arrays, with an entry for each study.
    """
    n_fewest = min(n_null, n_draws)
    bound = 1 / (n_fewest + 1)
    share = above[0] / (n_null * n_draws)
    variances = []
    for (_, rest, squares), n, others in ((above, n_draws, n_null), (below, n_null, n_draws)):
        spread = (squares - rest * rest / n) / (n - 1) if n > 1 else np.nan
        variances.append(spread / others**2 / n)
    error = np.where(share < bound, math.sqrt(bound * (1 - bound) / n_fewest), np.sqrt(variances[0] + variances[1]))
    return np.where(share < bound, bound, share), error, share < bound


def tie_tolerance(draws: FloatArray, observed: float = 0.0) -> float:
    """Return how far apart two advantages may be and still count as equal.

    SciPy takes 100 machine epsilons of the observed statistic. An advantage near zero is a difference of larger numbers
    and carries their rounding error, so we take 100 epsilons of the largest advantage around.
    """
    ends = (float(draws.min()), float(draws.max())) if draws.size else ()
    largest = max([abs(end) for end in (observed, *ends) if math.isfinite(end)], default=0.0)
    return 100 * sys.float_info.epsilon * largest


def tie_tolerances(draws: FloatArray, observed: FloatArray | None = None) -> FloatArray:
    """Return the `tie_tolerance` of each row of finite draws, with its observed advantage."""
    ends = [draws.min(axis=1), draws.max(axis=1), *([] if observed is None else [observed])]
    return np.asarray(100 * sys.float_info.epsilon * np.abs(ends).max(axis=0))


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


def _counted(placements: IntArray) -> tuple[float, float, float]:
    """Return the sums that `placed` takes."""
    total = int(placements.sum())
    apart = (placements - total // placements.size).astype(np.float64)
    return float(total), float(apart.sum()), float(np.square(apart).sum())
