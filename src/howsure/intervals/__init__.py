"""Every kind of confidence interval: rows of evidence in, two ends for each row out.

`INTERVALS` is the catalogue that `compare`, leaderboards, audits, reports, the web page and schemas read. To add an
interval, write a class in the file of its idea and name it here; `howsure.testing.check_interval` holds its contract.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from howsure import _check
from howsure.errors import ArgumentError
from howsure.inference.estimate import ConfidenceInterval
from howsure.inference.evidence import Evidence
from howsure.intervals.bootstrap import Basic, BCa, Percentile
from howsure.intervals.bootstrap_t import FEW_TELLING, Studentised, Symmetric
from howsure.intervals.direct import Edgeworth, Student, Tango, are_signs, score, student, telling
from howsure.intervals.interval import Interval
from howsure.intervals.inverted_test import SignFlipInterval

STUDENT = Student()
"""The default where raters are a random factor."""

INTERVALS: Mapping[str, Interval] = MappingProxyType(
    {
        one.name: one
        for one in (
            Percentile(),
            Basic(),
            BCa(),
            Studentised(),
            Symmetric(),
            Tango(),
            STUDENT,
            Edgeworth(),
            SignFlipInterval(),
        )
    }
)
"""Each kind by its name."""


def interval(
    method: str,
    draws: npt.ArrayLike,
    *,
    estimate: float = 0.0,
    jackknife: npt.ArrayLike | None = None,
    standard_errors: npt.ArrayLike | None = None,
    standard_error: float | None = None,
    df: float = math.nan,
    span: float = math.inf,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> ConfidenceInterval:
    """Return the interval that a method makes of resampled advantages.

    Parameters
    ----------
    method : str
        One of `INTERVALS`.
    draws : array of float
        Resampled advantages.
    estimate : float
        The advantage of the data; "percentile" does without.
    jackknife : array of float
        The advantages with one item left out: for "bca", "symmetric", "score", "t", "edgeworth" and
        "sign-flip".
    standard_errors : array of float
        The standard error that each resample's own data give: for "studentised" and "symmetric".
    standard_error : float
        That of the data: for these, "t", "edgeworth" and "sign-flip".
    df : float
        Degrees of freedom for "t"; one less than items, if left out.
    span : float
        The largest advantage that an item can have, for "score".
    confidence_level : float
    alternative : {"two-sided", "greater", "less"}
        "greater" gives a lower bound (low, ∞), "less" an upper bound (−∞, high), as in `scipy.stats.bootstrap`.

    Examples
    --------
    >>> interval("percentile", [0.0, 1.0, 2.0, 3.0, 4.0], confidence_level=0.5).low
    1.0
    >>> print(interval("basic", range(1001), estimate=400, confidence_level=0.9))
    90% CI −150 to 750 (basic)
    """
    chosen = INTERVALS[_check.one_of("method", method, INTERVALS)]
    given = {"jackknife": jackknife, "standard_errors": standard_errors, "standard_error": standard_error}
    missing = [name for name in chosen.takes if given[name] is None]
    if missing:
        raise ArgumentError(f"`{'` and `'.join(missing)}` must be given for method {method!r}; got None.")
    rows = [np.asarray(() if side is None else side, dtype=np.float64).reshape(1, -1) for side in (draws, jackknife)]
    errors = np.asarray(() if standard_errors is None else standard_errors, dtype=np.float64).reshape(1, -1)
    if standard_errors is not None and errors.size != rows[0].size:
        raise ArgumentError(f"`standard_errors` must have one entry per resample ({rows[0].size}); got {errors.size}.")
    known = Evidence(
        np.array([float(estimate)]),
        draws=rows[0],
        standard_errors=errors,
        errors=np.array([math.nan if standard_error is None else float(standard_error)]),
        df=np.array([float(df)]),
        jackknife=rows[1],
        span=span,
    )
    return chosen.limits(known, confidence_level, alternative)


__all__ = [
    "FEW_TELLING",
    "INTERVALS",
    "STUDENT",
    "ConfidenceInterval",
    "Interval",
    "are_signs",
    "interval",
    "score",
    "student",
    "telling",
]
