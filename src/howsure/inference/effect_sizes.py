"""Effect sizes: how large a difference is, in units that do not depend on the metric.

Item advantages are signed so that positive means A is better. The last axis is items and leading axes are draws, so a
bootstrap of an effect size is one call. What is undefined is NaN.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.scales import FloatArray
from howsure.inference.pvalues import tie_tolerance

PAIRS = 1024
"""Of many rows with so many pairs at most, the pairs are compared one by one."""


def cohen_dz(advantages: npt.ArrayLike) -> Any:
    """Return the mean of the item advantages in units of their standard deviation.

    Undefined for fewer than two items and for advantages that are all equal.

    Examples
    --------
    >>> cohen_dz([1.0, 2.0, 3.0])
    2.0
    """
    values = np.asarray(advantages, dtype=np.float64)
    if values.shape[-1] < 2:
        return _number(np.full(values.shape[:-1], np.nan))
    spread = values.std(axis=-1, ddof=1)
    # Equal numbers may have a spread of a few bits; dividing by it would report an enormous effect.
    varies = spread > 100 * np.finfo(np.float64).eps * np.abs(values).max(axis=-1)
    mean = values.mean(axis=-1)
    return _number(np.divide(mean, spread, out=np.full(mean.shape, np.nan), where=varies))


def hedges_g(advantages: npt.ArrayLike) -> Any:
    """Return Cohen's d_z without its small-sample bias; it needs at least three items.

    Examples
    --------
    >>> round(hedges_g([1.0, 2.0, 3.0]), 4)
    1.1284
    """
    values = np.asarray(advantages, dtype=np.float64)
    return _number(np.asarray(cohen_dz(values)) * hedges_factor(values.shape[-1] - 1))


def hedges_factor(degrees_of_freedom: float) -> float:
    """Return Γ(m/2) / (√(m/2) Γ((m−1)/2)), the exact factor of Hedges (1981, eq. 6e); NaN for m ≤ 1.

    Examples
    --------
    >>> round(hedges_factor(9), 4)
    0.9139
    """
    half = degrees_of_freedom / 2
    if not half > 0.5:
        return math.nan
    if half < 150:
        return math.exp(math.lgamma(half) - math.lgamma(half - 0.5)) / math.sqrt(half)
    # The difference of two large log-gammas would lose digits; the series of Γ(z + ½) / Γ(z) has them all here.
    z = half - 0.5
    series = 1 - 1 / (8 * z) + 1 / (128 * z**2) + 5 / (1024 * z**3) - 21 / (32768 * z**4) - 399 / (262144 * z**5)
    return math.sqrt(z / half) * series


def win_rate(advantages: npt.ArrayLike) -> Any:
    """Return the share of items where A is better, a tie counting half.

    Examples
    --------
    >>> win_rate([0.5, 0.1, -0.2, 0.0])
    0.625
    """
    values = np.asarray(advantages, dtype=np.float64)
    if values.shape[-1] == 0:
        return _number(np.full(values.shape[:-1], np.nan))
    tolerance = 100 * np.finfo(np.float64).eps * np.abs(values).max(axis=-1, keepdims=True)
    # NaN must stay NaN: a sign of NaN is NaN, and so is the mean of it.
    signs = np.where(np.abs(values) <= tolerance, 0.0, np.sign(values))
    return _number((1 + signs.mean(axis=-1)) / 2)


def cliffs_delta(a: npt.ArrayLike, b: npt.ArrayLike) -> Any:
    """Return P(a > b) − P(a < b) over all pairs of an `a` with a `b`; it ignores which items belong together.

    Sorting makes it O(n log n). Give scores of which larger is better.

    Examples
    --------
    >>> cliffs_delta([1, 2, 3], [0, 2])
    0.5
    """
    first, second = (np.asarray(scores, dtype=np.float64) for scores in (a, b))
    if first.ndim < 2:
        return _cliffs_delta(first.ravel(), second.ravel())
    n_pairs = first.shape[-1] * second.shape[-1]
    if n_pairs > PAIRS or not np.isfinite(first).all() or not np.isfinite(second).all():
        return _number(np.array([cliffs_delta(*rows) for rows in zip(first, second, strict=True)]))
    largest = np.maximum(np.abs(first).max(axis=-1), np.abs(second).max(axis=-1))
    slack = 100 * float(np.finfo(np.float64).eps) * largest[..., np.newaxis]
    lower = higher = 0
    for one in np.moveaxis(first, -1, 0):
        lower = lower + np.count_nonzero(second < one[..., np.newaxis] - slack, axis=-1)
        higher = higher + np.count_nonzero(second > one[..., np.newaxis] + slack, axis=-1)
    return _number((lower - higher) / n_pairs)


def _cliffs_delta(first: FloatArray, second: FloatArray) -> float:
    if first.size == 0 or second.size == 0 or np.isnan(first).any() or np.isnan(second).any():
        return math.nan
    tolerance = max(tie_tolerance(first), tie_tolerance(second))
    second = np.sort(second)
    lower = np.searchsorted(second, first - tolerance, side="left").sum()
    higher = second.size * first.size - np.searchsorted(second, first + tolerance, side="right").sum()
    return float(lower - higher) / (first.size * second.size)


def _number(values: FloatArray) -> Any:
    """Return a Python float for one number, else the array, read-only."""
    result = np.asarray(values, dtype=np.float64)
    if result.ndim == 0:
        return float(result)
    result.flags.writeable = False
    return result
