"""The exact p-value of swapped items: tails of a sum of advantages with random signs, without random draws.

Where A and B are exchanged item by item (or cluster by cluster) and the metric is a mean over items, a draw of the null
is Σ ±cᵢ with fair signs. Its tails are computed here: by counting where the signs have few different sums, else by an
integral over the characteristic function Π cos(t·cᵢ) (`howsure.inference.signed_sums`). Both count the observed sum
itself, and sums that equal it but for rounding.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat

import numpy as np
import numpy.typing as npt

from howsure._loading import pays
from howsure.data.scales import FloatArray
from howsure.inference.pvalues import PValue
from howsure.inference.signed_sums import NOTHING, signed_sum_tails

_EPSILON = float(np.finfo(np.float64).eps)
FEW = 12
"""Of so many advantages all swaps are listed."""
COUNTED = 36
"""Of so many advantages of each of many rows all swaps are counted."""
MANY_SETS = 18
"""Two to the power of this: so many sets take longer to list than all swaps to be counted by compiled loops."""
STEPS = 64
"""How many numbers go through NumPy for each set of a half: sorted, matched twice, and listed."""
CELLS = 2**21
"""So many swaps are listed at a time."""
SMALLEST = NOTHING
"""A smaller p-value is reported only as below this."""


@dataclass(frozen=True, slots=True)
class SignFlips:
    """Both tails of the sum of advantages with random signs, at the observed sum.

    Attributes
    ----------
    less, greater : float
        P(sum ≤ observed) and P(sum ≥ observed), the observed sum counted in both.
    relative_error : float
        How far rounding and the ends of the integral may move the smaller of the two, as a share of it; 0 where the
        signs were counted.
    """

    less: float
    greater: float
    relative_error: float

    def pvalue(self, alternative: str) -> PValue:
        """Return the p-value of an alternative; two-sided is twice the smaller tail, at most 1."""
        smaller = min(self.less, self.greater)
        pvalue = {"less": self.less, "greater": self.greater, "two-sided": min(1.0, 2 * smaller)}[alternative]
        return PValue(max(pvalue, SMALLEST), 0.0, 0, exact=True, is_bound=pvalue < SMALLEST)


def sign_flips(advantages: npt.ArrayLike, *, rounding: float = 0.0) -> SignFlips | None:
    """Return the tails of Σ ±cᵢ at Σ cᵢ; None where they can only be drawn.

    Parameters
    ----------
    advantages : array of float
        The advantage of each item, or the sum of them for each cluster.
    rounding : float
        Advantages closer than this are equal on paper.

    Returns
    -------
    SignFlips or None
        None for advantages that lie almost on a grid, but not on it, and for undefined advantages.

    Examples
    --------
    >>> sign_flips([1.0, 2.0, 3.0, 4.0]).greater
    0.0625
    >>> found = sign_flips(np.arange(1.0, 101.0) * np.where(np.arange(100) % 5, 1, -1))
    >>> print(found.pvalue("two-sided"))
    p = 2.262e-08 (exact)
    """
    values = np.asarray(advantages, dtype=np.float64).ravel()
    if not values.size or not np.isfinite(values).all():
        return None
    if values.size <= FEW:
        return _counted(values, rounding)
    sizes, times, slack = _groups(np.abs(values), rounding)
    if not sizes.size:
        return SignFlips(1.0, 1.0, 0.0)
    observed = float(values.sum())
    reach = float(sizes @ times)
    # Far out in the tail, few sets are left to list.
    many = abs(observed) < reach / 2 and float(np.log2(times + 1).sum()) > MANY_SETS
    if many and values.size <= COUNTED and pays(STEPS << values.size // 2):
        return _counted(values, rounding)
    tolerance = max(values.size * rounding, 100 * _EPSILON * reach)
    found = signed_sum_tails(sizes, times, abs(observed), tolerance=tolerance, slack=slack)
    if found is None:
        return None
    at_least, at_most = found.at_least, 1.0 - found.above
    return SignFlips(
        *((at_most, at_least) if observed >= 0 else (at_least, at_most)),
        relative_error=found.relative_error,
    )


def _counted(values: FloatArray, rounding: float) -> SignFlips:
    less, greater = counted_tails(values[np.newaxis], np.array([[rounding]]))
    return SignFlips(float(less[0]), float(greater[0]), 0.0)


def counted_tails(rows: FloatArray, rounding: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return both tails (less, greater) of each row of at most `COUNTED` advantages, all swaps of which are counted."""
    sizes = np.abs(rows)
    slack = np.maximum(rounding, 8 * _EPSILON * sizes.max(axis=1, keepdims=True))
    ordered = np.sort(sizes, axis=1)
    ordered[ordered <= slack] = 0.0
    # Sizes that are equal on paper are made equal: their mean.
    starts = np.flatnonzero(np.diff(ordered, axis=1, prepend=-np.inf) > slack)
    times = np.diff(starts, append=ordered.size)
    means = np.add.reduceat(ordered.ravel(), starts) / times
    grouped = np.repeat(means, times).reshape(ordered.shape)
    observed, reach = rows.sum(axis=1), grouped.sum(axis=1)
    tolerance = np.maximum(rows.shape[1] * rounding[:, 0], 100 * _EPSILON * reach)
    room = reach - np.abs(observed)
    if rows.shape[1] <= FEW:
        taken = 2 * grouped @ all_swaps(rows.shape[1]).T
        fitting = np.count_nonzero(taken <= (room + tolerance)[:, np.newaxis], axis=1)
        smaller = np.count_nonzero(taken < (room - tolerance)[:, np.newaxis], axis=1)
    else:
        from howsure.inference._sign_kernels import count_sets

        fitting, smaller = count_sets(2 * grouped, room, tolerance)
    at_least, at_most = fitting / 2.0 ** rows.shape[1], 1 - smaller / 2.0 ** rows.shape[1]
    forward = observed >= 0
    return np.where(forward, at_most, at_least), np.where(forward, at_least, at_most)


