"""Loops for which NumPy has no function; compiled on first use. Each has a plain twin in the tests."""

import math

import numpy as np

from assay._compiled import njit
from assay.resampling._split_kernels import draw_binomial
from assay.scales import FloatArray


@njit(cache=True, nogil=True)
def signed_sum_tails(
    largest: FloatArray, variance: FloatArray, kurtosis: FloatArray, bound: FloatArray, tie: FloatArray
) -> FloatArray:
    """Return P(sum ≥ bound) in each row: all signs of the largest terms, Edgeworth's expansion for the sum of the rest.

    The rest has this variance and this fourth cumulant over squared variance; without variance there is no rest.
    """
    n_rows, n_terms = largest.shape
    sums = np.empty(1 << n_terms)
    out = np.empty(n_rows)
    for row in range(n_rows):
        sums[0] = 0.0
        filled = 1
        for term in range(n_terms):
            size = largest[row, term]
            for i in range(filled):
                sums[filled + i] = sums[i] - size
                sums[i] += size
            filled *= 2
        scale = math.sqrt(variance[row])
        total = 0.0
        for i in range(filled):
            left = bound[row] - sums[i]
            if scale > 0.0:
                x = left / scale
                if x < -9.0:
                    total += 1.0
                elif x < 9.0:
                    density = math.exp(-x * x / 2.0) * 0.3989422804014327
                    upper = 0.5 * math.erfc(x * 0.7071067811865476) + density * kurtosis[row] / 24.0 * (x**3 - 3.0 * x)
                    total += min(max(upper, 0.0), 1.0)
            elif left <= tie[row]:
                total += 1.0
        out[row] = total / filled
    return out


@njit(cache=True, nogil=True)
def draw_counts(shares: FloatArray, k: int, n_sets: int, seed: np.uint64, log_factorials: FloatArray) -> FloatArray:
    """Draw the counts of the levels among k responses to each item, several sets of them: (sets, items, levels)."""
    n_items, n_levels = shares.shape
    out = np.zeros((n_sets, n_items, n_levels))
    state = np.array([seed, np.uint64(0)])
    for s in range(n_sets):
        for i in range(n_items):
            left, rest = k, 1.0
            for level in range(n_levels - 1):
                if left == 0 or rest <= 0.0:
                    break
                share = min(1.0, shares[i, level] / rest)
                if share <= 0.5:
                    count = draw_binomial(left, share, log_factorials, state)
                else:
                    count = left - draw_binomial(left, 1.0 - share, log_factorials, state)
                out[s, i, level] = count
                left -= count
                rest -= shares[i, level]
            out[s, i, n_levels - 1] += left
    return out
