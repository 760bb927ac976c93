"""The loops over draws and pairs of many models. Each has a plain NumPy twin in the tests.

Nothing here is as large as pairs × draws: a pair's draws are differences of two rows of sums, used and dropped.
Sums are (models, draws), so that the innermost loop runs along the draws.
"""

import numpy as np
import numpy.typing as npt

from howsure._compiled import njit
from howsure.data.scales import FloatArray, IntArray

BATCH = 512
"""Draws whose running maxima stay in the fastest memory."""


@njit(cache=True, nogil=True)
def tail_counts(
    sums: FloatArray, first: IntArray, second: IntArray, observed: FloatArray, tolerance: FloatArray
) -> npt.NDArray[np.int64]:
    """Count for each pair the draws at or above and at or below the observed advantage: (2, pairs)."""
    n_draws = sums.shape[1]
    counts = np.zeros((2, first.size), dtype=np.int64)
    for start in range(0, n_draws, BATCH):
        stop = min(start + BATCH, n_draws)
        for q in range(first.size):
            low, high = observed[q] - tolerance[q], observed[q] + tolerance[q]
            above = below = 0
            for d in range(start, stop):
                advantage = sums[first[q], d] - sums[second[q], d]
                above += advantage >= low
                below += advantage <= high
            counts[0, q] += above
            counts[1, q] += below
    return counts


@njit(cache=True, nogil=True)
def stepdown_counts(
    sums: FloatArray, first: IntArray, second: IntArray, scale: FloatArray, observed: FloatArray
) -> npt.NDArray[np.int64]:
    """Count for each pair the draws in which it or a pair after it is as extreme as it was observed to be.

    Pairs come in descending order of `observed`; a draw's statistic is |difference of sums| · scale. From the last pair
    to the first, one running maximum for each draw is enough.
    """
    n_draws = sums.shape[1]
    counts = np.zeros(first.size, dtype=np.int64)
    largest = np.empty(BATCH)
    for start in range(0, n_draws, BATCH):
        stop = min(start + BATCH, n_draws)
        largest[:] = 0.0
        for q in range(first.size - 1, -1, -1):
            row, other, by, least = first[q], second[q], scale[q], observed[q]
            found = 0
            for d in range(start, stop):
                value = abs(sums[row, d] - sums[other, d]) * by
                here = max(largest[d - start], value)
                largest[d - start] = here
                found += here >= least
            counts[q] += found
    return counts


