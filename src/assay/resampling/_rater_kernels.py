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


@njit(cache=True, nogil=True)
def weighted_sizes(raters: IntArray, offsets: IntArray, weights: IntArray) -> IntArray:
    """Return how many responses each item has when each counts as often as its rater was drawn."""
    n_items = offsets.size - 1
    out = np.zeros((weights.shape[0], n_items), dtype=np.int64)
    for d in range(weights.shape[0]):
        for i in range(n_items):
            total = 0
            for j in range(offsets[i], offsets[i + 1]):
                total += weights[d, raters[j]]
            out[d, i] = total
    return out


@njit(cache=True, nogil=True)
def weighted_means(
    values: FloatArray, raters: IntArray, offsets: IntArray, item_weights: IntArray, weights: IntArray
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return the weighted mean of each item, and whether it was drawn with a rater (if not: its first)."""
    n_items = offsets.size - 1
    out = np.empty((weights.shape[0], n_items))
    there = np.zeros((weights.shape[0], n_items), dtype=np.bool_)
    for d in range(weights.shape[0]):
        for i in range(n_items):
            total = 0.0
            count = 0
            if item_weights[d, i] > 0:
                for j in range(offsets[i], offsets[i + 1]):
                    weight = weights[d, raters[j]]
                    total += weight * values[j]
                    count += weight
            there[d, i] = count > 0
            out[d, i] = total / count if count > 0 else values[offsets[i]]
    return out, there


@njit(cache=True, nogil=True)
def weighted_counts(
    codes: IntArray, raters: IntArray, offsets: IntArray, item_weights: IntArray, weights: IntArray, n_levels: int
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return how often each level was given to each item, and whether it was drawn with a rater (if not: its first)."""
    n_items = offsets.size - 1
    out = np.zeros((weights.shape[0], n_items, n_levels))
    there = np.zeros((weights.shape[0], n_items), dtype=np.bool_)
    for d in range(weights.shape[0]):
        for i in range(n_items):
            if item_weights[d, i] > 0:
                for j in range(offsets[i], offsets[i + 1]):
                    weight = weights[d, raters[j]]
                    out[d, i, codes[j]] += weight
                    there[d, i] |= weight > 0
            if not there[d, i]:
                out[d, i, codes[offsets[i]]] = 1.0
    return out, there


@njit(cache=True, nogil=True)
def repeated(values: FloatArray, raters: IntArray, offsets: IntArray, weights: IntArray, width: int) -> FloatArray:
    """Return each response as often as its rater was drawn, in the given order (the first, if none); NaN fills rows."""
    n_items = offsets.size - 1
    out = np.full((weights.shape[0], n_items, width), np.nan)
    for d in range(weights.shape[0]):
        for i in range(n_items):
            at = 0
            for j in range(offsets[i], offsets[i + 1]):
                for _ in range(weights[d, raters[j]]):
                    out[d, i, at] = values[j]
                    at += 1
            if at == 0:
                out[d, i, 0] = values[offsets[i]]
    return out
