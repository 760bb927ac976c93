"""Every kind of confidence interval by its name."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure import _check
from howsure.errors import ArgumentError
from howsure.inference.bootstrap_t import studentised, symmetric
from howsure.inference.direct import score, student
from howsure.inference.intervals import ConfidenceInterval, basic, bca, percentile
from howsure.scales import FloatArray

NEEDS: dict[str, tuple[str, ...]] = {
    "percentile": (),
    "basic": (),
    "bca": ("jackknife",),
    "studentised": ("standard_errors", "standard_error"),
    "symmetric": ("jackknife", "standard_errors", "standard_error"),
    "score": ("jackknife",),
    "t": ("jackknife", "standard_error"),
}
"""What each method needs beside the draws."""
METHODS = tuple(NEEDS)


def interval(
    method: str,
    draws: npt.ArrayLike,
    *,
    estimate: float,
    jackknife: npt.ArrayLike | Sequence[FloatArray] | None = None,
    standard_errors: npt.ArrayLike | None = None,
    standard_error: float | None = None,
    df: float = math.nan,
    span: float = math.inf,
    confidence_level: float = 0.95,
    alternative: str = "two-sided",
) -> ConfidenceInterval:
    """Return the interval that `method` makes of the draws.

    "bca", "symmetric", "score" and "t" also need `jackknife`, the estimates with one item left out; "studentised" and
    "symmetric" need `standard_errors` and `standard_error`, "t" the latter and takes `df`, its degrees of freedom (one
    less than items, if left out). "score" takes `span`, the largest advantage that an item can have.

    Examples
    --------
    >>> interval("percentile", [0.0, 1.0, 2.0, 3.0, 4.0], estimate=1.5, confidence_level=0.5).low
    1.0
    """
    _check.one_of("method", method, METHODS)
    given = {"jackknife": jackknife, "standard_errors": standard_errors, "standard_error": standard_error}
    known: dict[str, Any] = {name: given[name] for name in NEEDS[method]}
    missing = [name for name, value in known.items() if value is None]
    if missing:
        raise ArgumentError(f"`{'` and `'.join(missing)}` must be given for method {method!r}; got None.")
    known |= {"confidence_level": confidence_level, "alternative": alternative}
    if method == "percentile":
        return percentile(draws, **known)
    around: dict[str, Any] = {"basic": basic, "bca": bca, "studentised": studentised}
    if method in around:
        return around[method](draws, estimate, **known)  # type: ignore[no-any-return]
    left = np.asarray(known.pop("jackknife"), dtype=np.float64).ravel()
    if method == "t":
        return student(estimate, df=left.size - 1 if math.isnan(df) else df, **known)
    advantages = left.size * estimate - (left.size - 1) * left  # of a mean, leaving one out gives that one back
    if method == "score":
        return score(advantages, span=span, **known)
    return symmetric(draws, estimate, advantages=advantages, **known)
