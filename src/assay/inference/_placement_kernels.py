"""Placements of many pairs of samples, compiled: what `expected_pvalue` counts in one."""

import numpy as np

from assay._compiled import njit
from assay.scales import FloatArray, IntArray


@njit(cache=True, nogil=True)
def placements(null: FloatArray, draws: FloatArray, times: IntArray, slack: FloatArray) -> FloatArray:
    """Return the sums that `assay.inference.pvalues.placed` takes, above and below: (2, 3, rows).

    Each row of `null` and `draws` ascends; a draw counts as often as `times` says.
    """
    n_rows, n_null = null.shape
    n_kinds = draws.shape[1]
    out = np.zeros((2, 3, n_rows))
    above, below = np.empty(n_kinds, dtype=np.int64), np.empty(n_null, dtype=np.int64)
    for row in range(n_rows):
        place, n_draws, total = 0, 0, 0
        for j in range(n_kinds):
            while place < n_null and null[row, place] < draws[row, j] - slack[row]:
                place += 1
            above[j] = n_null - place
            total += times[row, j] * above[j]
            n_draws += times[row, j]
        whole = total // n_draws
        out[0, 0, row] = total
        for j in range(n_kinds):
            apart = float(above[j] - whole)
            out[0, 1, row] += times[row, j] * apart
            out[0, 2, row] += times[row, j] * apart * apart
        place, counted, total = 0, 0, 0
        for j in range(n_null):
            while place < n_kinds and draws[row, place] <= null[row, j] + slack[row]:
                counted += times[row, place]
                place += 1
            below[j] = counted
            total += counted
        whole = total // n_null
        out[1, 0, row] = total
        for j in range(n_null):
            apart = float(below[j] - whole)
            out[1, 1, row] += apart
            out[1, 2, row] += apart * apart
    return out
