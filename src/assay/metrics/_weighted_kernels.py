"""Rank correlations and areas of weighted entries; compiled on first use.

A draw gives every entry a weight: how often its item was drawn, or whether a swap chose it. Entries were put in order
once; a rank is then a running sum of weights, and no draw sorts. `weights` is (draws, entries), the entries standing in
gold's order. Ranks are doubled, so that all are whole numbers. Plain twins are in the tests.
"""

import numpy as np
import numpy.typing as npt

from assay._compiled import njit
from assay.scales import FloatArray

Weights = npt.NDArray[np.int16]
Marks = npt.NDArray[np.bool_]
Entries = npt.NDArray[np.int32]

_W = 2**16
_ZERO = np.int64(0)


@njit(cache=True, nogil=True)
def spearman(gold_ends: Marks, model: Entries, ends: Marks, weights: Weights) -> FloatArray:
    """Spearman's correlation for each draw: entries in the model's order, the last of each tie marked on both sides."""
    n_draws, n = weights.shape
    out = np.empty(n_draws)
    packed = np.empty(n, dtype=np.int64)
    for d in range(n_draws):
        before, here, of_gold, start = 0, 0, 0.0, 0
        for k in range(n):
            here += weights[d, k]
            if gold_ends[k]:
                rank = 2 * before + here + 1
                of_gold += float(here) * rank * rank
                for j in range(start, k + 1):
                    packed[j] = rank * _W + weights[d, j]
                before += here
                here = 0
                start = k + 1
        total = float(before)
        before, part, shared, squares = 0, 0, 0.0, 0.0
        for k in range(n):
            both = packed[model[k]]
            weight = both & (_W - 1)
            here += weight
            part += weight * (both >> 16)
            if ends[k]:
                rank = 2 * before + here + 1
                shared += float(part) * rank
                squares += float(here) * rank * rank
                before += here
                here = 0
                part = 0
        centre = total * (total + 1) ** 2
        spread = (of_gold - centre) * (squares - centre)
        out[d] = (shared - centre) / np.sqrt(spread) if spread > centre * centre * 1e-24 else np.nan
    return out


@njit(cache=True, nogil=True)
def area(positive: Marks, model: Entries, ends: Marks, weights: Weights) -> FloatArray:
    """Chance that a positive entry stands above a negative one for each draw, ties counting half.

    `positive` is in the model's order.
    """
    n_draws, n = weights.shape
    out = np.empty(n_draws)
    for d in range(n_draws):
        here, against, below, positives, above = 0, 0, 0, 0, 0.0
        for k in range(n):
            weight = np.int64(weights[d, model[k]])
            chosen = weight * positive[k]
            here += chosen
            against += weight - chosen
            if ends[k]:
                above += here * (below + against / 2)
                below += against
                positives += here
                here = 0
                against = 0
        pairs = float(positives) * below
        out[d] = above / pairs if pairs > 0 else np.nan
    return out


@njit(cache=True, nogil=True)
def tied_pairs(order: Entries, ends: Marks, weights: Weights) -> FloatArray:
    """Pairs of equal entries for each draw, an entry of weight w being w equal ones."""
    n_draws, n = weights.shape
    out = np.empty(n_draws)
    for d in range(n_draws):
        here, pairs = 0, 0.0
        for k in range(n):
            here += weights[d, order[k]]
            if ends[k]:
                pairs += here * (here - 1) / 2
                here = 0
        out[d] = pairs
    return out


@njit(cache=True, nogil=True)
def pairs_in_order(levels: Entries, weights: Weights) -> FloatArray:
    """Pairs of entries of which the first does not exceed the second, for each of four draws: weights are (entries, 4).

    `levels` are the orders by value within blocks of 2, 4, 8 … places, as merge sort makes them. A place of a block's
    second half meets what has already come of its first half; what came of earlier blocks is taken off by running sums.
    """
    n_levels, n = levels.shape
    out = np.zeros(4)
    sums = np.zeros((n + 1, 4), dtype=np.int64)
    for k in range(n):
        for d in range(4):
            sums[k + 1, d] = sums[k, d] + weights[k, d]
    for level in range(n_levels):
        come0, come1, come2, come3 = _ZERO, _ZERO, _ZERO, _ZERO
        met0, met1, met2, met3 = _ZERO, _ZERO, _ZERO, _ZERO
        for k in range(n):
            place = levels[level, k]
            second = -np.int64((place >> level) & 1)  # all bits set, or none
            first = ~second
            w0, w1 = np.int64(weights[place, 0]), np.int64(weights[place, 1])
            w2, w3 = np.int64(weights[place, 2]), np.int64(weights[place, 3])
            come0 += w0 & first
            come1 += w1 & first
            come2 += w2 & first
            come3 += w3 & first
            met0 += (w0 & second) * come0
            met1 += (w1 & second) * come1
            met2 += (w2 & second) * come2
            met3 += (w3 & second) * come3
        out[0] += met0
        out[1] += met1
        out[2] += met2
        out[3] += met3
        width = 1 << level
        for d in range(4):
            earlier, taken = 0, 0.0
            for low in range(0, n, 2 * width):
                middle, high = min(low + width, n), min(low + 2 * width, n)
                taken += float(earlier) * (sums[high, d] - sums[middle, d])
                earlier += sums[middle, d] - sums[low, d]
            out[d] -= taken
    return out
