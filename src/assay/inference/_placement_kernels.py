"""Placements of many pairs of samples, compiled: what `expected_pvalue` counts in one."""

import numpy as np

from assay._compiled import njit
from assay.scales import FloatArray, IntArray


@njit(cache=True, nogil=True)
def placements(null: FloatArray, draws: FloatArray, times: IntArray, slack: FloatArray) -> FloatArray:
    """Return the sums that `assay.inference.pvalues.placed` takes, above and below: (2, 3, rows).

    Each row of `null` and `draws` ascends; a draw counts as often as `times` says. The loops that merge two rows go one
    step on in one of them each time, without a branch: no processor foresees in which.
    """
    n_rows, n_null = null.shape
    n_kinds = draws.shape[1]
    out = np.empty((2, 3, n_rows))
    above, below = np.empty(n_kinds, dtype=np.int64), np.empty(n_null, dtype=np.int64)
    upto, once = np.zeros(n_kinds + 1, dtype=np.int64), np.ones(n_null, dtype=np.int64)
    for row in range(n_rows):
        low, place = 0, 0
        while low < n_kinds and place < n_null:
            above[low] = n_null - place
            passed = int(null[row, place] < draws[row, low] - slack[row])
            place += passed
            low += 1 - passed
        above[low:] = n_null - place
        upto[1:] = np.cumsum(times[row])
        low, place = 0, 0
        while low < n_null and place < n_kinds:
            below[low] = upto[place]
            passed = int(draws[row, place] <= null[row, low] + slack[row])
            place += passed
            low += 1 - passed
        below[low:] = upto[place]
        out[0, :, row] = _sums(above, times[row])
        out[1, :, row] = _sums(below, once)
    return out


@njit(cache=True, nogil=True)
def _sums(counts: IntArray, times: IntArray) -> tuple[float, float, float]:
    """Return the sum of counts, and the sums of their distances from the whole part of its mean, and of the squares."""
    total = (counts * times).sum()
    whole = total // times.sum()
    rest, squares = 0.0, 0.0
    for j in range(counts.size):
        apart = float(counts[j] - whole)
        rest += times[j] * apart
        squares += times[j] * apart * apart
    return float(total), rest, squares
