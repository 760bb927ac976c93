"""Loops over rows that NumPy has no word for; compiled on first use. Each has a plain twin in the tests."""

import numpy as np
from numba import njit

from assay.metrics.base import ROUNDING
from assay.scales import FloatArray, IntArray


@njit(cache=True, nogil=True)
def ranks(rows: FloatArray, orders: IntArray) -> FloatArray:
    """Rank each row from 1, given the order of its values; ties share the mean rank."""
    n_rows, n = rows.shape
    out = np.empty_like(rows)
    for r in range(n_rows):
        order = orders[r]
        tie = ROUNDING * max(abs(rows[r, order[0]]), abs(rows[r, order[n - 1]]))
        start = 0
        while start < n:
            stop = start + 1
            while stop < n and rows[r, order[stop]] - rows[r, order[stop - 1]] <= tie:
                stop += 1
            for i in range(start, stop):
                out[r, order[i]] = (start + stop + 1) / 2
            start = stop
    return out


@njit(cache=True, nogil=True)
def _tied_pairs(ordered: FloatArray) -> float:
    """Count the pairs of equal values in a sorted vector."""
    pairs = 0.0
    run = 1
    for i in range(1, ordered.size + 1):
        if i < ordered.size and ordered[i] == ordered[i - 1]:
            run += 1
        else:
            pairs += run * (run - 1) / 2
            run = 1
    return pairs


@njit(cache=True, nogil=True)
def _sort_counting(values: FloatArray, spare: FloatArray) -> float:
    """Merge-sort `values` in place and return how many pairs stood in the wrong order."""
    n = values.size
    swaps = 0.0
    width = 1
    while width < n:
        for left in range(0, n, 2 * width):
            middle = min(left + width, n)
            right = min(left + 2 * width, n)
            i, j = left, middle
            for k in range(left, right):
                if i < middle and (j >= right or values[i] <= values[j]):
                    spare[k] = values[i]
                    i += 1
                else:
                    spare[k] = values[j]
                    swaps += middle - i
                    j += 1
        values[:] = spare
        width *= 2
    return swaps


@njit(cache=True, nogil=True)
def kendall(gold: FloatArray, model: FloatArray) -> FloatArray:
    """Kendall's τ-b of each pair of rows, by counting inversions (Knight 1966)."""
    n_rows, n = gold.shape
    out = np.empty(n_rows)
    spare = np.empty(n)
    for r in range(n_rows):
        order = np.argsort(gold[r])
        x = gold[r][order]
        y = model[r][order]
        both = 0.0
        start = 0
        while start < n:
            stop = start + 1
            while stop < n and x[stop] == x[start]:
                stop += 1
            y[start:stop] = np.sort(y[start:stop])
            both += _tied_pairs(y[start:stop])
            start = stop
        tied_x = _tied_pairs(x)
        discordant = _sort_counting(y, spare)
        tied_y = _tied_pairs(y)
        pairs = n * (n - 1) / 2
        concordant = pairs - tied_x - tied_y + both - discordant
        scale = np.sqrt(pairs - tied_x) * np.sqrt(pairs - tied_y)
        out[r] = (concordant - discordant) / scale if scale > 0 else np.nan
    return out


@njit(cache=True, nogil=True)
def wasserstein(left: FloatArray, right: FloatArray) -> FloatArray:
    """Wasserstein distance of sorted rows, which may end in NaN (absent) and need not have equal lengths."""
    n_rows = left.shape[0]
    out = np.empty(n_rows)
    for r in range(n_rows):
        n, m = left.shape[1], right.shape[1]
        while n > 0 and np.isnan(left[r, n - 1]):
            n -= 1
        while m > 0 and np.isnan(right[r, m - 1]):
            m -= 1
        if n == 0 or m == 0:
            out[r] = np.nan
            continue
        if n == m:
            apart = 0.0
            for i in range(n):
                apart += abs(left[r, i] - right[r, i])
            out[r] = apart / n
            continue
        # Walk both quantile functions at once, in steps of 1 / (n m) so that shares are whole numbers.
        distance = 0.0
        i, j, at = 0, 0, 0
        while i < n and j < m:
            step = min((i + 1) * m, (j + 1) * n)
            distance += (step - at) * abs(left[r, i] - right[r, j])
            at = step
            if step == (i + 1) * m:
                i += 1
            if step == (j + 1) * n:
                j += 1
        out[r] = distance / (n * m)
    return out


@njit(cache=True, nogil=True)
def total_variation(left: FloatArray, right: FloatArray) -> FloatArray:
    """Σ |share − share| of rows of counts."""
    n_rows, width = left.shape
    out = np.empty(n_rows)
    for r in range(n_rows):
        n = 0.0
        m = 0.0
        for c in range(width):
            n += left[r, c]
            m += right[r, c]
        apart = 0.0
        if n == m:
            for c in range(width):
                apart += abs(left[r, c] - right[r, c])
            out[r] = apart / n
        else:
            for c in range(width):
                apart += abs(left[r, c] / n - right[r, c] / m)
            out[r] = apart
    return out