@njit(cache=True, nogil=True)
def _add_products(heavy: FloatArray, rows: FloatArray, part: FloatArray) -> None:
    """Add the products of columns of eight rows to the upper triangle of `part`, and to some places below it."""
    r0, r1, r2, r3, r4, r5, r6, r7 = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7]
    for j in range(part.shape[0]):
        h0, h1, h2, h3 = heavy[0, j], heavy[1, j], heavy[2, j], heavy[3, j]
        h4, h5, h6, h7 = heavy[4, j], heavy[5, j], heavy[6, j], heavy[7, j]
        own = part[j]
        for k in range(np.uint64(j // 4 * 4), np.uint64(own.size)):
            own[k] += ((h0 * r0[k] + h1 * r1[k]) + (h2 * r2[k] + h3 * r3[k])) + (
                (h4 * r4[k] + h5 * r5[k]) + (h6 * r6[k] + h7 * r7[k])
            )


@njit(cache=True, nogil=True)
def pair_maxima(  # noqa: PLR0915 (one loop)
    rests: FloatArray,
    shares: FloatArray,
    starts: IntArray,
    weights: npt.NDArray[np.integer],
    least: FloatArray,
) -> FloatArray:
    """Return the largest studentised |advantage| of each model with any other, for each draw: (draws, models).

    `rests` are deviations from the mean (units × models), in strata that begin at `starts`; `shares` is the weight of
    each unit in its stratum's mean; a draw takes unit u `weights[draw, u]` times. `least[j, k]` is the smallest
    variance of the advantage of j and k that is not rounding; infinite for a pair that is left out. A draw in which no
    pair of a model is defined has NaN.
    """
    n_draws, n_units = weights.shape
    m = rests.shape[1]
    wide = -(-m // 4) * 4  # rows of whole vectors: no column is left to be added by itself
    out = np.empty((n_draws, m))
    products = np.empty((m, m))
    part = np.empty((m, wide))
    moved, total, mixed = np.empty(m), np.empty(m), np.empty(m)
    # Eight units at a time: one pass over `part` adds them all.
    rows, heavy = np.zeros((8, wide)), np.zeros((8, wide))
    for d in range(n_draws):
        products[:] = 0.0
        moved[:] = 0.0
        for s in range(starts.size):
            stop = starts[s + 1] if s + 1 < starts.size else n_units
            part[:] = 0.0
            total[:] = 0.0
            mixed[:] = 0.0
            size = square = 0.0
            u = starts[s]
            while u < stop:
                i = 0
                while u < stop and i < 8:
                    w, z = weights[d, u], shares[u]
                    if w > 0:
                        size += w * z
                        square += w * z * z
                        for j in range(m):
                            rows[i, j] = rests[u, j]
                            heavy[i, j] = w * rests[u, j]
                            total[j] += heavy[i, j]
                            mixed[j] += z * heavy[i, j]
                        i += 1
                    u += 1
                rows[i:] = 0.0
                heavy[i:] = 0.0
                _add_products(heavy, rows, part)
            n = stop - starts[s]
            whole = 0.0
            for u in range(starts[s], stop):
                whole += shares[u]
            if size <= 0.0 or n < 2:
                continue
            factor = whole / size
            grown = factor * factor * n / (n - 1.0)
            for j in range(m):
                moved[j] += total[j] * factor
                rate = total[j] / size
                for k in range(j, m):
                    other = total[k] / size
                    rest = part[j, k] - rate * mixed[k] - other * mixed[j] + rate * other * square
                    products[j, k] += grown * rest
        for j in range(m):
            out[d, j] = np.nan
        for j in range(m):
            for k in range(j + 1, m):
                variance = products[j, j] + products[k, k] - 2.0 * products[j, k]
                if variance > least[j, k]:
                    ratio = abs(moved[j] - moved[k]) / np.sqrt(variance)
                    if not out[d, j] >= ratio:
                        out[d, j] = ratio
                    if not out[d, k] >= ratio:
                        out[d, k] = ratio
    return out


@njit(cache=True, nogil=True)
def column_ratios(
    rests: FloatArray, shares: FloatArray, starts: IntArray, weights: npt.NDArray[np.integer], least: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return how far each column's mean moves in each draw, and that over its own standard error: (draws, columns).

    The arguments are those of `pair_maxima`; a ratio whose variance is not above `least` is NaN.
    """
    n_draws, n_units = weights.shape
    m = rests.shape[1]
    moves, ratios = np.zeros((n_draws, m)), np.empty((n_draws, m))
    total, mixed, part, variance = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    for d in range(n_draws):
        variance[:] = 0.0
        for s in range(starts.size):
            stop = starts[s + 1] if s + 1 < starts.size else n_units
            total[:] = 0.0
            mixed[:] = 0.0
            part[:] = 0.0
            size = square = whole = 0.0
            for u in range(starts[s], stop):
                w, z = weights[d, u], shares[u]
                whole += z
                if w == 0:
                    continue
                size += w * z
                square += w * z * z
                for j in range(m):
                    value = w * rests[u, j]
                    total[j] += value
                    mixed[j] += z * value
                    part[j] += value * rests[u, j]
            n = stop - starts[s]
            if size <= 0.0 or n < 2:
                continue
            factor = whole / size
            grown = factor * factor * n / (n - 1.0)
            for j in range(m):
                rate = total[j] / size
                moves[d, j] += total[j] * factor
                variance[j] += grown * (part[j] - 2.0 * rate * mixed[j] + rate * rate * square)
        for j in range(m):
            ratios[d, j] = moves[d, j] / np.sqrt(variance[j]) if variance[j] > least[j] else np.nan
    return moves, ratios


@njit(cache=True, nogil=True)
def pair_moments(
    totals: FloatArray, rests: FloatArray, first: IntArray, second: IntArray, rounding: float
) -> tuple[FloatArray, FloatArray, npt.NDArray[np.int64]]:
    """Return for each pair the sums of squares of its unit advantages and of their `rests`, and how many are not zero.

    `totals` and `rests` are (models, units).

    A unit advantage counts as zero up to `rounding`, or up to a rounding error of the pair's largest one.
    """
    n = totals.shape[1]
    squares, spreads = np.zeros((2, first.size))
    telling = np.zeros(first.size, dtype=np.int64)
    for q in range(first.size):
        a, b, rest_a, rest_b = totals[first[q]], totals[second[q]], rests[first[q]], rests[second[q]]
        largest = 0.0
        for u in range(n):
            largest = max(largest, abs(a[u] - b[u]))
        least = max(rounding, 1e-13 * n * largest)
        for u in range(n):
            advantage = abs(a[u] - b[u])
            if advantage > least:
                telling[q] += 1
                squares[q] += advantage * advantage
            rest = rest_a[u] - rest_b[u]
            spreads[q] += rest * rest
    return squares, spreads, telling


@njit(cache=True, nogil=True)
def largest_ratios(sums: FloatArray, first: IntArray, second: IntArray, errors: FloatArray) -> FloatArray:
    """Return the largest |difference of sums| / error over these pairs, for each draw; 0 without a pair."""
    n_draws = sums.shape[1]
    largest = np.zeros(n_draws)
    for start in range(0, n_draws, BATCH):
        stop = min(start + BATCH, n_draws)
        for q in range(first.size):
            row, other, error = first[q], second[q], errors[q]
            for d in range(start, stop):
                largest[d] = max(largest[d], abs(sums[row, d] - sums[other, d]) / error)
    return largest