@lru_cache(maxsize=FEW)
def all_swaps(n: int) -> FloatArray:
    """Return all ways to swap n items, 1 where an item is swapped: (2ⁿ, n)."""
    swaps = ((np.arange(2**n)[:, np.newaxis] >> np.arange(n)) % 2).astype(np.float64)
    swaps.flags.writeable = False
    return swaps


def sign_flips_of_rows(advantages: FloatArray, *, rounding: float | FloatArray = 0.0) -> list[SignFlips | None]:
    """Return `sign_flips` of every row (comparisons × items), of few items many rows at once.

    Examples
    --------
    >>> [found.greater for found in sign_flips_of_rows(np.array([[1.0, 2.0], [-1.0, 2.0]]))]
    [0.25, 0.5]
    """
    n_rows, n = advantages.shape
    slacks = np.broadcast_to(np.asarray(rounding, dtype=np.float64), (n_rows,))
    if not 0 < n <= COUNTED or not np.isfinite(advantages).all():
        return [sign_flips(row, rounding=slack) for row, slack in zip(advantages, slacks.tolist(), strict=True)]
    found: list[SignFlips | None] = []
    step = max(1, CELLS >> min(n, FEW))
    for low in range(0, n_rows, step):
        some = slice(low, low + step)
        less, greater = counted_tails(advantages[some], slacks[some, np.newaxis])
        found += map(SignFlips, less.tolist(), greater.tolist(), repeat(0.0))
    return found


def _groups(sizes: FloatArray, rounding: float) -> tuple[FloatArray, FloatArray, float]:
    """Return the different sizes above zero in ascending order, how often each occurs, and what counts as equal."""
    slack = max(rounding, 8 * _EPSILON * float(sizes.max()))
    ordered = np.sort(sizes[sizes > slack])
    starts = np.flatnonzero(np.diff(ordered, prepend=-math.inf) > slack)
    times = np.diff(starts, append=ordered.size)
    means = np.add.reduceat(ordered, starts) / times if ordered.size else ordered
    return means, times.astype(np.float64), slack
