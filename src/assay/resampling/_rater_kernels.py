"""The loops of the two-way bootstrap: summaries in which a response counts as often as its rater was drawn.

Draws are innermost: `weights` is how often each rater was drawn, (raters, draws).
"""

import numpy as np
import numpy.typing as npt

from assay._compiled import njit
from assay.scales import FloatArray, IntArray

TILE = 64
"""This many draws are done at a time: what is written for them stays in the processor's first cache."""


@njit(cache=True, nogil=True)
def weighted_sums(contrasts: FloatArray, items: npt.NDArray[np.uint8]) -> FloatArray:
    """Return the sum of each draw's contrasts, (draws, items), each as often as its item was drawn."""
    n_draws, n = contrasts.shape
    out = np.empty(n_draws)
    for d in range(n_draws):
        row, times = contrasts[d], items[d]
        even, odd = 0.0, 0.0  # two sums, as one addition would wait for the other
        for i in range(0, n - 1, 2):
            even += times[i] * row[i]
            odd += times[i + 1] * row[i + 1]
        out[d] = even + odd + (times[n - 1] * row[n - 1] if n % 2 else 0.0)
    return out


@njit(cache=True, nogil=True)
def weighted_sizes(raters: IntArray, offsets: IntArray, weights: FloatArray) -> IntArray:
    """Return how many responses each item has, (draws, items), when each counts as often as its rater was drawn."""
    n_items, n_draws = offsets.size - 1, weights.shape[1]
    out = np.empty((n_draws, n_items), dtype=np.int64)
    totals = np.empty(n_draws)
    for i in range(n_items):
        totals[:] = 0.0
        for j in range(offsets[i], offsets[i + 1]):
            row = weights[raters[j]]
            for d in range(n_draws):
                totals[d] += row[d]
        for d in range(n_draws):
            out[d, i] = np.int64(totals[d])
    return out


@njit(cache=True, nogil=True)
def weighted_means(
    values: FloatArray, raters: IntArray, offsets: IntArray, weights: FloatArray
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return the weighted mean of each item, and whether any of its raters was drawn (if not: its first value)."""
    n_items, n_draws = offsets.size - 1, weights.shape[1]
    out = np.empty((n_draws, n_items))
    there = np.empty((n_draws, n_items), dtype=np.bool_)
    totals, counts = np.empty(TILE), np.empty(TILE)
    for first in range(0, n_draws, TILE):
        m = min(TILE, n_draws - first)
        for i in range(n_items):
            totals[:] = 0.0
            counts[:] = 0.0
            for j in range(offsets[i], offsets[i + 1]):
                row, value = weights[raters[j], first : first + m], values[j]
                for d in range(m):
                    totals[d] += row[d] * value
                    counts[d] += row[d]
            for d in range(m):
                there[first + d, i] = counts[d] > 0
                out[first + d, i] = totals[d] / counts[d] if counts[d] > 0 else values[offsets[i]]
    return out, there


@njit(cache=True, nogil=True)
def weighted_counts(
    codes: IntArray, raters: IntArray, offsets: IntArray, weights: FloatArray, n_levels: int
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return how often each item got each level, and whether any of its raters was drawn (if not: its first level)."""
    n_items, n_draws = offsets.size - 1, weights.shape[1]
    out = np.empty((n_draws, n_items, n_levels))
    there = np.zeros((n_draws, n_items), dtype=np.bool_)
    counts = np.empty((n_levels, n_draws))
    for i in range(n_items):
        counts[:] = 0.0
        for j in range(offsets[i], offsets[i + 1]):
            row, level = weights[raters[j]], counts[codes[j]]
            for d in range(n_draws):
                level[d] += row[d]
        for d in range(n_draws):
            for level in range(n_levels):
                out[d, i, level] = counts[level, d]
                there[d, i] |= counts[level, d] > 0
            if not there[d, i]:
                out[d, i, codes[offsets[i]]] = 1.0
    return out, there


@njit(cache=True, nogil=True)
def repeated(values: FloatArray, raters: IntArray, offsets: IntArray, weights: FloatArray, width: int) -> FloatArray:
    """Return each response as often as its rater was drawn, in the given order (the first, if none); NaN fills rows."""
    n_items, n_draws = offsets.size - 1, weights.shape[1]
    out = np.full((n_draws, n_items, width), np.nan)
    for d in range(n_draws):
        for i in range(n_items):
            at = 0
            for j in range(offsets[i], offsets[i + 1]):
                for _ in range(int(weights[raters[j], d])):
                    out[d, i, at] = values[j]
                    at += 1
            if at == 0:
                out[d, i, 0] = values[offsets[i]]
    return out
