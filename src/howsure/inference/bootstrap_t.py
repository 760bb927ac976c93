"""Confidence intervals from draws with standard errors of their own: studentised, and symmetric."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import ArgumentError
from howsure.inference.direct import student, telling
from howsure.inference.intervals import ConfidenceInterval, conclude, extreme, quantiles, tails_of, usable
from howsure.scales import FloatArray

FEW_TELLING = 10
"""With fewer items than this that tell A and B apart, there are too few different resamples for an interval."""
NO_SPREAD = 1e-7
"""A draw's standard error below this share of the data's is zero: only rounding is left of equal squares."""


def studentised(
    draws: npt.ArrayLike,
    estimate: float,
    *,
    standard_errors: npt.ArrayLike,
    standard_error: float,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> ConfidenceInterval:
    """Return the bootstrap-t interval: quantiles of (draw − estimate) / standard error of the draw.

    Parameters
    ----------
    draws : array of float
        Bootstrap draws of the advantage.
    estimate : float
        The advantage of the data.
    standard_errors : array of float
        The standard error that each draw's own resampled data give; a draw where it is 0 is undefined and left out.
    standard_error : float
        The standard error that the data give.
    confidence_level : float
    alternative : {"two-sided", "greater", "less"}

    Examples
    --------
    >>> print(studentised([1.0, 2.0, 3.0], 2.0, standard_errors=[1, 1, 1], standard_error=0.5, confidence_level=0.5))
    50% CI 1.75 to 2.25 (studentised)
    """
    kept, notes = _ratios(draws, estimate, standard_errors, standard_error)
    return _studentised(kept, notes, estimate, standard_error, levels=[confidence_level], alternative=alternative)[0]


def _studentised(
    kept: FloatArray,
    notes: tuple[str, ...],
    estimate: float,
    standard_error: float,
    *,
    levels: Sequence[float],
    alternative: str,
) -> list[ConfidenceInterval]:
    """Return the bootstrap-t intervals of ratios at several levels."""
    tails = [tails_of(level, alternative) for level in levels]
    found = iter(quantiles(kept, [share for pair in tails for share in pair]))
    intervals = []
    for level, pair, low, high in zip(levels, tails, found, found, strict=True):
        ends = (estimate - standard_error * high, estimate - standard_error * low)
        intervals.append(conclude("studentised", ends, level, alternative, notes + extreme(kept, pair)))
    return intervals


def symmetric(
    draws: npt.ArrayLike,
    estimate: float,
    *,
    advantages: npt.ArrayLike,
    standard_errors: npt.ArrayLike,
    standard_error: float,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> ConfidenceInterval:
    """Return the symmetric bootstrap-t interval: a quantile of |draw − estimate| / standard error of the draw.

    Both arms are equally long, as Student's are, but their length comes from the draws, not from a normal distribution
    (Hall 1988). It covers better than the studentised interval, whose two quantiles are each less certain, and better
    than Student's where advantages are skewed (docs/audit-defaults.md). If fewer than ten advantages differ from zero,
    there is too little to resample: the interval is Student's, with one degree of freedom less than their number, and a
    note says so. A one-sided bound has one arm, whose length is the studentised quantile of its own side.

    Parameters
    ----------
    draws : array of float
        Bootstrap draws of the advantage.
    estimate : float
        The advantage of the data.
    advantages : array of float
        One for each item.
    standard_errors : array of float
        The standard error that each draw's own resampled data give; a draw where it is 0 is undefined and left out.
    standard_error : float
        The standard error that the data give.
    confidence_level : float
    alternative : {"two-sided", "greater", "less"}

    Examples
    --------
    >>> items = np.array([0.1, 0.3, -0.1, 0.2, 0.4, 0.1, 0.2, 0.3, 0.2, 0.1, 0.0, 0.5])
    >>> drawn = np.random.default_rng(0).choice(items, size=(9999, items.size))
    >>> known = {"standard_errors": drawn.std(axis=1, ddof=1) / 12**0.5, "standard_error": items.std(ddof=1) / 12**0.5}
    >>> print(symmetric(drawn.mean(axis=1), items.mean(), advantages=items, **known))
    95% CI 0.086 to 0.298 (symmetric)
    """
    known: Any = {"standard_errors": standard_errors, "standard_error": standard_error, "alternative": alternative}
    return symmetric_at([confidence_level], draws, estimate, advantages=advantages, **known)[0]


def symmetric_at(
    levels: Sequence[float],
    draws: npt.ArrayLike,
    estimate: float,
    *,
    advantages: npt.ArrayLike,
    standard_errors: npt.ArrayLike,
    standard_error: float,
    alternative: str = "two-sided",
) -> list[ConfidenceInterval]:
    """Return the `symmetric` interval at each of several levels: the draws are sorted once."""
    differ = telling(advantages)
    if differ < FEW_TELLING:
        note = (
            f"Only {differ} items or clusters differ between A and B, too few to resample: the interval is Student's."
        )
        asked: Any = {"df": differ - 1, "standard_error": standard_error, "alternative": alternative}
        found = [student(estimate, confidence_level=level, **asked) for level in levels]
        return [replace(one, method="symmetric", notes=one.notes or (note,)) for one in found]
    kept, notes = _ratios(draws, estimate, standard_errors, standard_error)
    if alternative != "two-sided":
        sided = _studentised(kept, notes, estimate, standard_error, levels=levels, alternative=alternative)
        return [replace(one, method="symmetric") for one in sided]
    shares = [1 - 2 * tails_of(level, alternative)[0] for level in levels]
    arms = [length * standard_error for length in quantiles(np.abs(kept), shares)]
    return [
        conclude("symmetric", (estimate - arm, estimate + arm), level, alternative, notes + extreme(kept, [share]))
        for level, share, arm in zip(levels, shares, arms, strict=True)
    ]


def studentised_draws(
    draws: npt.ArrayLike, estimate: float, *, standard_errors: npt.ArrayLike, standard_error: float
) -> FloatArray:
    """Return what the advantage would be in each draw if the true one were zero and the error that of the data.

    That is (draw − estimate) / standard error of the draw · standard error; NaN where a draw has no spread.

    Examples
    --------
    >>> studentised_draws([1.0, 2.0, 5.0], 2.0, standard_errors=[1.0, 1.0, 3.0], standard_error=0.5)
    array([-0.5,  0. ,  0.5])
    """
    values, errors = (np.asarray(side, dtype=np.float64).ravel() for side in (draws, standard_errors))
    moved = np.full(values.shape, np.nan)
    np.divide(values - estimate, errors, out=moved, where=errors > NO_SPREAD * standard_error)
    return moved * standard_error


def _ratios(
    draws: npt.ArrayLike, estimate: float, standard_errors: npt.ArrayLike, standard_error: float
) -> tuple[FloatArray, tuple[str, ...]]:
    """Return (draw − estimate) / standard error of the draw where it is defined, and the notes about the others."""
    values = np.asarray(draws, dtype=np.float64).ravel()
    errors = np.asarray(standard_errors, dtype=np.float64).ravel()
    if values.shape != errors.shape:
        raise ArgumentError(f"`standard_errors` must have one entry per resample ({values.size}); got {errors.size}.")
    if not standard_error > 0:
        return np.empty(0), ("The interval is undefined: the standard error is 0 or undefined.",)
    moved = studentised_draws(values, estimate, standard_errors=errors, standard_error=standard_error)
    return usable(moved / standard_error, estimate)
