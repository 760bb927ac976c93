"""The loops of the two-way bootstrap: how often each item and each rater was drawn, and summaries weighted by raters.

Draws are those of `_kernels.draw_items`. A response counts as often as its rater was drawn.
"""

import numpy as np
import numpy.typing as npt

from assay._compiled import njit
from assay.resampling._kernels import SeedArray, draw_items
from assay.scales import FloatArray, IntArray


@njit(cache=True, nogil=True)
def draw_weights(n: int, seeds: SeedArray) -> IntArray:
    """Draw n of n with replacement for each seed and return how often each was drawn."""
    drawn = np.empty((seeds.size, n), dtype=np.int64)
    draw_items(n, seeds, drawn)
    out = np.zeros((seeds.size, n), dtype=np.int64)
    for d in range(seeds.size):
        for i in range(n):
            out[d, drawn[d, i]] += 1
    return out


# The loops below have the draws innermost: `weights` is how often each rater was drawn, (raters, draws).


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
    totals, counts = np.empty(n_draws), np.empty(n_draws)
    for i in range(n_items):
        totals[:] = 0.0
        counts[:] = 0.0
        for j in range(offsets[i], offsets[i + 1]):
            row, value = weights[raters[j]], values[j]
            for d in range(n_draws):
                totals[d] += row[d] * value
                counts[d] += row[d]
        for d in range(n_draws):
            there[d, i] = counts[d] > 0
            out[d, i] = totals[d] / counts[d] if counts[d] > 0 else values[offsets[i]]
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
