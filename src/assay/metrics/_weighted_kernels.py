"""Rank correlations and areas of weighted entries; compiled on first use.

A draw gives every entry a weight: how often its item was drawn, or whether a swap chose it. Entries were put in order
once; a rank is then a running sum of weights, and no draw sorts. `weights` is (draws, entries). Ranks are doubled, so
that all are whole numbers; indices are unsigned: negative ones cost a branch each. Plain twins are in the tests.
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
def spearman(gold: Entries, gold_ends: Marks, model: Entries, ends: Marks, weights: Weights) -> FloatArray:
    """Spearman's correlation for each draw: entries in gold's order, and the places there in the model's order.

    The last of each tie is marked on both sides.
    """
    n_draws, n = weights.shape
    out = np.empty(n_draws)
    packed = np.empty(n, dtype=np.int64)
    for d in range(n_draws):
        row = weights[d]
        before, here, of_gold, start = _ZERO, _ZERO, 0.0, 0
        for k in range(n):
            weight = np.int64(row[np.uint64(gold[k])])
            here += weight
            packed[k] = weight
            if gold_ends[k]:
                rank = 2 * before + here + 1
                of_gold += float(here) * rank * rank
                for j in range(start, k):
                    packed[j] += rank * _W
                packed[k] = rank * _W + weight
                before += here
                here = _ZERO
                start = k + 1
        total = float(before)
        before, part, shared, squares = _ZERO, _ZERO, 0.0, 0.0
        for k in range(n):
            both = packed[np.uint64(model[k])]
            weight = both & (_W - 1)
            here += weight
            part += weight * (both >> 16)
            if ends[k]:
                rank = 2 * before + here + 1
                shared += float(part) * rank
                squares += float(here) * rank * rank
                before += here
                here = _ZERO
                part = _ZERO
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
        row = weights[d]
        here, against, below, positives, twice_above = _ZERO, _ZERO, _ZERO, _ZERO, _ZERO
        for k in range(n):
            weight = np.int64(row[np.uint64(model[k])])
            chosen = weight & -np.int64(positive[k])
            here += chosen
            against += weight - chosen
            if ends[k]:
                twice_above += here * (2 * below + against)
                below += against
                positives += here
                here = _ZERO
                against = _ZERO
        pairs = float(positives) * below
        out[d] = twice_above / 2 / pairs if pairs > 0 else np.nan
    return out


@njit(cache=True, nogil=True)
def kendall(gold_ends: Marks, codes: Entries, n_codes: int, weights: Weights) -> FloatArray:
    """Kendall's τ-b for each draw of few entries: `codes` are the model's, from 1, in gold's order.

    A tree of weights (Fenwick 1994) says of each entry what came before it with a smaller code, and with a larger one.
    """
    n_draws, n = weights.shape
    out = np.empty(n_draws)
    tree = np.empty(n_codes + 1, dtype=np.int64)
    of_code = np.empty(n_codes + 1, dtype=np.int64)
    for d in range(n_draws):
        tree[:] = 0
        of_code[:] = 0
        before, balance, in_gold, in_model, start = _ZERO, _ZERO, 0.0, 0.0, 0
        for k in range(n):
            weight = np.int64(weights[d, k])
            if weight:
                code = codes[k]
                of_code[code] += weight
                upto, place = _ZERO, code - 1
                while place > 0:
                    upto += 2 * tree[place]
                    place -= place & -place
                equal, place, other = _ZERO, code, code - 1
                while place != other:
                    if place > other:
                        equal += tree[place]
                        place -= place & -place
                    else:
                        equal -= tree[other]
                        other -= other & -other
                balance += weight * (upto + equal - before)
            if gold_ends[k]:
                here = _ZERO
                for j in range(start, k + 1):
                    added = np.int64(weights[d, j])
                    if added:
                        here += added
                        place = codes[j]
                        while place <= n_codes:
                            tree[place] += added
                            place += place & -place
                in_gold += here * (here - 1) / 2
                before += here
                start = k + 1
        for code in range(1, n_codes + 1):
            in_model += of_code[code] * (of_code[code] - 1) / 2
        pairs = float(before) * (before - 1) / 2
        scale = np.sqrt(pairs - in_gold) * np.sqrt(pairs - in_model)
        out[d] = balance / scale if scale > 0 else np.nan
    return out


@njit(cache=True, nogil=True)
def tied_pairs(order: Entries, ends: Marks, weights: Weights) -> FloatArray:
    """Pairs of equal entries for each draw, an entry of weight w being w equal ones."""
    n_draws, n = weights.shape
    out = np.empty(n_draws)
    for d in range(n_draws):
        row = weights[d]
        here, pairs = 0, 0.0
        for k in range(n):
            here += row[np.uint64(order[k])]
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
            row = weights[np.uint64(place)]
            w0, w1, w2, w3 = np.int64(row[0]), np.int64(row[1]), np.int64(row[2]), np.int64(row[3])
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
