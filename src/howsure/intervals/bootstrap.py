"""Intervals between quantiles of resampled advantages: percentile, basic and BCa."""

import math

import numpy as np

from howsure.data.scales import BoolArray, FloatArray
from howsure.inference.estimate import tails_of
from howsure.inference.evidence import Evidence
from howsure.inference.pvalues import tie_tolerances
from howsure.intervals.interval import Ends, Interval, Notes, asked_tails, usable, with_extremes


class Percentile(Interval):
    """The interval between two quantiles of the resampled advantages."""

    name = "percentile"
    says = "runs between two quantiles of the resampled advantages (Efron 1981)"
    random_raters = True

    def ends(self, evidence: Evidence, level: float, alternative: str) -> Ends:
        """Return the two quantiles of each row."""
        told, notes = usable(evidence.drawn, np.zeros(len(evidence)))
        return Ends(
            *_between(evidence, told, level, alternative), with_extremes_of(evidence, told, level, alternative, notes)
        )


class Basic(Interval):
    """The percentile interval mirrored at the estimate (the reverse percentile interval).

    The resamples vary around the estimate as the estimate varies around the truth, so a long upper tail of the
    resamples makes a long *lower* arm of the interval.
    """

    name = "basic"
    says = "mirrors two quantiles of the resampled advantages at the observed one (Davison and Hinkley 1997)"
    random_raters = True

    def ends(self, evidence: Evidence, level: float, alternative: str) -> Ends:
        """Return the two quantiles of each row, mirrored."""
        told, notes = usable(evidence.drawn, evidence.estimates)
        low, high = _between(evidence, told, level, alternative)
        notes = with_extremes_of(evidence, told, level, alternative, notes)
        return Ends(2 * evidence.estimates - high, 2 * evidence.estimates - low, notes)


class BCa(Interval):
    """The bias-corrected and accelerated interval (Efron and Tibshirani 1993, eq. 14.10 and 15.36).

    It is undefined when every resample is on one side of the estimate, when leaving out an item changes nothing, and
    when the correction is so large that the adjusted levels change places.
    """

    name = "bca"
    says = (
        "runs between two quantiles of the resampled advantages that are corrected for bias and skewness (Efron 1987)"
    )
    needs = "resampled items and all responses"
    items_alone = True
    leaves_out = True
    takes = ("jackknife",)

    def ends(self, evidence: Evidence, level: float, alternative: str) -> Ends:
        """Return two quantiles of each row, at levels that bias and acceleration move."""
        from scipy.special import ndtr, ndtri

        told, notes = usable(evidence.drawn, evidence.estimates)
        middle = evidence.estimates[:, np.newaxis]
        slack = tie_tolerances(evidence.draws, evidence.estimates)[:, np.newaxis]
        # Resamples equal to the estimate count half on each side, as in SciPy.
        below = np.count_nonzero(evidence.draws < middle - slack, axis=1)
        below += np.count_nonzero(evidence.draws <= middle + slack, axis=1)
        tails = np.array(tails_of(level, alternative))
        with np.errstate(invalid="ignore", divide="ignore"):
            bias = ndtri(below / (2 * evidence.drawn.n_defined))[:, np.newaxis]
            rate = accelerations(evidence.jackknife)[:, np.newaxis]
            shifted = bias + ndtri(tails)
            crossed = (rate * shifted >= 1).any(axis=1)
            adjusted = ndtr(bias + shifted / (1 - rate * shifted))
        sided, uneven = np.isinf(bias[:, 0]), np.isnan(rate[:, 0])
        for i in np.flatnonzero(told & (sided | uneven | crossed)).tolist():
            reason = "the acceleration is too large for this confidence level"
            if uneven[i]:
                reason = "the jackknife estimates are all equal or undefined"
            if sided[i]:
                reason = "every resample is on the same side of the estimate"
            notes[i] = (*notes[i], f"The BCa interval is undefined: {reason}.")
        told = told & ~sided & ~uneven & ~crossed
        adjusted = np.where(told[:, np.newaxis], adjusted, 0.5)
        found = np.where(told[:, np.newaxis], evidence.drawn.quantiles(adjusted), np.nan)
        asked = {"two-sided": adjusted, "greater": adjusted[:, :1], "less": adjusted[:, 1:]}[alternative]
        return Ends(found[:, 0], found[:, 1], with_extremes(evidence.drawn, told, asked, notes))


def _between(evidence: Evidence, told: BoolArray, level: float, alternative: str) -> tuple[FloatArray, FloatArray]:
    found = np.where(told[:, np.newaxis], evidence.drawn.quantiles(tails_of(level, alternative)), np.nan)
    return found[:, 0], found[:, 1]


def with_extremes_of(evidence: Evidence, told: BoolArray, level: float, alternative: str, notes: Notes) -> Notes:
    """Add a note where there are too few resamples for the quantiles of a level."""
    return with_extremes(evidence.drawn, told, asked_tails(level, alternative), notes)


def accelerations(*jackknife: FloatArray) -> FloatArray:
    """Return the BCa acceleration of each row: how fast the standard error changes with the truth (eq. 15.36).

    Each array, (rows, units), holds the estimates with one unit of one factor left out. NaN where they do not vary.

    Examples
    --------
    >>> accelerations(np.array([[1.0, 1.1, 1.2, 2.0]])).round(4)
    array([-0.0871])
    """
    cubes = squares = rounding = np.zeros(len(jackknife[0]))
    defined = np.ones(len(jackknife[0]), dtype=bool)
    for values in jackknife:
        n = values.shape[1]
        if n < 2:
            return np.full(len(values), math.nan)
        defined = defined & np.isfinite(values).all(axis=1)
        with np.errstate(invalid="ignore"):
            influence = (n - 1) * (values.mean(axis=1, keepdims=True) - values) / n
            cubes, squares = cubes + (influence**3).sum(axis=1), squares + (influence**2).sum(axis=1)
        rounding = np.maximum(rounding, tie_tolerances(values))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(defined & (np.sqrt(squares) > rounding), cubes / squares**1.5 / 6, math.nan)
